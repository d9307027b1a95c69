#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: streams what the test module fires into 1 MiB for each CPU: at a steady rate, and more than anybody could read.
# Arguments: ROUNDS RATE, of the steady part. Leaves NAME.fired (what the test module says) for each part, steady.arrived
# (what /clocked says), overload.json and circular.json; prints a line for what should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# The module's numbers begin anew.
part_begin() {
	insmod /modules/ktrack_test.ko
}

part_end() {
	fired_save "$1"
	rmmod ktrack_test
	instances_check "$1"
}

steady_stream() {
	part_begin
	mkfifo /tmp/stream
	/clocked </tmp/stream >/out/steady.arrived &
	reader=$!
	ktrack stream -b 1024 -e ktrack_test --with=cpu --event=/tmp/stream &
	stream=$!
	wait_while_alive $stream is_recording $stream
	echo "everywhere $1 $2" >/dev/ktrack_test
	process_end $stream "the steady stream"
	wait $reader || echo "the reader ended with status $?"
	part_end steady
}

# A rate that nothing can keep up with: the CPUs do nothing else until all is written. In between there is time to read.
# Arguments: NAME OPTION...
burst_stream() {
	name=$1
	shift
	part_begin
	# shellcheck disable=SC2016 # the traced shell expands it
	ktrack stream -b 1024 -e ktrack_test --with=cpu "--event=/out/$name.json" "$@" -- sh -c 'for burst in 1 2; do
			echo everywhere 100 500 >/dev/ktrack_test && echo everywhere 8000 10000000 >/dev/ktrack_test || exit
		done; echo everywhere 100 500 >/dev/ktrack_test' 2>"/out/$name.errors" || echo "the $name stream ended with status $?"
	part_end "$name"
}

second_cpu_start
steady_stream "$1" "$2"
burst_stream overload
burst_stream circular --mode=circular
