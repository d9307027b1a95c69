#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records workloads on a virtio disk by all packs, and what the kernel counts meanwhile.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

PACKS=irq,sched,syscalls,block,workqueue,locks,net,memory,fs,timers,writeback

CGROUPS=/sys/fs/cgroup

# The kernel's own counts, each read by an execution. Argument: NAME
counts_save() {
	cat /proc/stat >"/out/$1.stat"
	cat /proc/interrupts >"/out/$1.interrupts"
	grep -w vda /proc/diskstats >"/out/$1.diskstats"
	cat /proc/schedstat >"/out/$1.schedstat"
}

# To files of the disk and back, and from the disk itself: a request for each block.
copy() {
	cp -r /sources /mnt/copy
	sync
	echo 3 >/proc/sys/vm/drop_caches
	cat /mnt/copy/* >/dev/null
	dd if=/dev/vda of=/dev/null bs=4k count=256 2>/dev/null
	dd if=/dev/urandom of=/mnt/data bs=64k count=16 conv=fsync 2>/dev/null
}

# As a project is built: two compilers at a time, on the disk.
compile() {
	make -s -j2 -C /mnt -f /sources/Makefile
	sync
}

pipes() {
	dd if=/dev/zero bs=512 count=1000 2>/dev/null | cat | wc -c >/out/pipes.bytes
	for number in 1 2 3 4 5 6 7 8 9 10; do
		echo "$number" | sed 's/1/2/' | cat >/dev/null
	done
}

flood() {
	ping -c 500 -i 0.002 -q 127.0.0.1 >/out/ping
}

# A writer that has to wait for the disk, and a group of processes that reads more than it may keep in memory.
pressure() {
	echo 262144 >/proc/sys/vm/dirty_bytes
	dd if=/dev/zero of=/mnt/large bs=64k count=128 2>/dev/null
	sync
	echo 3 >/proc/sys/vm/drop_caches
	mkdir $CGROUPS/small
	echo 2M >$CGROUPS/small/memory.max
	sh -c "echo \$\$ >$CGROUPS/small/cgroup.procs; cat /mnt/large" >/dev/null
}

# Probes read the clock of a CPU's run queue when schedule() has left the idle task, or chosen it: tests/vm/scheduler_clock.py.
clock_probes() {
	clock=$(pahole -C rq /sys/kernel/btf/vmlinux | sed -n 's|.* clock; */\* *\([0-9]*\) .*|+\1(%di):u64|p')
	chosen=set_next_task_idle
	# Before 6.12 the kernel calls this one first.
	! grep -q ' pick_next_task_idle$' /proc/kallsyms || chosen=pick_next_task_idle
	echo "p:clock_rq/idle_end put_prev_task_idle clock=$clock" >>$TRACING/kprobe_events
	echo "p:clock_rq/idle_begin $chosen clock=$clock" >>$TRACING/kprobe_events
}

if [ $# -gt 0 ]; then
	counts_save "$1.before"
	"$1"
	processors_interrupt
	counts_save "$1.after"
	exit
fi

clock_probes
second_cpu_start
for module in virtio_blk crc16 crc32c_generic mbcache jbd2 ext4; do
	[ ! -e /more/$module.ko ] || insmod /more/$module.ko
done
symbols_keep_loaded
mkdir -p /mnt
mount -t cgroup2 none $CGROUPS
echo +memory >$CGROUPS/cgroup.subtree_control
mount -t ext4 /dev/vda /mnt
echo 0 >/sys/block/vda/queue/read_ahead_kb
for work in copy compile pipes flood pressure; do
	# What the one before left is not written meanwhile.
	sync
	attempt $work ktrack record -b 16384 --include-self -r $PACKS \
		-r "instant clock:idle_end event=clock_rq:idle_end" -r "instant clock:idle_begin event=clock_rq:idle_begin" -o /out/$work.dat -- sh "$0" $work
done
cp /mnt/program /out/program
