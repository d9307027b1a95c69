#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs of ktrack at the same time and beside a user's own tracing, and such that are attached to an instance that the user
# set up. Leaves NAME.json, streams, and NAME.dat, recordings; NAME.errors; NAME.begin and NAME.end, the last number of each CPU that
# the test module had fired when a run began and when it was over; NAME.status of attempts; and in the output a line for each
# thing that should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

MINE=/sys/kernel/tracing/instances/mine
SMALL_KIB=64

# What is looked at is all that can be written to, but for
#   trace, snapshot, trace_marker, trace_marker_raw  records, not settings: the user's tracing goes on
#   free_buffer                                      whoever closes it frees the buffer
#   inject, hist_debug                               have no content
#   error_log                                        what anybody wrote wrongly
settings_list() {
	find $TRACING -path "$INSTANCES/ktrack-*" -prune -o -type f -perm /222 ! -name trace ! -name snapshot \
		! -name 'trace_marker*' ! -name free_buffer ! -name inject ! -name hist_debug ! -name error_log -print
}

# Argument: the list of files
settings_show() {
	xargs grep '' /dev/null <"$1" 2>&1
}

settings_note() {
	settings_list >/tmp/list
	settings_show /tmp/list >/tmp/settings
	[ "$(wc -l </tmp/settings)" -gt 5000 ] || echo "there are more settings than $(wc -l </tmp/settings)"
}

settings_check() {
	settings_show /tmp/list >/tmp/settings.now
	cmp -s /tmp/settings /tmp/settings.now && return
	echo "settings have changed: $1"
	diff /tmp/settings /tmp/settings.now | grep '^[-+]' | head -n 12
}

# That no file has come, or gone, too.
settings_check_all() {
	settings_list >/tmp/list.now
	cmp -s /tmp/list /tmp/list.now || echo "files have come, or gone: $1"
	settings_check "$1"
}

fire() {
	echo "everywhere $1" >/dev/ktrack_test
}

numbers_note() {
	sed -n 's/^cpu \(.*\) fired .* sequence \(.*\)/\1 \2/p' /dev/ktrack_test >"/out/$1"
}

# A run with a command. Arguments: NAME stream|record WORD...
run() {
	name=$1
	kind=$2
	shift 2
	numbers_note "$name.begin"
	"run_$kind" "$@" 2>"/out/$name.errors" || echo "$name ended with status $?"
	numbers_note "$name.end"
}

run_stream() {
	ktrack stream --with=cpu "--event=/out/$name.json" "$@"
}

run_record() {
	ktrack record -o "/tmp/$name.dat" "$@"
	mv "/tmp/$name.dat" /out
}

# A run in the background, until it records. Arguments likewise
begin() {
	name=$1
	kind=$2
	shift 2
	numbers_note "$name.begin"
	case $kind in
	stream) ktrack stream --with=cpu "--event=/out/$name.json" "$@" 2>"/out/$name.errors" & ;;
	record) ktrack record -o "/out/$name.dat" "$@" 2>"/out/$name.errors" & ;;
	esac
	echo $! >"/tmp/$name.pid"
	wait_for has_begun $! "$name"
}

has_begun() {
	[ -s "/out/$2.json" ] || [ -e "/out/$2.dat.spool/instance" ] && { is_recording "$1" || [ -e "/tmp/$2.attached" ]; }
}

end() {
	for name in "$@"; do
		numbers_note "$name.end"
		kill -TERM "$(cat "/tmp/$name.pid")"
		wait "$(cat "/tmp/$name.pid")" || echo "$name ended with status $?"
	done
}

# Two at once, of either kind, with settings of their own.
runs_at_once() {
	begin "$1.mono" "$2" -e ktrack_test -b 4096 --clock=mono
	begin "$1.cpu" "$3" -b 2048 --cpu=1 -e 'ktrack_test:ktrack_test_[!grks]*,ktrack_test:ktrack_test_s[0-9]*' --filter='sequence > 0'
	settings_check "while a $2 and a $3 run"
	fire 30
	end "$1.mono" "$1.cpu"
}

