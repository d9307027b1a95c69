#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: exports scenarios of the test module, each from a fresh one. Arguments: SCENARIO:COUNT...
# Leaves list.txt; for each SCENARIO.COUNT a stream (.json), the same for viewers (.pf, .chrome, .otlp, .metrics), and what the device then says (.txt);
# live statistics of nested 3 (live.json);
# text of plain tracefs (contexts.trace). Prints a line for what should not have happened.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# Arguments: SCENARIO COUNT FILE.
scenario_stream() {
	insmod /modules/ktrack_test.ko
	ktrack stream -b 8192 --rows=tracepoint -e 'ktrack_t*' "--event=$3.json" "--perfetto=$3.pf" "--fxt=$3.fxt" "--chrome=$3.chrome" \
		"--otlp=$3.otlp" "--otlp-metrics=$3.metrics" -- \
		sh -c "echo $1 $2 >/dev/ktrack_test" ||
		echo "$1 ended with status $?"
	grep -E '^(run|cpu) ' /dev/ktrack_test >"$3.txt"
	rmmod ktrack_test || echo "ktrack_test could not be removed after $1"
}

# Argument: SCENARIO
is_wanted() {
	case $scenarios in
	*" $1:"*) ;;
	*) return 1 ;;
	esac
}

# Commands that must be refused.
refusals_try() {
	is_wanted nmi || ! echo nmi 1 >/dev/ktrack_test || echo "an NMI where there are none"
	! echo twins 1 >/dev/ktrack_test || echo "twins without ktrack_twin.ko"
	! echo nothing 1 >/dev/ktrack_test || echo "a scenario that is not in the list"
	! echo nested 0 >/dev/ktrack_test || echo "no round at all"
	! echo nested >/dev/ktrack_test || echo "no count"
	! taskset 2 sh -c 'echo two_cpus 1 >/dev/ktrack_test' ||
		echo "two CPUs where the writer has one"
}

# What the kernel itself says of the context of each record.
contexts_record() {
	echo 1 >$TRACING/events/ktrack_test/enable
	echo contexts 1 >/dev/ktrack_test
	! is_wanted nmi || echo nmi 1 >/dev/ktrack_test
	cat $TRACING/trace >/out/contexts.trace
	echo 0 >$TRACING/events/ktrack_test/enable
}

scenarios=" $* "
insmod /modules/ktrack_test.ko
grep -vE '^(run|cpu) ' /dev/ktrack_test >/out/list.txt
refusals_try 2>/dev/null
contexts_record
rmmod ktrack_test
insmod /modules/ktrack_twin.ko
for scenario in "$@"; do
	scenario_stream "${scenario%:*}" "${scenario#*:}" "/out/${scenario%:*}.${scenario#*:}"
done
insmod /modules/ktrack_test.ko
ktrack stat --live --json --interval=20ms -b 8192 -e 'ktrack_t*' -- sh -c 'echo nested 3 >/dev/ktrack_test; until [ -s /out/live.json ]; do usleep 10000; done' >/out/live.json ||
	echo "ktrack stat ended with status $?"
rmmod ktrack_test ktrack_twin
instances_check "at the end"
