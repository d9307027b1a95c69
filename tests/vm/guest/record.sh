#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: the ways in which ktrack record can go on and end. For each, /out/NAME.status, NAME.errors, NAME.left with the
# instances that are there afterwards; of those that leave a file, NAME.dat, NAME.listed (how it is listed) and NAME.fired (what
# the test module fired).
# shellcheck disable=SC2317 # attempt calls what it is asked to
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh
# More than 1 MiB holds of each CPU's.
FIRE_MORE='echo everywhere 8000 1000000 >/dev/ktrack_test'
FIRE='for round in 1 2 3 4; do echo everywhere 250 >/dev/ktrack_test; done'

# The same with a fresh count of what is fired, and a file that is looked at.
recorded() {
	rmmod ktrack_test
	insmod /modules/ktrack_test.ko
	attempt "$@"
	fired_save "$name"
	[ -e "/tmp/$name.dat" ] || return 0
	ls -ln "/tmp/$name.dat" >"/out/$name.listed"
	mv "/tmp/$name.dat" /out
	[ ! -e "/tmp/$name.dat.spool" ] || echo "parts of $name are left"
}

record() {
	ktrack record -e ktrack_test -o "/tmp/$name.dat" "$@"
}

# The tracepoints whose records have a number.
record_numbered() {
	ktrack record -e 'ktrack_test:ktrack_test_[!grks]*,ktrack_test:ktrack_test_s[0-9]*' -o "/tmp/$name.dat" "$@"
}

has_records() {
	[ -s "/tmp/$name.dat.spool/cpu0" ] && [ -s "/tmp/$name.dat.spool/cpu1" ]
}

# Starts a recording of these words in the background.
recording() {
	gnu-env --default-signal ktrack record -e ktrack_test -o "/tmp/$name.dat" "$@" &
	recorder=$!
	wait_for is_recording "$recorder"
}

signalled() {
	recording
	sh -c "$FIRE"
	kill "-$1" "$recorder"
	wait "$recorder"
}

# Fires records before, during and after the kill.
killed() {
	recording -b 4096
	sh -c "$FIRE"
	sh -c "$FIRE" &
	fire=$!
	wait_for has_records
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null || true
	wait $fire
	# Another must not begin where this one's parts are.
	! ktrack record -o "/tmp/$name.dat" -d 1 2>"/out/$name.refused" || echo "began over the parts of a killed one" >&2
	ktrack recover "/tmp/$name.dat"
}

# System calls and switches of threads that a small buffer cannot hold, between and behind what the module fires.
STORM='dd if=/dev/zero of=/dev/null bs=1 count=5000 2>/dev/null'

# The default selection, killed: both instances have records, also later ones, and both go.
killed_beside_packs() {
	ktrack record -b 64 -o "/tmp/$name.dat" &
	recorder=$!
	wait_for is_recording "$recorder"
	sh -c "$FIRE"
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null || true
	sh -c "$STORM; $FIRE"
	find "$INSTANCES" -mindepth 1 -maxdepth 1 -name '*.convention' | sed 's/.*[.]/left: /' >"/out/$name.companions"
	ktrack recover "/tmp/$name.dat"
}

# The same buffers, which another run reads by these words.
left_read() {
	ktrack record --mode=circular -b 64 -o /tmp/left.dat &
	recorder=$!
	wait_for is_recording "$recorder"
	sh -c "$STORM; $FIRE"
	process_kill "$recorder"
	case $1 in
	save) ktrack export --save="/tmp/$name.dat" --event=/dev/null "tracefs:ktrack-$recorder" ;;
	attach)
		sh -c "$STORM; $STORM" &
		ktrack record -d 300ms -o "/tmp/$name.dat" --instance="ktrack-$recorder"
		wait $!
		;;
	esac
	ktrack clean >/dev/null
	rm -r /tmp/left.dat.spool
}

# The instance was removed since, as a new boot does.
killed_and_cleaned() {
	recording
	sh -c "$FIRE"
	wait_for has_records
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null || true
	ktrack clean >/dev/null
	ktrack recover "/tmp/$name.dat"
}

# When there is space again, the written records are recovered.
full_disk() {
	mkdir -p /small
	mount -t tmpfs -o size=256k none /small
	result=0
	ktrack record -e ktrack_test -o /small/full.dat -- sh -c "$FIRE; exit 3" || result=$?
	ls $INSTANCES >&2
	mount -o remount,size=64m /small
	ktrack recover /small/full.dat 2>/dev/null || echo "not recovered" >&2
	mv /small/full.dat "/tmp/$name.dat"
	umount /small
	return $result
}

