#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: writes what the tests read here, all of one boot, so that the ids fit together: formats of events
# (SYSTEM/EVENT), sub-buffers of one CPU (*.page), and the same as the kernel prints it (*.text, a line
# "TID SECONDS EVENT: FIELDS" for each record).
# Run: scripts/vm --kernel 6.1 --cpus 1 --out FOLDER --add userspace/rules/packs:/packs -- tests/formats/capture.sh
set -eu

TRACING=/sys/kernel/tracing
INSTANCE=$TRACING/instances/capture
TRIES=50

format_save() {
	mkdir -p "/out/$1"
	cat "$TRACING/events/$1/$2/format" >"/out/$1/$2"
}

formats_save() {
	for folder in "$TRACING/events/$1"/*/; do
		format_save "$1" "$(basename "$folder")"
	done
}

# The tracepoints of the packs of rules, those that this kernel has.
packs_save() {
	grep -hoE '= [a-z_]+:[a-z_]+' /packs/*.rules | cut -c3- | while read -r name; do
		if [ -d "$TRACING/events/${name%:*}/${name#*:}" ]; then
			format_save "${name%:*}" "${name#*:}"
		fi
	done
}

page_read() {
	dd if=$INSTANCE/per_cpu/cpu0/trace_pipe_raw of="$1" bs=4096 count=1 2>/dev/null
}

# The kernel prints a probe's place, quotes its texts and shows types that have no __print_symbolic as numbers.
text_read() {
	sed -n -e 's/^.*-\([0-9]*\) *\[000\] [^ ]* *\([0-9.]*\): /\1 \2 /' -e 's/: ([^)]*) /: /' \
		-e 's/track_event_type=66/B/' -e 's/slice_name="\([^"]*\)"/slice_name=\1/' -e '/^[0-9]/p' $INSTANCE/trace
}

both_save() {
	echo 0 >$INSTANCE/events/enable
	text_read >"/out/$1.text"
	page_read "/out/$1.page"
}

demo_enable() {
	echo 1 >$INSTANCE/events/ktrack/enable
	echo 1 >$INSTANCE/events/ktrack_demo/enable
}

# A sub-buffer with a silence that takes an entry of its own.
batches_save() {
	demo_enable
	echo 1 >/dev/ktrack_demo
	usleep 300000
	echo 1 >/dev/ktrack_demo
	both_save batches
}

dynamic_make() {
	cat >>$TRACING/kprobe_events <<'TEXT'
p:probe/read vfs_read track_event_type=\66:s8 slice_name=\"read":string scope_count=$arg3:u64 low=$arg3:s8
TEXT
	cat >>$TRACING/synthetic_events <<'TEXT'
busy u64 track_event_type; char slice_name[]; pid_t scope_who; char comm[16]
TEXT
	cat >>$TRACING/dynamic_events <<'TEXT'
e:eprobe/woken sched/sched_waking track_event_type=\73:s8 slice_name=$comm:string scope_who=$pid:s32
TEXT
	echo 'hist:keys=pid:c=comm' >$TRACING/events/sched/sched_waking/trigger
	cat >$TRACING/events/sched/sched_switch/trigger <<'TEXT'
hist:keys=next_pid:ty=66:onmatch(sched.sched_waking).trace(busy,$ty,prev_comm,next_pid,next_comm)
TEXT
}

# Records of events that no module has: a probe, whose fields are not aligned, and a synthetic event.
dynamic_save() {
	echo 1 >$INSTANCE/events/probe/enable
	echo 1 >$INSTANCE/events/synthetic/enable
	dd if=/dev/zero of=/dev/null bs=200 count=2 2>/dev/null
	both_save dynamic
}

# Overruns a small buffer until one sub-buffer with its count of lost records was seen, and one without.
gaps_save() {
	number=0
	echo 4 >$INSTANCE/buffer_size_kb
	demo_enable
	while [ ! -e /out/gap.page ] || [ ! -e /out/counted-gap.page ]; do
		number=$((number + 1))
		[ "$number" -le "$TRIES" ]
		echo >$INSTANCE/trace
		echo "20$number" >/dev/ktrack_demo
		page_read /tmp/page
		case $(dd if=/tmp/page bs=1 skip=11 count=1 2>/dev/null | od -An -tx1) in
		*80) mv /tmp/page /out/gap.page ;;
		*c0) mv /tmp/page /out/counted-gap.page ;;
		esac
	done
}

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
mkdir $INSTANCE
echo boot >$INSTANCE/trace_clock
dynamic_make
formats_save ktrack
formats_save ktrack_demo
format_save probe read
format_save eprobe woken
format_save synthetic busy
for event in switch wakeup waking process_fork process_exec process_exit process_free; do
	format_save sched sched_$event
done
format_save task task_newtask
format_save task task_rename
format_save cgroup cgroup_attach_task
format_save kmem kmalloc
format_save timer timer_start
packs_save
batches_save
dynamic_save
gaps_save
