#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: what the machine and other programs do to a stream or a recording while the test module writes.
# Argument: ROUNDS of the module that are more than a buffer holds. Of each run it leaves /out/NAME.json (what was recorded),
# NAME.fired (what the module wrote), NAME.errors and NAME.status; in the output a line for each thing that should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

GROUP=/sys/fs/cgroup/ktrack

# Arguments: NAME stream|record OPTION...
run_begin() {
	name=$1
	kind=$2
	shift 2
	insmod /modules/ktrack_test.ko
	echo "$name" >>/out/runs
	case $kind in
	stream) set -- stream "--event=${output:-/out/$name.json}" "$@" ;;
	record) set -- record -o "/tmp/$name.dat" "$@" ;;
	esac
	sh -c 'echo $$ >"$0/cgroup.procs"; exec ktrack "$@"' $GROUP "$@" -e ktrack_test 2>"/out/$name.errors" &
	ktrack=$!
	wait_while_alive $ktrack is_recording $ktrack
}

# Argument: ROUNDS
fire() {
	echo "everywhere $1 100000" >/dev/ktrack_test
}

# What a killed run left is recovered.
run_end() {
	status=0
	wait $ktrack || status=$?
	echo $status >"/out/$name.status"
	[ ! -d "/tmp/$name.dat.spool" ] || ktrack recover "/tmp/$name.dat" >/dev/null 2>>"/out/$name.errors" || echo "$name: not recovered"
	[ ! -e "/tmp/$name.dat" ] || ktrack export -e ktrack_test "--event=/out/$name.json" "/tmp/$name.dat" 2>>"/out/$name.errors"
	fired_save "$name"
	rmmod ktrack_test
	instances_check "$name"
}

# The buffers overflow meanwhile.
stopped() {
	run_begin "stopped-$1" "$1" -b 64
	kill -STOP $ktrack
	fire "$rounds"
	kill -CONT $ktrack
	kill -TERM $ktrack
	run_end
}

# Whoever has files open there keeps them.
unmounted() {
	run_begin "unmounted-$1" "$1"
	fire 20
	umount -l $TRACING
	fire 20
	usleep 300000
	kill -TERM $ktrack
	wait_for is_over
	mount -t tracefs tracefs $TRACING
	ktrack clean >/dev/null
	run_end
}

is_over() {
	! kill -0 $ktrack
}

clock_jumps() {
	run_begin "clock-$1" "$1"
	fire 20
	date -s '2037-01-02 03:04:05' >/dev/null
	fire 20
	usleep 300000
	date -s '2001-01-02 03:04:05' >/dev/null
	fire 20
	kill -TERM $ktrack
	run_end
}

# As much memory as ktrack says that it needs.
limited() {
	echo 34M >$GROUP/memory.max
	run_begin "limited-$1" "$1"
	fire "$rounds"
	kill -TERM $ktrack
	run_end
	echo max >$GROUP/memory.max
}

# Memory is taken away until the kernel kills it.
killed() {
	run_begin "killed-$1" "$1"
	fire 200
	usleep 300000
	echo 64k >$GROUP/memory.max
	fire 200
	wait_for is_over
	echo max >$GROUP/memory.max
	run_end
}

# Reads a few lines now and then, and all of it in the end. After a signal, ktrack waits a second for it.
slow_read() {
	reads=0
	while [ $reads -lt 40 ]; do
		dd bs=512 count=1 2>/dev/null
		usleep 50000
		reads=$((reads + 1))
	done
	touch /tmp/fast
	cat
}

read_slowly() {
	slow_read </tmp/fifo >/out/slow.json &
	reader=$!
	output=/tmp/fifo run_begin slow stream -b 64
	fire "$rounds"
	fire "$rounds"
	wait_for [ -e /tmp/fast ]
	kill -TERM $ktrack
	wait $reader
	run_end
}

# One of two readers is gone, which ends the run.
reader_vanishes() {
	head -n 1 </tmp/fifo >/dev/null &
	reader=$!
	run_begin vanished stream --perf=/tmp/fifo
	fire "$rounds"
	wait $reader
	wait_for is_over
	kill -TERM $ktrack 2>/dev/null || true
	run_end
}

second_cpu_start
symbols_keep
rounds=$1
mkfifo /tmp/fifo
mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $GROUP
for kind in stream record; do
	stopped "$kind"
	unmounted "$kind"
	clock_jumps "$kind"
	limited "$kind"
done
killed record
read_slowly
reader_vanishes
