#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: streams and recordings that are killed while the test module writes, and what is left of them then.
# Arguments: ROUNDS RATE, then a line of words for each: stream or record, and how many microseconds behind the first round.
# For each, /out/NUMBER.fired (what the module says), .output and .rest (what /clocked says of a stream's output, and of what was
# recovered), .counters and .params (lines of the latter's stream), .errors (what recovering says), .seen (the module's records and
# the waits of ktrack until its end, as the kernel prints them).
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Another instance has the module's records, and the waits of a ktrack, until this one ends. Argument: PROCESS
seen_begin() {
	mkdir $INSTANCES/seen
	echo boot >$INSTANCES/seen/trace_clock
	for event in enter exit; do
		echo "common_pid == $1" >$INSTANCES/seen/events/syscalls/sys_${event}_poll/filter
		echo 1 >$INSTANCES/seen/events/syscalls/sys_${event}_poll/enable
	done
	echo "traceoff if pid == $1" >$INSTANCES/seen/events/sched/sched_process_exit/trigger
	echo 1 >$INSTANCES/seen/events/ktrack_test/enable
}

# The module can be unloaded then.
seen_end() {
	cat $INSTANCES/seen/trace >"/out/$number.seen"
	rmdir $INSTANCES/seen
}

# Kills a ktrack so long after the module begins, and waits until that is done. Arguments: PROCESS MICROSECONDS.
kill_while_written() {
	wait_while_alive "$1" is_recording "$1"
	seen_begin "$1"
	echo "everywhere $rounds $rate" >/dev/ktrack_test &
	writer=$!
	usleep "$2"
	process_kill "$1"
	wait $writer
	seen_end
}

rest_look() {
	/clocked </tmp/rest >"/out/$number.rest"
	grep '"event":"counter".*"thread":"main"' /tmp/rest >"/out/$number.counters" || true
	grep '"event":"def_param"' /tmp/rest >"/out/$number.params"
}

stream_kill() {
	ktrack stream -b 1024 -e ktrack_test --with=cpu --event=/tmp/output &
	stream=$!
	kill_while_written $stream "$1"
	/clocked </tmp/output >"/out/$number.output"
	ktrack export -e ktrack_test --with=cpu --event=/tmp/rest "tracefs:ktrack-$stream" 2>"/out/$number.errors" || echo "no export of what $number left"
	rest_look
	ktrack clean >/dev/null
	rm /tmp/output /tmp/rest
}

record_kill() {
	ktrack record -b 1024 -e ktrack_test -o /tmp/kill.dat &
	recorder=$!
	kill_while_written $recorder "$1"
	ktrack recover /tmp/kill.dat >/dev/null 2>"/out/$number.errors" || echo "$number is not recovered"
	ktrack export -e ktrack_test --with=cpu --event=/tmp/rest /tmp/kill.dat || echo "no export of $number"
	rest_look
	rm /tmp/kill.dat /tmp/rest
}

rounds=$1
rate=$2
shift 2
second_cpu_start
symbols_keep
number=0
while [ $# -gt 0 ]; do
	number=$((number + 1))
	insmod /modules/ktrack_test.ko
	"$1_kill" "$2"
	fired_save "$number"
	rmmod ktrack_test
	instances_check "$number"
	shift 2
done
