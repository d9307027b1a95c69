# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# Guest: what scripts take in that run ktrack in the background.

INSTANCES=/sys/kernel/tracing/instances

# A traced command that shows what the process that reads may do, once it has given up the rest, and what it may do itself.
# shellcheck disable=SC2016,SC2034 # the traced shell expands it, and who takes it in uses it
PRIVILEGES='tries=0
	until grep -q "^NoNewPrivs:.*1" /proc/$PPID/status || [ $tries -ge 600 ]; do tries=$((tries + 1)); sleep 0.1; done
	grep "^Cap[PE]" /proc/$PPID/status
	grep "^CapEff" /proc/self/status'

# Whether a ktrack records. Argument: its process. A new instance is on from the beginning, before it is set up.
is_recording() {
	grep -q . "$INSTANCES/ktrack-$1/set_event" && [ "$(cat "$INSTANCES/ktrack-$1/tracing_on")" = 1 ]
}

# Puts the second processor online, where time is counted in instructions: somebody has to let it run.
second_cpu_start() {
	/yield &
	echo 1 >/sys/devices/system/cpu/cpu1/online
	kill $!
}
