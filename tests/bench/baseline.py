# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 462,
    "plain perf": 523,
    "mixed event": 523,
    "mixed perf": 658,
}
