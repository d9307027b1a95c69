#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: the forms of the results of ktrack query, its built-in queries, and what it refuses.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

unset KTRACK_TRACE2 KTRACK_TRACE2_PERF KTRACK_TRACE2_EVENT
cat >"$folder/work.script" <<'SCRIPT'
event demo:io 100 char track_event_type; string slice_name; u32 bytes; string why
event demo:depth 101 u64 counter_value
task 7 worker
+10 7@0 io B outer 4096 "a,b"
+10 7@0 io B inner 1 ""
+20 7@0 io E "" 2 ""
+10 7@0 depth 18446744073709551615
+10 7@0 io E "" 0 ""
+10 7@0 io B inner 1 ""
+30 7@0 io E "" 3 ""
+10 8@1 io B other 1 "say \"hi\""
+15 7@0 io B outer 2 ""
+5 7@0 io E "" 0 ""
+20 8@1 io E "" 1 ""
SCRIPT
tests/golden/mktrace -s wall=1577934245 "$folder/work.script" "$folder/trace.dat" 2>/dev/null ||
	tests/golden/mktrace "$folder/work.script" "$folder/trace.dat"
cd "$folder"
"$ktrack" export --sqlite=trace.db trace.dat 2>err

# table QUERY, with its output on standard input
table() {
	cat >want
	run "$ktrack" query -q trace.db "$@"
	printed "$1 of a database" want
	run "$ktrack" query -q trace.dat "$@"
	printed "$1 of a recording" want
}

table 'SELECT name, dur_ns FROM slice ORDER BY id' <<'END'
name   dur_ns
outer      50
inner      20
inner      30
other      40
outer       5
END
table 'SELECT name FROM slice WHERE dur_ns > 1000' <<'END'
name
END
table @slowest limit=2 'name=*er' <<'END'
id  category  name   track            ts_ns  dur_ns  self_ns  args                                          doubt
 1  demo:io   outer  io tid 7 worker      0      50       30  {"bytes":4096,"why":"a,b","end:bytes":0}
 5  demo:io   other  io tid 8           100      40       40  {"bytes":1,"why":"say \"hi\"","end:bytes":1}
END
table @during id=5 <<'END'
id  category  name   track            from_ns  common_ns  dur_ns
 5  demo:io   other  io tid 8               0         40      40
 6  demo:io   outer  io tid 7 worker       15          5       5
END
table @during name='o*' limit=2 <<'END'
id  category  name   track            from_ns  common_ns  dur_ns
 1  demo:io   outer  io tid 7 worker        0         50      50
 2  demo:io   inner  io tid 7 worker       10         20      20
END
table @during name=other category='no*' <<'END'
id  category  name   track     from_ns  common_ns  dur_ns
 5  demo:io   other  io tid 8        0         40      40
END
table @names 'name=inner' <<'END'
category  name   count  total_ns  self_ns  min_ns  mean_ns  p50_ns  p99_ns  max_ns
demo:io   inner      2        50       50      20       25      20      30      30
END
table @inner 'name=outer' <<'END'
category  name   inner_name  count  total_ns  percent
demo:io   outer  (self)          2        35     63.6
demo:io   outer  inner           1        20     36.4
END
table @why <<'END'
id  category  name  track  ts_ns  dur_ns  running_ns  runnable_ns  blocked_ns  interrupted_ns  other_ns  most
END
table @counters <<'END'
category    track               samples  first                 last                  min                   max
demo:depth  depth tid 7 worker        1  18446744073709551615  18446744073709551615  18446744073709551615  18446744073709551615
END
table @tracks <<'END'
id  category    track               kind     slices  instants  samples  busy_ns
 1  demo:io     io tid 7 worker     slice         4         0        0       85
 2  demo:depth  depth tid 7 worker  counter       0         0        1
 3  demo:io     io tid 8            slice         1         0        0       40
END
table @losses <<'END'
cpu  buffer  begin_ns  end_ns  records  suspect_slices
END
table @flows <<'END'
flow  from_name  to_name  count  total_ns  min_ns  mean_ns  max_ns
END
run "$ktrack" query trace.db @recording
said "@recording names the source" "trace.dat .* boot "
nr_tested=11
run "$ktrack" query --list
is "every built-in query is run above" "$(grep -c '^@' out)" = "$((nr_tested - 1))"
cut -d ' ' -f 1 out >names
while read -r name; do
	run "$ktrack" query --list "$name"
	said "--list $name prints its text" '^FROM\|^SELECT'
	is "which is documented" "$(grep -c "^$name$(printf '\t')" "$OLDPWD/userspace/cli/ktrack-query.1")" = 1
done <names

"$OLDPWD/tests/golden/mktrace" "$OLDPWD/tests/why/data/driver.script" driver.dat
run "$ktrack" query --csv driver.dat 'SELECT count(*) > 0 FROM why_part'
is "slices are explained without -r, too" "$(tr -d '\r' <out)" = 1

