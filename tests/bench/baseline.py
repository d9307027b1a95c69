# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 674,
    "plain perf": 678,
    "mixed event": 781,
    "mixed perf": 839,
}
