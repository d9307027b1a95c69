#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records a shell that runs, waits for children and is preempted by them; saves how long it ran by the kernel's account. Also records by
# conditions.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

if [ "${1-}" = work ]; then
	echo $$ >/out/counting
	cat /proc/$$/schedstat >/out/before.schedstat
	# Executions mark the end of the first reading and the begin of the last one.
	cat /dev/null
	for _ in 1 2 3 4 5; do
		(i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done) &
		i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done
		wait
	done
	cat /dev/null
	cat /proc/$$/schedstat >/out/after.schedstat
	exit
fi

symbols_keep
cp "$0" /work.sh
attempt record ktrack record -b 8192 --include-self -r sched -o /out/time.dat -- sh /work.sh work
attempt export ktrack export --include-self -r sched --event=/out/time.json /out/time.dat
rm -f /out/time.dat
conditions_record
