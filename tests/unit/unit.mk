# SPDX-License-Identifier: GPL-2.0-only
# Unit tests: one program for each file in tests/unit/, under sanitizers. The modules are one shared library: programs link
# quickly, and a test can replace a function of the C library. Fixtures compress with libzstd, which ktrack loads when needed.

unit-library := $(BUILD)/san/libktrack.so
unit-fixtures := $(patsubst %.c,$(BUILD)/san/%.o,$(wildcard tests/unit/fixtures/*.c))
unit-programs := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/unit/*.c))
# Programs are linked in a quarter of the time where the compiler finds the linker gold. Looked for when first needed.
fast-linker = $(eval fast-linker := $$(shell $(CC) -fuse-ld=gold -Wl,--version >/dev/null 2>&1 && echo -fuse-ld=gold))$(fast-linker)
san-link = $(CC) $(SANITIZE) $(fast-linker) -o $@ $(filter %.o,$^) -L$(BUILD)/san -lktrack '-Wl,-rpath,$$ORIGIN/../../san:$$ORIGIN/../san' $(libraries) -lzstd

# Recordings without a kernel: for the page that follows one, and for the interactive view of ktrack stat.
output-programs := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/outputs/*.c))

.PHONY: unit-tests
unit-tests: $(unit-programs) $(output-programs)

# -Og -g1: a third less time to compile than -O1 -g. At -Og, gcc's warning is wrong about what an && sets. Unit tests themselves do
# little: at -O0 they take a quarter less.
$(BUILD)/san/%.o: %.c userspace/userspace.mk tests/unit/unit.mk | packages
	@mkdir -p $(@D)
	@echo '  CC san  $<'
	$(Q)$(CC) $(flags) -Wno-maybe-uninitialized $(if $(filter tests/unit/%,$<),-O0,-Og) -g1 -fPIC -fvisibility=default -fno-omit-frame-pointer $(SANITIZE) -c -o $@ $<

$(unit-library): $(library-sources:%.c=$(BUILD)/san/%.o)
	@echo '  LD san  $@'
	$(Q)$(CC) $(SANITIZE) $(fast-linker) -shared -o $@ $^ $(libraries)

# They load the library, and need not be linked again when it changes.
$(unit-programs): $(BUILD)/tests/unit/%: $(BUILD)/san/tests/unit/%.o $(unit-fixtures) | $(unit-library)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(san-link)

$(output-programs): $(BUILD)/%: $(BUILD)/san/%.o | $(unit-library)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(san-link)

-include $(wildcard $(BUILD)/san/userspace/*/*.d $(BUILD)/san/userspace/*/*/*.d $(BUILD)/san/tests/unit/*.d $(BUILD)/san/tests/unit/fixtures/*.d $(BUILD)/san/tests/outputs/*.d)
