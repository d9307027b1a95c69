#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: what ktrack list prints of the tracepoints in a folder that stands for tracefs.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

if ! tests/cli/mounted --probe; then
	skipped "list" "this machine lets nobody show a process other mounts (unshare -m)"
	finish
fi
run_mounted() {
	run tests/cli/mounted "$folder/mounts" "$@"
}

tracefs_make
slice_type='char track_event_type;8;1'
slice_name='__data_loc char[] slice_name;12;4'
tracepoint_add net net_queue 11 1 "$slice_type" "$slice_name" '__data_loc char[] track_name;16;4' 'u32 scope_queue;20;4' \
	'u32 bytes;24;4' 'int result;28;4'
tracepoint_add net net_work 12 0 "$slice_type" "$slice_name"
tracepoint_add net net_plain 13 0 'int pid;8;4'
tracepoint_add disk depth 14 0 's64 counter_value;8;8' 'u32 scope_cpu;16;4'

head='TRACEPOINT               KIND     SCOPE        TRACK NAME ENABLED  OTHER FIELDS'
depth='disk:depth               counter  scope_cpu    -          no       -'
queue='net:net_queue            slice    scope_queue  track_name yes      bytes,result'
work='net:net_work             slice    thread       -          no       -'

run_mounted "$ktrack" list
printf '%s\n' "$head" "$depth" "$queue" "$work" >"$folder/want"
printed "all that follow, sorted" "$folder/want"
run_mounted "$ktrack" list -e disk -e net:*work
printf '%s\n' "$head" "$depth" "$work" >"$folder/want"
printed "by patterns" "$folder/want"
run_mounted "$ktrack" list --json
cat >"$folder/want" <<'TEXT'
{"tracepoint":"disk:depth","kind":"counter","scope":"cpu","field":"scope_cpu","track_name":false,"fields":[],"enabled":false}
{"tracepoint":"net:net_queue","kind":"slice","scope":"custom","field":"scope_queue","track_name":true,"fields":["bytes","result"],"enabled":true}
{"tracepoint":"net:net_work","kind":"slice","scope":"thread","track_name":false,"fields":[],"enabled":false}
TEXT
printed "as JSON" "$folder/want"
run_mounted "$ktrack" list -e nonsense
refused "a pattern without a match" 1 "'nonsense': no tracepoint matches; load its module, or see 'ktrack list'"
run_mounted "$ktrack" list -e net:net_plain
refused "a pattern that matches only what does not follow" 1 \
	"'net:net_plain': does not follow the track event convention; it needs track_event_type and slice_name, or counter_value, or a rule (-r)"
tracepoint_add networking_of_a_driver networking_of_a_driver_queue 15 0 's64 counter_value;8;8' 'u32 scope_receive_queue;16;4'
run_mounted "$ktrack" list -e 'net*:*queue'
cat >"$folder/want" <<'TEXT'
TRACEPOINT                                          KIND     SCOPE               TRACK NAME ENABLED  OTHER FIELDS
net:net_queue                                       slice    scope_queue         track_name yes      bytes,result
networking_of_a_driver:networking_of_a_driver_queue counter  scope_receive_queue -          no       -
TEXT
printed "long names make columns wider" "$folder/want"
rm -r "$folder/tracing/events/networking_of_a_driver"
tracepoint_add net net_link 16 0 "$slice_type" "$slice_name" 'ktrack_flow_id request;16;8' 'u32 bytes;24;4' 'ktrack_flow_id batch;32;8'
run_mounted "$ktrack" list -e net:net_link
link='net:net_link             slice    thread       -          no       bytes,request(flow),batch(flow)'
printf '%s\n' "$head" "$link" >"$folder/want"
printed "flows" "$folder/want"
run_mounted "$ktrack" list --json -e net:net_link
cat >"$folder/want" <<'TEXT'
{"tracepoint":"net:net_link","kind":"slice","scope":"thread","track_name":false,"fields":["bytes"],"flows":["request","batch"],"enabled":false}
TEXT
printed "flows as JSON" "$folder/want"
rm -r "$folder/tracing/events/net/net_link"
mkdir "$folder/tracing/events/net/broken"
printf 'name: broken\nformat: counter_value' >"$folder/tracing/events/net/broken/format"
run_mounted "$ktrack" list -e net
printf '%s\n' "$head" "$queue" "$work" >"$folder/want"
is "a tracepoint whose format cannot be read is left out" "$status" = 0 -a "$(cat "$folder/want")" = "$(cat "$folder/out")"
is "and that is said" "$(cat "$folder/err")" = \
	"ktrack: net:broken: skipped: the format of a tracepoint in system net cannot be read"
rm -r "$folder/tracing/events/net/broken"
tracepoint_add block block_rq_issue 17 0 'u32 dev;8;4'
cat >"$folder/mine.rules" <<'TEXT'
slice mine:wait
	begin = net:net_p?ain
	end   = net:absent
counter mine:waits
	of = mine:wait
TEXT
run_mounted "$ktrack" list -r "$folder/mine.rules,block"
cat >"$folder/want" <<TEXT
PACK       TRIED ON     TRACEPOINTS  TRACKS
$folder/mine.rules -            1 of 2       -
block      6.1, 6.12    2 of 4       block requests, by device

