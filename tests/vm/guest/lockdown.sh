#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: what each command reports in a kernel that is locked down; lines "COMMAND: STATUS MESSAGE".
set -eu

mount -t securityfs none /sys/kernel/security 2>/dev/null || true
grep -q confidentiality /sys/kernel/security/lockdown || echo "there is no lockdown"
for words in "list" "stream -d 1" "record -o /tmp/trace.dat -d 1" "export tracefs" "stat --live -d 1"; do
	status=0
	# shellcheck disable=SC2086 # words are split
	message=$(ktrack $words 2>&1 >/dev/null) || status=$?
	echo "$words: $status $message"
done
status=0
ktrack doctor >/tmp/doctor || status=$?
sed 's/^/doctor: /' /tmp/doctor
echo "doctor: $status"
