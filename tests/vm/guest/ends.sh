#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: the ways in which a stream can end or be refused. For each, /out/NAME.status, NAME.errors,
# NAME.output, and NAME.left with the instances that are there afterwards. A shell lets what it starts
# in the background ignore signals of the keyboard: gnu-env undoes that.
# shellcheck disable=SC2317 # attempt calls what it is asked to
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

as_user() {
	su user -c "$*"
}

# A reader that goes after the first line; the status is the stream's.
cut_short() {
	{ ktrack stream -- sh -c 'echo 500 >/dev/ktrack_demo; exit 3'; echo $? >/tmp/status; } | head -n 1
	return "$(cat /tmp/status)"
}

# The same without a command, beside a file: it ends the recording.
cut_short_beside() {
	rm /tmp/status
	{ ktrack stream --event=/out/beside.json --perf=-; echo $? >/tmp/status; } | head -n 1 &
	wait_for fired_and_ended
	return "$(cat /tmp/status)"
}

fired_and_ended() {
	echo 10 >/dev/ktrack_demo
	[ -s /tmp/status ]
}

is_over() {
	! is_recording "$stream"
}

# Starts a stream of these words in the background.
streaming() {
	gnu-env --default-signal ktrack stream "$@" &
	stream=$!
	wait_for is_recording "$stream"
}

# Sends signals, one right after the other.
signalled() {
	streaming
	echo 10 >/dev/ktrack_demo
	for signal in "$@"; do
		kill "-$signal" "$stream"
	done
	wait "$stream"
}

# The stream continues after the signal and has the records that follow.
user_signalled() {
	streaming
	kill "-$1" "$stream"
	sleep 0.5
	echo 10 >/dev/ktrack_demo
	kill -TERM "$stream"
	wait "$stream"
}

# The second signal arrives while the first one is handled.
signalled_late() {
	streaming
	echo 10 >/dev/ktrack_demo
	kill -INT "$stream"
	usleep "$1"
	kill -INT "$stream" 2>/dev/null || true
	wait "$stream"
}

# A reader that takes nothing, and more than a pipe holds. Argument: where error lines go
not_read() {
	# shellcheck disable=SC2217 # it reads nothing
	sleep 600 </tmp/fifo &
	sleeper=$!
	streaming >/tmp/fifo 2>"$1"
	echo 2000 >/dev/ktrack_demo
	kill -TERM "$stream"
	result=0
	wait "$stream" || result=$?
	kill $sleeper
	wait $sleeper 2>/dev/null || true
	return $result
}

# A reader that comes when the time is over, as a pager's user does.
read_late() {
	# shellcheck disable=SC2217 # it reads nothing
	sleep 600 </tmp/fifo &
	sleeper=$!
	streaming -d 5 -b 16384 >/tmp/fifo
	echo 500 >/dev/ktrack_demo
	wait_for is_over
	cat /tmp/fifo &
	reader=$!
	result=0
	wait "$stream" || result=$?
	wait $reader
	kill $sleeper
	wait $sleeper 2>/dev/null || true
	return $result
}

# A command that writes to the file that the stream goes to, the first thing it does.
shared() {
	for _ in 1 2 3 4 5; do
		ktrack stream --event=/tmp/shared -- sh -c 'echo first >>/tmp/shared' || return
		grep -qx first /tmp/shared || return 1
	done
	grep -vx first /tmp/shared
}

has_opened() {
	[ -d "$INSTANCES/ktrack-$stream" ]
}

# A FIFO that nobody opens for reading.
never_read() {
	gnu-env --default-signal ktrack stream --event=/tmp/fifo "$@" &
	stream=$!
	wait_for has_opened
	kill -TERM "$stream"
	wait "$stream"
}

# The size that files may grow to; the command's own status does not matter.
limited() {
	(ulimit -f 8 && ktrack stream --event=/tmp/limited -- sh -c 'echo 500 >/dev/ktrack_demo; exit 3')
}

# The command ends only when the failure has been reported.
reported_at_once() {
	# shellcheck disable=SC2016 # the traced shell expands it
	ktrack stream --event=/small/y -- sh -c 'echo 500 >/dev/ktrack_demo
		tries=0
		until grep -q "No space" /out/reported-at-once.errors || [ $tries -ge 3000 ]; do
			tries=$((tries + 1)); sleep 0.1
		done
		exit 3'
}

