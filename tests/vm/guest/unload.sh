#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: does what /actions says: lines "ok ACTION..." and "no ACTION..." (refused), in turn.
# Prints a line for what went otherwise.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# The events of a module, at the top level or in an instance.
events_of() {
	case $1 in
	top) echo "$TRACING/events/$2" ;;
	*) echo "$INSTANCES/$1/events/$2" ;;
	esac
}

# A module's references: as many as it has tracepoints while they are on, and those of its users.
# Arguments: MODULE ON USERS.
references_check() {
	tracepoints=$(find "$TRACING/events/$1" -mindepth 1 -maxdepth 1 -type d | wc -l)
	[ "$(cat "/sys/module/$1/refcnt")" = $((tracepoints * $2 + $3)) ]
}

fire() {
	case $1 in
	ktrack_demo) echo 3 >/dev/ktrack_demo ;;
	ktrack_test) echo nested 2 >/dev/ktrack_test ;;
	ktrack_twin) echo twins 1 >/dev/ktrack_test ;;
	esac
}

action_do() {
	case $1 in
	insmod) insmod "/modules/$2.ko" ;;
	rmmod) rmmod "$2" ;;
	on) echo 1 >"$(events_of "$2" "$3")/enable" ;;
	off) echo 0 >"$(events_of "$2" "$3")/enable" ;;
	mkdir) mkdir "$INSTANCES/$2" ;;
	rmdir) rmdir "$INSTANCES/$2" ;;
	fire) fire "$2" ;;
	references) references_check "$2" "$3" "$4" ;;
	esac
}

# Only one reason to stay is meant.
rmmod_reason_check() {
	[ "$1" != rmmod ] || grep -q 'Resource temporarily unavailable' /tmp/error
}

number=0
while read -r wanted action; do
	number=$((number + 1))
	# The action's words are separate ones.
	# shellcheck disable=SC2086
	if action_do $action 2>/tmp/error; then
		[ "$wanted" = ok ] || echo "action $number, $action: nobody minded"
	elif [ "$wanted" = ok ]; then
		echo "action $number, $action: $(cat /tmp/error)"
	else
		rmmod_reason_check $action || echo "action $number, $action: $(cat /tmp/error)"
	fi
done </actions
left=$(lsmod | grep ktrack; ls $INSTANCES)
[ -z "$left" ] || echo "left behind: $left"
