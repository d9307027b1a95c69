#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: kernel stacks: their limit, their order, their costs, and tracepoints of modules.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

CALLS=50000

# Many switches in two seconds, and then a few.
storm() {
	end=$(($(cut -d. -f1 /proc/uptime) + 3))
	while [ "$(cut -d. -f1 /proc/uptime)" -lt $end ]; do
		usleep 100
	done
	sleep 2
	for _ in 1 2 3; do
		usleep 1000
	done
}

# The time of system calls in hundredths of a second. Arguments: NAME OPTION...
calls_time() {
	kind=$1
	shift
	ktrack record --mode=circular -r 'instant my:call event=raw_syscalls:sys_enter' "$@" -o /out/calls.dat -- sh -c \
		"cut -d' ' -f1 /proc/uptime; dd if=/dev/zero of=/dev/null bs=1 count=$CALLS 2>/dev/null; cut -d' ' -f1 /proc/uptime" \
		>"/out/$kind.times" 2>/dev/null
	rm /out/calls.dat
}

if [ "${1-}" = storm ]; then
	storm
	exit
fi

second_cpu_start
insmod /modules/ktrack_test.ko
symbols_keep_loaded
attempt storm ktrack record -b 8192 -r sched --stack='sched:sched_switch if prev_state != 0' --stack-limit=50 -o /out/storm.dat -- sh "$0" storm
attempt quiet ktrack record -b 8192 -r sched --stack='sched:sched_switch if prev_state != 0' -o /out/quiet.dat -- usleep 10000
attempt live ktrack stream -b 8192 -e 'ktrack_t*' --stack='sched:sched_switch if prev_state != 0' --why='ktrack_test:*/incident' \
	--event=/out/live.event --folded=/out/live.folded -- sh -c 'echo sleep 40 >/dev/ktrack_test'
attempt module ktrack record -e ktrack_test --stack=ktrack_test:ktrack_test_thread -o /out/module.dat -- true
attempt unselected ktrack record -r irq --stack=sched:sched_switch -o /out/module.dat -- true
calls_time plain
calls_time stacks --stack=raw_syscalls:sys_enter --stack-limit=1000000000
rmmod ktrack_test
instances_check "at the end"
