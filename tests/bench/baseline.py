# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 612,
    "plain perf": 743,
    "mixed event": 707,
    "mixed perf": 857,
    "kernel event": 1714,
    "kernel perf": 1992,
}
