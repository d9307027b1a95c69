#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: findings of ktrack doctor, and the settings of tracing before and after it; with the argument restricted, those of a kernel
# that distrusts its TSC and loads only signed modules, and of a machine without free memory.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

settings() {
	cat $TRACING/set_event $TRACING/trace_clock $TRACING/tracing_on $TRACING/current_tracer
	ls $INSTANCES
}

# A command of a remedy may ask for root's rights.
sudo() {
	"$@"
}

# examined CHECK - the finding about CHECK
examined() {
	ktrack doctor --json | grep "\"check\":\"$1\"" | head -n 1
}

# remedied DOCTOR NAME:CHECK... - breaks something and runs doctor, types the remedies that it prints; /out/NAME has both findings
remedied() {
	"$1" >/tmp/broken || true
	shift
	typed=
	for pair in "$@"; do
		grep "\"check\":\"${pair#*:}\"" /tmp/broken | head -n 1 >"/out/${pair%%:*}"
		remedy=$(remedy_of "/out/${pair%%:*}")
		# Two findings may have one remedy.
		[ "$remedy" = "$typed" ] || eval "$remedy" >/dev/null
		typed=$remedy
	done
	ktrack doctor --json >/tmp/repaired
	for pair in "$@"; do
		grep "\"check\":\"${pair#*:}\"" /tmp/repaired | head -n 1 >>"/out/${pair%%:*}"
	done
}

without_tracefs() {
	umount /sys/kernel/debug/tracing 2>/dev/null || true
	umount /sys/kernel/debug 2>/dev/null || true
	umount $TRACING
	ktrack doctor --json
}

without_root() {
	su user -c "ktrack doctor --json"
}

CLOCK_SOURCE=/sys/devices/system/clocksource/clocksource0/current_clocksource
with_settings() {
	umount /sys/kernel/security 2>/dev/null || true
	echo acpi_pm >$CLOCK_SOURCE
	echo 0 >/proc/sys/kernel/ftrace_enabled
	ktrack doctor --json
}

# The remedy of a finding. Argument: its file
remedy_of() {
	sed -n 's/.*"remedy":"\([^"]*\)".*/\1/p' "$1"
}

# Fills the memory until doctor finds too little, and leaves what it found: by half of what is too much for four times the buffers.
memory_fill() {
	number=0
	mkdir -p /full
	mount -t tmpfs -o size=100% tmpfs /full
	until examined memory >/out/memory && grep -q '"limited"' /out/memory; do
		much_mib=$(awk -F'[" ]' '/"memory"/ { for (i = 1; i <= NF && $i != "MiB"; i++); print int(($(i - 1) - 4 * $(i + 2)) / 2) }' /out/memory)
		dd if=/dev/zero of=/full/$number bs=1M count=$((much_mib > 4 ? much_mib : 4)) 2>/dev/null
		number=$((number + 1))
	done
}

restricted() {
	examined "clock source" >/out/tsc
	# shellcheck disable=SC2046 # the command is between quotes
	eval "$(remedy_of /out/tsc | sed "s/.*'\(.*\)'.*/\1/")" >/out/tsc.reason
	examined modules >/out/signed
	attempt insmod insmod /modules/ktrack.ko
	memory_fill
	# shellcheck disable=SC2046 # an option and its value
	attempt small ktrack record $(remedy_of /out/memory | sed 's/.*: //') -r sched -o /small.dat -- true
	umount /full
	# More than the machine has, full or empty.
	attempt large ktrack record -b 4G -r sched -o /large.dat -- true
	examined memory >>/out/memory
}

usual() {
	settings >/out/before
	ktrack doctor --json >/out/root.json
	settings >/out/after
	su user -c 'ktrack doctor --json' >/out/user.json 2>/out/user.errors || true
	symbols_keep
	remedied with_settings "clock-source:clock source" ftrace:functions securityfs:lockdown
	remedied without_tracefs tracefs:tracefs clocks:clocks
	remedied without_root user-permissions:permissions user-clocks:clocks "user-pack sched:pack sched"
	insmod /modules/ktrack.ko
	ktrack doctor --json | grep '"modules"' >/out/loaded.json
	rmmod ktrack
}

"${1:-usual}"
