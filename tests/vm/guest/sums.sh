#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records the same workload with ktrack and with perf; three workers that compete for a CPU count their times by schedstat.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Argument: number of the worker
worker() {
	i=20
	while [ $i -gt 0 ]; do
		i=$((i - 1))
		j=$((500 + 100 * $1))
		while [ $j -gt 0 ]; do j=$((j - 1)); done
		[ $((i % 4)) -gt 0 ] || usleep 2000
	done
	read -r run wait rest </proc/$$/schedstat
	echo "$$ $run $wait $rest" >"/out/worker$1"
}

case ${1-} in
worker) worker "$2"; exit ;;
work)
	for number in 1 2 3; do taskset 1 sh "$0" worker $number & done
	wait
	exit
	;;
esac

second_cpu_start
symbols_keep
attempt record ktrack record -b 16384 -r sched -o /out/work.dat -- perf sched record -q -o /out/work.data -- sh "$0" work
