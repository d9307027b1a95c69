#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: records of the tracers osnoise and timerlat, which only some kernels have; soft interrupts, which are threads' here.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

# A hundredth of a second of each tenth, instead of all of each second, in which the CPUs do nothing else.
samples_shorten() {
	echo 10000 >$TRACING/osnoise/runtime_us
	echo 100000 >$TRACING/osnoise/period_us
}

# Whether a trace has all of what a pattern each names. Arguments: TRACE PATTERN...
trace_has() {
	trace=$1
	shift
	for pattern in "$@"; do
		grep -q "$pattern" "$trace" || return 1
	done
}

# Arguments: TRACER PATTERN..., which its trace has to have
tracer_record() {
	instance=$INSTANCES/$1
	mkdir "$instance"
	echo boot >"$instance/trace_clock"
	echo 8192 >"$instance/buffer_size_kb"
	echo 1 >"$instance/events/osnoise/enable"
	echo "$1" >"$instance/current_tracer"
	wait_for trace_has "$instance/trace" "$@"
	echo 0 >"$instance/tracing_on"
	cp "$instance/trace" "/out/$1.trace"
	attempt "$1-record" ktrack record --instance="$1" -d 100ms -o "/out/$1.dat"
	attempt "$1-file" ktrack export -r rt --event="/out/$1.event" "/out/$1.dat"
	echo nop >"$instance/current_tracer"
	rmdir "$instance"
	rm -f "/out/$1.dat"
}

samples_shorten
symbols_keep
attempt list ktrack list --rules -r rt
tracer_record osnoise ' irq_noise:' ' thread_noise:' ': *[0-9][0-9]*  *[0-9][0-9]*  *[0-9][0-9]*\.[0-9]'
tracer_record timerlat ' irq_noise:' ' thread_noise:' 'context *irq timer_latency' 'context *thread timer_latency'
attempt softirqs ktrack stream -r irq -d 500ms --event=/out/softirqs.event
attempt example sh -eu /example
echo nop >"$INSTANCES/rt/current_tracer"
rmdir "$INSTANCES/rt"
instances_check "at the end"
