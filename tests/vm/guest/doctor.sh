#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: findings of ktrack doctor, and the settings of tracing before and after it.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

settings() {
	cat $TRACING/set_event $TRACING/trace_clock $TRACING/tracing_on $TRACING/current_tracer
	ls $INSTANCES
}

settings >/out/before
ktrack doctor --json >/out/root.json
settings >/out/after
su user -c 'ktrack doctor --json' >/out/user.json 2>/out/user.errors || true
# A command of a remedy may ask for root's rights.
sudo() {
	"$@"
}

# examined CHECK - the finding about CHECK
examined() {
	ktrack doctor --json | grep "\"check\":\"$1\"" | head -n 1
}

# remedied NAME CHECK BREAK... - breaks something, types the remedy that is printed; /out/NAME has both findings
remedied() {
	name=$1
	check=$2
	shift 2
	finding=$("$@")
	printf '%s\n' "$finding" >"/out/$name"
	eval "$(printf '%s\n' "$finding" | sed -n 's/.*"remedy":"\([^"]*\)".*/\1/p')" >/dev/null
	examined "$check" >>"/out/$name"
}

without_tracefs() {
	umount /sys/kernel/debug/tracing 2>/dev/null || true
	umount /sys/kernel/debug 2>/dev/null || true
	umount $TRACING
	examined "$1"
}

without_securityfs() {
	umount /sys/kernel/security 2>/dev/null || true
	examined lockdown
}

without_root() {
	su user -c "ktrack doctor --json" | grep "\"check\":\"$1\"" | head -n 1
}

CLOCK_SOURCE=/sys/devices/system/clocksource/clocksource0/current_clocksource
with_slow_clock() {
	echo acpi_pm >$CLOCK_SOURCE
	examined "clock source"
}

without_ftrace() {
	echo 0 >/proc/sys/kernel/ftrace_enabled
	examined functions
}

remedied clock-source "clock source" with_slow_clock
remedied ftrace functions without_ftrace
remedied tracefs tracefs without_tracefs tracefs
remedied clocks clocks without_tracefs clocks
remedied securityfs lockdown without_securityfs
for check in permissions clocks "pack sched"; do
	remedied "user-$check" "$check" without_root "$check"
done
insmod /modules/ktrack.ko
ktrack doctor --json | grep '"modules"' >/out/loaded.json
rmmod ktrack
