# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 508,
    "plain perf": 551,
    "mixed event": 603,
    "mixed perf": 720,
}
