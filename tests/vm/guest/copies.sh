#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: a program writes to the top level's trace_marker, and an instance of somebody else gets copies, while ktrack begins and ends.
# Leaves /out/NAME.counts of each run: "WRITES FAILED COPIES".
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

OTHER=$INSTANCES/other

# Writes until /tmp/stop exists; its output is the number of writes and of those that failed.
texts_write() {
	writes=0 failed=0
	while [ ! -e /tmp/stop ]; do
		writes=$((writes + 1))
		echo "I|1|tick" 2>/dev/null >$TRACING/trace_marker || failed=$((failed + 1))
	done
	echo $writes $failed
}

copies_count() {
	cat $OTHER/per_cpu/cpu*/stats | awk '/^(entries|overrun):/ { sum += $2 } END { print sum }'
}

# Runs a function beside the program. Arguments: NAME FUNCTION
beside() {
	rm -f /tmp/stop
	echo >$OTHER/trace
	texts_write >/tmp/counts & writer=$!
	"$2" "$1"
	touch /tmp/stop
	wait $writer
	echo "$(cat /tmp/counts) $(copies_count)" >"/out/$1.counts"
	rm -rf /out/*.dat /out/*.spool
}

# Short ones: what matters is their begin and end.
record_thrice() {
	for number in 1 2 3; do
		attempt "$1.$number" ktrack record -v -r marker -d 0.2 -o "/out/$1.$number.dat"
	done
}

stream_twice() {
	attempt "$1.1" ktrack stream -r marker -d 0.2 --event=/dev/null
	attempt "$1.2" ktrack stream -r marker --mode=circular -d 0.2 --event=/dev/null
}

oneshot() {
	attempt "$1" ktrack record -r marker --mode=oneshot -b 8 -d 1 -o "/out/$1.dat"
}

limited() {
	attempt "$1" ktrack record -r marker --cpu=0 -d 0.2 -o "/out/$1.dat"
}

killed() {
	for number in 1 2; do
		ktrack record -q -r marker,irq -b 64 -o "/out/$1.dat" & recorder=$!
		wait_while_alive $recorder is_recording_dropped $recorder
		process_kill $recorder
		usleep 200000
		[ $number = 2 ] || attempt recover ktrack recover "/out/$1.dat"
		attempt clean ktrack clean
	done
}

# The instance of the boot has the same option.
persistent() {
	for number in 1 2; do
		ktrack watch --persistent=survivor --dir=/tmp/survivor -r marker 2>"/out/$1.errors" & watch=$!
		wait_while_alive $watch grep -q "^ktrack: watching" "/out/$1.errors"
		usleep 200000
		cat "$INSTANCES/survivor/options/copy_trace_marker" >>"/out/$1.option"
		process_end $watch watch
	done
}

symbols_keep
mkdir $OTHER
echo 8192 >$OTHER/buffer_size_kb
echo 1 >$OTHER/options/copy_trace_marker
beside record record_thrice
beside stream stream_twice
beside oneshot oneshot
beside limited limited
beside killed killed
beside persistent persistent
rmdir $OTHER
instances_check "the end"
