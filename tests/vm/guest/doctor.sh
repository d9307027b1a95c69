#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: findings of ktrack doctor, and the settings of tracing before and after it.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

settings() {
	cat $TRACING/set_event $TRACING/trace_clock $TRACING/tracing_on $TRACING/current_tracer
	ls $INSTANCES
}

settings >/out/before
ktrack doctor --json >/out/root.json
settings >/out/after
su user -c 'ktrack doctor --json' >/out/user.json 2>/out/user.errors || true
insmod /modules/ktrack.ko
ktrack doctor --json | grep '"modules"' >/out/loaded.json
rmmod ktrack
