#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: streams what the test module fires into 1 MiB for each CPU: at a steady rate, and more than anybody could read.
# Arguments: ROUNDS RATE, of the steady part. Leaves NAME.fired (what the test module says) for each part, steady.arrived
# (what /clocked says), overload.json and circular.json; prints a line for what should not have happened.
set -eu

# shellcheck source=tests/vm/guest/recording.sh
. /recording.sh

# The module's numbers begin anew.
part_begin() {
	insmod /modules/ktrack_test.ko
}

part_end() {
	grep '^cpu ' /dev/ktrack_test >"/out/$1.fired"
	rmmod ktrack_test
	[ -z "$(ls $INSTANCES)" ] || echo "left behind after $1: $(ls $INSTANCES)"
}

steady_stream() {
	part_begin
	mkfifo /tmp/stream
	/clocked </tmp/stream >/out/steady.arrived &
	reader=$!
	ktrack stream -b 1024 -e ktrack_test --with=cpu --event=/tmp/stream &
	stream=$!
	until is_recording $stream 2>/dev/null; do
		kill -0 $stream
		sleep 0.1
	done
	echo "everywhere $1 $2" >/dev/ktrack_test
	kill -TERM $stream
	wait $stream || echo "the steady stream ended with status $?"
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
