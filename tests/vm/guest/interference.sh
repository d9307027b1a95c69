#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: another program empties the buffers of a recording, or changes its clock, while the demo writes.
# Of each run it leaves /out/NAME.json (what was recorded), NAME.errors and NAME.status; in the output a line for each thing that
# should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

has_reported() {
	grep -q 'another program' "/out/$name.errors"
}

# What is fired first is read before another program comes. A circular buffer and that of a recording are not looked at here.
first_is_read() {
	case $how,$* in
	*circular* | record,*) sleep 0.5 ;;
	*) wait_for has_requests 20 ;;
	esac
}

has_requests() {
	[ "$(grep -c '"region_enter".*ktrack_demo_io' "/out/$name.json")" -ge "$1" ]
}

is_over() {
	! kill -0 $ktrack
}

# Arguments: NAME HOW OPTION...
run_begin() {
	name=$1
	how=$2
	shift 2
	rm -rf /tmp/a.dat
	echo "$name" >>/out/runs
	case $how in
	stream) set -- stream "--event=/out/$name.json" "$@" ;;
	record) set -- record -o /tmp/a.dat "$@" ;;
	esac
	ktrack "$@" 2>"/out/$name.errors" &
	ktrack=$!
	wait_for is_recording $ktrack
	instance=$INSTANCES/ktrack-$ktrack
	sleep 0.5
	echo 20 >/dev/ktrack_demo
	first_is_read "$@"
}

run_end() {
	status=0
	wait $ktrack || status=$?
	echo $status >"/out/$name.status"
	[ ! -e /tmp/a.dat ] || ktrack export "--event=/out/$name.json" /tmp/a.dat
	instances_check "$name"
}

# Arguments: FILE VALUE NAME HOW OPTION...; FILE of the instance is written.
emptied() {
	file=$1
	value=$2
	shift 2
	run_begin "$@"
	echo "$value" >"$instance$file"
	wait_for has_reported
	echo 30 >/dev/ktrack_demo
	kill -TERM $ktrack
	run_end
}

# The clock changes while much is written; the recording ends by itself.
reclocked() {
	file=$1
	shift
	run_begin "$@"
	echo 3000 >/dev/ktrack_demo &
	load=$!
	sleep 0.2
	echo tai >"$instance$file"
	wait_for is_over
	kill -TERM $ktrack 2>/dev/null || true
	run_end
	wait $load
}

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
symbols_keep
emptied /trace "" emptied-stream stream -b 4096
emptied /per_cpu/cpu1/trace "" emptied-cpu stream -b 4096
emptied /buffer_size_kb 64 emptied-resized stream -b 4096
emptied /trace "" emptied-circular stream -b 4096 --mode=circular
emptied /trace "" emptied-record record -b 4096 --fail-on-loss
emptied .sideband/trace "" emptied-sideband stream -b 4096
reclocked /trace_clock reclocked-stream stream -b 64
reclocked /trace_clock reclocked-circular stream -b 4096 --mode=circular
reclocked /trace_clock reclocked-record record -b 64
reclocked .sideband/trace_clock reclocked-sideband stream -b 64
reclocked /trace_clock reclocked-command stream -b 64 -- sh -c "until grep -q 'another program' /out/reclocked-command.errors; do sleep 0.1; done"
rmmod ktrack_demo
rmmod ktrack
