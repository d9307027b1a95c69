# SPDX-License-Identifier: GPL-2.0-only
"""The strict reader of EVENT streams as ktrack writes them, one idea per module."""
