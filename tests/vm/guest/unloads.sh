#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Guest: modules with pins (/modules) and without (/optout) start and end, part by part; the parts are in /parts.
# Arguments: CHURN-ROUNDS OPTOUT-ROUNDS. Leaves what each part said in a file of its own.
set -eu

sh /parts/unload.sh >/out/orders
sh /parts/churn.sh /modules "$1" >/out/churn
sh /parts/optout.sh /optout "$2" >/out/optout
sh /parts/churn.sh /optout "$1" >/out/optout_churn
