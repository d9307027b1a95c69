# SPDX-License-Identifier: GPL-2.0-only
# Fuzz targets: replayed by make check, under the sanitizers that unit tests have; run longer by make fuzz, with clang's libFuzzer.

FUZZ_SECONDS ?= 60
FUZZ_CC ?= clang
# Adding 0 to NULL is undefined only on paper, and gcc, which builds the replay, does not complain of it.
FUZZ_FLAGS := -Wno-gnu-variable-sized-type-not-at-end -fsanitize=address,undefined -fno-sanitize=pointer-overflow \
	-fno-sanitize-recover=undefined

fuzz-names := trace_dat format record target_value
fuzz-library := $(library-sources:%.c=$(BUILD)/fuzz/clang/%.o)

.PHONY: fuzz fuzz-replay
fuzz-replay: $(fuzz-names:%=$(BUILD)/fuzz/replay-%)

$(BUILD)/fuzz/replay-%: $(BUILD)/san/tests/fuzz/%.o $(BUILD)/san/tests/fuzz/replay.o $(library-sources:%.c=$(BUILD)/san/%.o)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(libraries)

$(BUILD)/fuzz/clang/%.o: %.c userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC fuzz $<'
	$(Q)$(FUZZ_CC) $(flags) -O1 -g -fsanitize=fuzzer-no-link $(FUZZ_FLAGS) -c -o $@ $<

$(BUILD)/fuzz/fuzz-%: $(BUILD)/fuzz/clang/tests/fuzz/%.o $(fuzz-library)
	@echo '  LD fuzz $@'
	$(Q)$(FUZZ_CC) -fsanitize=fuzzer $(FUZZ_FLAGS) -o $@ $^ $(libraries)

# What is found stays in build/fuzz/found/; put it into tests/fuzz/found/TARGET/ with its mend.
fuzz:
	$(Q)scripts/deps build fuzz
	$(Q)$(MAKE) $(fuzz-names:%=$(BUILD)/fuzz/fuzz-%)
	$(Q)tests/fuzz/seeds $(BUILD)/fuzz/corpus
	$(Q)mkdir -p $(BUILD)/fuzz/found
	$(Q)for name in $(fuzz-names); do \
		echo "  FUZZ    $$name, $(FUZZ_SECONDS) s"; \
		$(BUILD)/fuzz/fuzz-$$name -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=20 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/fuzz/found/$$name- $(BUILD)/fuzz/corpus/$$name || exit 1; \
	done

-include $(wildcard $(BUILD)/san/tests/fuzz/*.d $(BUILD)/fuzz/clang/*/*/*.d)
