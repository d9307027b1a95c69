#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: ktrack watch --persistent while the machine crashes, once in each of three boots. /dev/vda keeps the directory of the watch.
# Arguments: INSTANCE REQUESTS (of each write to the demo driver)
# Before a crash, the console has a line "truth BOOT NUMBER" after each write: requests that have completed since the boot.
# Leaves /out/BOOT.errors (messages of recover), BOOT.events (EVENT lines), BOOT.info (last_boot_info), BOOT.again, BOOT.clean;
# what is in the memory of the guest when it crashes is lost, so that earlier boots' files are on the disk, too.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

DIRECTORY=/var/lib/ktrack
# Of an overwritten buffer, and of others.
MANY=600
FEW=40

disk_load() {
	insmod /more/virtio_blk.ko
	wait_for test -b /dev/vda
	mkdir -p "$DIRECTORY"
	chmod 700 "$DIRECTORY"
	tar -x -f /dev/vda -C / 2>/dev/null || true
	boot=$(($(cat /out/boot 2>/dev/null || echo 0) + 1))
	echo $boot >/out/boot
}

disk_save() {
	tar -c -f /dev/vda -C / "${DIRECTORY#/}" out
	sync
}

persistent_recover() {
	cat "$INSTANCES/$1/last_boot_info" >"/out/$boot.info"
	# What the kernel does with a buffer that it rejects.
	[ $boot != 3 ] || echo >"$INSTANCES/$1/per_cpu/cpu1/trace"
	ktrack recover /var/lib/ktrack/persistent-"$1".dat 2>"/out/$boot.other" && echo "recovered without --persistent"
	ktrack watch --persistent="$1" -r sched 2>"/out/$boot.early" && echo "a watch starts before that"
	status=0
	ktrack recover --persistent="$1" >"/out/$boot.path" 2>"/out/$boot.errors" || status=$?
	echo $status >"/out/$boot.status"
	ls $DIRECTORY >"/out/$boot.list"
	file=$(cat "/out/$boot.path")
	ktrack export -e ktrack_demo -r workqueue --event="/out/$boot.events" "$file" 2>"/out/$boot.export"
	rm -f "$file"
	ktrack recover --persistent="$1" 2>"/out/$boot.again" && echo "recovered twice"
	cat "$INSTANCES/$1"/per_cpu/cpu*/stats | grep '^entries' >"/out/$boot.clean"
}

watch_begin() {
	insmod /modules/ktrack.ko
	insmod /modules/ktrack_demo.ko
	# The disk has that of an earlier boot.
	rm -f /out/watch.errors
	ktrack watch --persistent="$1" -e ktrack_demo -r workqueue 2>/out/watch.errors &
	watch=$!
	wait_while_alive $watch grep -q "^ktrack: watching" /out/watch.errors
}

# The driver is busy when the machine crashes.
crash() {
	disk_save
	number=0
	writes=$FEW
	[ $boot != 3 ] || writes=$MANY
	while true; do
		echo "$1" >/dev/ktrack_demo
		number=$((number + $1))
		echo "<1>truth $boot $number" >/dev/kmsg
		[ $number -lt $((writes * $1)) ] || [ -e /tmp/crashing ] || {
			: >/tmp/crashing
			{ usleep 30000; echo c >/proc/sysrq-trigger; } &
		}
	done
}

disk_load
[ $boot = 1 ] || persistent_recover "$1"
watch_begin "$1"
[ $boot = 4 ] || crash "$2"
process_end $watch watch
ls $DIRECTORY >/out/end.list
cat "$INSTANCES/$1"/per_cpu/cpu*/stats | grep '^entries' >/out/end.clean
cat "$INSTANCES/$1/set_event" >/out/end.events
rmmod ktrack_demo ktrack
