#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: commits deliberate bugs, those that end a debugging aid's work last. Arguments: BUG...
# Leaves BUG.log, what the kernel logged meanwhile.
set -eu

for bug in "$@"; do
	echo "begin of $bug" >/dev/kmsg
	! insmod /ktrack_bugs.ko "bug=$bug" 2>/dev/null || echo "$bug: the module stays loaded"
	if [ "$bug" = leak ]; then
		# Younger memory is not reported.
		sleep 6
		echo scan >/sys/kernel/debug/kmemleak
		echo scan >/sys/kernel/debug/kmemleak
	fi
	dmesg | sed -n "/begin of $bug\$/,\$p" >"/out/$bug.log"
done
