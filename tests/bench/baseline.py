# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 598,
    "plain perf": 730,
    "mixed event": 665,
    "mixed perf": 828,
    "kernel event": 1369,
    "kernel perf": 1696,
}
