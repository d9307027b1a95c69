# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 503,
    "plain perf": 546,
    "mixed event": 629,
    "mixed perf": 753,
}
