#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: probes of functions and static tracepoints, and functions of a module as slices.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

CALLS=200
# Of records that do not fit into the buffers.
FULL=5000

# Arguments: NAME OPTION...; they are all refused.
refuse() {
	name=$1
	shift
	attempt "$name" ktrack record -o /out/refused.dat "$@" -- true
}

definitions() {
	cat $TRACING/dynamic_events >"/out/$1.definitions"
}

# Ten programs at once. One after the other prints how often its functions were called.
programs() {
	pids=
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		/probed $CALLS &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid"
	done
}

if [ "${1-}" = programs ]; then
	programs
	exit
fi

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
symbols_keep_loaded

# shellcheck disable=SC2016 # the kernel expands $retval
attempt programs ktrack record -b 8192 --uprobe '/probed:outer name=+0(%di):string number=%si:s32' --uprobe '/probed:inner ret=$retval:s32' \
	--usdt /probed:shop:begin..end --usdt /probed:shop:begin -o /out/programs.dat -- sh "$0" programs
attempt programs_event ktrack export --event=/out/programs.json /out/programs.dat
attempt programs_live ktrack stream -b 8192 --uprobe /probed:inner --event=/out/live.json -- /probed $CALLS

attempt kernel ktrack stream --probe 'vfs_read count=%dx:u64' --probe 'do_sys_openat2 name=+0(%si):ustring' --event=/out/kernel.json -- \
	dd if=/proc/version of=/dev/null bs=7 count=3
attempt module ktrack stream -v -b 8192 --function '*:mod:ktrack_demo' --notrace '*pin_module*' -e ktrack_demo -e ktrack:ktrack_slice --event=/out/module.json -- \
	sh -c 'echo 20 >/dev/ktrack_demo'
attempt only ktrack stream -p $$ --probe vfs_write --event=/out/only.json -d 0.2

# The recorder is stopped while programs fill the buffers.
ktrack stream -b 64 --usdt /probed:shop:begin --ready-fd=3 --event=/out/full.json 2>/out/full.errors 3>/out/ready & recorder=$!
wait_while_alive $recorder grep -q ready /out/ready
kill -STOP $recorder
/probed $FULL >/out/full.output
kill -CONT $recorder
process_end $recorder full

# A storm: each of the command's system calls takes several functions.
attempt storm ktrack stream -b 64 --function 'vfs_*' --function 'ksys_*' --function '*_read' --event=/out/storm.json -- \
	dd if=/dev/zero of=/dev/null bs=1 count=20000

refuse unknown --probe qqqqqqqqqqqq
refuse near --probe vfs_raed
refuse unloaded --probe nosuchmodule:foo
refuse near_module --probe ktrack_dmeo:foo
refuse unnamed --probe 'vfs_read %di'
refuse register --probe 'vfs_read a=%zz'
refuse comment --probe 'vfs_read a=1#2'
refuse symbol --uprobe /probed:nosuch
refuse file --uprobe /nosuch:outer
refuse text --uprobe /etc/passwd:outer
refuse mark --usdt /probed:shop:nosuch
refuse form --usdt /probed
refuse pattern --function 'nosuch_function_*'
[ "${2-}" = graph ] || refuse many --function 'a*'
definitions refused

# A killed run leaves its events, which the next recording does not disturb.
ktrack record --probe vfs_read --uprobe /probed:outer -o /out/killed.dat 2>/out/killed.errors & recorder=$!
wait_while_alive $recorder is_recording $recorder
attempt clean_running ktrack clean
definitions running
/probed 3 >/dev/null
process_kill $recorder
attempt recover ktrack recover /out/killed.dat
attempt recovered ktrack export --event=/out/recovered.json /out/killed.dat
definitions killed
attempt clean ktrack clean
definitions cleaned

# Both ends are killed at moments that lie further apart each time.
moment=0
while [ $moment -lt "$1" ]; do
	ktrack record --probe vfs_read --uprobe /probed:outer --function 'ksys_*' -o /out/moment.dat 2>/dev/null & recorder=$!
	usleep $((moment * 15000))
	process_kill $recorder
	ktrack clean >/dev/null || echo "clean after moment $moment: status $?"
	definitions "moment$moment"
	# One that was killed inside mkdir(2) could not mark its instance; 'clean' reports that and leaves it.
	for instance in "$INSTANCES"/ktrack-*; do
		[ ! -d "$instance" ] || [ -s "$instance/set_event" ] || rmdir "$instance"
	done
	rm -rf /out/moment.dat*
	ktrack record --uprobe /probed:outer --usdt /probed:shop:begin..end -o /out/moment.dat -- \
		sh -c "/probed 1000000 & pid=\$!; usleep $((moment * 5000)); kill -KILL \$pid; wait \$pid" 2>/dev/null || true
	attempt "killed$moment" ktrack export --event=/out/killed$moment.json /out/moment.dat
	rm -f /out/moment.dat
	moment=$((moment + 1))
done

symbols_restore
rmmod ktrack_demo
if [ "${2-}" = graph ]; then
	attempt wait ktrack record --wait --function '*:mod:ktrack_demo' -o /out/wait.dat -- sh -c 'insmod /modules/ktrack_demo.ko; echo 5 >/dev/ktrack_demo'
	attempt wait_event ktrack export --event=/out/wait.json /out/wait.dat
	rmmod ktrack_demo
	attempt wait_live ktrack stream --wait --function '*:mod:ktrack_demo' --event=/out/wait_live.json -- \
		sh -c 'insmod /modules/ktrack_demo.ko; echo 5 >/dev/ktrack_demo'
	attempt depth ktrack stream --function 'vfs_*' --function 'ksys_*' --depth=1 --event=/out/depth.json -- cat /proc/version
	rmmod ktrack_demo
fi
rmmod ktrack
definitions end
rm -f /out/*.dat
instances_check "at the end"
