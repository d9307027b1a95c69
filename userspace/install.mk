# SPDX-License-Identifier: GPL-2.0-only
# libtrace2 as a library for other programs, the programs of its tests, and the target install.

PREFIX ?= /usr/local
bindir := $(PREFIX)/bin
libdir := $(PREFIX)/lib
includedir := $(PREFIX)/include
mandir := $(PREFIX)/share/man

# Non-empty if the dynamic loader searches PREFIX by default and DESTDIR is unset; only then ldconfig is useful.
is-system-prefix = $(if $(DESTDIR),,$(filter /usr /usr/local,$(PREFIX:%/=%)))

library := libtrace2
library-major := 0
library-packages := libmd
library-objects := $(patsubst %.c,$(BUILD)/library/%.o,$(call module-sources,base trace2))
shared-library := $(BUILD)/$(library).so.$(library-major)
trace2-tools := $(foreach tool,driver misuse,$(BUILD)/trace2/$(tool) $(BUILD)/trace2/$(tool)-threads) $(BUILD)/trace2/clock_steps \
	$(BUILD)/trace2/example

.PHONY: library trace2-tools install

library: $(shared-library) $(BUILD)/$(library).so $(BUILD)/$(library).a

trace2-tools: $(trace2-tools) library

userspace unit-tests: library
unit-tests: trace2-tools

$(BUILD)/library/%.o: %.c userspace/userspace.mk userspace/install.mk | packages
	@mkdir -p $(@D)
	@echo '  CC pic  $<'
	$(Q)$(CC) $(flags) $(CFLAGS) -fPIC -c -o $@ $<

# nodelete: dlclose() must not unload the library, since thread and process exit handlers call into it.
$(shared-library): $(library-objects) userspace/trace2/libtrace2.map
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=userspace/trace2/libtrace2.map \
		-Wl,--no-undefined -Wl,-z,nodelete -o $@ $(library-objects) $(shell pkg-config --libs $(library-packages)) -lpthread

$(BUILD)/$(library).so: $(shared-library)
	$(Q)ln -sf $(<F) $@

# A single object with local hidden symbols: the static library defines only its public names.
$(BUILD)/$(library).a: $(library-objects)
	@echo '  AR      $@'
	$(Q)$(LD) -r -o $(BUILD)/library/$(library).o $^
	$(Q)objcopy -w --keep-global-symbol='trace2_*' $(BUILD)/library/$(library).o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/library/$(library).o

# Written on each install, since PREFIX may change.
library-description = printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' \
	'Name: $(library)' 'Description: trace2 telemetry for any program' 'Version: $(version)' \
	'Requires.private: $(library-packages)' 'Libs: -L$${libdir} -ltrace2' 'Libs.private: -lpthread' \
	'Cflags: -I$${includedir}'

# Programs of the tests; they see only the library's public headers.
$(BUILD)/trace2/%: tests/trace2/%.c $(BUILD)/$(library).so
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) -O1 -g -Iinclude $(CPPFLAGS) -o $@ $< -L$(BUILD) -ltrace2 -Wl,-rpath,'$$ORIGIN/..' \
		-lpthread

$(BUILD)/trace2/%-threads: tests/trace2/%.c $(call module-sources,base trace2) \
		$(wildcard include/trace2/*.h userspace/base/*.h userspace/trace2/*.h)
	@mkdir -p $(@D)
	@echo '  LD tsan $@'
	$(Q)$(CC) $(filter-out -MMD -MP,$(flags)) -O1 -g -fsanitize=thread -o $@ $(filter %.c,$^) \
		$(shell pkg-config --libs $(library-packages)) -lpthread

$(BUILD)/trace2/example: include/trace2/example.c $(BUILD)/$(library).a
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=c11 $(warnings) -O1 -g -Iinclude $(CPPFLAGS) -o $@ $< $(BUILD)/$(library).a \
		$(shell pkg-config --libs $(library-packages)) -lpthread

install: userspace library
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)/trace2 \
		$(DESTDIR)$(includedir)/ktrack $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man3 $(DESTDIR)$(mandir)/man5 $(DESTDIR)$(mandir)/man7
	install -m 755 $(BUILD)/ktrack $(DESTDIR)$(bindir)
	install -m 755 $(shared-library) $(DESTDIR)$(libdir)
	ln -sf $(notdir $(shared-library)) $(DESTDIR)$(libdir)/$(library).so
	install -m 644 $(BUILD)/$(library).a $(DESTDIR)$(libdir)
	$(library-description) >$(DESTDIR)$(libdir)/pkgconfig/$(library).pc
	install -m 644 $(wildcard include/trace2/*.h) $(DESTDIR)$(includedir)/trace2
	install -m 644 $(wildcard include/ktrack/*.h) $(DESTDIR)$(includedir)/ktrack
	install -m 644 $(wildcard userspace/cli/*.1) $(DESTDIR)$(mandir)/man1
	install -m 644 $(wildcard userspace/trace2/*.3) $(DESTDIR)$(mandir)/man3
	install -m 644 $(wildcard userspace/cli/*.5) $(DESTDIR)$(mandir)/man5
	install -m 644 $(wildcard include/ktrack/*.7 userspace/cli/*.7) $(DESTDIR)$(mandir)/man7
	$(if $(is-system-prefix),[ "$$(id -u)" != 0 ] || ldconfig)

-include $(library-objects:.o=.d)
