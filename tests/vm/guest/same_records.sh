#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: trace-cmd records real work; then ktrack reads its pages live, from a tracing instance whose buffers they replace. And ktrack
# records work of which it also reads the text, from the files trace and trace_pipe of tracefs.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

SYSTEMS='sched irq block'
SAME=$INSTANCES/same

work() {
	dd if=/dev/urandom of=/dev/loop0 bs=64k count=32 conv=fsync 2>/dev/null
	read_and_pipe
	ping -c 100 -i 0.002 -q 127.0.0.1 >/dev/null
}

# The place and the size of each CPU's pages in trace-cmd's file.
pages_list() {
	trace-cmd dump --flyrecord -i /out/theirs.dat | sed -n 's/^[^0-9]*\([0-9]*\)  *\([0-9]*\).*size of cpu.*/\1 \2/p'
}

# An instance that was stopped, with the same events and clock.
instance_make() {
	mkdir $SAME
	echo 0 >$SAME/tracing_on
	echo boot >$SAME/trace_clock
	for system in $SYSTEMS; do
		echo 1 >$SAME/events/"$system"/enable
	done
}

# In the mode circular the records stay in ktrack's instance, whose file trace has their text. Another instance, whose trace_pipe is read
# meanwhile, has times of its own.
texts_read() {
	mkdir $INSTANCES/pipe
	echo boot >$INSTANCES/pipe/trace_clock
	echo 8192 >$INSTANCES/pipe/buffer_size_kb
	attempt pipe gnu-env --default-signal ktrack export --include-self -r sched,irq,block --event=/out/pipe.json --html=/out/pipe.html - <$INSTANCES/pipe/trace_pipe &
	reader=$!
	attempt beside ktrack record --mode=circular --include-self -b 8192 -r sched,irq,block -o /out/beside.dat -- sh "$0" beside
	kill -INT "$(pidof ktrack)"
	wait $reader
	rmdir $INSTANCES/pipe
}

pages_place() {
	cpu=0
	while read -r place size; do
		dd if=/out/theirs.dat of=/cpu$cpu bs=4096 skip=$((place / 4096)) count=$((size / 4096)) 2>/dev/null
		mount --bind /cpu$cpu $SAME/per_cpu/cpu$cpu/trace_pipe_raw
		cpu=$((cpu + 1))
	done
}

if [ "${1-}" = work ]; then
	work
	exit
fi
if [ "${1-}" = beside ]; then
	own=$INSTANCES/ktrack-$PPID
	cat "$own/set_event" >$INSTANCES/pipe/set_event
	read_and_pipe
	echo 0 >$INSTANCES/pipe/tracing_on
	cut -d' ' -f1 /proc/uptime >/out/until
	usleep 100000
	attempt text ktrack export --include-self -r sched,irq,block --event=/out/text.json --html=/out/text.html "$own/trace"
	attempt text-stat ktrack stat --include-self -r sched,irq,block --json "$own/trace"
	exit
fi

insmod /more/loop.ko
symbols_keep_loaded
dd if=/dev/zero of=/disk bs=1M count=8 2>/dev/null
losetup /dev/loop0 /disk
echo 0 >/sys/block/loop0/queue/read_ahead_kb
# shellcheck disable=SC2046,SC2086 # several words
trace-cmd record -q -C boot -b 8192 --file-version 6 $(printf -- '-e %s ' $SYSTEMS) -o /out/theirs.dat sh "$0" work 2>/out/record.errors
pages_list >/out/pages
instance_make
pages_place </out/pages
attempt live ktrack stream --instance=same -d 1 --include-self -r sched,irq,block --event=/out/live.json
attempt saved ktrack record --instance=same -d 1 -o /out/ours.dat
umount $SAME/per_cpu/cpu*/trace_pipe_raw
rmdir $SAME
texts_read
