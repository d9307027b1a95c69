# SPDX-License-Identifier: GPL-2.0-only
# Benchmarks.
.PHONY: bench-kernel bench-live

bench-kernel:
	$(Q)scripts/deps build vm
	$(Q)tests/bench/kernel-cost

bench-live: userspace
	$(Q)scripts/deps build vm check
	$(Q)tests/bench/live-cost

# References for ktrack export: a naive exporter, and ktrack with libtraceevent's kbuffer as sub-buffer reader.
oracle-sources := $(filter-out userspace/tracefs/page.c,$(call module-sources,tracefs tracedat source)) tests/bench/oracle/page.c
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

$(BUILD)/oracle/%.o: %.c tests/bench/oracle/tracefs/page.h userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC      $< (kbuffer)'
	$(Q)$(CC) -Itests/bench/oracle $(flags) $(CFLAGS) -c -o $@ $<

$(BUILD)/bench/ktrack-kbuffer: $(filter-out $(addprefix $(BUILD)/userspace/,tracefs/% tracedat/% source/%),$(objects)) $(oracle-objects)
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libraries)