# The signal is ignored from the beginning on: what comes after it is still recorded.
ignored() {
	sh -c 'trap "" HUP; echo $$ >/tmp/pid; exec ktrack stream' &
	wait_for [ -s /tmp/pid ]
	stream=$(cat /tmp/pid)
	wait_for is_recording "$stream"
	kill -HUP "$stream"
	sleep 0.2
	echo 10 >/dev/ktrack_demo
	kill -TERM "$stream"
	wait $!
}

no_instances() {
	[ -z "$(ls $INSTANCES)" ]
}

# The terminal hangs up; ktrack leads its session, and the command hears of it.
hung_up_leader() {
	rm -f /tmp/ready
	script -qc "exec ktrack stream --event=/tmp/hung-up.json -- sh -c 'trap \"touch /tmp/heard; exit 9\" HUP; \
		touch /tmp/ready; while sleep 0.1; do :; done'" /dev/null >/dev/null </dev/null &
	terminal=$!
	wait_for [ -e /tmp/ready ]
	kill -KILL $terminal
	wait_for [ -e /tmp/heard ]
	wait_for no_instances
	wait_for grep -q '"atexit".*"code":9}' /tmp/hung-up.json
	cat /tmp/hung-up.json
	return 9
}

# A CPU that is not online when the recording begins.
comes_online() {
	echo 0 >/sys/devices/system/cpu/cpu1/online
	ktrack stream -- sh -c 'echo 100 >/dev/ktrack_demo
		echo 1 >/sys/devices/system/cpu/cpu1/online; echo 100 >/dev/ktrack_demo; exit 4'
}

# The command runs until that is reported.
outlasted() {
	# shellcheck disable=SC2016 # the traced shell expands it
	ktrack stream -d 300ms -- sh -c 'tries=0
		until grep -q "still runs" /out/outlasted.errors || [ $tries -ge 3000 ]; do
			tries=$((tries + 1)); sleep 0.1
		done
		exit 5'
}

# Another process keeps a file of the instance open.
busy() {
	streaming
	exec 8<"$INSTANCES/ktrack-$stream/trace_pipe"
	kill -TERM "$stream"
	result=0
	wait "$stream" || result=$?
	exec 8<&-
	rmdir "$INSTANCES/ktrack-$stream"
	return $result
}

# A killed run leaves its instance, and the next run reports it.
after_kill() {
	streaming >/dev/null
	kill -KILL "$stream"
	wait "$stream" 2>/dev/null || true
	ktrack stream -d 300ms
}

# Only instances without an owner are removed: those of a running ktrack and of a user stay.
cleaned() {
	mkdir $INSTANCES/ktrack-user $INSTANCES/ktrack-5
	streaming >/dev/null 2>&1
	ktrack clean
	rmdir $INSTANCES/ktrack-user $INSTANCES/ktrack-5
	kill -TERM "$stream"
	wait "$stream"
}

# Instances of a killed run cannot be removed while their files are open.
clean_in_vain() {
	streaming >/dev/null 2>&1
	kill -KILL "$stream"
	wait "$stream" 2>/dev/null || true
	exec 8<"$INSTANCES/ktrack-$stream/trace_pipe"
	result=0
	ktrack clean || result=$?
	exec 8<&-
	ktrack clean >/dev/null
	return $result
}

# A file keeps its content if the recording never begins.
kept() {
	echo precious >/tmp/kept
	result=0
	ktrack stream --event=/tmp/kept "$@" || result=$?
	[ "$(cat /tmp/kept)" = precious ] || result=99
	return $result
}

# The traced command gets the signal that was sent to ktrack, and its status is ktrack's.
passed_on() {
	rm -f /tmp/ready
	# shellcheck disable=SC2016 # the traced shell expands it
	ktrack stream -- sh -c 'trap "exit 9" TERM; touch /tmp/ready; sleep 600 & wait' &
	stream=$!
	wait_for [ -e /tmp/ready ]
	kill -TERM "$stream"
	wait "$stream"
}

# The output on a terminal.
on_terminal() {
	script -qec "exec ktrack stream -d 1 $*" /dev/null </dev/null
}

