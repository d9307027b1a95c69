# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 612,
    "plain perf": 747,
    "mixed event": 717,
    "mixed perf": 863,
}