# The command runs until that is reported.
full_size() {
	# shellcheck disable=SC2016 # the traced shell expands it
	record --max-size=64 -- sh -c "$FIRE"'; tries=0
		until grep -q "still runs" /out/max-size.errors || [ $tries -ge 600 ]; do
			tries=$((tries + 1)); sleep 0.1
		done
		exit 5'
}

# The same, but the command got a signal before, which ktrack has passed on.
full_size_signalled() {
	# shellcheck disable=SC2016 # the traced shell expands it
	record --max-size=64 -- sh -c "trap 'got=1' TERM; "'kill -TERM $PPID; until [ "${got-}" ]; do sleep 0.1; done;'" $FIRE"'; tries=0
		until grep -q "still runs" /out/max-size-signalled.errors || [ $tries -ge 600 ]; do
			tries=$((tries + 1)); sleep 0.1
		done
		exit 5'
}

# A CPU that is not online when the recording begins.
comes_online() {
	echo 0 >/sys/devices/system/cpu/cpu1/online
	record -- sh -c 'echo everywhere 10 >/dev/ktrack_test
		echo 1 >/sys/devices/system/cpu/cpu1/online; echo everywhere 10 >/dev/ktrack_test; exit 4'
}

as_user() {
	SUDO_UID=1000 SUDO_GID=1000 record -- true
}

# The output on a terminal.
on_terminal() {
	script -qec "exec ktrack record -e ktrack_test -o /tmp/$name.dat -d 2" /dev/null </dev/null
}

# Remaining capabilities of the reading process, and those of its command.
privileges() {
	recording
	wait_for has_dropped "$recorder"
	kill -INT "$recorder"
	wait "$recorder"
	record -- sh -c "$PRIVILEGES"
}

# The module that is recorded, with all its tracepoints.
module_come() {
	insmod /modules/ktrack_test.ko
	wait_for grep -q '^1' "$INSTANCES/ktrack-$recorder/events/ktrack_test/enable"
}