# Whose clock changes has a buffer that is emptied.
clocks_change() {
	begin clock.stream stream -e ktrack_test -b 4096
	begin clock.record record -e ktrack_test -b 4096
	for clock in mono tai global; do
		fire 20
		echo $clock >$MINE/trace_clock
		fire 20
		echo $clock >$TRACING/trace_clock
	done
	fire 20
	end clock.stream clock.record
}

# What the CPU wrote last is read only when it has gone.
# shellcheck disable=SC2016 # the traced shell expands it
GO_AND_COME='kill -STOP $PPID
	echo everywhere 100 >/dev/ktrack_test
	echo 0 >/sys/devices/system/cpu/cpu1/online
	echo everywhere 100 >/dev/ktrack_test
	kill -CONT $PPID
	echo everywhere 100 >/dev/ktrack_test
	echo 1 >/sys/devices/system/cpu/cpu1/online
	echo everywhere 100 >/dev/ktrack_test'

# More than the buffers hold, while nobody reads.
# shellcheck disable=SC2016 # likewise
TOO_MUCH='kill -STOP $PPID; echo everywhere 1000 >/dev/ktrack_test; kill -CONT $PPID; echo everywhere 10 >/dev/ktrack_test'

# What the buffers hold already is part of it, what comes behind it is not.
attach() {
	touch /tmp/attached.attached
	numbers_note attached.first
	fire 30
	begin attached stream --instance mine
	mv /out/attached.first /out/attached.begin
	settings_check "while a stream is attached"
	fire 30
	attempt second-stream ktrack stream --instance mine -d 1
	attempt second-record ktrack record --instance mine -o /tmp/second.dat -d 1
	attempt second-export ktrack export tracefs:mine
	! rmdir $MINE 2>/dev/null || echo "an instance could be removed while a stream is attached"
	ktrack clean
	end attached
	numbers_note rest.begin
	fire 10
	numbers_note rest.end
	ktrack export --with=cpu tracefs:mine >/out/rest.json 2>/out/rest.errors || echo "what came after that cannot be exported"
}

losses_attach() {
	run lossy.stream stream --instance mine -- sh -c "$TOO_MUCH"
	run lossy.record record --instance mine -- sh -c "$TOO_MUCH"
	run again.stream stream --instance mine -- sh -c 'echo everywhere 10 >/dev/ktrack_test'
	run again.record record --instance mine -- sh -c 'echo everywhere 10 >/dev/ktrack_test'
}

clocks_attach() {
	for clock in counter tai; do
		echo $clock >$MINE/trace_clock
		run "attached.$clock" stream --instance mine -- sh -c 'echo everywhere 20 >/dev/ktrack_test'
	done
}

insmod /modules/ktrack_test.ko
symbols_keep
mkdir $MINE
echo 1 >$TRACING/events/ktrack_test/enable
echo 4096 >$TRACING/buffer_size_kb
echo 1 >$MINE/events/ktrack_test/enable
echo 'sequence > 0' >$MINE/events/ktrack_test/ktrack_test_cpu/filter
echo 1024 >$MINE/buffer_size_kb
settings_note
numbers_note own.begin
runs_at_once streams stream stream
runs_at_once both stream record
numbers_note own.end
grep -c ktrack_test_ $TRACING/trace >/out/own.lines
settings_check_all "after runs"
clocks_change
run offline.stream stream -e ktrack_test -b 4096 -- sh -c "$GO_AND_COME"
run offline.record record -e ktrack_test -b 4096 -- sh -c "$GO_AND_COME"
echo 0 >$TRACING/events/ktrack_test/enable
echo local >$MINE/trace_clock
echo $SMALL_KIB >$MINE/buffer_size_kb
echo 0 >$MINE/options/overwrite
settings_note
attach
run chosen stream --instance mine -e ktrack_test:ktrack_test_level_cpu -- sh -c 'echo everywhere 10 >/dev/ktrack_test'
losses_attach
settings_check_all "after runs that were attached"
echo 1 >$MINE/options/overwrite
run lossy.overwrites stream --instance mine -- sh -c "$TOO_MUCH"
clocks_attach
attempt missing ktrack stream --instance nobodys -d 1
begin owner stream -e ktrack_test
attempt owned ktrack record --instance "ktrack-$(cat /tmp/owner.pid)" -o /tmp/owned.dat -d 1
end owner
ls $INSTANCES >/out/left
rmdir $MINE
rmmod ktrack_test
