#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: wrong usage is refused with status 2 and one line that says what is wrong, before anything is done.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

# Each line: the words, and what is said of them. Nothing may be made of a target that is named among them.
target=$folder/target
while IFS='|' read -r words error; do
	# shellcheck disable=SC2086 # words are split
	run "$ktrack" $words
	refused "ktrack $words" 2 "$error"
done <<TABLE
|command missing; see 'ktrack --help'
nonsense|unknown command 'nonsense'; see 'ktrack --help'
--nonsense|unknown command '--nonsense'; see 'ktrack --help'
--helpp|unknown command '--helpp'; see 'ktrack --help'
exprot|unknown command 'exprot'; did you mean 'export'?
export --weth=tid one|unknown option '--weth=tid'; did you mean '--with'?
export --perfeto=$target one|unknown option '--perfeto=$target'; did you mean '--perfetto'?
export --event=$target --cpu=1 --cpu=1 one|--cpu is given twice
stream --event=$target -d 1 --duration=2 -- touch $target|--duration is given twice
stat --live --live|--live is given twice
record -o $target -o $target -- touch $target|--output is given twice
-x|unknown command '-x'; see 'ktrack --help'
list -x|unknown option '-x'; see 'ktrack list --help'
list --nonsense|unknown option '--nonsense'; see 'ktrack list --help'
list -e|argument missing after '-e'; see 'ktrack list --help'
list --tracepoint|argument missing after '--tracepoint'; see 'ktrack list --help'
clean -x|unknown option '-x'; see 'ktrack clean --help'
clean word|unexpected argument 'word'; see 'ktrack clean --help'
release|a tracepoint is missing, as in SYS[:EVENT]; see 'ktrack release --help'
list word|unexpected argument 'word'; see 'ktrack list --help'
list -e sched word|unexpected argument 'word'; see 'ktrack list --help'
list -- --json|unexpected argument '--json'; see 'ktrack list --help'
stream --event=$target -x|unknown option '-x'; see 'ktrack stream --help'
stream --event=$target --nonsense -- touch $target|unknown option '--nonsense'; see 'ktrack stream --help'
stream --event=$target -d|argument missing after '-d'; see 'ktrack stream --help'
stream --event=$target -d 0|a duration of 0 records nothing
stream --event=$target -d -1|'-1' is no duration; write a number with ns, us, ms, s, m or h
stream --event=$target -d 5x|'5x' is no duration; write a number with ns, us, ms, s, m or h
stream --event=$target --duration=|'' is no duration; write a number with ns, us, ms, s, m or h
stream --event=$target -b 0|'0' is no size; write a number of KiB, or one with k, M or G
stream --event=$target -b -1|'-1' is no size; write a number of KiB, or one with k, M or G
stream --event=$target -b 64x|'64x' is no size; write a number of KiB, or one with k, M or G
stream --event=$target -b 67108865|'67108865' is too large; the largest size is 64G
stream --event=$target -b 65G|'65G' is too large; the largest size is 64G
stream --event=$target -b 99999999999999999999|'99999999999999999999' is too large; the largest size is 64G
stream --event=$target --buffer-size=|'' is no size; write a number of KiB, or one with k, M or G
stream --event=$target --mode=often|'often' is no mode; write streaming, circular or oneshot
stream --event=$target --clock=local|'local' is no clock that can be streamed; write boot, mono, mono_raw or tai
stream --event=$target --filter=x|--filter is about the -e before it, and there is none
stream --event=$target --cpu=0, -- touch $target|'0,' is no list of CPUs; write numbers as in 0,2-3
stream --event=$target --pid|--pid and --user are about a command, and there is none
stream --event=$target --user=root|--pid and --user are about a command, and there is none
stream --event=$target --user=ktrack-nobody -- touch $target|there is no user 'ktrack-nobody'
stream --event=$target --ready-fd=x|'x' is no descriptor; write its number
stream --event=$target --ready-fd=|'' is no descriptor; write its number
stream --event=$target --ready-fd=-3|'-3' is no descriptor; write its number
stream --event=$target --ready-fd=99999999999|'99999999999' is no descriptor; write its number
stream --event=$target --ready-fd=1|--ready-fd=1 is a standard stream; write 3 or more
stream --event=$target --ready-fd=77|--ready-fd=77 is not open; open it as in 77>FILE
record -o $target --ready-fd=77|--ready-fd=77 is not open; open it as in 77>FILE
stat --live --ready-fd=77|--ready-fd=77 is not open; open it as in 77>FILE
stat --wait $target|--wait and --ready-fd are for --live
stat --buffer-size=64 $target|--buffer-size is for --live
stream --event $target|is '$target' a value or a command? Write --event=$target, or -- before it
stream --event=$target --|no command behind --
stream --event= -- touch $target|--event= names no target; write - or a path
stream --event=$target --with=pid|--with knows tid, cpu and comm, not 'pid'
stream --event=$target --with=|--with knows tid, cpu and comm, not ''
stream --event=$target --sid=|--sid= names no session
stream --event=$target --mode=oneshot|a stream has the youngest records; oneshot is for ktrack record
stream --event=$target --mode=circular --session-every=1|--session-every is for what is read all the time
stream --event=$target --instance=|'' is no name of a tracing instance
stream --event=$target --instance=a/b -- touch $target|'a/b' is no name of a tracing instance
stream --event=$target --instance=.. -- touch $target|'..' is no name of a tracing instance
stream --event=$target --instance=x --mode=circular|--mode says how an instance is to be, and --instance leaves one as it is
stream --event=$target --buffer-size=64 --instance=x|--buffer-size says how an instance is to be, and --instance leaves one as it is
stream --event=$target --instance=x --clock=boot|--clock says how an instance is to be, and --instance leaves one as it is
stream --event=$target --instance=x --cpu=0|--cpu says how an instance is to be, and --instance leaves one as it is
stream --event=$target --instance=x -e y --filter=z|--filter says how an instance is to be, and --instance leaves one as it is
stream --event=$target --instance=x --pid -- touch $target|--pid says how an instance is to be, and --instance leaves one as it is
stream --event=$target --session-every=0|a session of 0 holds nothing
stream --event=$target --session-every=1 --sid=x|--sid names one session, --session-every makes several
stream --html=$target --session-every=1|--session-every is for lines; a file for a viewer holds one session
stream --event=$target --session-every=1 -- touch $target|--session-every is for recordings without a command, which runs in one session
stream --event=$target --sid=recording -- touch $target|--sid=recording is for ktrack export: a live recording happens only once
stream --event=$target --fail-on-loss=1 -- touch $target|--fail-on-loss takes no value; see 'ktrack stream --help'
stream --event=$target --event -- touch $target|--event is given twice
stream --chrome=$target --chrome=$target -- touch $target|--chrome is given twice
stream --event=$target -e ktrack, -- touch $target|'ktrack,' leaves a tracepoint out; write SYS[:EVENT]
stream --event=$target -d 0x1 -- touch $target|'0x1' is no duration; write a number with ns, us, ms, s, m or h
export --event=$target -e , one|',' leaves a tracepoint out; write SYS[:EVENT]
record --output=|--output= names no file
record -o - -- touch $target|a trace.dat is put together in a folder, not on standard output; 'ktrack stream' writes there, or 'ktrack export' of the file
record -o $target --mode=oneshot --max-size=64|--max-size bounds a file that is written all the time; with --mode=oneshot it is as large as the buffers at most, which -b says
record -o $target --max-size=0|'0' is no size; write a number of KiB, or one with k, M or G
record -o $target --mode=often -- touch $target|'often' is no mode; write streaming, circular or oneshot
record -o $target --filter=x|--filter is about the -e before it, and there is none
record -o $target --pid|--pid and --user are about a command, and there is none
record -o $target --instance=x --mode=oneshot|--mode says how an instance is to be, and --instance leaves one as it is
record -o $target --instance=x -e y|-e chooses what is recorded, and --instance leaves that as it is; 'ktrack export -e' chooses of the file
record -o $target --|no command behind --
record --event=$target|unknown option '--event=$target'; see 'ktrack record --help'
export --save= tracefs|--save= names no file
recover one two|unexpected argument 'two'; see 'ktrack recover --help'
export|a source is missing; see 'ktrack export --help'
export --event=$target|a source is missing; see 'ktrack export --help'
export --event $target one|'$target' stands for the source; as a value it is --event=$target
export --event=$target one two|unexpected argument 'two'; see 'ktrack export --help'
export --event=$target --cpu x one|'x' is no CPU
export --event=$target --nonsense one|unknown option '--nonsense'; see 'ktrack export --help'
TABLE
is "nothing was written, and no command was run" ! -e "$target"

exec 7</dev/null 8>/dev/null
run "$ktrack" stream --event="$target" --ready-fd=7
refused "a descriptor that is for reading" 2 "--ready-fd=7 cannot be written; open it as in 7>FILE"
run "$ktrack" stat --ready-fd=8 "$target"
refused "a descriptor, and nothing that begins" 2 "--wait and --ready-fd are for --live"
exec 7<&- 8>&-

# What came from outside must not act on a terminal.
run "$ktrack" "$(printf 'a\033[2Jb\nc\302\233d\377\303\251')"
refused "an odd command stays one harmless line" 2 "$(printf "unknown command 'a?[2Jb?c?d?\303\251'; see 'ktrack --help'")"
run "$ktrack" stream -d "$(printf '%0600d' 0)x"
is "an overlong word makes one line" "$(wc -l <"$folder/err")" = 1
is "and that has an end" "$(wc -c <"$folder/err")" -lt 600
finish
