# SPDX-License-Identifier: GPL-2.0-only
# libtrace2 as a library for other programs, and the programs of its tests.

library := libtrace2
library-major := 0
OBJCOPY ?= objcopy
library-packages := libmd
# Those of ktrack itself; with sanitizers, which are not for other programs, the library has its own.
library-objects := $(patsubst %.c,$(BUILD)/$(if $(SAN),library/)%.o,$(call module-sources,base trace2))
# The same sources with the thread sanitizer, for both of its programs.
library-tsan-objects := $(patsubst %.c,$(BUILD)/tsan/%.o,$(call module-sources,base trace2))
tsan := -O1 -g -fsanitize=thread
shared-library := $(BUILD)/$(library).so.$(library-major)
trace2-tools := $(foreach tool,driver misuse,$(BUILD)/trace2/$(tool) $(BUILD)/trace2/$(tool)-threads) $(BUILD)/trace2/clock_steps \
	$(BUILD)/trace2/example

.PHONY: library trace2-tools

library: $(shared-library) $(BUILD)/$(library).so $(BUILD)/$(library).a

trace2-tools: $(trace2-tools) library

userspace unit-tests: library
unit-tests: trace2-tools

$(BUILD)/library/%.o: %.c userspace/userspace.mk userspace/library.mk | packages
	@mkdir -p $(@D)
	@echo '  CC pic  $<'
	$(Q)$(CC) $(hardening) $(flags) $(CFLAGS) $(independent) -c -o $@ $<

$(library-objects): independent := -fPIC

# nodelete: dlclose() must not unload the library, since thread and process exit handlers call into it.
$(shared-library): $(library-objects) userspace/trace2/libtrace2.map
	@echo '  LD      $@'
	$(Q)$(CC) $(link-hardening) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=userspace/trace2/libtrace2.map \
		-Wl,--no-undefined -Wl,-z,nodelete -o $@ $(library-objects) $(shell pkg-config --libs $(library-packages)) -lpthread

$(BUILD)/$(library).so: $(shared-library)
	$(Q)ln -sf $(<F) $@

# A single object with local hidden symbols: the static library defines only its public names.
$(BUILD)/$(library).a: $(library-objects)
	@mkdir -p $(BUILD)/library
	@echo '  AR      $@'
	$(Q)$(LD) -r -o $(BUILD)/library/$(library).o $^
	$(Q)$(OBJCOPY) -w --keep-global-symbol='trace2_*' $(BUILD)/library/$(library).o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/library/$(library).o

# Programs of the tests; they see only the library's public headers.
$(BUILD)/trace2/%: tests/trace2/%.c $(BUILD)/$(library).so
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) -O1 -g -Iinclude $(CPPFLAGS) -o $@ $< -L$(BUILD) -ltrace2 -Wl,-rpath,'$$ORIGIN/..' \
		-lpthread

$(BUILD)/tsan/%.o: %.c userspace/userspace.mk userspace/library.mk | packages
	@mkdir -p $(@D)
	@echo '  CC tsan $<'
	$(Q)$(CC) $(flags) $(tsan) -c -o $@ $<

$(BUILD)/trace2/%-threads: $(BUILD)/tsan/tests/trace2/%.o $(library-tsan-objects)
	@mkdir -p $(@D)
	@echo '  LD tsan $@'
	$(Q)$(CC) $(tsan) -o $@ $^ $(shell pkg-config --libs $(library-packages)) -lpthread

$(BUILD)/trace2/example: include/trace2/example.c $(BUILD)/$(library).a
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=c11 $(warnings) -O1 -g -Iinclude $(CPPFLAGS) -o $@ $< $(BUILD)/$(library).a \
		$(shell pkg-config --libs $(library-packages)) -lpthread

-include $(library-objects:.o=.d) $(library-tsan-objects:.o=.d) $(wildcard $(BUILD)/tsan/tests/trace2/*.d)
