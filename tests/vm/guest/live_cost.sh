#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: what live recorders cost, on a clock that counts instructions as nanoseconds. For each recorder and load one line:
# LOAD NAME START IDLE LOAD EVENTS WAKEUPS WAKEUPS, the first three numbers in instructions: until it records, in 10 idle seconds,
# and while events are written in BURSTS over 5 seconds, of which it reads EVENTS; its wakeups in the idle time and in the load. The
# rest stays in the buffers until they are fuller (trace-cmd: half) or recording ends. The loads are slices without fields, and
# slices and samples with a field. A line LOAD necessary START is of a program that only writes to tracefs what ktrack's recordings
# need. Arguments: BURSTS.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

BURSTS=$1
IDLE_S=10

# Sums a field of schedstat over a process and its children: 1 is its run time, 3 the number of its time slices.
spent() {
	for process in $recorder $(cat "/proc/$recorder/task/$recorder/children"); do
		cat "/proc/$process/schedstat" 2>/dev/null
	done | awk -v field="$1" '{ sum += $field } END { printf "%d\n", sum }'
}

# The events that were read from the buffers in a folder of tracefs.
read_events() {
	cat "$1"/per_cpu/cpu*/stats | awk '/^read events:/ { sum += $3 } END { printf "%d\n", sum }'
}

trace_cmd_records() {
	[ -n "$(cat "/proc/$1/task/$1/children")" ] && grep -q 1 "$TRACING/events/$system/enable"
}

# Writes 1,500 events.
plain_burst() {
	echo scope_guard 375 >/dev/ktrack_bench
	echo guard 375 >/dev/ktrack_bench
}

field_burst() {
	echo everywhere 250 >/dev/ktrack_test
}

# The folder of tracefs that the recorder uses.
recorded_folder() {
	if [ -d "$INSTANCES/ktrack-$recorder" ]; then echo "$INSTANCES/ktrack-$recorder"; else echo "$TRACING"; fi
}

# Arguments: NAME CONDITION COMMAND...
measure() {
	name=$1
	condition=$2
	shift 2
	interruptible "$@" >/dev/null 2>"/out/$name.errors" &
	recorder=$!
	wait_while_alive "$recorder" "$condition" "$recorder" || { cat "/out/$name.errors"; exit 1; }
	sleep 2
	start=$(spent 1)
	slices=$(spent 3)
	sleep $IDLE_S
	idle=$(spent 1)
	wakeups=$(($(spent 3) - slices))
	slices=$(spent 3)
	folder=$(recorded_folder)
	before=$(read_events "$folder")
	burst=0
	while [ $burst -lt "$BURSTS" ]; do
		"${load}_burst"
		usleep $((5000000 / BURSTS))
		burst=$((burst + 1))
	done
	sleep 1
	loaded=$(spent 1)
	slices=$(($(spent 3) - slices))
	echo "$load $name $start $((idle - start)) $((loaded - idle)) $(($(read_events "$folder") - before)) $wakeups $slices"
	kill -INT $recorder
	wait $recorder || echo "$name: exit status $?" >&2
}

measure_necessary() {
	necessary "$system" &
	recorder=$!
	sleep 2
	echo "$load necessary $(spent 1)"
	kill $recorder
	wait $recorder || true
	rmdir $INSTANCES/necessary $INSTANCES/necessary.sideband
}

# Arguments: LOAD SYSTEM
measure_all() {
	load=$1
	system=$2
	measure trace-cmd trace_cmd_records trace-cmd record -q -b 4096 -C boot -e "$system" -o /tmp/trace-cmd.dat
	measure record is_recording ktrack record -b 4096 -e "$system" -o /tmp/record.dat
	measure stream is_recording ktrack stream -b 4096 -e "$system" --event=/dev/null
	measure_necessary
	rm /tmp/trace-cmd.dat /tmp/record.dat
}

insmod /modules/ktrack.ko
insmod /modules/ktrack_bench.ko
insmod /modules/ktrack_test.ko
measure_all field ktrack_test
measure_all plain ktrack_bench
