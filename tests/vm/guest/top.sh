#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: the interactive view of ktrack stat --live on a terminal, ended by a key and by a signal.
set -eu

# shellcheck source=tests/vm/guest/helpers.sh
. /helpers.sh

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
export TERM=xterm TERMINFO=/terminfo LC_ALL=C.UTF-8

# The driver works while the view is shown.
(while [ ! -e /stop ]; do echo 3 >/dev/ktrack_demo; usleep 100000; done) &
# shellcheck disable=SC2016 # the keys
attempt keys /terminal /out/keys.log lost '/transfer
' filter 'p' PAUSED '
' SHARE 'q' -- ktrack stat --live -d 60 --interval=200ms -e 'ktrack_demo:*' -b 4096
attempt signal /terminal /out/signal.log -- sh -c '(sleep 2; kill -TERM $$) & exec ktrack stat --live --interval=100ms -e "ktrack_demo:*"'
attempt duration /terminal /out/duration.log -- ktrack stat --live -d 1 -e 'ktrack_demo:*'
touch /stop
wait
