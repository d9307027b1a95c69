#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: asks for the events of a module that is yet to be loaded, in all ways, with plain tracefs.
# Prints a line for what should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: WHAT WANTED FOUND.
expect() {
	[ "$2" = "$3" ] || echo "$1: $3, expected is $2"
}

# Arguments: WHAT COMMAND...; its error output is kept.
expect_refusal() {
	what=$1
	shift
	if "$@" 2>/tmp/error; then
		echo "$what: nobody minded"
	fi
}

request() {
	echo "$1" >&3
}

records() {
	grep -c "$2" "$INSTANCES/$1/trace" || true
}

early_forget() {
	for instance in "$INSTANCES"/*; do
		echo 0 >"$instance/events/ktrack_early/enable"
		echo >"$instance/trace"
	done
	rmmod ktrack_early
	expect "the module after rmmod" "" "$(lsmod | grep ktrack_early)"
}

all_events_come() {
	exec 3>/dev/ktrack
	insmod /modules/ktrack_early.ko
	expect "records before anybody asked" 0 "$(records a ktrack_early)"
	early_forget
	request "a ktrack_early"
	insmod /modules/ktrack_early.ko
	expect "track events of init" 6 "$(records a 'ktrack_early_[slo]')"
	expect "other events of init" 0 "$(records a ktrack_early_plain)"
	expect "records in the other instance" 0 "$(records b ktrack_early)"
	expect "top level" 0 "$(grep -c ktrack_early $TRACING/trace)"
	expect_refusal "rmmod while enabled" rmmod ktrack_early
	expect "why" 1 "$(grep -c 'Resource temporarily unavailable' /tmp/error)"
	early_forget
	exec 3>&-
}

patterns_choose() {
	exec 3>/dev/ktrack
	request "a ktrack_early:*level"
	request "b *:ktrack_early_slice"
	request "b nothing:*"
	insmod /modules/ktrack_early.ko
	expect "counters alone" "2 2" "$(records a ktrack_early) $(records a ktrack_early_level)"
	expect "slices alone" "3 3" "$(records b ktrack_early) $(records b ktrack_early_slice)"
	early_forget
	exec 3>&-
}

# Two owners, who don't disturb one another.
requests_end() {
	exec 3>/dev/ktrack 4>/dev/ktrack
	request "a ktrack_early"
	echo "b ktrack_early" >&4
	expect_refusal "rmdir while an owner lives" rmdir $INSTANCES/a
	expect_refusal "rmmod while an owner lives" rmmod ktrack
	exec 3>&-
	insmod /modules/ktrack_early.ko
	expect "closed and open" "0 6" "$(records a ktrack_early) $(records b ktrack_early)"
	early_forget
	exec 4>&-
	# shellcheck disable=SC2016
	sh -c 'exec 3>/dev/ktrack; echo "a *" >&3; kill -KILL $$' || true
	insmod /modules/ktrack_early.ko
	expect "a killed owner's" 0 "$(records a ktrack_early)"
	early_forget
	rmdir $INSTANCES/a
	mkdir $INSTANCES/a
}

# The kernel frees a module whose init failed whoever holds it, so nothing may be left of the pins.
failures_leave_nothing() {
	exec 3>/dev/ktrack
	request "a *"
	request "b ktrack_early"
	for attempt in 1 2 3 4 5; do
		expect_refusal "attempt $attempt to load" insmod /modules/ktrack_early.ko result=-19
		expect "the module after attempt $attempt" "" "$(lsmod | grep ktrack_early)"
		[ ! -e $TRACING/events/ktrack_early ] || echo "events are left after attempt $attempt"
	done
	insmod /modules/ktrack_early.ko
	expect "after failures" "6 6" "$(records a ktrack_early) $(records b ktrack_early)"
	# One for each tracepoint that is on, however many have switched it on.
	expect "references" 2 "$(cat /sys/module/ktrack_early/refcnt)"
	early_forget
	exec 3>&-
}

line_is_refused() {
	echo "$1" >&3
}

lines_are_refused() {
	exec 3>/dev/ktrack
	for line in "" "a" "a " " x" "a x y" "a/b x" "a :x" "a x:"; do
		expect_refusal "the line '$line'" line_is_refused "$line"
	done
	for number in $(seq 256); do
		request "a number$number"
	done
	expect_refusal "one request too many" line_is_refused "a x"
	exec 3>&-
}

# As many lines in one write as one likes; those before a bad one count.
lines_are_taken() {
	exec 3>/dev/ktrack
	printf 'a ktrack_early:*level\nb *:ktrack_early_slice\nb nothing' >&3
	insmod /modules/ktrack_early.ko
	expect "several lines" "2 3" "$(records a ktrack_early) $(records b ktrack_early)"
	early_forget
	exec 3>&-
	exec 3>/dev/ktrack
	expect_refusal "a bad line" line_is_refused "$(printf 'b *:ktrack_early_slice\nbad\na *')"
	insmod /modules/ktrack_early.ko
	expect "before a bad line" "0 3" "$(records a ktrack_early) $(records b ktrack_early)"
	early_forget
	long=$(printf '%0600d' 1)
	expect_refusal "a long line" line_is_refused "a $long"
	exec 3>&-
}

instances_are_made() {
	exec 3>/dev/ktrack
	request "new ktrack_early"
	[ -d $INSTANCES/new ] || echo "no instance was made"
	exec 3>&-
	rmdir $INSTANCES/new
}

# A ktrack that may open so many files. Arguments: LIMIT OPTION...
limited() {
	# shellcheck disable=SC3045 # busybox has it
	ulimit -n "$1"
	shift
	exec ktrack stream --wait -e ktrack_test --event=/tmp/limited.json "$@" 2>/tmp/limited.errors
}

# With the smallest limit that is enough to begin, not all of many tracepoints may be open: the recording goes on, and ends well.
files_are_left() {
	limit=50
	until (limited $limit -d 1 --ready-fd=4 4>/tmp/ready) && [ -s /tmp/ready ] || [ $limit = 200 ]; do
		limit=$((limit + 1))
	done
	rm /tmp/ready
	(limited $limit --ready-fd=4 4>/tmp/ready) &
	recorder=$!
	wait_while_alive $recorder grep -q ready /tmp/ready
	insmod /modules/ktrack_test.ko
	wait_while_alive $recorder grep -q "^ktrack: tracepoints of modules are not recorded, too many files are open" /tmp/limited.errors
	expect "lines about files" 1 "$(grep -c "too many files" /tmp/limited.errors)"
	kill -TERM $recorder
	wait $recorder || cat /tmp/limited.errors
	expect "the end of its stream" 1 "$(grep -c '"event":"atexit"' /tmp/limited.json)"
	rmmod ktrack_test
}

insmod /modules/ktrack.ko
expect "rights" "crw-------" "$(stat -c %A /dev/ktrack)"
mkdir $INSTANCES/a $INSTANCES/b
all_events_come
patterns_choose
requests_end
failures_leave_nothing
lines_are_refused
lines_are_taken
instances_are_made
rmdir $INSTANCES/a $INSTANCES/b
files_are_left
rmmod ktrack
instances_check "at the end"
