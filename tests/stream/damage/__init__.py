# SPDX-License-Identifier: GPL-2.0-only
"""A second writer of EVENT streams, slow and simple: what the checks are tried on."""
