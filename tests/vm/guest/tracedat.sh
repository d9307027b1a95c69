#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records the demo by trace-cmd, in files of every kind. Arguments: NAME:OPTIONS, the words of
# OPTIONS joined by commas. Leaves NAME.dat; and lost.dat, of which much was overwritten, with the kernel's count of that in
# lost.stats. Prints what went wrong.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: NAME OPTION...
record() {
	name=$1
	shift
	trace-cmd record -q -o "/out/$name.dat" "$@" sh -c 'echo 200 >/dev/ktrack_demo' \
		>/tmp/errors 2>&1 || echo "record of $name: $(cat /tmp/errors)"
}

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
symbols_keep
for file in "$@"; do
	# shellcheck disable=SC2046
	record "${file%%:*}" $(echo "${file#*:}" | tr , ' ')
done

trace-cmd start -b 16 -C boot -e ktrack_demo >/dev/null
echo 2000 >/dev/ktrack_demo
trace-cmd stop
cat $TRACING/per_cpu/cpu*/stats >/out/lost.stats
trace-cmd extract -o /out/lost.dat >/tmp/errors 2>&1 || echo "extract: $(cat /tmp/errors)"
trace-cmd reset
