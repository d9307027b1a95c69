#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: without tracefs, without the right to it, or without a hook, one line names the remedy, and nothing else happens.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

UNMOUNTED="tracefs is not mounted; as root: mount -t tracefs tracefs /sys/kernel/tracing"
DENIED="$folder/tracing: Permission denied; run ktrack as root (sudo)"
NOTHING="no tracepoint of this machine follows the convention; load a module with such tracepoints"

# attempts HOW WHAT ERROR: behind the words of HOW, list and stream fail with that, run no command and touch no file
# shellcheck disable=SC2086 # words are split
attempts() {
	run $1 "$ktrack" list
	refused "list $2" 1 "$3"
	run $1 "$ktrack" stream -d 1
	refused "stream $2" 1 "$3"
	echo precious >"$folder/target"
	run $1 "$ktrack" stream --event="$folder/target" -- touch "$folder/ran"
	refused "stream $2, with a command" 125 "$3"
	is "the command is not run $2" ! -e "$folder/ran"
	is "the target keeps what it holds $2" "$(cat "$folder/target")" = precious
}

if ! tests/cli/mounted --probe; then
	skipped "without tracefs, and as another user" "this machine lets nobody show a process other mounts (unshare -m)"
	finish
fi
mounted="tests/cli/mounted $folder/mounts"
as_nobody="$mounted setpriv --reuid 65534 --regid 65534 --clear-groups"
echo "proc /proc proc rw 0 0" >"$folder/mounts"
attempts "$mounted" "without tracefs" "$UNMOUNTED"
attempts "$as_nobody" "without tracefs as nobody" "$UNMOUNTED"
# shellcheck disable=SC2086 # words are split
run $mounted "$ktrack" watch -r sched --dir="$folder/watched" --hook=/no/such/hook
refused "a hook that does not exist" 1 "cannot run '/no/such/hook': No such file or directory"
is "no recording is prepared without it" ! -e "$folder/watched"
tracefs_make
chmod 0700 "$folder/tracing"
attempts "$as_nobody" "as nobody" "$DENIED"
tracepoint_add sched sched_switch 1 0 'int prev_pid;8;4'
run tests/cli/mounted "$folder/mounts" "$ktrack" stream -d 1
refused "stream without a tracepoint to record" 1 "$NOTHING, --wait for one, or select rules with -r sched,irq"
run tests/cli/mounted "$folder/mounts" "$ktrack" stream -e nonsense -- touch "$folder/ran"
refused "stream of what does not exist" 125 "'nonsense': no tracepoint matches; load its module, or see 'ktrack list'; --wait waits for it; --programs records events of COMMAND"
is "the command is not run" ! -e "$folder/ran"
finish
