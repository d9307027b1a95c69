#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: each command's exit statuses, as far as no kernel is needed that records.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

unset KTRACK_TRACE2 KTRACK_TRACE2_PERF KTRACK_TRACE2_EVENT

# Each line of standard input: status, and words.
statuses_check() {
	while IFS='|' read -r wanted words; do
		# shellcheck disable=SC2086 # words are split
		run "$@" $words
		is "$wanted: $words" "$status" = "$wanted"
	done
}

tests/golden/mktrace tests/golden/filters.script "$folder/whole.dat"
tests/golden/mktrace tests/golden/fail-on-loss.script "$folder/lossy.dat"
head -c 5000 "$folder/whole.dat" >"$folder/cut.dat"
ktrack=$PWD/build/ktrack
mounted=$PWD/tests/cli/mounted
cd "$folder"
statuses_check "$ktrack" <<'TABLE'
0|--help
2|
2|nonsense
0|export whole.dat
0|export lossy.dat
0|export --fail-on-loss whole.dat
1|export nosuch.dat
1|export cut.dat
2|export
3|export --fail-on-loss lossy.dat
0|stat whole.dat
0|stat lossy.dat
0|stat --fail-on-loss whole.dat
1|stat nosuch.dat
1|stat cut.dat
2|stat
3|stat --fail-on-loss lossy.dat
0|query whole.dat @names
0|query lossy.dat @names
0|query --list
1|query nosuch.dat @names
1|query whole.dat nonsense
1|query cut.dat @names
2|query whole.dat
2|query --list @nonsense
3|query --fail-on-loss lossy.dat @names
1|recover nosuch.dat
2|recover one two
TABLE
for words in "stat --csv whole.dat" "query whole.dat @names" "export whole.dat"; do
	# shellcheck disable=SC2086,SC2016 # words are split; the shell expands them
	run sh -c 'ulimit -f 0; exec "$@" >file' - "$ktrack" $words
	is "a file that may not grow: $words" "$status" = 1
done
# Nobody reads standard output any more: fd 4 is a pipe without a reader.
"$ktrack" export --sqlite=whole.db whole.dat
mkfifo unread
# shellcheck disable=SC2094 # it is a pipe
exec 3<>unread 4>unread 3>&-
while read -r words; do
	# shellcheck disable=SC2086 # words are split
	run sh -c 'exec "$@" >&4' - "$ktrack" $words
	is "nobody reads: $words" "$status $(cat err)" = "141 "
done <<TABLE
--version
help
list --rules
list whole.dat
list --json whole.dat
doctor
export whole.dat
export --perf=- whole.dat
export --normal=- lossy.dat
export --chrome=- whole.dat
export --perfetto=- whole.dat
export --html=- whole.dat
stat whole.dat
stat --json whole.dat
query whole.dat @names
query whole.db @names
query --list
why whole.dat
TABLE
run sh -c 'trap "" PIPE; exec "$@" >&4' - "$ktrack" export whole.dat
is "nobody reads, and the signal is ignored" "$status $(cat err)" = "141 "
run sh -c 'exec "$@" >&4' - "$ktrack" export --event=- --wall-clock=0 --sid=x --chrome=beside.json --perfetto=beside.pftrace whole.dat
is "nobody reads one of several outputs" "$status $(cat err)" = "141 "
"$ktrack" export --wall-clock=0 --sid=x --chrome=alone.json --perfetto=alone.pftrace whole.dat
is "and the others are whole" "$(cmp alone.pftrace beside.pftrace 2>&1)$(cmp alone.json beside.json 2>&1)" = ""
exec 4>&-
cd "$OLDPWD"
if ! tests/cli/mounted --probe; then
	skipped "commands that need tracefs" "this machine lets nobody show a process other mounts (unshare -m)"
	finish
fi
echo "proc /proc proc rw 0 0" >"$folder/mounts"
statuses_check "$mounted" "$folder/mounts" "$ktrack" <<'TABLE'
1|list
1|list word
2|list word more
1|clean
2|clean word
1|stream
2|stream -d nonsense
125|stream -- true
1|record
2|record -d nonsense
125|record -- true
1|watch -r convention --dir=watched
2|watch -d nonsense
2|watch word
1|stat --live
2|stat --live -d nonsense
125|stat --live -- true
1|export tracefs
TABLE
tracefs_make
mkdir "$folder/tracing/instances"
tracepoint_add disk depth 14 0 's64 counter_value;8;8'
statuses_check "$mounted" "$folder/mounts" "$ktrack" <<'TABLE'
0|list
1|list -e nonsense
0|clean
1|stream -e nonsense
126|stream -- /etc/passwd
127|stream -- /no/such/command
126|record -- /etc/passwd
127|record -- /no/such/command
126|stat --live -- /etc/passwd
127|stat --live -- /no/such/command
TABLE
finish
