#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs ktrack once for each table of tests/fault/site.h in /plan, KIND.NUMBER, while the test module writes.
# KIND is record, stream or watch. Argument: the size of a table.
# Of each run it leaves /out/KIND.NUMBER.errors and a line of /out/runs: name, exit status (or "hung"), whether the site failed,
# and how many records the module wrote, were exported, were reported as lost, and how many gaps have no size.
# It keeps the tables of runs without a failure, KIND.0, as /out/KIND.table.gz.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Of 50 ms, by the guest's clock.
TRIES_MAX=200
ROUNDS=10
FOLDER=/tmp/run

# Waits for a command's success while ktrack runs.
await() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		kill -0 $ktrack 2>/dev/null && [ $tries -lt $TRIES_MAX ] || return 1
		usleep 50000
	done
}

is_over() {
	! kill -0 $ktrack
}

is_ready() {
	is_recording "$ktrack" && { [ "$kind" != watch ] || grep -q "^ktrack: watching" "$errors"; }
}

# Argument: how many lines of messages there were before.
has_said_more() {
	[ "$(wc -l <"$errors")" -gt "$1" ]
}

# Saves what is in memory, and waits for the message about it.
watch_request() {
	said=$(wc -l <"$errors")
	kill -USR1 $ktrack
	await has_said_more "$said" || true
}

ktrack_start() {
	case $kind in
	record) set -- record -o $FOLDER/x.dat ;;
	stream) set -- stream --event=$FOLDER/x.json ;;
	watch) set -- watch --dir=$FOLDER --keep=1M ;;
	esac
	LD_PRELOAD=/shim.so KTRACK_FAULT_TABLE=/tmp/table ktrack "$@" -b 256 -e ktrack_test 2>"$errors" &
	ktrack=$!
}

records_written() {
	awk '/^cpu / { sum += $NF } END { print sum + 0 }' /dev/ktrack_test
}

# What a TERM does not end has to be killed.
ktrack_stop() {
	kill -TERM $ktrack 2>/dev/null || true
	await is_over || true
	is_over 2>/dev/null || { kill -KILL $ktrack; hung=hung; }
	status=0
	wait $ktrack 2>/dev/null || status=$?
	status=${hung:-$status}
}

# Argument: NAME of a counter
counter() {
	sed -n 's/.*"thread":"main".*"name":"'"$1"'","count":\([0-9]*\).*/\1/p' $FOLDER/events | awk '{ sum += $1 } END { print sum + 0 }'
}

events_gather() {
	: >$FOLDER/events
	[ ! -d $FOLDER/x.dat.spool ] || ktrack recover $FOLDER/x.dat >/dev/null 2>>"$errors" || true
	for file in "$FOLDER"/*.dat; do
		[ ! -f "$file" ] || ktrack export -e ktrack_test "--event=$file.json" "$file" 2>>"$errors" || true
	done
	cat $FOLDER/*.json >$FOLDER/events 2>/dev/null || true
}

# Argument: NAME
ktrack_run() {
	kind=${1%.*}
	errors=/out/$1.errors
	hung=
	mkdir -m 700 $FOLDER
	cp "/plan/$1" /tmp/table
	truncate -s "$size" /tmp/table
	before=$(records_written)
	ktrack_start
	if await is_ready; then
		echo "everywhere $ROUNDS 100000" >/dev/ktrack_test
		[ "$kind" != watch ] || watch_request
	fi
	ktrack_stop
	ktrack clean >/dev/null 2>&1 || true
	events_gather
	echo "$1 $status $(dd if=/tmp/table bs=1 skip=20 count=1 2>/dev/null | hexdump -v -e '1/1 "%d"')" \
		"$(($(records_written) - before)) $(($(grep -c '"sequence"' $FOLDER/events || true) + $(counter unmatched_ends)))" \
		"$(counter lost_records) $(counter lost_gaps_unknown)" >>/out/runs
	case $1 in
	*.0) gzip -c /tmp/table >"/out/$kind.table.gz" ;;
	esac
	rm -rf $FOLDER /tmp/table
}

size=$1
insmod /modules/ktrack_test.ko
for file in /plan/*; do
	ktrack_run "${file##*/}"
done
rmmod ktrack_test
instances_check "at the end"
