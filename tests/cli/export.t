#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: what ktrack export refuses, and what it says where there is nothing to export.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

# What is reported of a clock that nothing ties to the wall clock; boot is not advised to records of boot.
wall_clock()
{
	option=" --clock=boot"
	[ "$1" != boot ] || option=
	echo "the wall clock is unknown (clock $1), times begin in 1970; give --wall-clock=TIME, or record with 'ktrack record$option'"
}

unset KTRACK_TRACE2 KTRACK_TRACE2_PERF KTRACK_TRACE2_EVENT
tests/golden/mktrace tests/golden/filters.script "$folder/trace.dat"
cd "$folder"
run "$ktrack" export --buffer=third trace.dat
refused "a buffer that is not there" 1 \
	"--buffer=third: no such buffer; write one of '', 'second'"
run "$ktrack" export --from=5 --to=1 trace.dat
refused "no time at all" 2 "--from: later than --to; write an earlier time"
run "$ktrack" export --save=saved.dat trace.dat
refused "a file is not saved again" 2 "--save: trace.dat is a recording already; give --from or --to to save a part of it"
run "$ktrack" export --save=saved.dat --from=0.00001 --cpu=1 trace.dat
refused "a part has all records" 2 "--cpu: --save keeps all records of a time; leave it out"
run "$ktrack" export --save=saved.dat --from=1 trace.dat
refused "a part without records" 1 "--from: trace.dat has no record of that time; write an earlier one"
is "and then there is none" "$(find . -name 'saved.dat*')" = ""
run "$ktrack" export --save=saved.dat --from=0.00001 --to=0.00002 trace.dat
is "a part is saved, and nothing else is written" "$status $(cat "$folder/out")" = "0 "
is "with the records that begin and end slices" "$("$ktrack" stat --json saved.dat | grep -o '"count":[0-9]*' | tr '\n' ' ')" = '"count":1 "count":1 '
run "$ktrack" export -e nosuch trace.dat
refused "a pattern that meets nothing" 1 "'nosuch': no tracepoint of the source matches; leave out -e, or see 'ktrack list SOURCE'"
run "$ktrack" export -e sched/sched_switch trace.dat
refused "a pattern as a path" 1 "'sched/sched_switch': no tracepoint matches; did you mean 'sched:sched_switch'?"
run "$ktrack" export -e dmeo trace.dat
refused "a pattern that is nearly one" 1 "'dmeo': no tracepoint of the source matches; did you mean 'demo'?"
run "$ktrack" export -e demo --cpu=7 --track=x trace.dat
is "where nothing matches, that is said" "$(grep -v 'wall clock' "$folder/err")" = "ktrack: trace.dat: no track events match -e, --track, --cpu; ktrack stat trace.dat lists all of them"
is "which is no failure" "$status" = 0
run "$ktrack" stat --pid=4711 --to=5 trace.dat
is "nor without a word for eyes" "$status $(cat "$folder/err")" = "0 ktrack: trace.dat: no track events match --pid, --to; ktrack stat trace.dat lists all of them"
run "$ktrack" export --cpu=1 trace.dat
is "if something does, only the clock is" "$(cat "$folder/err")" = "ktrack: trace.dat: $(wall_clock boot)"
run "$ktrack" export --wall-clock=2026-01-01T00:00:00Z --cpu=1 trace.dat
is "and nothing if the wall clock is given" "$status $(cat "$folder/err")" = "0 "
run "$ktrack" stat trace.dat
is "or not shown" "$status $(cat "$folder/err")" = "0 "
run "$ktrack" export nosuch.dat
refused "a file that is not there" 1 "cannot open nosuch.dat: No such file or directory"
mkdir killed.dat.spool
remedy="'ktrack recover killed.dat' makes a trace.dat of them"
for path in killed.dat killed.dat.spool killed.dat.spool/ killed.dat.spool/cpu0; do
	run "$ktrack" export $path
	refused "a recording that was killed: $path" 1 "$path: raw records of a recording that was killed or still runs; $remedy"
