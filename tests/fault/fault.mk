# SPDX-License-Identifier: GPL-2.0-only
# Fault injection: ktrack under sanitizers, and a library to preload whose functions fail.

fault-programs := $(BUILD)/fault/ktrack $(BUILD)/fault/shim.so

.PHONY: fault-programs
fault-programs: $(fault-programs)

$(BUILD)/fault/ktrack: $(BUILD)/san/userspace/cli/main.o | $(unit-library)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(CC) $(SANITIZE) $(fast-linker) -o $@ $(filter %.o,$^) -L$(BUILD)/san -lktrack '-Wl,-rpath,$$ORIGIN/../san' $(libraries)

$(BUILD)/fault/shim.so: tests/fault/shim.c tests/fault/site.c tests/fault/site.h
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) $(CPPFLAGS) -O1 -g -fPIC -fvisibility=hidden -fno-builtin -shared -o $@ $(filter %.c,$^) -ldl
