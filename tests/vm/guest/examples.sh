#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs the shell blocks of README and of the man pages as their readers would. Argument: the folder of the blocks.
# /mydrv.ko is the driver of the page, /recorded.dat will be a recording. What a block prints is left in /out/BLOCK.log.
# Prints "BLOCK STATUS" for each; the status of one that has to be ended from outside is that of the signal.
# shellcheck shell=dash
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

LIMIT_S=15
# These show what happens until they are stopped.
ENDLESS='stat --live'

# Commands that readers have and the machine has not.
commands_make() {
	mkdir -p /mnt
	# shellcheck disable=SC2016 # for the scripts
	printf '#!/bin/sh\nexec "$@"\n' >/usr/local/bin/sudo
	printf '#!/bin/sh\ninsmod /mydrv.ko\nrmmod mydrv\n' >/usr/local/bin/make
	chmod 755 /usr/local/bin/sudo /usr/local/bin/make
}

# The folder of a reader: a tree that was built, a driver, a recording, something to copy.
folder_make() {
	mkdir -p "$1/build" "$1/kmod"
	cp /modules/*.ko "$1/kmod"
	ln -s "$(command -v ktrack)" "$1/build/ktrack"
	cp /mydrv.ko "$1"
	[ ! -e /recorded.dat ] || cp /recorded.dat "$1/trace.dat"
	dd if=/dev/zero of="$1/big" bs=64k count=1 2>/dev/null
	printf '#!/bin/sh\nsleep 0.1\n' >"$1/until-it-fails"
	chmod 755 "$1/until-it-fails"
}

modules_load() {
	grep -q 'insmod.*ktrack_demo.ko' "$1" || { insmod /modules/ktrack.ko; insmod /modules/ktrack_demo.ko; }
	# A block that loads the driver has not loaded it before, unless it unloads it first.
	if grep -q 'rmmod mydrv' "$1" || ! grep -q 'insmod mydrv.ko' "$1"; then
		insmod /mydrv.ko
	fi
	grep -q ' tracefs$' "$1" || return 0
	echo 1 >$TRACING/events/ktrack_demo/enable
	echo 20 >/dev/ktrack_demo
}

modules_unload() {
	local name
	echo 0 >$TRACING/events/enable
	echo >$TRACING/trace
	for name in mydrv ktrack_demo ktrack; do
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

# A block that unloads a driver does so during a stream.
stream_begin() {
	grep -q '^ktrack release' "$1" || return 0
	ktrack stream --wait -e mydrv --event=/dev/null --ready-fd=3 3>/ready >/dev/null 2>&1 &
	read -r _ </ready
}

block_run() {
	local name=$1 limit_s=300 status=0
	! grep -q -e "$ENDLESS" "/blocks/$name" || limit_s=$LIMIT_S
	modules_unload
	folder_make "/root/$name"
	modules_load "/blocks/$name"
	stream_begin "/blocks/$name"
	(cd "/root/$name" && exec timeout "$limit_s" setsid sh -eu "/blocks/$name") >"/out/$name.log" 2>&1 </dev/null || status=$?
	ktracks_end
	echo "$name $status"
}

commands_make
mkfifo /ready
insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
ktrack record -o /recorded.dat -- sh -c 'echo 40 >/dev/ktrack_demo' >/dev/null 2>&1
for block in /blocks/*; do
	block_run "${block##*/}"
done
modules_unload
