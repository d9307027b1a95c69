#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records events in one instance as they are, and at the same time in others by the kernel's filters. The lines of /cases
# are NUMBER SYSTEM EVENT FILTER; filters with the same number share an instance. Leaves all.dat, NUMBER.dat, and in "refused"
# the lines whose filter the kernel refuses.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Creates an instance that records nothing yet. Arguments: NAME KIB.
instance_make() {
	[ ! -d "$INSTANCES/$1" ] || return 0
	mkdir "$INSTANCES/$1"
	echo 0 >"$INSTANCES/$1/tracing_on"
	echo "$2" >"$INSTANCES/$1/buffer_size_kb"
	echo boot >"$INSTANCES/$1/trace_clock"
}

case_add() {
	instance_make "$1" 1024
	event=$INSTANCES/$1/events/$2/$3
	if printf '%s' "$4" >"$event/filter" 2>/dev/null; then
		echo 1 >"$event/enable"
	else
		echo "$1 $2 $3 $4" >>/out/refused
	fi
	echo 1 >"$INSTANCES/all/events/$2/$3/enable"
}

work() {
	for name in values fields ids scopes names_odd two_cpus; do
		echo "$name" 20 >/dev/ktrack_test
	done
	for _ in 1 2 3 4; do
		(find /proc/self /bin | sort >/dev/null) &
		usleep 20000
	done
	wait
	# Both cause interrupts, of two devices.
	for _ in 1 2 3; do
		echo work >/dev/ttyS0
		echo work >&2
		usleep 20000
	done
}

insmod /modules/ktrack_test.ko
symbols_keep
instance_make all 16384
touch /out/refused
while read -r number system event filter; do
	case_add "$number" "$system" "$event" "$filter"
done </cases
echo 1 >$INSTANCES/all/tracing_on
for instance in "$INSTANCES"/[0-9]*; do
	echo 1 >"$instance/tracing_on"
done
usleep 50000
cut -d' ' -f1 /proc/uptime >/out/begin
work
cut -d' ' -f1 /proc/uptime >/out/end
usleep 50000
for instance in "$INSTANCES"/[0-9]*; do
	echo 0 >"$instance/tracing_on"
done
echo 0 >$INSTANCES/all/tracing_on
for instance in "$INSTANCES"/*; do
	name=${instance##*/}
	ktrack export --save="/out/$name.dat" "tracefs:$name" >/dev/null 2>&1 || [ -e "/out/$name.dat" ] || echo "$name: not saved"
	rmdir "$instance"
done
rmmod ktrack_test
