#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records incidents. Arguments: their names. Leaves /out/N.dat, each with several.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

PACKS=sched,irq,syscalls,block,locks,workqueue,timers,reclaim,writeback,signal
# Incidents in a recording.
TOGETHER=10
# The CPUs that receive what is sent to lo.
STEERING=/sys/class/net/lo/queues/rx-0/rps_cpus

cgroups_make() {
	mount -t cgroup2 none /sys/fs/cgroup
	echo '+cpu +io +memory' >/sys/fs/cgroup/cgroup.subtree_control
	for group in quota quota/pod quota/pod/job high max kill slow frozen move; do
		mkdir /sys/fs/cgroup/$group
	done
	echo '5000 20000' >/sys/fs/cgroup/quota/cpu.max
	echo 8M >/sys/fs/cgroup/high/memory.high
	echo 14M >/sys/fs/cgroup/max/memory.max
	echo 14M >/sys/fs/cgroup/kill/memory.max
	echo 0 >/sys/fs/cgroup/kill/memory.swap.max
	echo "$(cat /sys/block/vda/dev) rbps=524288" >/sys/fs/cgroup/slow/io.max
}

disk_mount() {
	for module in crc32c_generic crc16 mbcache jbd2 ext4 virtio_blk loop dm-mod dm-delay; do
		insmod /more/$module.ko
	done
	mkdir -p /mnt /shm /tmp
	mount -t ext4 /dev/vda /mnt
	mount -t tmpfs none /shm
	mkdir -p /dev/pts
	mount -t devpts none /dev/pts
	dd if=/dev/zero of=/mnt/swap bs=1M count=48 2>/dev/null
	chmod 600 /mnt/swap
	mkswap /mnt/swap >/dev/null
	dd if=/dev/zero of=/shm/disk bs=1M count=4 2>/dev/null
	losetup /dev/loop0 /shm/disk
	dd if=/dev/urandom of=/mnt/image bs=1M count=2 2>/dev/null
	losetup /dev/loop1 /mnt/image
	sync
}

# Arguments: NAME...
incidents_make() {
	for name in "$@"; do
		case $name in
		swapped*) swapon /mnt/swap ;;
		flood) echo 1 >$STEERING ;;
		esac
		timeout -s KILL 20 /incidents "$name" || echo "$name: exit status $?"
		case $name in
		swapped*) swapoff /mnt/swap ;;
		flood) echo 0 >$STEERING ;;
		offline*) second_cpu_start ;;
		esac
	done
}

if [ "$1" = make ]; then
	shift
	incidents_make "$@"
	exit
fi
second_cpu_start
disk_mount
cgroups_make
symbols_keep_loaded
number=0
while [ $# -gt 0 ]; do
	names=
	while [ $# -gt 0 ] && [ "$(echo "$names" | wc -w)" -lt $TOGETHER ]; do
		names="$names $1"
		shift
	done
	number=$((number + 1))
	# shellcheck disable=SC2086 # several words
	attempt $number ktrack record -b 8M --programs -r $PACKS --stack='sched:sched_switch if prev_state & 3' -o "/out/$number.dat" -- sh "$0" make $names
	cat "/out/$number.output"
	[ "$(cat "/out/$number.status")" = 0 ] || cat "/out/$number.errors"
done
