# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 699,
    "plain perf": 712,
    "mixed event": 891,
    "mixed perf": 902,
}
