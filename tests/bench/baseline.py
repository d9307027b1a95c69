# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 964,
    "plain perf": 1233,
    "mixed event": 1161,
    "mixed perf": 1393,
}
