# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 475,
    "plain perf": 536,
    "mixed event": 536,
    "mixed perf": 671,
}
