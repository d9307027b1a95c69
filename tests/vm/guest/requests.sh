#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: streams and records the test module's overlapping requests and its macros in every context. Arguments: rounds of requests,
# of macros, and of requests in small buffers.
# Leaves for each program PROGRAM.json (streamed) and PROGRAM.dat (recorded), and lossy.dat.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: NAME PROGRAM ROUNDS OPTION...; the file is /tmp/NAME.dat.
program_record() {
	command="echo $2 $3 >/dev/ktrack_test"
	file=/tmp/$1.dat
	shift 3
	ktrack record -e ktrack_test -o "$file" "$@" -- sh -c "$command" || echo "$command, recorded: exit status $?"
	mv "$file" /out
}

# Arguments: PROGRAM ROUNDS.
program_both() {
	ktrack stream -b 8192 -e ktrack_test --with=tid,cpu "--event=/out/$1.json" -- sh -c "echo $1 $2 >/dev/ktrack_test" ||
		echo "$1 $2, streamed: exit status $?"
	program_record "$1" "$1" "$2" -b 8192
}

insmod /modules/ktrack_test.ko
symbols_keep
program_both requests "$1"
program_both macros "$2"
program_record lossy requests "$3" -b 64 --mode=circular
rmmod ktrack_test
instances_check "at the end"
