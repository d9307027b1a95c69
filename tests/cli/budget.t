#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Test: --budget of ktrack stat: verdicts, exit statuses, JSON, losses.
set -eu

# shellcheck source=tests/cli/process.sh
. "$(dirname "$0")/process.sh"

unset KTRACK_TRACE2 KTRACK_TRACE2_PERF KTRACK_TRACE2_EVENT
cat >"$folder/work.script" <<'SCRIPT'
event demo:io 100 char track_event_type; string slice_name
repeat 99
+100 7@0 io B read
+1000 7@0 io E ""
end
+100 7@0 io B read
+5000000 7@0 io E ""
+100 7@0 io B open
SCRIPT
tests/golden/mktrace "$folder/work.script" "$folder/trace.dat"
for name in loss-on-two-cpus loss-swallows-begin-and-end; do
	tests/golden/mktrace "tests/golden/$name.script" "$folder/$name.dat"
done
head -c 9000 "$folder/trace.dat" >"$folder/cut.dat"
cd "$folder"

# verdict STATUS BUDGET VERDICT [SOURCE]
verdict() {
	run "$ktrack" stat --budget="$2" "${4-trace.dat}"
	is "$2: $3" "$status $(sed -n "s/^ktrack: budget '.*': \([a-z]*\): .*/\1/p" err)" = "$1 $3"
}

verdict 0 'demo:io/read p99 < 2us' met
verdict 4 'read p99.9 < 2us' exceeded
verdict 4 'read max <= 4ms' exceeded
verdict 0 'read max <= 5ms' met
verdict 4 'read max < 5ms' exceeded
verdict 0 'read count >= 100' met
verdict 4 'read mean < 50us' exceeded
verdict 0 'read@io mean < 60us' met
verdict 3 'write p99 < 2us' undecided
verdict 3 'open max < 1s' undecided
verdict 3 'other:io/read max < 1s' undecided
run "$ktrack" stat --budget='read max < 1s' --budget='read max < 1ms' --budget='none max < 1s' trace.dat
is "of several budgets the worst decides" "$status $(grep -c '^ktrack: budget' err)" = "4 3"
run "$ktrack" stat --json --budget='read max < 1s' --budget='read max < 1ms' trace.dat
is "--json prints the verdicts, and no messages" "$status $(tail -n 1 out | jq -c '[.budgets[].verdict]') $(cat err)" = '4 ["met","exceeded"] '
is "with the numbers" "$(tail -n 1 out | jq -c '.budgets[1] | [.count, .less, .max_ns, .lost_records]')" = "[100,99,5000000,0]"
verdict 3 '* max < 1s' undecided loss-on-two-cpus.dat
verdict 4 '* max < 1ns' exceeded loss-on-two-cpus.dat
verdict 3 '* p99 < 1s' undecided loss-swallows-begin-and-end.dat
run "$ktrack" stat --fail-on-loss --budget='* max < 1ns' loss-on-two-cpus.dat
is "exceeded is worse than a loss" "$status" = 4
run "$ktrack" stat --budget='* max < 1ns' cut.dat
is "damage is worse than both" "$status" = 1
run "$ktrack" stat --budget='read p99' trace.dat
refused "no comparison" 2 "'read p99': no comparison; write SLICE WHAT < VALUE, such as 'mydrv:mydrv_work/read p99 < 2ms'"
run "$ktrack" stream --budget='read p99 < 2' -- touch target
refused "no unit, before anything is done" 2 "'read p99 < 2': '2' is no time; write a number with ns, us, ms, s, m or h"
is "the command did not run" ! -e target
set -- stat
for i in $(seq 33); do
	set -- "$@" --budget="read max < ${i}s"
done
run "$ktrack" "$@" trace.dat
refused "too many" 2 "--budget=read max < 33s: more than 32; leave out some"
finish
