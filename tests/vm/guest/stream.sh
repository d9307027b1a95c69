#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: exports batches of the demo live. Arguments: REQUESTS:WORKERS:SLOTS...
# Leaves batch.N.json, list.txt, and in the output a line for each thing that should not have happened.
set -eu

TRACING=/sys/kernel/tracing

# Everything that can be set at the top level, where a stream has no business.
settings_show() {
	cat $TRACING/tracing_on $TRACING/trace_clock $TRACING/buffer_size_kb $TRACING/set_event
	cat $TRACING/events/enable $TRACING/current_tracer $TRACING/trace_options
}

batch_stream() {
	insmod /modules/ktrack_demo.ko "workers=$3" "slots=$4"
	ktrack list >/out/list.txt
	ktrack stream -b 4096 "--event=/out/batch.$1.json" -- sh -c "echo $2 >/dev/ktrack_demo" ||
		echo "a batch of $2 ended with status $?"
	rmmod ktrack_demo || echo "ktrack_demo could not be removed after the stream"
}

insmod /modules/ktrack.ko
# On 6.1 the first instance that resizes its buffer could keep the top level's from ever growing beyond its boot size.
ktrack stream -d 100ms --event=/dev/null || echo "an empty stream ended with status $?"
[ "$(cat $TRACING/buffer_size_kb)" != 7 ] || echo "the top level's buffer is stuck at its boot size"
before=$(settings_show)
number=0
for batch in "$@"; do
	workers=${batch#*:}
	batch_stream "$number" "${batch%%:*}" "${workers%:*}" "${batch##*:}"
	number=$((number + 1))
done
[ "$before" = "$(settings_show)" ] || echo "the top level's settings have changed"
[ -z "$(ls $TRACING/instances)" ] || echo "left behind: $(ls $TRACING/instances)"
rmmod ktrack
