#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: both CPUs open /dev/ktrack, switch events, load and unload a module, write and read, all at once. Argument: ATTEMPTS
# of each activity. Leaves races (each activity with its successes). Prints a line for what should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

attempts=$1
writers=
insmod /modules/ktrack.ko
insmod /modules/ktrack_test.ko
mkdir $INSTANCES/mine
# All may be written before the first switch.
echo 1 >$INSTANCES/mine/events/ktrack_test/enable
for cpu in 0 1; do
	for activity in open switch; do
		/race $activity $cpu "$attempts" >>/out/races &
		writers="$writers $!"
	done
done
# On any CPU: the test module refuses to write on a CPU that the writer may not use.
for activity in instance module write; do
	/race $activity -1 "$attempts" >>/out/races &
	writers="$writers $!"
done
# Reading where there is nothing yet takes no time: it goes on until the others have ended.
while [ ! -e /tmp/over ]; do
	/race read -1 "$attempts" >>/out/races
done &
# shellcheck disable=SC2086
wait $writers
touch /tmp/over
wait
for system in ktrack ktrack_early ktrack_test; do
	for place in "$TRACING" "$INSTANCES"/*; do
		[ ! -e "$place/events/$system/enable" ] || echo 0 >"$place/events/$system/enable"
	done
done
rmdir $INSTANCES/*
! grep -q "^ktrack_early " /proc/modules || rmmod ktrack_early
rmmod ktrack_test || echo "ktrack_test is still used"
rmmod ktrack || echo "ktrack is still used"
instances_check "at the end"
