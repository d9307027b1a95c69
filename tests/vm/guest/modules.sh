#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: has modules made outside of ktrack's tree fire while untraced and while traced. Each leaves a trace in /out.
# The CPU is the second one, which is not what an unset number would say.
# Prints "MODULE EVALUATIONS-UNTRACED EVALUATIONS-TRACED" for those that count.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

parameter_fire() {
	# shellcheck disable=SC2016 # the other shell expands it
	taskset 2 sh -c 'echo 1 >"$1"' fire "$1"
}

# Arguments: module, system of its events.
module_trace() {
	parameter=/sys/module/$1/parameters/fire
	parameter_fire "$parameter"
	untraced=$(cat "$parameter" 2>/dev/null) || untraced=
	echo >$TRACING/trace
	echo 1 >"$TRACING/events/$2/enable"
	parameter_fire "$parameter"
	echo 0 >"$TRACING/events/$2/enable"
	cat $TRACING/trace >"/out/$1.trace"
	grep -H . "$TRACING/events/$2/"*/format >"/out/$1.formats"
	[ -z "$untraced" ] || echo "$1 $untraced $(cat "$parameter")"
}

# Filters as the page for driver authors has them. Arguments: NAME TRACEPOINT FILTER; leaves NAME.trace.
filter_trace() {
	echo "$3" >"$TRACING/events/outside/$2/filter"
	echo >$TRACING/trace
	echo 1 >"$TRACING/events/outside/$2/enable"
	parameter_fire /sys/module/outside/parameters/fire
	echo 0 >"$TRACING/events/outside/$2/enable"
	cat $TRACING/trace >"/out/$1.trace"
	echo 0 >"$TRACING/events/outside/$2/filter"
}

insmod /outside.ko
module_trace outside outside
filter_trace ends outside_io 'track_event_type == 69 && result < 0'
filter_trace slots outside_io 'scope_slot == 3'
filter_trace names outside_work 'slice_name ~ "p*"'
rmmod outside

insmod /disabled/outside.ko
[ ! -e $TRACING/events/outside ] || echo "a disabled module has events"
echo 1 >/sys/module/outside/parameters/fire
echo "disabled $(cat /sys/module/outside/parameters/fire)"
rmmod outside

! insmod /borrower.ko 2>/dev/null || echo "the borrower loads without ktrack.ko"
insmod /modules/ktrack.ko
insmod /borrower.ko
module_trace borrower ktrack
! rmmod ktrack 2>/dev/null || echo "ktrack could be removed while it was used"
rmmod borrower
rmmod ktrack
