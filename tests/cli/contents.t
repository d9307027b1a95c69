#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: what ktrack list prints of recordings and texts.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

tests/golden/mktrace tests/golden/all-that-a-recording-has.script "$folder/trace.dat"
cd "$folder"
run "$ktrack" list trace.dat
cat >want <<'TEXT'
source             trace.dat
clock              boot
time_source        none
kernel             6.12.0
host               golden
cpus               1
records            8
cpus_with_records  0
duration           7.00us
losses             nothing lost

   RECORDS    FIRST (s)     LAST (s)  TAKEN BY   EVENT
         2     0.000001     0.000007  convention demo:io
         2     0.000003     0.000006  sched      sched:sched_switch
         1     0.000002     0.000002  events     net:rx
         1     0.000004     0.000004  events     task:task_rename
         1     0.000000     0.000000  sched      task:task_newtask
         1     0.000005     0.000005  events     timer:timer_start
TEXT
# Of the id, a hash of the file, there is a test elsewhere.
sed -i '/^recording_id /d' out
printed "properties and events of a recording, the most frequent first" want
run "$ktrack" list --json trace.dat
cat >want <<'TEXT'
{"source":"trace.dat","clock":"boot","time_source":"none","kernel":"6.12.0","host":"golden","cpus":1,"records":8,"cpus_with_records":"0","duration_ns":7000,"lost_records":0,"gaps":0,"gaps_of_unknown_size":0}
{"event":"demo:io","id":1,"records":2,"first_ns":1000,"last_ns":7000,"taken_by":["convention"]}
TEXT
sed -i 's/"recording_id":"[0-9a-f]*",//; 3,$d' out
printed "as JSON" want
run "$ktrack" list -e demo -r net/rules trace.dat
refused "rules of a file that is not there" 2 "net/rules: No such file or directory"
run "$ktrack" list -r "instant mine:packet event=net:rx" -r irq trace.dat
said "with -r, what takes the events then" '  mine     net:rx$'
is "and what nothing takes" "$(grep -c '  -        ' out)" = 2
is "but for what names threads" "$(grep '  threads  ' out | sed 's/.* //' | tr '\n' ' ')" = "sched:sched_switch task:task_rename task:task_newtask "
"$ktrack" list trace.dat >want
"$ktrack" list - <trace.dat | sed 's/^\(source  *\)-$/\1trace.dat/' >got
is "standard input" "$(cat got)" = "$(cat want)"

"$ktrack" export --save=part.dat --from=2us --to=7us trace.dat
run "$ktrack" list --json part.dat
is "times of a part count from the begin of the whole" "$(grep -c '"event":"demo:io",.*"last_ns":7000' out)" = 1

cat >other.script <<'TEXT'
cpus 8
wall 1000000
writer "ktrack 0.2.0 thread 1\n# label site=a <\"b\">\n# label release=x\x1b[m"
event demo:gone 1500 u32 x
event demo:there 1501 u32 x
5us  7@1 gone 1
6us  7@1 gone 1
7us  7@2 there 1
lost 2 4
9us  7@2 there 1
10us 7@5 there 1
TEXT
"$OLDPWD/tests/golden/mktrace" other.script all.dat
LC_ALL=C sed 's/^ID: 1500$/ID: 1502/' all.dat >gone.dat
run "$ktrack" list gone.dat
cat >want <<'TEXT'
label              site=a <"b">
label              release=x?[m
begin              1970-01-01T00:00:02.000005Z
records            5
cpus_with_records  1-2,5
duration           5.00us
losses             lost 4 records in 1 gap

   RECORDS    FIRST (s)     LAST (s)  TAKEN BY EVENT
         3     0.000002     0.000005  events   demo:there
         2     0.000000     0.000001  unknown  id 1500
TEXT
is "records of no format, losses, labels, the time of the first record, CPUs" "$(sed '1,/^cpus  /d' out)" = "$(cat want)"
is "such records are damage" "$status $(grep -c "gone.dat: records have no format: 2 of id 1500" err)" = "1 1"
run "$ktrack" list --json gone.dat
is "as JSON" "$(tail -n 1 out)" = '{"id":1500,"records":2,"first_ns":0,"last_ns":1000,"taken_by":[]}'
is "with labels" "$(grep -c '"labels":{"site":"a <\\"b\\">","release":"x\\u001b\[m"},"begin":"1970-01-01T00:00:02.000005Z"' out)" = 1
cat >trace.txt <<'TEXT'
# tracer: nop
app-10 [000] 1.0: sched_waking: comm=b pid=11 prio=120 target_cpu=000
app-10 [000] 2.0: mine: text
TEXT
run "$ktrack" list trace.txt
is "a text" "$status $(sed '1,/RECORDS/d' out)" = "0          1     0.000000     0.000000  sched      sched:sched_waking
         1     1.000000     1.000000  convention text:mine"
printf '# tracer: nop\n' >trace.txt
run "$ktrack" list trace.txt
is "a recording without records says so" "$status $(cat err)" = \
	"0 ktrack: trace.txt: no records; its tracepoints did not fire while it was recorded"
run "$ktrack" list --rules trace.dat
refused "--rules lists no recording" 2 "--rules: lists no recording; leave out trace.dat"
run "$ktrack" list trace.dat trace.txt
refused "one file only" 2 "unexpected argument 'trace.txt'"
run "$ktrack" list tracefs
refused "no instance" 1 "tracefs: reading empties an instance; save it with 'ktrack export --save=FILE tracefs', and list FILE"
run "$ktrack" list nosuch.dat
refused "no file" 1 "cannot open nosuch.dat: No such file or directory"
finish
