#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records real work by rules, live and to files; and counts what the kernel counts.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

PACKS=sched,irq,syscalls,block

# The kernel's own counts, each read by an execution. Argument: NAME
counts_save() {
	cat /proc/stat >"/out/$1.stat"
	cat /proc/interrupts >"/out/$1.interrupts"
	grep -w loop0 /proc/diskstats >"/out/$1.diskstats"
}

disk_make() {
	insmod /more/loop.ko
	dd if=/dev/zero of=/disk bs=1M count=8 2>/dev/null
	losetup /dev/loop0 /disk
	# One request for each block.
	echo 0 >/sys/block/loop0/queue/read_ahead_kb
}

# Copies to a disk and back, pipes, processes, packets.
work() {
	dd if=/dev/urandom of=/data bs=64k count=32 2>/dev/null
	dd if=/data of=/dev/loop0 bs=64k conv=fsync 2>/dev/null
	read_and_pipe
	processors_interrupt
	ping -c 3 -i 0.2 127.0.0.1 >/dev/null
	for _ in 1 2 3; do
		(i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done) &
	done
	wait
}

counted_work() {
	counts_save before
	work
	counts_save after
}

# Arguments: PROCESS NUMBER
has_threads() {
	grep -q "^Threads:[^0-9]*$2\$" "/proc/$1/status"
}

if [ "${1-}" = work ]; then
	work
	exit
fi
if [ "${1-}" = busy ]; then
	while :; do
		(true)
		usleep 20000
	done
fi
if [ "${1-}" = counted ]; then
	counted_work
	exit
fi
# Moves a process to another cgroup, then itself before it goes on. Argument: PROCESS
if [ "${1-}" = moves ]; then
	usleep 300000
	echo "$2" >/sys/fs/cgroup/second/cgroup.procs
	usleep 300000
	echo $$ >/sys/fs/cgroup/second/cgroup.procs
	usleep 300000
	exit
fi

second_cpu_start
disk_make
symbols_keep_loaded
cp "$0" /work.sh

attempt live ktrack stream -b 8192 -r $PACKS --event=/out/live.json -- sh /work.sh work
attempt counted ktrack record -b 8192 --include-self -r $PACKS,workqueue -o /out/counted.dat -- sh /work.sh counted

# Two processes, of which one is recorded, in each way. The kernel reports who created whom, also before ktrack records.
mkdir $INSTANCES/forks
echo 1 >$INSTANCES/forks/events/sched/sched_process_fork/enable
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /sys/fs/cgroup/top.slice/worker.service
sh /work.sh busy & worker=$!
sh /work.sh busy & other=$!
echo $worker >/sys/fs/cgroup/top.slice/worker.service/cgroup.procs
echo $worker >/out/process
for way in "-p $worker" "--cgroup=top.slice" "--unit=worker"; do
	name=${way#--}
	# shellcheck disable=SC2086
	attempt "way-${name%%[= ]*}" ktrack stream -d 0.5 $way -r sched,syscalls --event="/out/way-${name%%[= ]*}.json"
done
# A thread that is not the first of its process selects all of them.
/threads & threads=$!
wait_for has_threads $threads 3
ls /proc/$threads/task >/out/tids
attempt way-thread ktrack stream -d 0.5 -p "$(grep -vx $threads /out/tids | tail -n 1)" -r syscalls --event=/out/way-thread.json
# All threads of a process are moved with it, and what it creates is in its cgroup.
mkdir /sys/fs/cgroup/first /sys/fs/cgroup/second
echo $threads >/out/moved
for way in "stream --event=/out/moved-live.json" "record -o /tmp/moved.dat"; do
	echo $threads >/sys/fs/cgroup/first/cgroup.procs
	# shellcheck disable=SC2086
	attempt "moved-${way%% *}" ktrack $way -r syscalls -- sh /work.sh moves $threads
done
attempt moved-file ktrack export --event=/out/moved-file.json /tmp/moved.dat
kill $threads
# The same from files, one of which is of a killed recording; and as tables.
attempt record ktrack record -d 0.5 -p $worker -r sched,syscalls -o /out/way.dat
ktrack record -p $worker -r sched,syscalls -o /out/killed.dat 2>/out/killed.errors & recorder=$!
wait_while_alive $recorder is_recording $recorder
usleep 500000
process_kill $recorder
attempt recover ktrack recover /out/killed.dat
ktrack stream -p $worker -r sched,syscalls --event=/dev/null 2>/dev/null & streamer=$!
wait_while_alive $streamer is_recording $streamer
usleep 300000
process_kill $streamer
attempt leftover ktrack export -r sched,syscalls --event=/out/leftover.json tracefs:ktrack-$streamer
ktrack clean >/dev/null 2>&1
attempt tables ktrack stat --live -d 0.5 -p $worker -r syscalls --json
attempt verbose ktrack stream -v -d 0.1 -r irq -r 'instant my:none event=no:such' --event=/dev/null
conditions_record
attempt alone ktrack stream -v -d 0.1 -r 'instant my:none event=no:such'
attempt command ktrack stream --pid -r sched,syscalls --event=/out/command.json -- sh -c 'echo $$ >/out/command; (true); ls / >/dev/null'
attempt all-tasks ktrack stream -p $worker -r block
kill $worker $other
cat $INSTANCES/forks/trace >/out/forks
rmdir $INSTANCES/forks