# Remaining capabilities of the reading process, and those of its command.
privileges() {
	streaming >/tmp/stream.json
	wait_for has_dropped "$stream"
	kill -TERM "$stream"
	wait "$stream"
	streaming --session-every=1000 >/tmp/stream.json
	wait_for has_dropped "$stream"
	kill -TERM "$stream"
	wait "$stream"
	ktrack stream --event=/tmp/stream.json -- sh -c "$PRIVILEGES"
}

second_cpu_start
insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
mkdir /small && mount -t tmpfs -o size=16k none /small
touch /tmp/plain
mkfifo /tmp/fifo
printf '#!/no/such/interpreter\n' >/tmp/no-interpreter
chmod +x /tmp/no-interpreter

attempt user-stream as_user ktrack stream -d 1
attempt user-list as_user ktrack list
attempt unknown-event ktrack stream -e nosuch:event -d 1
attempt full-disk ktrack stream --event=/small/x -- sh -c 'echo 500 >/dev/ktrack_demo; exit 3'
attempt full-device ktrack stream --event=/dev/full -d 300ms
attempt closed-pipe cut_short
attempt closed-pipe-beside cut_short_beside
attempt no-command ktrack stream -- /no/such/command
attempt no-program ktrack stream -- /tmp/plain
attempt no-folder ktrack stream --event=/no/such/folder/x -d 1
attempt command-status ktrack stream -- sh -c 'exit 7'
# shellcheck disable=SC2016 # the traced shell expands it
attempt command-killed ktrack stream -- sh -c 'kill -KILL $$'
attempt interrupted signalled INT
attempt terminated signalled TERM
attempt hung-up signalled HUP
attempt quit signalled QUIT
attempt user-signal user_signalled USR1
attempt real-time-signal user_signalled 40
attempt signalled-twice signalled INT INT
attempt signalled-late signalled_late 20000
attempt hung-up-leader hung_up_leader
attempt ignored-signal ignored
attempt not-read not_read /proc/self/fd/2
attempt not-read-at-all not_read /tmp/fifo
attempt read-late read_late
attempt shared shared
attempt never-read never_read
attempt never-read-command never_read -- touch /tmp/ran
attempt file-size-limit limited
attempt reported-at-once reported_at_once
attempt comes-online comes_online
attempt outlasted outlasted
attempt busy busy
attempt after-kill after_kill
attempt cleaned cleaned
attempt clean-in-vain clean_in_vain
attempt lossy ktrack stream -b 16 --mode=circular --fail-on-loss -- sh -c 'echo 2000 >/dev/ktrack_demo'
attempt lossy-command ktrack stream -b 16 --mode=circular --fail-on-loss -- sh -c 'echo 2000 >/dev/ktrack_demo; exit 4'
attempt stat-done ktrack stat --live -d 300ms
attempt stat-command ktrack stat --live -- sh -c 'exit 7'
# shellcheck disable=SC2016 # likewise
attempt stat-killed ktrack stat --live -- sh -c 'kill -KILL $$'
attempt kept-no-command kept -- /no/such/command
attempt kept-no-interpreter kept -- /tmp/no-interpreter
attempt kept-no-memory kept -b 67108864
[ ! -e /tmp/ran ] || echo ran >/out/never-read-command.left
attempt signal-passed-on passed_on
attempt progress on_terminal --event=/tmp/terminal.json
attempt no-progress on_terminal
attempt event-on-terminal on_terminal --event
attempt quiet on_terminal --quiet
attempt privileges privileges
attempt duration ktrack stream -d 300ms
attempt followed ktrack stream --pid -- sh -c 'sh -c "echo 100 >/dev/ktrack_demo"; exit 4'
attempt one-cpu ktrack stream --cpu=1 --with=cpu -- taskset 2 sh -c 'echo 100 >/dev/ktrack_demo; exit 4'
# shellcheck disable=SC2016 # likewise
attempt as-user ktrack stream --user=user -- sh -c '[ "$(id -un)" = user ] && [ "$HOME" != /root ] && exit 4'
rmmod ktrack_demo
rmmod ktrack
attempt nothing-to-record ktrack stream -d 1
attempt nothing-to-list ktrack list
umount /sys/kernel/debug /sys/kernel/tracing
attempt no-tracefs ktrack stream -d 1
