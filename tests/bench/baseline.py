# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 616,
    "plain perf": 747,
    "mixed event": 718,
    "mixed perf": 863,
}