done
for path in killed.dat.spool killed.dat.spool/; do
	run "$ktrack" recover $path
	is "recover takes the folder's name, too: $path" "$(cut -c1-64 "$folder/err")" = \
		"ktrack: killed.dat.spool: no records, removed; run 'ktrack clean"
	mkdir -p killed.dat.spool
done
run "$ktrack" recover never.dat
refused "a recording that never was" 1 "never.dat.spool: No such file or directory; name the FILE of a killed 'ktrack record -o FILE'"
LC_ALL=C sed '0,/track_event_type;\toffset/s//track_event_type;\tofgset/' trace.dat >broken.dat
run "$ktrack" export broken.dat
is "a format that cannot be read is damage" "$status $(grep -c 'skipped: the format' "$folder/err")" = "1 1"
is "which the stream's end says, too" "$(grep -c '"event":"atexit".*"code":1' "$folder/out")" = 1
head -c 12000 trace.dat >cut.dat
run "$ktrack" export cut.dat
refused "a file without its last sections" 1 "cut.dat: it is cut short: a section is missing; at offset 12000"
run "$ktrack" export .
refused "a folder" 1 ".: a directory, not a trace.dat; name a file in it"
run "$ktrack" stat /dev/null
refused "nothing at all" 1 "/dev/null: empty, not a trace.dat; name a recording of ktrack or trace-cmd"
run "$ktrack" export --perfetto=own.pftrace trace.dat
run "$ktrack" export own.pftrace
refused "a trace for Perfetto" 1 "own.pftrace: a Perfetto trace, not a trace.dat; open it in ui.perfetto.dev"
run "$ktrack" export --fxt=own.fxt trace.dat
run "$ktrack" export own.fxt
refused "a trace in Fuchsia's format" 1 "own.fxt: a trace in Fuchsia's format, not a trace.dat; open it in ui.perfetto.dev"
run "$ktrack" export --html=own.html --sqlite=own.db trace.dat
run "$ktrack" export own.html
refused "a page" 1 "own.html: a page of HTML, not a trace.dat; open it in a browser"
run "$ktrack" stat own.db
refused "a database" 1 "own.db: an SQLite database, not a trace.dat; query it with 'ktrack query'"
tar cf some.tar own.html
run "$ktrack" export some.tar
refused "an archive" 1 "some.tar: a tar archive, not a trace.dat; unpack it with tar xf, and name a recording in it"
mkdir ctf
printf '/* CTF 1.8 */\n' >ctf/metadata
run "$ktrack" list ctf
refused "a folder of CTF" 1 "ctf: a directory of a CTF trace, as of LTTng, not a trace.dat; babeltrace2 and Trace Compass read it"
printf x >raw.dat.cpu10
: >raw.dat.cpu0
: >raw.dat
remedy="'trace-cmd restore -o raw.dat raw.dat.cpu0 ...' with the files of all CPUs in order makes a trace.dat, on the machine that recorded"
for path in raw.dat raw.dat.cpu0 raw.dat.cpu10; do
	run "$ktrack" stat $path
	refused "what a killed trace-cmd left: $path" 1 "$path: raw records of a trace-cmd that runs or was killed; $remedy"
done
rm raw.dat
run "$ktrack" stat raw.dat
refused "what it left without a file" 1 "raw.dat: raw records of a trace-cmd that runs or was killed; $remedy"
run "$ktrack" stat "$ktrack"
refused "a program" 1 "$ktrack: an ELF file (a program, a module or a core), not a trace.dat; name a recording of ktrack or trace-cmd"
run "$ktrack" export tracefs:
refused "an instance without a name" 1 "'tracefs:' is no source; write tracefs or tracefs:INSTANCE"
run "$ktrack" export tracefs.dat
refused "a file is no instance because of how its name begins" 1 "cannot open tracefs.dat: No such file or directory"

