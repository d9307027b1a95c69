#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: programs write to trace_marker, of ktrack's own instance and of the top level. Argument: "copies" if this kernel
# copies texts of the top level's trace_marker to instances.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

ROUNDS=50

# Writes the texts of a program to a file; the texts of each round are the same but for numbers.
texts_write() {
	round=0
	while [ $round -lt $ROUNDS ]; do
		echo "B|$$|frame $round" >"$1"
		echo "B|$$|inner" >"$1"
		echo "S|$$|request|$round" >"$1"
		echo "C|$$|queue|-$round" >"$1"
		echo "E|$$" >"$1"
		echo "E|$$" >"$1"
		round=$((round + 1))
	done
	round=0
	while [ $round -lt $ROUNDS ]; do
		# Another thread of another process ends them.
		(echo "F|$$|request|$round" >"$1")
		round=$((round + 1))
	done
	echo "I|$$|tap" >"$1"
	echo "hello from a script" >"$1"
	printf 'B|%s\0|nul' $$ >"$1"
	printf '%05000d' 7 >"$1" || true
	echo "C|$$|queue|9223372036854775808" >"$1"
	printf '\377\001|' >"$1"
	printf '\001\000\000\000B|%s|raw' $$ >"${1}_raw"
	echo "G|$$|disk|read|5" >"$1"
	echo "H|$$|disk|5" >"$1"
	echo "N|$$|input|key" >"$1"
}

if [ "${1-}" = own ]; then
	texts_write "$INSTANCES/ktrack-$PPID/trace_marker"
	exit
elif [ "${1-}" = top ]; then
	texts_write $TRACING/trace_marker
	exit
fi

symbols_keep
attempt own ktrack stream -r marker --event=/out/own.json -- sh "$0" own
attempt record ktrack record -r marker,sched -o /out/own.dat -- sh "$0" own
attempt recorded ktrack export -r marker --event=/out/recorded.json /out/own.dat

# The top level's buffer, which has a few KiB before it is used: as it is filled, at the end, and by trace-cmd.
echo 1024 >$TRACING/buffer_size_kb
ktrack stream --instance=top -r marker --ready-fd=3 --event=/out/top.json 2>/out/top.errors 3>/out/ready & recorder=$!
wait_while_alive $recorder grep -q ready /out/ready
sh "$0" top
process_end $recorder top
sh "$0" top
attempt snapshot ktrack export -r marker --event=/out/snapshot.json tracefs
# Recordings of it have the formats of ftrace's own records.
ktrack record -q --instance=top --ready-fd=3 -o /out/attached.dat 2>/out/record.errors 3>/out/ready.record & recorder=$!
wait_while_alive $recorder grep -q ready /out/ready.record
sh "$0" top
process_end $recorder attached
sh "$0" top
attempt save ktrack export -r marker --save=/out/saved.dat --event=/dev/null tracefs
for file in attached saved; do
	attempt $file ktrack export -r marker --event=/out/$file.json /out/$file.dat
	trace-cmd report /out/$file.dat >/out/$file.report 2>&1
done
mkdir $INSTANCES/mine
echo boot >$INSTANCES/mine/trace_clock
echo 1 >$INSTANCES/mine/options/stacktrace
echo 1 >$INSTANCES/mine/events/sched/sched_process_exec/enable
echo do_sys_openat2 >$INSTANCES/mine/set_ftrace_filter
echo function >$INSTANCES/mine/current_tracer
sh -c 'cat /proc/version; true' >/dev/null
attempt stack ktrack export --save=/out/stack.dat --event=/dev/null tracefs:mine
attempt calls ktrack export -r functions --event=/out/calls.json /out/stack.dat
trace-cmd report /out/stack.dat >/out/stack.report 2>&1
echo nop >$INSTANCES/mine/current_tracer
rmdir $INSTANCES/mine
attempt trace_cmd trace-cmd record -C boot -e sched:sched_switch -o /out/trace.dat sh "$0" top
attempt file ktrack export -r marker --event=/out/file.json /out/trace.dat
trace-cmd report /out/trace.dat 2>/dev/null | grep -c ': print: ' >/out/file.printed || true
if [ "${1-}" = copies ]; then
	attempt copied ktrack stream -r marker --event=/out/copied.json -- sh "$0" top
fi
cat $TRACING/current_tracer $TRACING/trace_clock >/out/top.state

# Pointers to strings of the kernel.
use='instant rcu:use event=rcu:rcu_utilization name={s}'
attempt strings ktrack stream -r "$use" --event=/out/strings.json -- sleep 0.1
attempt kept ktrack record -r "$use" -o /out/strings.dat -- sleep 0.1
attempt kept_export ktrack export -r "$use" --event=/out/kept.json /out/strings.dat
trace-cmd report /out/strings.dat 2>/dev/null | grep -c 'rcu_utilization: *\(Start\|End\) context switch' >/out/strings.printed || true
rm -f /out/*.dat
instances_check "at the end"
symbols_restore
