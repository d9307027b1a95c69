# SPDX-License-Identifier: GPL-2.0-only
# Fuzz targets. make check replays saved inputs under the sanitizers of the unit tests; make fuzz runs clang's libFuzzer.

FUZZ_SECONDS ?= 60
FUZZ_CC ?= clang
# pointer-overflow also reports NULL + 0, which is harmless; gcc, which builds the replay, does not report it.
FUZZ_FLAGS := -Wno-gnu-variable-sized-type-not-at-end -fsanitize=address,undefined -fno-sanitize=pointer-overflow \
	-fno-sanitize-recover=undefined

fuzz-names := trace_dat format record target_value config symbols filter kallsyms rules stack selector elf budget request database marker userring described batch zstd_frames spool append merge text
fuzz-library := $(library-sources:%.c=$(BUILD)/fuzz/clang/%.o)

.PHONY: fuzz fuzz-replay
fuzz-replay: $(damage-programs) $(fuzz-names:%=$(BUILD)/fuzz/replay-%)

$(BUILD)/fuzz/replay-%: $(BUILD)/san/tests/fuzz/%.o $(BUILD)/san/tests/fuzz/replay.o | $(unit-library)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(san-link)

$(BUILD)/fuzz/clang/%.o: %.c userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC fuzz $<'
	$(Q)$(FUZZ_CC) $(flags) -O1 -g -fsanitize=fuzzer-no-link $(FUZZ_FLAGS) -c -o $@ $<

$(BUILD)/fuzz/fuzz-%: $(BUILD)/fuzz/clang/tests/fuzz/%.o $(fuzz-library)
	@echo '  LD fuzz $@'
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer $(FUZZ_FLAGS) -o $@ $^ $(libraries) -lzstd

# libFuzzer writes crashing inputs to build/fuzz/found/; add them to tests/fuzz/found/TARGET/ with the fix.
fuzz:
	$(Q)scripts/deps build fuzz
	$(Q)$(MAKE) userspace $(damage-programs) $(fuzz-names:%=$(BUILD)/fuzz/fuzz-%)
	$(Q)tests/fuzz/seeds $(BUILD)/fuzz/corpus
	$(Q)mkdir -p $(BUILD)/fuzz/found
	$(Q)for name in $(fuzz-names); do \
		echo "  FUZZ    $$name, $(FUZZ_SECONDS) s"; \
		$(BUILD)/fuzz/fuzz-$$name -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=20 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/fuzz/found/$$name- $(BUILD)/fuzz/corpus/$$name || exit 1; \
	done

-include $(wildcard $(BUILD)/san/tests/fuzz/*.d $(BUILD)/fuzz/clang/*/*/*.d)
