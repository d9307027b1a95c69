#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs the shell blocks of the documents as their readers would. /blocks has a file SERIES-NUMBER for each; those of one
# series run one after the other in one folder. /mydrv.ko is the driver of ktrack-instrument(7), /relay.ko that of the tutorial,
# whose files before the patch are in /tutorial. /mytool is the program of ktrack-user(7). /recorded.dat and /calls.dat will be
# recordings.
# What a block prints is left in /out/BLOCK.log. Prints "BLOCK STATUS" for each; the status of one that has to be ended from
# outside is that of the signal. With the argument boot the buffers are left as the boot filled them.
# shellcheck shell=dash
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

LIMIT_S=6
# These show what happens until they are stopped.
ENDLESS='stat --live\|stream .*--serve'

# Commands that readers have and the machine has not.
# shellcheck disable=SC2016 # the scripts expand them
commands_make() {
	mkdir -p /mnt
	# Like the real one it closes other descriptors.
	printf '#!/usr/local/bin/bash\nexec "$@" 3>&- 4>&-\n' >/usr/local/bin/sudo
	printf '#!/bin/sh\n[ -d "/sys/module/$1" ] || insmod "/modules/$1.ko"\n' >/usr/local/bin/modprobe
	printf '#!/bin/sh\n[ "$1" != -C ] || exec cp /relay.ko .\ninsmod /mydrv.ko\nrmmod mydrv\n' >/usr/local/bin/make
	printf '#!/bin/sh\nexec cp /mytool .\n' >/usr/local/bin/cc
	# The other machine is this one; its pipe is read until somebody ends that.
	printf '#!/bin/sh\nshift\necho hello >%s/trace_marker\ntimeout 2 "$@" || true\n' $TRACING >/usr/local/bin/ssh
	chmod 755 /usr/local/bin/ssh /usr/local/bin/sudo /usr/local/bin/modprobe /usr/local/bin/make /usr/local/bin/cc
}

# A recording, and those of two days.
recordings_copy() {
	cp /recorded.dat "$1/trace.dat"
	for day in old1 old2 old3 old4 new1 new2 new3 new4; do
		cp /calls.dat "$1/$day.dat"
	done
}

# The folder of a reader: a tree that was built, a driver, a recording, something to copy.
folder_make() {
	mkdir -p "$1/build" "$1/kmod"
	cp /modules/*.ko "$1/kmod"
	ln -s "$(command -v ktrack)" "$1/build/ktrack"
	cp /mydrv.ko /tutorial/* "$1"
	[ ! -e /recorded.dat ] || recordings_copy "$1"
	dd if=/dev/zero of="$1/big" bs=64k count=1 2>/dev/null
	printf '#!/bin/sh\nsleep 0.1\n' >"$1/until-it-fails"
	chmod 755 "$1/until-it-fails"
}

modules_load() {
	grep -q 'insmod.*ktrack_demo.ko' "$1" || { insmod /modules/ktrack.ko; insmod /modules/ktrack_demo.ko; }
	# Readers who load the driver have not loaded it before, unless they unload it first.
	[ "$(grep -o -m 1 'rmmod mydrv\|insmod mydrv.ko' "$1")" = 'insmod mydrv.ko' ] || insmod /mydrv.ko
	grep -q ' tracefs$' "$1" || return 0
	echo 1 >$TRACING/events/ktrack_demo/enable
	echo 20 >/dev/ktrack_demo
}

modules_unload() {
	local name
	echo 0 >$TRACING/events/enable
	echo >$TRACING/trace
	for name in relay mydrv ktrack_demo ktrack; do
		rmmod "$name" 2>/dev/null || true
	done
}

# Waits until none of them is left.
ktracks_end() {
	local tries=0
	while pidof ktrack >/dev/null && [ "$tries" -lt 100 ]; do
		# shellcheck disable=SC2046 # one or many
		kill -TERM $(pidof ktrack) 2>/dev/null || true
		usleep 200000
		tries=$((tries + 1))
	done
}

# Who unloads a driver does so during a stream.
stream_begin() {
	grep -q '^ktrack release' "$1" && ! grep -q '^ktrack stream' "$1" || return 0
	ktrack stream --wait -e mydrv --event=/dev/null --ready-fd=3 3>/ready >/dev/null 2>&1 &
	read -r _ </ready
}

# Names of the functions of modules that are loaded now are looked for by few blocks.
symbols_choose() {
	umount /proc/kallsyms 2>/dev/null || true
	grep -q 'insmod\|modprobe\|function\|probe\|by-name' "$1" || symbols_keep
}

# Argument: SERIES
series_begin() {
	[ -n "$boot" ] || modules_unload
	folder_make "/root/$1"
	cat "/blocks/$1"-* >/series
	[ -n "$boot" ] || { modules_load /series; symbols_choose /series; }
	stream_begin /series
}

# Who recovers a recording has a killed one.
recording_kill() {
	# shellcheck disable=SC2016 # the inner shell expands it
	! grep -q 'recover killed.dat' "$1" || ktrack record -r sched -o killed.dat -- sh -c 'kill -KILL $PPID' || true
}

block_run() {
	local name=$1 limit_s=300 status=0
	(cd "/root/${name%-*}" && recording_kill "/blocks/$name") >/dev/null 2>&1
	! grep -q -e "$ENDLESS" "/blocks/$name" || limit_s=$LIMIT_S
	(cd "/root/${name%-*}" && exec timeout "$limit_s" setsid bash -eu "/blocks/$name") >"/out/$name.log" 2>&1 </dev/null || status=$?
	echo "$name $status"
}

recording_make() {
	insmod /modules/ktrack.ko
	insmod /modules/ktrack_demo.ko
	symbols_keep_loaded
	ktrack record -r convention -o /recorded.dat -- sh -c 'echo 40 >/dev/ktrack_demo' >/dev/null 2>&1
	ktrack record -o /calls.dat -r syscalls -- dd if=/dev/zero of=/dev/null count=50 >/dev/null 2>&1
}

boot=${1-}
commands_make
mkfifo /ready
[ -n "$boot" ] || recording_make
series=
for block in /blocks/*; do
	name=${block##*/}
	if [ "${name%-*}" != "$series" ]; then
		series=${name%-*}
		ktracks_end
		series_begin "$series"
	fi
	block_run "$name"
done
ktracks_end
modules_unload
