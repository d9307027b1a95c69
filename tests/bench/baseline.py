# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 617,
    "plain perf": 659,
    "mixed event": 726,
    "mixed perf": 830,
}