cp trace.dat whole.dat
ln -s trace.dat link.dat
for option in event perf normal chrome perfetto fxt html sqlite otlp otlp-metrics; do
	run "$ktrack" export "--$option=link.dat" trace.dat
	refused "a recording is not replaced by --$option of itself" 1 "link.dat: the source; write to another file"
done
status=0
"$ktrack" export --event=link.dat - <trace.dat >"$folder/out" 2>"$folder/err" || status=$?
refused "nor as standard input" 1 "link.dat: the source; write to another file"
status=0
"$ktrack" export link.dat >>trace.dat 2>"$folder/err" || status=$?
: >"$folder/out"
refused "nor on standard output" 1 "standard output: the source; write to another file"
run env "KTRACK_TRACE2_PERF=$PWD/trace.dat" "$ktrack" export trace.dat
refused "nor by a setting" 1 "KTRACK_TRACE2_PERF: the source; write to another file"
is "and it is whole then" "$(cmp trace.dat whole.dat && echo whole)" = whole
echo before >page.html
for option in event chrome; do
	run "$ktrack" export "--$option=page.html" --html=page.html trace.dat
	refused "a page shares no file with --$option" 1 "page.html: named twice; write a file for a viewer to its own path"
done
is "and what was in that stays" "$(cat page.html)" = before
run "$ktrack" export --event=lines --perf=lines --html=/dev/null --chrome=/dev/null trace.dat
is "lines share a file, and /dev/null is for everybody" "$status" = 0

"$OLDPWD/tests/golden/mktrace" "$OLDPWD/tests/golden/convention-buffer.script" shared.dat
for words in "export --wall-clock=0" stat; do
	# shellcheck disable=SC2086 # words are split
	run "$ktrack" $words shared.dat
	is "$words: the loss has the share of the convention's tracepoints" "$status $(cat "$folder/err")" = \
		"0 ktrack: shared.dat: lost 5 records in 2 gaps, 2 of the convention's tracepoints"
done
# Much more than a pipe and its queue hold, so that a slow reader leaves unread output.
cat >long.script <<'SCRIPT'
event demo:io 100 char track_event_type; string slice_name
repeat 20000
+100 7@0 io B read
+100 7@0 io E read
end
SCRIPT
"$OLDPWD/tests/golden/mktrace" long.script long.dat
mkfifo pipe
sh -c 'exec 3<pipe; head -c 10 <&3 >part; truncate -s 1000 long.dat; cat <&3 >>part' &
run "$ktrack" export --event=pipe long.dat
# A reader to whom nobody has written waits for a writer.
: 3<>pipe
wait
is "a file that becomes shorter while it is read is damaged" "$status $(sed 's/at offset .*/at offset N/' "$folder/err")" = \
	"1 ktrack: long.dat: lost an unknown number of records in 1 gap
ktrack: long.dat: it became shorter while it was read; at offset N"
is "though its beginning was exported, in whole slices" "$(grep -c region_enter part)" = "$(grep -c region_leave part)"
is "of which there are many" "$(($(grep -c region_leave part) > 1000))" = 1
is "its loss is one of unknown size" "$(grep -c '"event":"error".*lost' part)" = 1
is "and its end is in order" "$(tail -n 1 part | grep -c '"event":"atexit".*"code":1')" = 1
run sh -c 'ulimit -f 1; "$0" export --event=short trace.dat' "$ktrack"
refused "a file that may not become longer" 1 "cannot write to short: File too large"
run sh -c 'ulimit -f 1; cat trace.dat | "$0" export -' "$ktrack"
refused "nor may what is kept of a pipe" 1 "cannot copy standard input to a temporary file in ${TMPDIR:-/tmp}; set TMPDIR to a directory with more space: File too large"
run sh -c 'echo no recording | "$0" export -' "$ktrack"
refused "a pipe with something else" 1 "standard input: not a trace.dat; name a recording of ktrack or trace-cmd"
run sh -c 'ulimit -t 20; exec "$0" export /dev/zero' "$ktrack"
refused "a device without an end" 1 "/dev/zero: not a trace.dat; name a recording of ktrack or trace-cmd"
run sh -c 'ulimit -t 20; (while echo endless; do :; done) | "$0" export -' "$ktrack"
refused "and a pipe without an end" 1 "standard input: not a trace.dat; name a recording of ktrack or trace-cmd"

