#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: loads and unloads modules while others write, switch, read, and make instances.
# Arguments: FOLDER ROUNDS; the modules are FOLDER/*.ko. Prints a line for what should not happen.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

ATTEMPTS=10000
# Between two things of a kind, so that there are moments when nobody holds a module.
PAUSE_US=50000
ACTIVITIES="writers switchers instances readers"
# A few rounds can be over before each activity has met a moment when the modules were there.
MORE_ROUNDS=50

# While the modules are away a device file of /dev would be made anew, as a plain file.
# Arguments: DEVICE; the module is loaded in the same order each time, so its number stays.
node_make() {
	rm -f "/tmp/$1"
	mknod "/tmp/$1" c 10 "$(sed -n "s/^ *\([0-9]*\) $1\$/\1/p" /proc/misc)"
}

modules_load() {
	insmod "$folder/ktrack.ko"
	insmod "$folder/ktrack_demo.ko"
	insmod "$folder/ktrack_test.ko"
}

# Arguments: MODULE; somebody may be using it right now, but not for ever.
module_unload() {
	attempt=0
	until rmmod "$1" 2>/dev/null; do
		attempt=$((attempt + 1))
		usleep 1000
		[ "$attempt" -lt "$ATTEMPTS" ] || {
			echo "$1 could not be unloaded: $(cat "/sys/module/$1/refcnt") references"
			return 1
		}
	done
}

modules_unload() {
	for module in "$@"; do
		module_unload "$module"
	done
}

# What goes on meanwhile. Each may fail, where a module is just away. The writers are at it most of the time,
# so that modules are mostly asked to go in the middle of a write.
writers_go() {
	echo nested 20 >/tmp/ktrack_test && echo 200 >/tmp/ktrack_demo
}

switchers_go() {
	for system in ktrack ktrack_demo ktrack_test; do
		echo 1 >"$INSTANCES/a/events/$system/enable"
		echo 1 >"$TRACING/events/$system/enable"
		echo 0 >"$INSTANCES/a/events/$system/enable"
		echo 0 >"$TRACING/events/$system/enable"
	done
}

instances_go() {
	mkdir "$INSTANCES/b"
	echo 1 >"$INSTANCES/b/events/ktrack_test/enable"
	rmdir "$INSTANCES/b"
}

readers_go() {
	grep -q ktrack_ "$INSTANCES/a/trace" && echo >"$INSTANCES/a/trace"
}

activity_repeat() {
	set +e
	while [ -e /tmp/go ]; do
		"$1_go" >/dev/null 2>&1 && touch "/tmp/$1.done"
		usleep "$PAUSE_US"
	done
}

activities_idle() {
	for activity in $ACTIVITIES; do
		[ -e "/tmp/$activity.done" ] || echo "$activity"
	done
}

modules_churn() {
	case $(($1 % 3)) in
	0) modules_unload ktrack_test ktrack_demo ktrack ;;
	1) modules_unload ktrack_demo ktrack ktrack_test ;;
	2) modules_unload ktrack_demo ktrack_test ktrack ;;
	esac
	modules_load
}

folder=$1
rounds=$2
mkdir "$INSTANCES/a"
modules_load
node_make ktrack_test
node_make ktrack_demo
touch /tmp/go
for activity in $ACTIVITIES; do
	rm -f "/tmp/$activity.done"
	activity_repeat "$activity" &
done
round=0
while [ "$round" -lt "$rounds" ] || [ -n "$(activities_idle)" ]; do
	round=$((round + 1))
	modules_churn "$round"
	[ "$round" -lt $((rounds + MORE_ROUNDS)) ] || break
done
rm /tmp/go
wait
rmdir "$INSTANCES/a"
modules_unload ktrack_test ktrack_demo ktrack
for activity in $(activities_idle); do
	echo "$activity never got anything done"
done
left=$(lsmod | grep ktrack; ls $INSTANCES; ps -o comm | sed -n '/ktrack_demo\//p' || true)
[ -z "$left" ] || echo "left behind: $left"
echo "$rounds rounds or more"
