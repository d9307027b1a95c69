#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: the packs whose events need work of their own, and modules that are loaded and unloaded while rules use their tracepoints.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

PACKS=workqueue,locks,net,memory,fs,timers,writeback,bio
FILES='1 2 3 4 5'

# In this order; a kernel may have some of them built in.
ext4_load() {
	for module in crc16 crc32c_generic mbcache jbd2 ext4; do
		[ ! -e /more/$module.ko ] || [ -e /sys/module/$module ] || insmod /more/$module.ko
	done
}

disk_mount() {
	losetup /dev/loop1 /disk.image
	mount -t ext4 /dev/loop1 /mnt
}

disk_unmount() {
	umount /mnt
	losetup -d /dev/loop1
}

# Each file is written, synced and removed.
files_use() {
	for file in $FILES; do
		dd if=/dev/zero of="/mnt/$file" bs=4k count=16 conv=fsync 2>/dev/null
	done
	for file in $FILES; do
		rm "/mnt/$file"
	done
}

fight() {
	for _ in 1 2 3 4 5 6; do
		(i=0; while [ $i -lt 40 ]; do i=$((i + 1)); (true); done) &
	done
	wait
}

work() {
	disk_mount
	files_use
	ping -c 200 -i 0.002 -q 127.0.0.1 >/out/ping
	fight
	echo 3 >/proc/sys/vm/drop_caches
	echo 1 >/proc/sys/vm/compact_memory
	disk_unmount
}

# The tracepoints of ext4 exist only while it is loaded.
round_run() {
	ext4_load
	wait_while_alive "$recorder" grep -q ext4_unlink_enter "$INSTANCES/ktrack-$recorder/set_event"
	disk_mount
	files_use
	disk_unmount
	rmmod ext4
	rmmod jbd2
}

if [ "${1-}" = work ]; then
	work
	exit
fi

insmod /more/loop.ko
cp "$0" /work.sh
mkdir -p /mnt
ip link set lo up

ktrack stream --wait --ready-fd=3 -r fs --event=/out/rounds.json 2>/out/rounds.errors 3>/out/ready & recorder=$!
wait_while_alive $recorder grep -q ready /out/ready
round_run
round_run
process_end $recorder rounds

ext4_load
attempt record ktrack record -b 8192 --include-self -r $PACKS -o /out/packs.dat -- sh /work.sh work
