# SPDX-License-Identifier: GPL-2.0-only
"""A second writer of EVENT streams, slow and simple, to try the checks on streams known to be right."""
