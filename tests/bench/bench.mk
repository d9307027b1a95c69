# SPDX-License-Identifier: GPL-2.0-only
# Benchmarks.
.PHONY: bench-kernel bench-live

bench-kernel:
	$(Q)scripts/deps build vm
	$(Q)tests/bench/kernel-cost

bench-live: userspace
	$(Q)scripts/deps build vm check
	$(Q)tests/bench/live-cost

# A reference for ktrack export: a naive exporter.
.PHONY: bench bench-tools

bench: userspace
	$(Q)scripts/deps build check
	$(Q)$(MAKE) bench-tools
	$(Q)tests/bench/bench

bench-tools: $(BUILD)/bench/naive

$(BUILD)/bench/naive: tests/bench/naive.c
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) $(CPPFLAGS) $(CFLAGS) $(shell pkg-config --cflags libtracecmd) -o $@ $< \
		$(shell pkg-config --libs libtracecmd)

# A reference for ktrack export: ktrack with libtraceevent's kbuffer as reader of sub-buffers, see tests/golden/kbuffer.t.
$(BUILD)/bench/kbuffer_page.o: tests/golden/kbuffer_page.c userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC      $<'
	$(Q)$(CC) $(flags) $(CFLAGS) -c -o $@ $<

$(BUILD)/bench/ktrack-kbuffer: $(filter-out $(BUILD)/userspace/tracefs/page.o,$(objects)) $(BUILD)/bench/kbuffer_page.o
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(libraries)

-include $(BUILD)/bench/kbuffer_page.d
