# SPDX-License-Identifier: GPL-2.0-only
"""Sums of what ktrack why --json prints."""


def wrong_sums(parts, total, where):
    """Every level whose parts do not add up to the nanosecond."""
    found = sum(part["ns"] for part in parts)
    if found != total:
        yield f"{where}: {found} ns, expected are {total}"
    for part in parts:
        if "meanwhile" in part:
            yield from wrong_sums(part["meanwhile"], part["ns"], f"{where}, waker {part.get('waker', part.get('operation'))}")