# A run from which root's shell, which may do everything, takes the way to tracefs, to the instance and to the folder that the file
# is in: whatever were opened by its path then would be refused. Arguments: record|stream OPTION...
cut_off() {
	mkdir -p /tmp/way/place
	if [ "$1" = record ]; then
		set -- "$@" -o "/tmp/way/place/$name.dat"
	else
		set -- "$@" --with=cpu "--event=/tmp/way/place/$name.json"
	fi
	gnu-env --default-signal ktrack "$@" &
	recorder=$!
	wait_for has_dropped "$recorder"
	chmod 000 $INSTANCES/.. $INSTANCES/*/ /tmp/way
	[ -e /dev/ktrack_test ] || module_come
	sh -c "$FIRE"
	kill -INT "$recorder"
	result=0
	wait "$recorder" || result=$?
	chmod 700 $INSTANCES/.. /tmp/way
	mv /tmp/way/place/* /tmp
	rmdir /tmp/way/place /tmp/way || echo "the folder of $name has more" >&2
	return $result
}

# The same with an instance that somebody set up.
cut_off_attached() {
	mkdir $INSTANCES/mine
	echo boot >$INSTANCES/mine/trace_clock
	echo 8192 >$INSTANCES/mine/buffer_size_kb
	echo 1 >$INSTANCES/mine/events/ktrack_test/enable
	result=0
	cut_off "$@" --instance=mine || result=$?
	rmdir $INSTANCES/mine
	return $result
}

# Arguments: record|stream OPTION...
cut_off_own() {
	cut_off "$@" -b 8192 -e ktrack_test
}

# The same with a module that is loaded only when the way is taken.
cut_off_late() {
	rmmod ktrack_test
	cut_off_own "$@" --wait
}

# A driver comes and goes twice beside packs: its records are in the second instance, and no unload loses any.
comes_beside_packs() {
	rmmod ktrack_test
	gnu-env --default-signal ktrack stream -b 8192 -r convention,irq --with=cpu --wait --event=/out/comes.json &
	recorder=$!
	wait_for is_recording "$recorder"
	for load in 1 2; do
		insmod /modules/ktrack_test.ko
		wait_while_alive $recorder grep -q ^1 "$INSTANCES/ktrack-$recorder.convention/events/ktrack_test/enable"
		grep ktrack_test "$INSTANCES/ktrack-$recorder/set_event" >&2 || true
		sh -c "$FIRE"
		fired_save comes.$load
		ktrack release ktrack_test >/dev/null
		rmmod ktrack_test
	done
	kill -TERM $recorder
	wait $recorder
	insmod /modules/ktrack_test.ko
}

recorded_cut_off() {
	recorded "$@"
	[ ! -e "/tmp/$name.json" ] || mv "/tmp/$name.json" /out
}

# One process with two names, which has ended before anybody could ask for either.
names() {
	printf '#!/bin/sh\necho nested 1 >/dev/ktrack_test\nexec /tmp/second\n' >/tmp/first
	printf '#!/bin/sh\necho nested 1 >/dev/ktrack_test\n' >/tmp/second
	chmod +x /tmp/first /tmp/second
	ktrack stream -e ktrack_test --event=/out/names.json -- sh -c '/tmp/first; true'
	record --mode=oneshot -- sh -c '/tmp/first; true'
}

second_cpu_start
insmod /modules/ktrack_test.ko
mkfifo /tmp/no-file.dat
recorded whole record -b 8192 -- sh -c "$FIRE"
recorded default ktrack record -b 8192 -o /tmp/default.dat -- sh -c "$FIRE"
symbols_keep
recorded pushed ktrack record --mode=circular -b 64 -o /tmp/pushed.dat -- sh -c "$STORM; $FIRE; $STORM"
recorded pushed-killed killed_beside_packs
recorded pushed-saved left_read save
recorded pushed-attached left_read attach
attempt comes comes_beside_packs
recorded all ktrack record --all -b 8192 -o /tmp/all.dat -- sh -c "$FIRE"
recorded none ktrack record -r none -e sched:sched_process_exit -o /tmp/none.dat -- sh -c "$FIRE"
recorded small record -b 64 -- sh -c "$FIRE"
recorded oneshot record --mode=oneshot -b 1024 -- sh -c "$FIRE_MORE"
recorded circular record --mode=circular -b 1024 -- sh -c "$FIRE_MORE"
recorded clock record --clock=mono_raw -- sh -c 'echo everywhere 10 >/dev/ktrack_test'
recorded one-cpu record --cpu=1 -- sh -c 'echo everywhere 10 >/dev/ktrack_test'
recorded filtered record_numbered --filter='sequence < 12' -- sh -c 'echo everywhere 10 >/dev/ktrack_test'
recorded named ktrack record -e ktrack_test:ktrack_test_request --filter='op == "write"' -o /tmp/named.dat -- sh -c 'echo macros 1 >/dev/ktrack_test'
recorded max-size full_size
recorded max-size-signalled full_size_signalled
recorded comes-online comes_online
symbols_restore
recorded interrupted signalled INT
symbols_keep
recorded duration record -d 300ms
recorded killed killed
recorded killed-cleaned killed_and_cleaned
recorded full-disk full_disk
recorded as-user as_user
recorded names names
symbols_restore
for mode in streaming circular; do
	recorded_cut_off cut-off-record-$mode cut_off_own record --mode=$mode
	recorded_cut_off cut-off-stream-$mode cut_off_own stream --mode=$mode
done
recorded_cut_off cut-off-record-late cut_off_late record
recorded_cut_off cut-off-stream-late cut_off_late stream
recorded_cut_off cut-off-record-attached cut_off_attached record
recorded_cut_off cut-off-stream-attached cut_off_attached stream
symbols_keep
attempt progress on_terminal
attempt privileges privileges
attempt lossy record --mode=oneshot -b 16 --fail-on-loss -- sh -c "$FIRE"
attempt command-status record -- sh -c 'exit 7'
# shellcheck disable=SC2016 # the traced shell expands it
attempt command-killed record -- sh -c 'kill -KILL $$'
attempt no-command record -- /no/such/command
attempt no-program record -- /etc/passwd
attempt no-folder ktrack record -e ktrack_test -o /no/such/folder/x -d 1
attempt no-file record -d 1
attempt no-clock record --clock=nonsense -d 1
attempt no-filter record --filter='nonsense == 1' -d 1
attempt no-text ktrack record -e ktrack_test:ktrack_test_request --filter='op == "raed"' -o /tmp/no-text.dat -d 1
attempt nothing-to-recover ktrack recover /tmp/nothing.dat
ls /tmp/*.spool >/out/parts 2>/dev/null || true
rmmod ktrack_test
