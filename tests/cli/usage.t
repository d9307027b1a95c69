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
nonsense|unknown command 'nonsense'; see 'ktrack --help'
--nonsense|'--nonsense': options follow the command; see 'ktrack --help'
--helpp|unknown option '--helpp'; did you mean '--help'?
--html|'--html': options follow the command; see 'ktrack --help'
exprot|unknown command 'exprot'; did you mean 'export'?
exp|unknown command 'exp'; did you mean 'export'?
EXPORT|unknown command 'EXPORT'; did you mean 'export'?
export -r shed one|'shed': no such pack; did you mean 'sched'?
export -r sched:thread one|'sched:thread': no such pack; did you mean 'sched'?
export --weth=tid one|unknown option '--weth=tid'; did you mean '--with'?
export --perfeto=$target one|unknown option '--perfeto=$target'; did you mean '--perfetto'?
export --event=$target --cpu=1 --cpu=1 one|--cpu is given twice
stream --event=$target -d 1 --duration=2 -- touch $target|--duration is given twice
stat --live --live|--live is given twice
record -o $target -o $target -- touch $target|--output is given twice
-x|'-x': options follow the command; see 'ktrack --help'
list --rules -e sched|-e: selects no rules; write packs, files or one rule with -r
list -r irq -e sched --json|-e: selects no rules; write packs, files or one rule with -r
export -v $target|-v: has no effect without rules; add rules with -r, or leave it out
export --event=$target --include-self one|--include-self: has no effect without rules; add rules with -r, or leave it out
stat -v $target|-v: has no effect without rules; add rules with -r, or leave it out
stream --event=$target --include-self --instance=x|--include-self: has no effect without rules; add rules with -r, or leave it out
query|a source is missing, for example trace.dat; see 'ktrack query --help'
query $target|a query is missing; write a SELECT, or see 'ktrack query --list'
query $target SELECT 1|'1': not NAME=VALUE; write the query as one word in quotes
query $target @names =1|'=1': not NAME=VALUE; write the query as one word in quotes
query --csv --json $target @names|--csv: excludes --json; leave out one of them
query --header $target @names|--header: needs --csv
query --list @names word|unexpected argument 'word'
query --list @nonsense|@nonsense: no such query; 'ktrack query --list' prints all
query --list @slowst|@slowst: no such query; did you mean '@slowest'?
query --list names|names: no such query; did you mean '@names'?
list -x|unknown option '-x'; see 'ktrack list --help'
list --include-self|unknown option '--include-self'; see 'ktrack list --help'
list --nonsense|unknown option '--nonsense'; see 'ktrack list --help'
list -e|-e: argument missing; see 'ktrack list --help'
list --tracepoint|--tracepoint: argument missing; see 'ktrack list --help'
clean -x|unknown option '-x'; see 'ktrack clean --help'
clean word|unexpected argument 'word'
doctor word|unexpected argument 'word'
release|a tracepoint is missing, as in SYS[:EVENT]; see 'ktrack release --help'
list word more|unexpected argument 'more'
list -e sched word more|unexpected argument 'more'
list word -- --json|unexpected argument '--json'
list --programs word|--programs: lists no recording; leave out word
stream --event=$target -x|unknown option '-x'; see 'ktrack stream --help'
stream --event=$target --nonsense -- touch $target|unknown option '--nonsense'; see 'ktrack stream --help'
stream --event=$target -d|-d: argument missing; see 'ktrack stream --help'
stream --event=$target -d 0|--duration=0: nothing to record; write a time above 0
stream --event=$target -d -1|'-1' is no duration; write a number with ns, us, ms, s, m or h
stream --event=$target -d 5x|'5x' is no duration; write a number with ns, us, ms, s, m or h
stream --event=$target --duration=|'' is no duration; write a number with ns, us, ms, s, m or h
stream --event=$target -b 0|'0': not a size; write a number of KiB, or one with k, M or G
stream --event=$target -b -1|'-1': not a size; write a number of KiB, or one with k, M or G
stream --event=$target -b 64x|'64x': not a size; write a number of KiB, or one with k, M or G
stream --event=$target --programs --program-ring=5k|--program-ring=5k: not the size of a ring; write a power of 2 from 4k to 16M
stream --event=$target --programs --program-ring=32M|--program-ring=32768k: not the size of a ring; write a power of 2 from 4k to 16M
stream --event=$target -e sched --program-ring=64k|--program-ring: no program is recorded; add --programs
stream --event=$target -b 67108865|'67108865': too large; write at most 64G
stream --event=$target -b 65G|'65G': too large; write at most 64G
stream --event=$target -b 99999999999999999999|'99999999999999999999': too large; write at most 64G
stream --event=$target --buffer-size=|'': not a size; write a number of KiB, or one with k, M or G
stream --event=$target --mode=often|--mode=often: unknown; write streaming, circular or oneshot
stream --event=$target --clock=local|--clock=local: cannot be streamed; write boot, mono, mono_raw or tai
stream --event=$target --filter=x|--filter: no preceding -e; write -e SYS:EVENT before it
stream --event=$target --cpu=0, -- touch $target|'0,': not a list of CPUs; write numbers as in 0,2-3
stream --event=$target --pid|--pid and --user: no command; write its words at the end
stream --event=$target --user=root|--pid and --user: no command; write its words at the end
stream --event=$target --user=ktrack-nobody -- touch $target|--user=ktrack-nobody: no such user; see 'getent passwd'
stream --event=$target --ready-fd=x|--ready-fd=x: not a descriptor; write its number
stream --event=$target --ready-fd=|--ready-fd=: not a descriptor; write its number
stream --event=$target --ready-fd=-3|--ready-fd=-3: not a descriptor; write its number
stream --event=$target --ready-fd=99999999999|--ready-fd=99999999999: not a descriptor; write its number
stream --event=$target --ready-fd=1|--ready-fd=1: a standard stream; write 3 or more
stream --event=$target --ready-fd=77|--ready-fd=77: not open; open it as in 77>FILE
record -o $target --ready-fd=77|--ready-fd=77: not open; open it as in 77>FILE
stat --live --ready-fd=77|--ready-fd=77: not open; open it as in 77>FILE
stat --wait $target|--wait: needs --live
stat --buffer-size=64 $target|--buffer-size: needs --live
stream --event $target|'$target': value or command; write --event=$target, or -- before it
stream --event=$target --|--: no command; write its words after it
stream --event= -- touch $target|--event=: no value; write --event=TARGET
stream --event=$target --with=pid|--with=pid: unknown; write tid, cpu or comm
stream --event=$target --with=|--with=: unknown; write tid, cpu or comm
stream --event=$target --rows=cpu|--rows=cpu: unknown; write thread or tracepoint
stream --event=$target --sid=|--sid=: no value; write --sid=TEXT
stream --event=$target --mode=oneshot|--mode=oneshot: cannot be streamed; use 'ktrack record'
stream --event=$target --mode=circular --session-every=1|--session-every: --mode=circular reads at the end; leave it out
stream --event=$target --instance=|--instance=: not the name of a tracing instance; write one of those in /sys/kernel/tracing/instances, or top
stream --event=$target --instance=a/b -- touch $target|--instance=a/b: not the name of a tracing instance; write one of those in /sys/kernel/tracing/instances, or top
stream --event=$target --instance=.. -- touch $target|--instance=..: not the name of a tracing instance; write one of those in /sys/kernel/tracing/instances, or top
stream --event=$target --instance=x --mode=circular|--mode: would change the instance of --instance; leave out one of the two
stream --event=$target --buffer-size=64 --instance=x|--buffer-size: would change the instance of --instance; leave out one of the two
stream --event=$target --instance=x --clock=boot|--clock: would change the instance of --instance; leave out one of the two
stream --event=$target --instance=x --cpu=0|--cpu: would change the instance of --instance; leave out one of the two
stream --event=$target --instance=x -e y --filter=z|--filter: would change the instance of --instance; leave out one of the two
stream --event=$target --instance=x --pid -- touch $target|--pid: would change the instance of --instance; leave out one of the two
stream --event=$target --session-every=0|--session-every=0: an empty session; write a time above 0
stream --event=$target --session-every=1 --sid=x|--sid: one id for several sessions; leave out --session-every
stream --event=$target --session-every=1 --why=x|--session-every: slices are explained at the end of one session; leave out --why
stream --event=$target --why=x@|'x@': no track behind '@'; write \\@ for an @ of a name
stream --event=- --why=x|standard output: is that of --why; write the other to a file
stream --event=$target --probe=a:b:c|--probe 'a:b:c': not a function of the kernel; write FUNCTION or MODULE:FUNCTION
stream --event=$target --probe=f+1#|--probe 'f+1#': column 4: one of '#;"{}' or a control character; remove it
stream --event=$target --uprobe=/nosuch|--uprobe '/nosuch': not a function of a program; write PATH:SYMBOL
record -o $target --uprobe=/nosuch:|--uprobe '/nosuch:': not a function of a program; write PATH:SYMBOL
stream --event=$target --usdt=/nosuch:a..b|--usdt '/nosuch:a..b': not a USDT; write PATH:PROVIDER:NAME, or PATH:PROVIDER:BEGIN..END
stream --event=$target --function=a#b|--function 'a#b': not a pattern; write a name with wildcards, or NAME:mod:MODULE
record -o $target --stack=sched|--stack=sched: not a tracepoint; write SYS:EVENT
record -o $target --stack=sched:|--stack=sched:: not a tracepoint; write SYS:EVENT
record -o $target --stack-limit=0|'0': not a number of stacks; write a number from 1
stream --folded=x|--folded: contains slices that are explained; add --why=SLICE
stream --html=$target --session-every=1|--session-every: a file for a viewer holds one session; write --event, --perf or --normal
stream --event=$target --session-every=1 -- touch $target|--session-every: a command runs in one session; leave out one of the two
stream --event=$target --sid=recording -- touch $target|--sid=recording: only for 'ktrack export'; write an id
stream --event=$target --fail-on-loss=1 -- touch $target|--fail-on-loss: takes no value; see 'ktrack stream --help'
stream --event=$target --event -- touch $target|--event is given twice
stream --chrome=$target --chrome=$target -- touch $target|--chrome is given twice
stream --event=$target -e ktrack, -- touch $target|'ktrack,': empty tracepoint; write SYS[:EVENT]
stream --event=$target -d 0x1 -- touch $target|'0x1' is no duration; write a number with ns, us, ms, s, m or h
export --event=$target -e , one|',': empty tracepoint; write SYS[:EVENT]
record --output=|--output=: no value; write --output=FILE
record -o - -- touch $target|--output=-: a trace.dat cannot be written to standard output; use 'ktrack stream', or 'ktrack export' of a file
record -o $target --mode=oneshot --max-size=64|--max-size: --mode=oneshot writes the file at its end; limit its size with -b
record -o $target --max-size=0|'0': not a size; write a number of KiB, or one with k, M or G
record -o $target --mode=often -- touch $target|--mode=often: unknown; write streaming, circular or oneshot
record -o $target --filter=x|--filter: no preceding -e; write -e SYS:EVENT before it
record -o $target --pid|--pid and --user: no command; write its words at the end
record -o $target --instance=x --mode=oneshot|--mode: would change the instance of --instance; leave out one of the two
record -o $target --instance=x -e y|-e: would change the instance of --instance; use 'ktrack export -e' with the file
record -o $target --|--: no command; write its words after it
record --event=$target|unknown option '--event=$target'; see 'ktrack record --help'
export --save= tracefs|--save=: no value; write --save=FILE
record -o $target --label=a b|--label=a: not KEY=VALUE; a KEY has letters, digits, '_', '.' and '-'
record -o $target --label==x b|--label==x: not KEY=VALUE; a KEY has letters, digits, '_', '.' and '-'
export --label=a=1 --label=a=2 one|--label=a: is given twice
record -o $target --all -e x|--all: records what -e and -r select, too; leave them out, and give -r to 'ktrack export'
record -o $target --instance=x --all|--all: would change the instance of --instance; leave out one of the two
watch --dir=$target|nothing is selected to watch; add what the triggers need, such as -r sched,irq, or -r convention for drivers
recover one two|unexpected argument 'two'
recover --persistent=x one|one: --persistent names the recording; leave one out
recover --dir=/x|--dir=/x: only for --persistent
export|a source is missing, for example trace.dat; see 'ktrack export --help'
export --event=$target|a source is missing, for example trace.dat; see 'ktrack export --help'
export --html copy.dat|a source is missing: copy.dat is the file that --html writes; name the source behind it
--verison|unknown option '--verison'; did you mean '--version'?
export --event $target one|'$target': taken as the source; as a value, write --event=$target
export --event=$target --cpu x one|'x': not a CPU; write a number from 0
export --event=$target --nonsense one|unknown option '--nonsense'; see 'ktrack export --help'
TABLE
is "nothing was written, and no command was run" ! -e "$target"

exec 7</dev/null 8>/dev/null
run "$ktrack" stream --event="$target" --ready-fd=7
refused "a descriptor that is for reading" 2 "--ready-fd=7: not writable; open it as in 7>FILE"
run "$ktrack" stat --ready-fd=8 "$target"
refused "a descriptor, and nothing that begins" 2 "--ready-fd: needs --live"
exec 7<&- 8>&-

# What came from outside must not act on a terminal.
run "$ktrack" "$(printf 'a\033[2Jb\nc\302\233d\377\303\251')"
refused "an odd command stays one harmless line" 2 "$(printf "unknown command 'a?[2Jb?c?d?\303\251'; see 'ktrack --help'")"
run "$ktrack" stream -d "$(printf '%0600d' 0)x"
is "an overlong word makes one line" "$(wc -l <"$folder/err")" = 1
is "and that has an end" "$(wc -c <"$folder/err")" -lt 600
finish