printf 'compression zstd\nevent demo:io 100 u32 bytes\n' >zstd.script
"$OLDPWD/tests/golden/mktrace" zstd.script zstd.dat
: >libzstd.so.1
run env LD_LIBRARY_PATH="$folder" "$ktrack" export zstd.dat
remedy="install libzstd (Debian's package libzstd1)"
refused "a file whose library is missing" 1 "zstd.dat: libzstd.so.1: cannot be loaded; $remedy; at offset 37"
rm libzstd.so.1
run "$ktrack" export --wall-clock=0 zstd.dat
is "which is loaded if it is there" "$status" = 0

echo 'event demo:io 100 u32 bytes' >plain.script
"$OLDPWD/tests/golden/mktrace" plain.script plain.dat
no_records="'ktrack list plain.dat' prints what it contains"
remedy="add rules with -r, see ktrack-rules(5)"
run "$ktrack" export --wall-clock=0 plain.dat
is "a source without records is exported" "$status" = 0
is "and that is reported" "$(cat "$folder/err")" = "ktrack: plain.dat: no track events; $no_records"
run "$ktrack" stat plain.dat
is "no table is empty without a word" "$(cat "$folder/out")" = "0ns recorded; no rows; selection: all"
run "$ktrack" stat -e demo:io --name='no*' trace.dat
is "nor if no name matches" "$(sed 's/^[^ ]*//' "$folder/out")" = " recorded; no name matches --name=no*; selection: -e demo:io"
run "$ktrack" query trace.dat "SELECT name FROM slice WHERE name = 'nosuch'"
is "nor if a query has no rows" "$status $(cat "$folder/err")" = "0 ktrack: the query has no rows: nothing that was recorded matches it"
run "$ktrack" export --sqlite=rows.db trace.dat
run "$ktrack" query rows.db "SELECT name FROM slice WHERE name = 'nosuch'"
is "also of a database" "$status $(cat "$folder/err")" = "0 ktrack: the query has no rows: nothing that was recorded matches it"
"$OLDPWD/tests/golden/mktrace" - irqs.dat <<'SCRIPT'
event ftrace:funcgraph_entry 10 u64 func; u32 depth
event demo:io 100 char track_event_type; string slice_name
1us 7@0 io I here
SCRIPT
run "$ktrack" stat irqs.dat
is "names of functions are of interest if no function is shown" "$status $(cat "$folder/err")" = "0 "
run "$ktrack" export --perfetto=clock.pftrace trace.dat
is "a timeline has no dates, so that the clock is of no interest" "$status $(cat "$folder/err")" = "0 "

cat >others.script <<'SCRIPT'
event sched:wake 100 u32 prio
event irq:entry 101 u32 irq
event net:rx 102 u32 len
repeat 6000
+100 7@0 wake 1
+100 7@1 entry 2
end
+100 7@1 rx 2
SCRIPT
"$OLDPWD/tests/golden/mktrace" others.script others.dat
for words in "export --wall-clock=0" stat "export --wall-clock=0 --html=/dev/null"; do
	# shellcheck disable=SC2086 # words are split
	run "$ktrack" $words -r convention others.dat
	is "$words: what a source holds instead of track events" "$status $(cat "$folder/err")" = \
		"0 ktrack: others.dat: no track events (12,001 records of irq, sched, net); $remedy"
