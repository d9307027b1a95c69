#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: what a call of ktrack/user.h, a write to trace_marker and a static tracepoint cost, in one run. Argument: rounds of the tracepoint.
# Prints lines "NAME INSTRUCTIONS".
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: NAME ROW ROUNDS
bench_row() {
	echo "$2 $3" >/dev/ktrack_bench
	awk -v name="$1" -v row="$2" -v rounds="$3" '$1 == row { print name, $4 / rounds }' /dev/ktrack_bench
}

insmod /modules/ktrack_bench.ko
echo local >$TRACING/trace_clock
echo 64 >$TRACING/buffer_size_kb
/user_cost $TRACING/trace_marker
bench_row kernel_loop nothing "$1"
echo 1 >$TRACING/events/ktrack_bench/ktrack_bench_two_ints/enable
bench_row tracepoint two_ints "$1"
rmmod ktrack_bench
