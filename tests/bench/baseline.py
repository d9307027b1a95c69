# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 638,
    "plain perf": 663,
    "mixed event": 748,
    "mixed perf": 829,
}
