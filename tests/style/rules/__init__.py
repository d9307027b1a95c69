# SPDX-License-Identifier: GPL-2.0-only
"""The style rules, each a function that looks at the whole tree and lists what breaks it."""
