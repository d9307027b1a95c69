# SPDX-License-Identifier: GPL-2.0-only
# Targets that measure.
.PHONY: bench-kernel

bench-kernel:
	$(Q)scripts/deps build vm
	$(Q)tests/bench/kernel-cost

# What ktrack's export is measured against, and the same ktrack with another walker of sub-buffers.
oracle-sources := $(filter-out userspace/source/page.c,$(call room-sources,source)) tests/bench/oracle/page.c
oracle-objects := $(oracle-sources:%.c=$(BUILD)/oracle/%.o)

.PHONY: bench bench-tools

bench: userspace
	$(Q)scripts/deps build check
	$(Q)$(MAKE) bench-tools
	$(Q)tests/bench/bench

bench-tools: $(BUILD)/bench/naive $(BUILD)/bench/ktrack-kbuffer

$(BUILD)/bench/naive: tests/bench/naive.c
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) $(CPPFLAGS) $(CFLAGS) $(shell pkg-config --cflags libtracecmd) -o $@ $< \
		$(shell pkg-config --libs libtracecmd)

$(BUILD)/oracle/%.o: %.c tests/bench/oracle/source/page.h userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC      $< (kbuffer)'
	$(Q)$(CC) -Itests/bench/oracle $(flags) $(CFLAGS) -c -o $@ $<

$(BUILD)/bench/ktrack-kbuffer: $(filter-out $(BUILD)/userspace/source/%,$(objects)) $(oracle-objects)
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libraries)
