# SPDX-License-Identifier: GPL-2.0-only
# A program that adds ktrack's checksums to a trace.dat, for recordings without a kernel.

damage-programs := $(BUILD)/damage/add_checksums

.PHONY: damage-programs
damage-programs: $(damage-programs)

$(BUILD)/damage/add_checksums: $(BUILD)/san/tests/damage/add_checksums.o | $(unit-library)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(san-link)
