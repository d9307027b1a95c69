#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records what the tutorials record, and writes their pages to /out. /relay.ko is the driver of the tutorial.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

second_cpu_start
PACKS=sched,irq,syscalls,block

ktrack record -r $PACKS -o slow.dat -- sh -c 'seq 100000 | sort -n | tail -n 1'
ktrack export -r $PACKS --html=/out/ktrack-tutorial-performance.html slow.dat
insmod /relay.ko
# shellcheck disable=SC2016 # the traced shell expands it
ktrack record -e relay -r sched,irq,locks,workqueue,timers -- \
	sh -c 'for us in 4000 4000 4000 4000 4000 500; do echo $us; done >/dev/relay; sleep 0.5'
ktrack export --html=/out/ktrack-tutorial-driver.html trace.dat
