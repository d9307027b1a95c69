#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: a batch of the demo in all three targets at once, and a traced git that writes into ktrack's own stream.
# Argument: REQUESTS. Leaves batch.event, batch.perf, batch.normal, family.event, and in the output what should not have happened.
set -eu

# The file that ktrack and git share has to be the same for both, and git wants a home.
export HOME=/root GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b
export TZ=UTC

insmod /modules/ktrack.ko
insmod /modules/ktrack_demo.ko
ktrack stream -b 4096 --event=/out/batch.event --perf=/out/batch.perf --normal=/out/batch.normal -- \
	sh -c "echo $1 >/dev/ktrack_demo" || echo "three targets ended with status $?"

mkdir -p /root/repository
cd /root/repository
git init -q .
git commit -q --allow-empty -m one
export GIT_TRACE2_EVENT=/out/family.event
ktrack stream -d 10m --event=/out/family.event -- git status >/dev/null || echo "a traced git ended with status $?"
cd /
rmmod ktrack_demo
rmmod ktrack
