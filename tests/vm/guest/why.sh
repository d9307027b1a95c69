#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records incidents. Leaves for each NAME: NAME.dat, NAME.packs and NAME.slice, which is to be explained.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

RULES=sched,irq,locks,workqueue,timers

# Arguments: NAME PACKS SLICE COMMAND... With kernel stacks of the tracepoint in $stack.
incident_record() {
	name=$1 packs=$2 slice=$3
	shift 3
	echo "$packs" >"/out/$name.packs"
	echo "$slice" >"/out/$name.slice"
	attempt "$name" ktrack record -b 8192 -e 'ktrack_t*' -r "$packs" ${stack:+"--stack=$stack"} -o "/out/$name.dat" -- "$@"
}

# A process that is stopped in its slice, and continued by its parent.
process_stop() {
	sh -c 'echo begin 1 >/dev/ktrack_test; touch /begun; until [ -e /continued ]; do :; done; echo end 1 >/dev/ktrack_test' & process=$!
	wait_for test -e /begun
	kill -STOP $process
	usleep 500000
	touch /continued
	kill -CONT $process
	wait $process
}

# A process whose cgroup gets a small share of its CPU. Argument: whether the other process goes on.
process_starve() {
	sh -c 'echo $$ >/sys/fs/cgroup/large/cgroup.procs; exec taskset 1 dd if=/dev/zero of=/dev/null bs=1' 2>/dev/null & hog=$!
	wait_for grep -q '^dd$' /proc/$hog/comm
	echo $$ >/sys/fs/cgroup/small/cgroup.procs
	# shellcheck disable=SC2016 # the inner shell expands it
	taskset 1 sh -c 'echo begin 1 >/dev/ktrack_test; i=1000; while [ $i -gt 0 ]; do i=$((i - 1)); done; echo end 1 >/dev/ktrack_test'
	echo $$ >/sys/fs/cgroup/cgroup.procs
	if [ "$1" = keep ]; then
		# It is still there, and takes no more time.
		kill -STOP $hog
		echo $hog >/hog
		exit
	fi
	kill $hog
	wait
}

# A read from a disk that delivers 256 KiB in a second.
disk_read() {
	echo $$ >/sys/fs/cgroup/slow/cgroup.procs
	dd if=/dev/loop0 of=/dev/null bs=32k count=2 iflag=direct 2>/dev/null
}

# A program writes faster than its disk.
disk_write() {
	echo $$ >/sys/fs/cgroup/slow/cgroup.procs
	dd if=/dev/zero of=/dev/loop0 bs=64k count=24 2>/dev/null
}

groups_make() {
	mount -t cgroup2 none /sys/fs/cgroup
	echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
	mkdir /sys/fs/cgroup/large /sys/fs/cgroup/small /sys/fs/cgroup/slow
	echo 10000 >/sys/fs/cgroup/large/cpu.weight
	echo 200 >/sys/fs/cgroup/small/cpu.weight
	insmod /more/loop.ko
	dd if=/dev/zero of=/disk bs=1M count=4 2>/dev/null
	losetup /dev/loop0 /disk
	echo '7:0 rbps=262144 wbps=262144' >/sys/fs/cgroup/slow/io.max
	echo 524288 >/proc/sys/vm/dirty_bytes
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
}

case ${1-} in
stop) process_stop; exit ;;
starve) process_starve "${2-}"; exit ;;
disk) disk_read; exit ;;
write) disk_write; exit ;;
esac

second_cpu_start
stack=
groups_make
insmod /modules/ktrack_test.ko
symbols_keep_loaded
for incident in lock inversion storm starvation sleep worker late_timer request; do
	incident_record $incident $RULES 'ktrack_test:*/incident' taskset 1 sh -c "echo $incident 40 >/dev/ktrack_test"
done
stack='sched:sched_switch if prev_state == 2'
incident_record stack $RULES incident sh -c 'echo sleep 40 >/dev/ktrack_test'
incident_record lost_wakeup $RULES 'ktrack_test:*/incident' sh -c 'echo lost_wakeup 40 >/dev/ktrack_test'
stack=
incident_record stop $RULES incident sh "$0" stop
incident_record group $RULES incident sh "$0" starve
incident_record disk $RULES,syscalls,block 'syscalls:*/read@dd' sh "$0" disk
incident_record write $RULES,syscalls,block,writeback 'syscalls:*/write@dd' sh "$0" write
incident_record faults $RULES,syscalls,memory 'syscalls:*/read@dd' dd if=/dev/zero of=/dev/null bs=8M count=1
attempt live ktrack stream -b 8192 -e 'ktrack_t*' --why='ktrack_test:*/incident' --event=/out/live.event -- sh -c 'echo sleep 40 >/dev/ktrack_test'
attempt live-group ktrack stream -b 8192 -e 'ktrack_t*' --why=incident -- sh "$0" starve keep
kill -KILL "$(cat /hog)"
attempt live-none ktrack stream -b 8192 --why='incident p99' -- sh -c 'echo nested 1 >/dev/ktrack_test'
rmmod ktrack_test
instances_check "at the end"
