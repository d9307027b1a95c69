#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: runs scripts one after the other, each with a folder of its own as /out. Arguments: SCRIPT [ARGUMENT...] [-- SCRIPT
# [ARGUMENT...]]...; a script is a file in /scripts. What it leaves is in /out/SCRIPT, with .output, .errors and .status.
# shellcheck shell=dash
set -eu

# Arguments: SCRIPT [ARGUMENT...]
script_run() {
	local place=/parts/$1 script=$1 status=0
	shift
	mkdir -p "$place"
	rm -rf /tmp/*
	mount --bind "$place" /out
	"/scripts/$script" "$@" >"$place/.output" 2>"$place/.errors" || status=$?
	echo "$status" >"$place/.status"
	umount /out
}

line=
for word in "$@" --; do
	if [ "$word" = -- ]; then
		# shellcheck disable=SC2086 # several words
		script_run $line
		line=
	else
		line="$line $word"
	fi
done
mv /parts/* /out
