# SPDX-License-Identifier: GPL-2.0-only
"""Makes trace.dat files out of scripts."""
