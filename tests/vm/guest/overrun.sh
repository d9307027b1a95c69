#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: a reader that is stopped until the kernel's statistics show an overrun, then goes on; and one that reads only at the end.
# Argument: REQUESTS. Leaves lost.json, lost.errors, record.errors, record.status and circular.json; the output is what should not
# have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Argument: what the instance's name has behind the stream's.
overrun_sum() {
	awk '/^overrun:/ { sum += $2 } END { print sum + 0 }' "$INSTANCES/ktrack-$stream$1"/per_cpu/cpu*/stats
}

has_overrun() {
	[ "$(overrun_sum "")" -gt 0 ]
}

# Processes start and end until there are more than the sideband buffer holds.
has_task_overrun() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		(: 1) && (: 2) && (: 3) && (: 4) && (: 5) && (: 6) && (: 7) && (: 8) && (: 9)
	done
	[ "$(overrun_sum .sideband)" -gt 0 ]
}

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
ktrack stream -b 64 --event=/out/lost.json 2>/out/lost.errors &
stream=$!
wait_for is_recording "$stream"
kill -STOP $stream
echo "$1" >/dev/ktrack_demo
wait_for has_overrun
wait_for has_task_overrun
kill -CONT $stream
process_end $stream "the stream"
ktrack record -r convention -b 64 --fail-on-loss -o /tmp/lost.dat 2>/out/record.errors &
stream=$!
wait_for is_recording "$stream"
kill -STOP $stream
echo "$1" >/dev/ktrack_demo
wait_for has_overrun
kill -CONT $stream
kill -TERM $stream
status=0
wait $stream || status=$?
echo $status >/out/record.status
# The numbers of requests begin again.
rmmod ktrack_demo
insmod /modules/ktrack_demo.ko
ktrack stream -b 64 --mode=circular --event=/out/circular.json -- sh -c "echo $1 >/dev/ktrack_demo" ||
	echo "the circular stream ended with status $?"
instances_check "at the end"
