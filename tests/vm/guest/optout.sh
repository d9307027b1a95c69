#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: loads a module that does not pin itself, records it, and unloads it while it is recorded.
# Arguments: FOLDER ROUNDS. Prints a line for what should not happen.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

INSTANCE=$INSTANCES/r

# A new instance is made for every tenth round only: on old kernels it takes longer than the rest.
for round in $(seq "$2"); do
	insmod "$1/ktrack_test.ko"
	[ -d $INSTANCE ] || mkdir $INSTANCE
	echo 1 >$INSTANCE/events/ktrack_test/enable
	echo nested 5 >/dev/ktrack_test
	records=$(grep -c ktrack_test_thread $INSTANCE/trace)
	[ "$records" = 45 ] || echo "round $round: $records records"
	references=$(cat /sys/module/ktrack_test/refcnt)
	[ "$references" = 0 ] || echo "round $round: $references references"
	rmmod ktrack_test || echo "round $round: the module stays"
	[ ! -e $TRACING/events/ktrack_test ] || echo "round $round: its events stay"
	[ $((round % 10)) != 0 ] || rmdir $INSTANCE
done
left=$(lsmod | grep ktrack; ls $INSTANCES)
[ -z "$left" ] || echo "left behind: $left"
echo "$round rounds"
