#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: the ways in which a stream can end or be refused. For each, /out/NAME.status, NAME.errors,
# NAME.output, and NAME.left with the instances that are there afterwards.
# shellcheck disable=SC2317 # attempt calls what it is told to
set -eu

INSTANCES=/sys/kernel/tracing/instances

attempt() {
	name=$1
	status=0
	shift
	"$@" >"/out/$name.output" 2>"/out/$name.errors" || status=$?
	echo $status >"/out/$name.status"
	[ ! -d $INSTANCES ] || ls $INSTANCES >"/out/$name.left"
}

as_user() {
	su user -c "$*"
}

# A reader that goes after the first line; the status is the stream's.
cut_short() {
	{ ktrack stream -- sh -c 'echo 500 >/dev/ktrack_demo; exit 3'; echo $? >/tmp/status; } | head -n 1
	return "$(cat /tmp/status)"
}

# Waits until a command succeeds, or for a minute.
wait_for() {
	tries=0
	until "$@" 2>/dev/null || [ $tries -ge 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}

is_recording() {
	[ "$(cat "$INSTANCES/ktrack-$stream/tracing_on")" = 1 ]
}

signalled() {
	ktrack stream &
	stream=$!
	wait_for is_recording
	echo 10 >/dev/ktrack_demo
	kill "-$1" "$stream"
	wait "$stream"
}

# The traced command gets the signal that was sent to ktrack, and its status is ktrack's.
passed_on() {
	# shellcheck disable=SC2016 # the traced shell expands it
	ktrack stream -- sh -c 'trap "exit 9" TERM; touch /tmp/ready; sleep 30 & wait' &
	stream=$!
	wait_for [ -e /tmp/ready ]
	kill -TERM "$stream"
	wait "$stream"
}

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
mkdir /small && mount -t tmpfs -o size=16k none /small
touch /tmp/plain

attempt user-stream as_user ktrack stream -d 1
attempt user-list as_user ktrack list
attempt unknown-event ktrack stream -e nosuch:event -d 1
attempt other-event ktrack stream -e sched:sched_switch -d 1
attempt full-disk ktrack stream --event=/small/x -- sh -c 'echo 500 >/dev/ktrack_demo; exit 3'
attempt full-device ktrack stream --event=/dev/full -d 300ms
attempt closed-pipe cut_short
attempt no-command ktrack stream -- /no/such/command
attempt no-program ktrack stream -- /tmp/plain
attempt no-folder ktrack stream --event=/no/such/folder/x -d 1
attempt command-status ktrack stream -- sh -c 'exit 7'
# shellcheck disable=SC2016 # the traced shell expands it
attempt command-killed ktrack stream -- sh -c 'kill -KILL $$'
attempt interrupted signalled INT
attempt terminated signalled TERM
attempt hung-up signalled HUP
attempt signal-passed-on passed_on
attempt duration ktrack stream -d 300ms
rmmod ktrack_demo
rmmod ktrack
attempt nothing-to-record ktrack stream -d 1
attempt nothing-to-list ktrack list
umount /sys/kernel/debug /sys/kernel/tracing
attempt no-tracefs ktrack stream -d 1
