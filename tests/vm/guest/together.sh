#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: ten programs at once, with slices of ktrack/user.h, probed functions and static tracepoints: with enough memory, and with little.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: CALLS PAUSE_US
programs() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		/together "$@" &
	done
	wait
}

if [ "${1-}" = programs ]; then
	shift
	programs "$@"
	exit
fi

# Arguments: COMMAND NAME OPTION...; what the programs print is NAME.output.
trace() {
	command=$1
	name=$2
	shift 2
	# shellcheck disable=SC2016 # the kernel expands $retval
	attempt "$name" ktrack "$command" --programs --uprobe '/together:outer number=%di:s32 ret=$retval:s64' --usdt /together:together:begin..end "$@"
}

trace stream live -b 8192 --event=/out/live.json -- sh "$0" programs 100 3000
trace record file -b 8192 -o /out/file.dat -- sh "$0" programs 100 3000
attempt file_export ktrack export --event=/out/file.json /out/file.dat
trace record full -b 64 --mode=oneshot -o /out/full.dat -- sh "$0" programs 1000 0
attempt full_export ktrack export --event=/out/full.json /out/full.dat
cat $TRACING/dynamic_events >/out/definitions
rm -f /out/*.dat
instances_check "at the end"
