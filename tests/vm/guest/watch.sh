#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: ktrack watch while the test module writes at a high rate, and what may happen to it.
# Arguments: TRIGGERS RATE (of rounds in a second on each CPU)
# Leaves /out/NAME.errors (its messages), NAME.NUMBER.clocked (what /clocked says of the records in each recording), NAME.list
# (names of recordings), NAME.fired (what the module wrote), NAME.NUMBER.counters (counters of each recording); and rate.memory.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: NAME, options
watch_start() {
	name=$1
	shift
	: >"/out/$name.errors"
	ktrack watch -e ktrack_test --dir="/tmp/$name" "$@" 2>"/out/$name.errors" &
	watch=$!
	wait_while_alive $watch is_recording_dropped $watch
	wait_while_alive $watch grep -q "^ktrack: watching" "/out/$name.errors"
}

# How many messages about recordings there are.
recordings_reported() {
	[ "$(grep -c 'ktrack: ktrack-.*\.dat: \|: not recorded: ' "/out/$name.errors")" -ge "$1" ]
}

# Saves what is in memory, and waits. Argument: how many recordings there are then
request() {
	kill -USR1 "$watch"
	wait_while_alive "$watch" recordings_reported "$1"
}

# Looks at the recordings of a directory. Argument: NAME
recordings_look() {
	number=0
	for file in "/tmp/$1"/*.dat; do
		number=$((number + 1))
		ktrack export -e ktrack_test --with=cpu --event=/tmp/events "$file" 2>"/out/$1.$number.export" || echo "$file: no export"
		/clocked </tmp/events >"/out/$1.$number.clocked"
		grep '"event":"counter".*"thread":"main"' /tmp/events >"/out/$1.$number.counters" || true
		grep '"event":"def_param".*"label\.' /tmp/events >>"/out/$1.labels" || true
		grep '"event":"def_param".*"trigger\.' /tmp/events >>"/out/$1.triggers" || true
	done
	ls "/tmp/$1" >"/out/$1.list"
}

watch_stop() {
	process_end $watch "$name"
	instances_check "$name"
}

# Sleeps are slices of system calls; each fires while it lasts. Arguments: TRIGGERS RATE
rate_watch() {
	watch_start rate -r syscalls -b 2048 --keep=2M --when 'clock_nanosleep@sleep > 100ms' --before=100ms --after=50ms --max-rate=1000
	echo "everywhere $((2 * $1 * $2)) $2" >/dev/ktrack_test &
	writer=$!
	triggers=0
	while [ $triggers -lt "$1" ]; do
		triggers=$((triggers + 1))
		sleep 0.15
		wait_while_alive $watch recordings_reported $triggers
	done
	kill $writer
	wait $writer || true
	grep VmHWM /proc/$watch/status >/out/rate.memory
	watch_stop
	recordings_look rate
}

# Ten seconds. Records that do not fit into the buffers meanwhile are lost.
stopped_watch() {
	watch_start stopped -b 64 --when loss --after=0
	kill -STOP $watch
	echo 'everywhere 4000' >/dev/ktrack_test
	sleep 10
	kill -CONT $watch
	wait_while_alive $watch recordings_reported 1
	wait_while_alive $watch grep -q '^ktrack: lost ' /out/stopped.errors
	request 2
	fired_save stopped
	watch_stop
	recordings_look stopped
}

# Memory that one round of reading replaces several times, after a stop: one recording waits, as its trigger is in that round.
behind_watch() {
	watch_start behind -r syscalls -b 2048 --keep=1M --when 'clock_nanosleep@sleep > 20ms' \
		--before=5ms --after=5ms
	kill -STOP $watch
	echo 'everywhere 1000' >/dev/ktrack_test
	echo 'everywhere 40 1000' >/dev/ktrack_test &
	sleep 0.03
	wait $!
	echo 'everywhere 5000' >/dev/ktrack_test
	kill -CONT $watch
	wait_while_alive $watch recordings_reported 1
	fired_save behind
	watch_stop
	recordings_look behind
}

full_watch() {
	mkdir -m 700 /tmp/full
	mount -t tmpfs -o size=128k,mode=700 full /tmp/full
	watch_start full -b 2048
	echo 'everywhere 4000' >/dev/ktrack_test
	request 1
	ls /tmp/full >/out/full.left
	mount -o remount,size=32m /tmp/full
	request 2
	watch_stop
	recordings_look full
}

# The wall clock may be set to any time; the names of recordings show it.
jump_watch() {
	watch_start jump --max-age=24h --label=site=lab2
	echo 'everywhere 10' >/dev/ktrack_test
	request 1
	date -s '2037-01-02 03:04:05' >/dev/null
	request 2
	date -s '2001-01-02 03:04:05' >/dev/null
	request 3
	mv /tmp/jump /tmp/moved
	kill -HUP $watch
	wait_while_alive $watch test -d /tmp/jump
	request 4
	watch_stop
	ls /tmp/moved >/out/moved.list
	recordings_look jump
}

killed_watch() {
	mkdir -m 700 /tmp/killed /tmp/killed/ktrack-20260101T000000.000000Z-x.dat.spool
	: >/tmp/killed/ktrack-20260101T000000.000000Z-x.dat.spool/formats
	watch_start killed
	[ -z "$(ls /tmp/killed)" ] || echo "remains of a killed run stay: $(ls /tmp/killed)"
	process_kill $watch
	ls $INSTANCES >/out/killed.left
	ktrack clean >/out/killed.cleaned
	instances_check killed
	watch_start killed
	request 1
	watch_stop
	recordings_look killed
}

second_cpu_start
closing_watch() {
	name=closing
	script -qec "exec ktrack watch -e ktrack_test --dir=/tmp/closing" /dev/null </dev/null >/out/closing.errors &
	terminal=$!
	wait_while_alive $terminal grep -q "ktrack: watching" /out/closing.errors
	watch=$(pidof ktrack)
	request 1
	kill -TERM "$watch"
	wait $terminal || true
	instances_check closing
}

# A hook of the working directory; the second time it fails.
hook_watch() {
	mkdir /tmp/hooks
	# shellcheck disable=SC2016 # the hook expands it
	printf '#!/bin/sh\necho "$1" >>/out/hook.paths\n[ ! -e /tmp/hook.fails ] || exit 7\n' >/tmp/hooks/run
	chmod 755 /tmp/hooks/run
	watch_start hook --hook=./hooks/run
	request 1
	wait_while_alive "$watch" grep -q . /out/hook.paths
	touch /tmp/hook.fails
	request 2
	wait_while_alive "$watch" grep -q status /out/hook.errors
	watch_stop
	ls -d /tmp/hook/*.dat >/out/hook.written
}

cd /tmp
insmod /modules/ktrack_test.ko
symbols_keep_loaded
rate_watch "$1" "$2"
for kind in stopped behind full jump killed closing hook; do
	[ $kind != closing ] || symbols_restore
	rmmod ktrack_test
	insmod /modules/ktrack_test.ko
	"${kind}_watch"
done
rmmod ktrack_test
