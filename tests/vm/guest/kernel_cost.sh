#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs every row of the kernel's bench. Argument: rounds.
# Prints a line for each: its name, the records that a round makes, cycles and evaluations of an argument while
# disabled, the same while enabled, the bytes that a round leaves in the ring buffer.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

BENCH=/dev/ktrack_bench

# Few enough rounds for one page.
SAMPLE=20

# The two numbers behind the row that ran last.
row_run() {
	echo "$1 $2" >$BENCH
	awk -v row="$1" '$1 == row { print $4, $5 }' $BENCH
}

event_switch() {
	[ "$2" = - ] || echo "$1" >"$TRACING/events/ktrack_bench/$2/enable"
}

ring_bytes() {
	echo >$TRACING/trace
	row_run "$1" $SAMPLE >/dev/null
	awk -v rounds=$SAMPLE '$1 == "bytes:" { print $2 / rounds }' $TRACING/per_cpu/cpu0/stats
}

row_measure() {
	off=$(row_run "$1" "$rounds")
	event_switch 1 "$2"
	on=$(row_run "$1" "$rounds")
	bytes=$(ring_bytes "$1")
	event_switch 0 "$2"
	echo "$1 $3 $off $on $bytes"
}

rounds=$1
insmod /modules/ktrack_bench.ko
echo local >$TRACING/trace_clock
echo 64 >$TRACING/buffer_size_kb
while read -r name event records _; do
	row_measure "$name" "$event" "$records"
done <$BENCH
rmmod ktrack_bench
