#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: compressed outputs of a stream that ends in order, is killed, and has many sessions; a directory with limits.
# Argument: NUMBER (of rounds on each CPU)
# Leaves /out/NAME.zst, NAME.clocked (what /clocked says of the records in it), NAME.status (of zstd), NAME.fired; for the
# directory /out/most (the largest number of files at a time), /out/names (all that were seen) and /out/left.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: NAME, options
stream_start() {
	name=$1
	shift
	ktrack stream -e ktrack_test -b 2048 --with=cpu "$@" 2>"/out/$name.errors" &
	stream=$!
	wait_while_alive $stream is_recording_dropped $stream
}

# What zstd reads now.
decode() {
	zstd -dcq "/out/$name.zst" >"/tmp/$name.events" 2>/dev/null
}

# How many slices it has that ended.
has_ends() {
	decode || true
	[ "$(grep -c '"region_leave"' "/tmp/$name.events")" -ge "$1" ]
}

look() {
	status=0
	decode || status=$?
	echo $status >"/out/$name.status"
	/clocked <"/tmp/$name.events" >"/out/$name.clocked"
	tail -n 1 "/tmp/$name.events" >"/out/$name.last"
	grep -c '"event":"atexit"' "/tmp/$name.events" >"/out/$name.sessions" || true
	fired_save "$name"
}

# The frame of an idle stream is completed, so that its file can be read without an error; then it is killed at work.
killed_stream() {
	stream_start killed --event=/out/killed.zst
	echo "everywhere $1" >/dev/ktrack_test
	wait_while_alive $stream has_ends 1
	wait_while_alive $stream decode
	grep -c '"region_leave"' /tmp/killed.events >/out/killed.idle
	echo "everywhere $1" >/dev/ktrack_test
	wait_while_alive $stream has_ends $((1 + $(cat /out/killed.idle)))
	decode || true
	grep -c '"region_leave"' /tmp/killed.events >/out/killed.before
	process_kill $stream
	look
	ktrack clean >/dev/null
}

ended_stream() {
	stream_start ended --event=/out/ended.zst --perf=/out/perf.zst --otlp=/out/otlp.zst
	echo "everywhere $1" >/dev/ktrack_test
	process_end $stream "a stream that is ended"
	look
	for file in perf otlp; do
		zstd -tq /out/$file.zst || echo "$file.zst is incomplete"
	done
}

# A frame for each session, in one file.
sessions_stream() {
	stream_start sessions --event=/out/sessions.zst --session-every=200ms
	echo "everywhere $1" >/dev/ktrack_test
	name=sessions
	wait_while_alive $stream has_sessions 4
	process_end $stream "a stream of sessions"
	look
}

has_sessions() {
	decode || true
	[ "$(grep -c '"event":"atexit"' "/tmp/$name.events")" -ge "$1" ]
}

# Under sudo, in the user's directory. New names are added to those that were seen.
limited_stream() {
	mkdir -p /h/sessions
	chown -R user /h/sessions
	: >/h/sessions/notes
	: >/tmp/names
	most=0
	SUDO_UID=1000 SUDO_GID=1000 stream_start limited --event=/h/sessions --session-every=100ms --max-files=3
	while [ "$(sort -u /tmp/names | wc -l)" -lt 10 ] && kill -0 $stream; do
		# ls would also look at files that are removed meanwhile.
		printf '%s\n' /h/sessions/* | sed 's,.*/,,' >/tmp/listed
		grep -v notes /tmp/listed >>/tmp/names || true
		[ "$(wc -l </tmp/listed)" -le "$most" ] || most=$(wc -l </tmp/listed)
		usleep 20000
	done
	process_end $stream "a stream of a directory"
	echo "$most" >/out/most
	sort -u /tmp/names >/out/names
	stat -c '%U %n' /h/sessions/* >/out/left
}

cd /tmp
for kind in killed ended sessions; do
	insmod /modules/ktrack_test.ko
	"${kind}_stream" "$1"
	rmmod ktrack_test
done
insmod /modules/ktrack_test.ko
limited_stream
rmmod ktrack_test
instances_check "at the end"
