# SPDX-License-Identifier: GPL-2.0-only
"""Instructions for each event as they were when somebody last looked, by input and form."""

BASELINE = {
    "plain event": 893,
    "plain perf": 1210,
    "mixed event": 1079,
    "mixed perf": 1351,
}