done
run "$ktrack" stat others.dat
is "without -e and -r it is shown" "$status $(cat "$folder/err") $(sed 1d "$folder/out" | sed -n 's/  */ /g; 1,3p')" = "0  events tid 7 irq:entry 6000 5M/s events:other
events tid 7 sched:wake 6000 5M/s events:other
events tid 7 net:rx 1 833/s events:other"
run "$ktrack" stat -r convention --cpu=1 others.dat
is "if options choose nothing, they are named" "$(cat "$folder/err")" = "ktrack: others.dat: no track events match --cpu; ktrack stat others.dat lists all of them"
{
	printf '%s\n' 'clock local' 'event demo:io 103 char track_event_type; string slice_name'
	cat others.script
	echo '+100 7@0 io I only'
} >both.script
"$OLDPWD/tests/golden/mktrace" both.script both.dat
several_clocks="ktrack: both.dat: the clock local differs between CPUs: the order of their records, and durations of slices\
 across CPUs, may be wrong; record with the clock boot"
run "$ktrack" export -r convention both.dat
is "records that are no track events, and a clock that is not the wall clock's" "$(cat "$folder/err")" = \
	"ktrack: both.dat: $(wall_clock local)
$several_clocks
ktrack: both.dat: 12,001 records of irq, sched, net are no track events"
run "$ktrack" export -e demo --wall-clock=0 both.dat
is "which -e leaves out" "$status $(cat "$folder/err")" = "0 $several_clocks"
run "$ktrack" stat both.dat
is "statistics of CPUs whose clocks differ" "$status $(sed -n 1p "$folder/err")" = "0 $several_clocks"
sed 's/@1/@0/' both.script >cpu.script
"$OLDPWD/tests/golden/mktrace" cpu.script cpu.dat
run "$ktrack" export -e demo --wall-clock=0 cpu.dat
is "one CPU, whose clock is like no other" "$status $(cat "$folder/err")" = "0 "
cat >tasks.script <<SCRIPT
format $OLDPWD/tests/formats/6.1/task/task_newtask
format $OLDPWD/tests/formats/6.1/task/task_rename
100 5@1 task_newtask pid=7 comm=shell
200 7@1 task_rename pid=7 oldcomm=shell newcomm=first
SCRIPT
"$OLDPWD/tests/golden/mktrace" tasks.script tasks.dat
run "$ktrack" export -r convention --wall-clock=0 tasks.dat
is "of a recording of nothing else, records that name threads are counted too" "$status $(cat "$folder/err")" = \
	"0 ktrack: tasks.dat: no track events (2 records of task); $remedy"
{
	sed '/^[0-9]/d' tasks.script
	sed -n '/^[0-9]/p' tasks.script
	printf '%s\n' 'event demo:io 100 char track_event_type; string slice_name' '300 7@0 io I only'
} >named.script
"$OLDPWD/tests/golden/mktrace" named.script named.dat
run "$ktrack" export --wall-clock=0 named.dat
is "together with track events they are of use" "$status $(cat "$folder/err")" = "0 "
{
	sed '/^[0-9]/d' tasks.script
	printf '%s\n' 'event demo:io 100 char track_event_type; string slice_name' 'buffer ktrack-durable'
	sed -n '/^[0-9]/p' tasks.script
	printf '%s\n' 'buffer ""'
} >sideband.script
"$OLDPWD/tests/golden/mktrace" sideband.script sideband.dat
run "$ktrack" export --wall-clock=0 sideband.dat
is "those in the sideband buffer are not counted" "$status $(cat "$folder/err")" = \
	"0 ktrack: sideband.dat: no track events; 'ktrack list sideband.dat' prints what it contains"

cd "$OLDPWD"
if tests/cli/mounted --probe; then
	tracefs_make
	mkdir -p "$folder/tracing/instances"
	run tests/cli/mounted "$folder/mounts" "$ktrack" release nosuch
	is "nothing to release is no failure" "$status $(cat "$folder/out" "$folder/err")" = "0 released 0 tracepoints
ktrack: nosuch: no running ktrack records it; its module can be unloaded unless another program uses it"
	run tests/cli/mounted "$folder/mounts" "$ktrack" export tracefs:nosuch
	refused "an instance that is not there" 1 \
		"there is no tracing instance 'nosuch'; $folder/tracing/instances has all"
else
	skipped "an instance that is not there" "showing a process other mounts needs root"
fi
finish
