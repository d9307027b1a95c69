#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: modules are loaded and unloaded while ktrack stream runs that waits for them. Arguments: LOADS, of each way, four or a
# multiple of that.
# Of the ways "late" (without ktrack.ko), "early" (with it) and "incomplete" (nobody releases before a module is unloaded) it leaves
# WAY.json, WAY.errors, WAY.fired.N and WAY.init.N (what the test module had fired by the end of load N, and of its init), ids
# with lines "WAY LOAD ID SYSTEM:EVENT"; unwaited.errors without --wait, and of raw recordings that wait recorded.dat and
# emptied.dat, of which the latter's module goes; in the output a line for each thing that should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

LOADS=$1
EVENTS=--tracepoint=ktrack_test,ktrack_early

stream_begin() {
	way=$1
	name=$way
	shift
	ktrack stream --wait $EVENTS -b 4096 --with=cpu "--event=/out/$way.json" "$@" 2>"/out/$way.errors" &
	stream=$!
	wait_for test -s "/out/$way.json"
}

stream_end() {
	process_end $stream "$way"
	instances_check "$way"
}

said() {
	grep -c "\"recorded\":\"$1\"" "/out/$way.json" || true
}

ids_note() {
	(cd $TRACING/events && grep -H . "$1"/*/id) | sed "s|^\([^/]*\)/\([^/]*\)/id:\(.*\)|$way $load \3 \1:\2|" >>/out/ids
}

fired_note() {
	grep '^cpu ' /dev/ktrack_test >"/out/$way.$1.$load"
}

is_taken_in() {
	[ "$(said from_now)" -ge $((taken + $1)) ]
}

# Without ktrack.ko, what comes is recorded once it has been noticed. Arguments: MODULE PARAMETERS.
module_load() {
	taken=$(said from_now)
	# shellcheck disable=SC2086 # several parameters
	insmod "/modules/$1.ko" $2
	ids_note "$1"
	[ "$way" != late ] || wait_for is_taken_in "$(ktrack list -e "$1" | grep -c "^$1:")"
}

module_unload() {
	ktrack release "$1" >/dev/null
	rmmod "$1"
}

# Another module takes ids away from the one that comes after it; it is released at once, so that nobody writes while that one
# goes.
other_module() {
	case $((load % 4)) in
	2)
		module_load ktrack_early ""
		ktrack release ktrack_early >/dev/null
		;;
	0) rmmod ktrack_early ;;
	esac
}

loads() {
	load=0
	while [ $load -lt "$LOADS" ]; do
		load=$((load + 1))
		other_module
		module_load ktrack_test "run=everywhere rounds=20"
		fired_note init
		echo everywhere 30 >/dev/ktrack_test
		fired_note fired
		module_unload ktrack_test
	done
}

# The stream is stopped while one module goes, with records that nobody has read, and another takes its ids.
incomplete() {
	load=1
	stream_begin incomplete
	module_load ktrack_test ""
	wait_for is_said_to_be_there 21
	kill -STOP $stream
	wait_for is_stopped
	echo everywhere 30 >/dev/ktrack_test
	fired_note fired
	echo 0 >"$INSTANCES/ktrack-$stream/events/ktrack_test/enable"
	rmmod ktrack_test
	insmod /modules/ktrack_early.ko
	ids_note ktrack_early
	kill -CONT $stream
	wait_for is_said_to_be_there 24
	module_unload ktrack_early
	stream_end
}

record_begin() {
	way=$1
	name=$way
	load=1
	ktrack record --wait $EVENTS -b 4096 -o "/out/$way.dat" 2>"/out/$way.errors" &
	stream=$!
	wait_for is_set_up
}

# What is recorded raw keeps its modules until the end.
recorded() {
	record_begin recorded
	insmod /modules/ktrack_test.ko run=everywhere rounds=20
	echo everywhere 30 >/dev/ktrack_test
	fired_note fired
	ktrack release ktrack_test >/out/recorded.refused 2>&1 && echo "$way: released"
	rmmod ktrack_test 2>/dev/null && echo "$way: unloaded"
	stream_end
	rmmod ktrack_test
}

# Unless somebody else disables what is recorded, and unloads them.
emptied() {
	record_begin emptied
	insmod /modules/ktrack_test.ko run=everywhere rounds=20
	echo everywhere 30 >/dev/ktrack_test
	fired_note fired
	# Before it has noticed the module, the recording would enable it again.
	wait_for has_format_saved
	echo 0 >"$INSTANCES/ktrack-$stream/events/ktrack_test/enable"
	rmmod ktrack_test
	wait_for test -s /out/emptied.errors
	stream_end
}

# The file's parts are noted last before recording is switched on.
is_set_up() {
	[ -s "/out/$way.dat.spool/instance" ] && [ "$(cat "$INSTANCES/ktrack-$stream/tracing_on")" = 1 ]
}

has_format_saved() {
	grep -q "^ID: $(cat $TRACING/events/ktrack_test/ktrack_test_cpu/id)\$" "/out/$way.dat.spool/formats"
}

is_stopped() {
	grep -q '^State:.T' /proc/$stream/status
}

is_said_to_be_there() {
	[ $(($(said from_load) + $(said from_now))) -ge "$1" ]
}

symbols_keep
! ktrack stream $EVENTS -d 1 >/dev/null 2>/out/unwaited.errors || echo "recorded what is not there"
stream_begin late
loads
stream_end
insmod /modules/ktrack.ko
stream_begin early
loads
stream_end
incomplete
recorded
emptied
rmmod ktrack
