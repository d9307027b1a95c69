#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: what ktrack doctor prints, as text and as JSON, with and without a folder that stands for tracefs.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

if ! tests/cli/mounted --probe; then
	skipped "doctor" "this machine lets nobody show a process other mounts (unshare -m)"
	finish
fi
tracefs_make
mkdir "$folder/tracing/instances"
echo "[local] boot" >"$folder/tracing/trace_clock"
: >"$folder/tracing/kprobe_events"
find "$folder/tracing" | sort >"$folder/before"
run tests/cli/mounted "$folder/mounts" "$ktrack" doctor
said "with tracefs recording is possible" "^Recording is possible.$"
is "tracefs is found" "$(grep -c "^ok  *tracefs  *mounted at $folder/tracing$" "$folder/out")" = 1
is "a mechanism that exists" "$(grep -c '^ok  *mechanism kprobes ' "$folder/out")" = 1
is "a mechanism that does not exist has its remedy" "$(grep -c '^limited  *mechanism uprobes .*; use a kernel with CONFIG_UPROBE_EVENTS$' "$folder/out")" = 1
is "each pack is examined" "$(grep -c ' pack ' "$folder/out")" = "$("$ktrack" list --rules 2>/dev/null | awk '/^[a-z]/ { n++ } /^$/ { exit } END { print n }')"
run tests/cli/mounted "$folder/mounts" "$ktrack" doctor --json
is "JSON: one object on each line" "$(jq -c 'keys | join(",")' "$folder/out" | sort -u | tr '\n' ' ')" = \
	'"can_record" "check,remedy,state,text" "check,state,text" '
is "and the result" "$(tail -1 "$folder/out")" = '{"can_record":true}'
find "$folder/tracing" | sort >"$folder/after"
is "nothing is changed" "$(cmp "$folder/before" "$folder/after")" = ""
print_format='"%s", __print_flags(REC->bytes, "|", { (NET_READ), "read" })'
tracepoint_add net net_enum 17 0 'char track_event_type;8;1' '__data_loc char[] slice_name;12;4' 'u32 bytes;24;4'
run tests/cli/mounted "$folder/mounts" "$ktrack" doctor
is "a format without an enumerator's number is limited" \
	"$(grep -c '^limited  *tracepoints  *net:net_enum: .* no number for NET_READ, .*; declare KTRACK_ENUM_VALUE(NET_READ) in the driver' "$folder/out")" = 1
echo "proc /proc proc rw 0 0" >"$folder/mounts"
run tests/cli/mounted "$folder/mounts" "$ktrack" doctor
is "without tracefs the status is 1" "$status" = 1
is "and the remedy is printed" "$(grep -c '^failed  *tracefs  *not mounted; mount -t tracefs' "$folder/out")" = 1
is "again at the end, where a terminal shows it" "$(sed -n '/^Recording the kernel is not possible:$/,$p' "$folder/out" | grep -c '^  tracefs: not mounted; mount -t tracefs')" = 1
is "programs can be recorded" "$(tail -n 1 "$folder/out")" = "Programs with ktrack/user.h can be recorded (--programs)."
if [ "$(id -u)" = 0 ]; then
	run tests/cli/mounted "$folder/mounts" setpriv --reuid=65534 --clear-groups "$ktrack" doctor
	is "without root, too, mounting is the remedy, by sudo" \
		"$(grep -c '^unknown  *clocks .*; sudo mount -t tracefs tracefs /sys/kernel/tracing$' "$folder/out") $(grep -c '; sudo ktrack doctor$' "$folder/out")" = "1 0"
	echo "ktrack-reader:x:4242:4242::/:/bin/false" >"$folder/passwd"
	for removed in -net_raw -setuid -setgid -kill; do
		# shellcheck disable=SC2016 # the inner shell expands it
		run tests/cli/mounted "$folder/mounts" sh -c 'mount --bind "$0" /etc/passwd && exec setpriv --bounding-set="$1" "$2" doctor' \
			"$folder/passwd" $removed "$ktrack"
		cp "$folder/out" "$folder/reader$removed"
	done
	is "the user that reads programs is named" \
		"$(grep -c '^ok  *program reader  *--programs: memory of programs is read by the user ktrack-reader$' "$folder/reader-net_raw")" = 1
	is "and what root lacks for that" \
		"$(grep -h 'program reader' "$folder"/reader-set?id "$folder/reader-kill" | grep -c 'is read by root, without capabilities; grant CAP_SETUID, CAP_SETGID and CAP_KILL$')" = 3
	chmod 0700 "$folder/tracing"
	echo "tracefs $folder/tracing tracefs rw 0 0" >"$folder/mounts"
	run tests/cli/mounted "$folder/mounts" setpriv --reuid=65534 --clear-groups "$ktrack" doctor
	is "without root the status is 1" "$status" = 1
	is "permissions are named" "$(grep -c '^failed  *permissions .*; sudo ktrack doctor$' "$folder/out")" = 1
	is "and what could not be examined, in one line" "$(grep -c '^unknown  *functions and [0-9]* more  *tracefs .*; sudo ktrack doctor$' "$folder/out")" = 1
	run tests/cli/mounted "$folder/mounts" setpriv --reuid=65534 --clear-groups "$ktrack" doctor --json
	is "JSON has one for each" "$(jq -r 'select(.state == "unknown") | .check' "$folder/out" | grep -c '^pack ')" -ge 10
else
	skipped "another user" "only root can run ktrack as another user"
fi
finish
