#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: what tests/packages/typed.sh types in the Debian system of /dev/vda. Arguments: pages.
set -eu

for module in virtio_blk crc16 crc32c_generic mbcache jbd2 ext4; do
	[ ! -e /more/$module.ko ] || insmod /more/$module.ko
done
mkdir -p /mnt
mount -t ext4 /dev/vda /mnt
mount -t proc proc /mnt/proc
mount --bind /dev /mnt/dev
mount -t sysfs sysfs /mnt/sys
mount -t tracefs tracefs /mnt/sys/kernel/tracing
status=0
chroot /mnt /bin/bash /ktrack/tests/packages/typed.sh "$@" || status=$?
cp /mnt/typed/* /out
umount -l /mnt
exit $status
