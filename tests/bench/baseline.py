# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 511,
    "plain perf": 554,
    "mixed event": 668,
    "mixed perf": 772,
}