printf '%s\n' 'name,why' 'outer,"a,b"' 'other,"say ""hi"""' >want
run "$ktrack" query --csv --header trace.db "SELECT s.name, a.value AS why FROM slice s JOIN arg a ON a.event_id = s.id
	WHERE a.name = 'why' AND a.value <> '' ORDER BY s.id; -- the end"
printed "--csv --header" want
tail -n 2 want >rows
run "$ktrack" query --csv trace.db "SELECT s.name, a.value FROM slice s JOIN arg a ON a.event_id = s.id
	WHERE a.name = 'why' AND a.value <> '' ORDER BY s.id"
printed "--csv has no header by itself" rows
printf '%s\n' '[' '{"a":1,"b":null,"c":2.5,"d":"x\"y","e":"9007199254740993","f":null}' ']' >want
run "$ktrack" query --json trace.db "SELECT 1 AS a, NULL AS b, 2.5 AS c, 'x\"y' AS d, 9007199254740993 AS e, 1e999 AS f"
printed "--json" want
printf '%s\n' '[' ']' >want
run "$ktrack" query -q --json trace.db "SELECT 1 WHERE 0"
printed "--json without rows" want
run "$ktrack" query trace.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) SELECT i FROM n"
is "a long result is complete" "$status $(grep -c '^ *[0-9]' out) $(grep -c '^ *i$' out)" = "0 2500 3"
run "$ktrack" query trace.db 'SELECT :a + 1, typeof(:b), typeof(:c)' a=41 b=x
is "parameters are numbers, texts or NULL" "$(tail -n 1 out | tr -s ' ')" = " 42 text null"

see="; see ktrack-sql(5)"
run "$ktrack" query trace.db 'SELECT nam FROM slice'
refused "a wrong column, with its place" 1 "query: no such column: nam at column 8$see"
run "$ktrack" query trace.dat 'SELECT nam FROM slice'
refused "also before a recording is read" 1 "query: no such column: nam at column 8$see"
run "$ktrack" query trace.db "SELECT 1
FROM slice WHERE (
ORDER"
refused "a syntax error in the third line" 1 "query: near \"ORDER\": syntax error at line 3, column 1$see"
run "$ktrack" query trace.db 'SELECT 1; SELECT 2'
refused "two statements" 1 "query: more than one statement; write one SELECT"
run "$ktrack" query trace.db ' '
refused "no statement" 1 "query: empty; write a SELECT, or see 'ktrack query --list'"
run "$ktrack" query trace.db @nonsense
refused "an unknown name" 1 "@nonsense: no such query; 'ktrack query --list' prints all"
run "$ktrack" query trace.db @Counter
refused "a misspelled name" 1 "@Counter: no such query; did you mean '@counters'?"
run "$ktrack" query trace.db @slowest nme=x
refused "an unknown parameter" 1 "nme=x: the query has no :nme; leave it out"
run "$ktrack" query -e demo trace.db @slowest
refused "records of a database cannot be selected" 2 "-e: selects records, but trace.db is a database; use WHERE in the query"
cp trace.db before.db
for statement in "DELETE FROM slice" "INSERT INTO slice(id) VALUES(99)" "DROP TABLE slice" "CREATE TABLE t(a)" "CREATE TEMP TABLE t(a)" \
	"ATTACH 'other.db' AS other" "PRAGMA user_version = 9" "PRAGMA journal_mode = WAL" "VACUUM INTO 'other.db'" "BEGIN" "REINDEX"; do
	run "$ktrack" query trace.db "$statement"
	refused "$statement" 1 "query: it can only read; change a database of --sqlite with sqlite3(1)"
done
run "$ktrack" query trace.db "SELECT load_extension('x')"
is "extensions are refused" "$status $(grep -c 'not authorized' err)" = "1 1"
is "nothing was written" "$(cmp before.db trace.db && ls other.db* 2>/dev/null)" = ""
run "$ktrack" query trace.db "PRAGMA user_version"
is "a pragma that reads is fine" "$status" = 0
run sh -c '"$0" query trace.db "SELECT 1" >/dev/full' "$ktrack"
refused "a full disk" 1 "cannot write to standard output: No space left on device"
head -c 20000 trace.db >cut.db
run "$ktrack" query cut.db @names
is "a database that was cut is refused" "$status $(wc -l <err)" = "1 1"
printf 'SQLite format 3\000garbage' >garbage.db
run "$ktrack" query garbage.db @names
is "so is garbage" "$status $(wc -l <err)" = "1 1"
cp trace.db :memory:
run "$ktrack" query :memory: "SELECT count(*) FROM slice"
is "a file may have any name" "$status $(tail -n 1 out)" = "0        5"
finish
