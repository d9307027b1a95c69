#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: loads the demo on ktrack.ko, both of this project (/modules) or of another one (/other).
# Prints "WHAT: loaded" or "WHAT: refused", in an order that the kernel's messages have, too.
set -eu

# Arguments: WHAT KTRACK USER; a folder each, or nothing.
load_try() {
	[ -z "$2" ] || insmod "$2/ktrack.ko"
	if insmod "$3/ktrack_demo.ko" 2>/dev/null; then
		echo "$1: loaded"
		rmmod ktrack_demo
	else
		echo "$1: refused"
	fi
	[ -z "$2" ] || rmmod ktrack
}

load_try "own ktrack, own user" /modules /modules
load_try "other ktrack, other user" /other /other
load_try "own ktrack, other user" /modules /other
load_try "other ktrack, own user" /other /modules
load_try "no ktrack, own user" "" /modules
