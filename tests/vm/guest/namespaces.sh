#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: ktrack in a PID namespace, where processes have other numbers than in the kernel's records, and in a time namespace.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

if [ "${1-}" = inside ]; then
	# These have the numbers of kernel threads.
	for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		sleep 1000 &
	done
	attempt command ktrack record -r syscalls --pid -o /out/command.dat -- sh -c 'cat /proc/version; cat /proc/version'
	attempt live ktrack stream -r syscalls --pid --event=/out/live.json -- cat /proc/version
	attempt circular ktrack stream -r syscalls --mode=circular --pid --event=/out/circular.json -- cat /proc/version
	attempt clean ktrack clean
	attempt process ktrack record -r syscalls -p $$ -d 0.1 -o /out/process.dat
	attempt all ktrack record -r sched,workqueue,irq -d 0.2 -o /out/all.dat
	attempt all_live ktrack stream -r sched -d 0.2 --event=/out/all_live.json
	exit
elif [ "${1-}" = shifted ]; then
	attempt shifted ktrack record -r sched -d 0.1 -o /out/shifted.dat
	attempt snapshot ktrack export -r sched tracefs
	attempt back /usr/bin/nsenter --time --target 1 ktrack record -r sched -d 0.1 -o /out/back.dat
	exit
fi

symbols_keep
unshare --pid --fork --mount-proc "$0" inside
/usr/bin/unshare --time --boottime 100000 --fork "$0" shifted
for name in command all back; do
	attempt $name.export ktrack export -r recorded,sched,syscalls --event=/out/$name.json /out/$name.dat
done
rm -f /out/*.dat
instances_check "at the end"