RULE                   KIND     ROLE   TRACEPOINT                                     EXISTS
mine:wait              slice    begin  net:net_p?ain                                  yes
mine:wait              slice    end    net:absent                                     no
mine:waits             counter  of     mine:wait                                      -
block:request          slice    begin  block:block_rq_issue                           yes
block:request          slice    end    block:block_rq_complete                        no
block:flush            slice    begin  block:block_rq_issue                           yes
block:flush            slice    end    block:block_rq_complete                        no
block:inflight         counter  of     block:request                                  -
TEXT
printed "rules of a file and of a pack, and whether their tracepoints exist" "$folder/want"
run_mounted "$ktrack" list --json -r "$folder/mine.rules,fs"
is "rules as JSON: one line each" "$(wc -l <"$folder/out")" = 4
head -2 "$folder/out" | sed "s|$folder|FOLDER|" >"$folder/two"
cat >"$folder/want" <<'TEXT'
{"rule":"mine:wait","kind":"slice","source":"FOLDER/mine.rules","tracepoints":[{"role":"begin","tracepoint":"net:net_p?ain","exists":true},{"role":"end","tracepoint":"net:absent","exists":false}]}
{"rule":"mine:waits","kind":"counter","source":"FOLDER/mine.rules","of":"mine:wait","tracepoints":[]}
TEXT
is "with their tracepoints" "$(cat "$folder/two")" = "$(cat "$folder/want")"
is "the kernels that a pack was tried on" "$(grep -c '"pack":"fs","tried_on":"6.1, 6.12"' "$folder/out")" = 2
run_mounted "$ktrack" list --rules
is "--rules lists every pack" "$(awk '/^[a-z]/ { print $1 } /^$/ { exit }' "$folder/out" | tr '\n' ' ')" = \
	"irq sched syscalls block workqueue locks net memory fs timers writeback rt marker printk functions power signal reclaim bio "
tracepoint_add ftrace print 5 0 'u64 ip;8;8'
run_mounted "$ktrack" list -r marker
is "texts of trace_marker exist if their tracepoint does" "$(grep -c 'atrace:.* yes$' "$folder/out") $(grep -c ' no$' "$folder/out")" = "10 0"
rm -r "$folder/tracing/events/ftrace"
run_mounted "$ktrack" list -r marker
is "and do not exist without it" "$(grep -c 'atrace:.* no$' "$folder/out")" = 10
mv "$folder/tracing/events" "$folder/tracing/away"
# Arguments: TEXT COMMAND...; the same with other symbols
run_with_symbols() {
	printf '0000000000000000 T %s\n' "$1" >"$folder/kallsyms"
	shift
	# shellcheck disable=SC2016 # the inner shell expands it
	run_mounted sh -c 'mount --bind "$0" /proc/kallsyms && exec "$@"' "$folder/kallsyms" "$@"
}

run_with_symbols "__traceiter_block_rq_issue
0000000000000000 t __traceiter_net_plain	[net]" \
	"$ktrack" list -r "$folder/mine.rules,block,rt"
is "without tracefs, tracepoints are found by symbols" "$(awk '/ yes$/ { print $4 }' "$folder/out" | tr '\n' ' ')" = \
	"net:net_p?ain block:block_rq_issue block:block_rq_issue "
is "others do not exist, but for those that have no symbol" "$(grep -c ' no$' "$folder/out") $(grep -c ' unknown$' "$folder/out")" = "8 4"
is "which is reported" "$(grep -c '; which tracepoints exist is taken from /proc/kallsyms, by name without system$' "$folder/err")" = 1
run_with_symbols _stext "$ktrack" list -r block
is "without tracefs and symbols, existence is unknown" "$status" = 0 -a "$(grep -c ' unknown$' "$folder/out")" = 4
is "and that is reported" "$(grep -c '; whether tracepoints exist is unknown$' "$folder/err")" = 1
run_with_symbols _stext "$ktrack" list --json -r block
is "as JSON" "$(grep -o '"exists":null' "$folder/out" | wc -l)" = 4
run_mounted "$ktrack" list -r "slice a:b begin=c"
refused "a wrong rule" 2 "-r:1:17: expected a tracepoint SYS:EVENT"
mv "$folder/tracing/away" "$folder/tracing/events"
# shellcheck disable=SC2016 # the inner shell expands it
run_mounted sh -c 'exec "$0" list -r block >/dev/full' "$ktrack"
refused "rules on a full disk" 1 "cannot write to standard output: No space left on device"
# shellcheck disable=SC2016 # the inner shell expands it
run_mounted sh -c 'exec "$0" list >/dev/full' "$ktrack"
refused "a full disk" 1 "cannot write to standard output: No space left on device"
print_format='"%s", __print_symbolic(REC->bytes, { 0, "none" }, { NET_READ, "read, {X, }" })'
tracepoint_add net net_enum 17 0 "$slice_type" "$slice_name" 'u32 bytes;24;4'
print_format=
run_mounted "$ktrack" list -e net:net_enum
is "an enumerator without a number is named with the remedy" "$(cat "$folder/err")" = \
	"ktrack: net:net_enum: the print format has no number for NET_READ, so that its text is not used; declare KTRACK_ENUM_VALUE(NET_READ) in the driver, see ktrack-instrument(7)"
finish
