#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: emits by every macro in every context, and requests that overlap. Argument: rounds of each.
# Leaves macros.trace and requests.trace, and the same for their losses (.lost).
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

program_trace() {
	echo >$TRACING/trace
	echo "$1 $2" >/dev/ktrack_test
	cat $TRACING/trace >"/out/$1.trace"
	cat $TRACING/per_cpu/cpu*/stats | grep -E '^(overrun|dropped events|commit overrun):' >"/out/$1.lost"
}

insmod /modules/ktrack_test.ko
echo 8192 >$TRACING/buffer_size_kb
echo 1 >$TRACING/events/ktrack_test/enable
program_trace macros "$1"
program_trace requests "$1"
echo 0 >$TRACING/events/ktrack_test/enable
! echo "requests 0" >/dev/ktrack_test || echo "no round at all"
rmmod ktrack_test
