# SPDX-License-Identifier: GPL-2.0-only
# Targets that measure.
.PHONY: bench-kernel

bench-kernel:
	$(Q)scripts/deps build vm
	$(Q)tests/bench/kernel-cost
