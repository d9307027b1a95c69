#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records batches of the demo with nothing but tracefs. Arguments: REQUESTS:WORKERS:SLOTS...
# Leaves batch.N/trace (the text), batch.N/stats, and in the output a line for each thing that should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

events_switch() {
	echo "$1" >$TRACING/events/ktrack/enable
	echo "$1" >$TRACING/events/ktrack_demo/enable
}

batch_record() {
	folder=/out/batch.$1
	mkdir "$folder"
	insmod /modules/ktrack_demo.ko "workers=$3" "slots=$4"
	echo >$TRACING/trace
	events_switch 1
	echo "$2" >/dev/ktrack_demo
	! rmmod ktrack_demo 2>/dev/null || echo "ktrack_demo could be removed while its events were enabled"
	cat $TRACING/trace >"$folder/trace"
	cat $TRACING/per_cpu/cpu*/stats >"$folder/stats"
	events_switch 0
	rmmod ktrack_demo
}

insmod /modules/ktrack.ko
echo boot >$TRACING/trace_clock
echo 8192 >$TRACING/buffer_size_kb
number=0
for batch in "$@"; do
	workers=${batch#*:}
	batch_record "$number" "${batch%%:*}" "${workers%:*}" "${batch##*:}"
	number=$((number + 1))
done
rmmod ktrack
[ ! -e $TRACING/events/ktrack ] || echo "the events outlived their module"
