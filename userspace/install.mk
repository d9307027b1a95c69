# SPDX-License-Identifier: GPL-2.0-only
# What leaves the build: libtrace2 as a library for other programs, its tests' helpers, and the installation of everything.

PREFIX ?= /usr/local
bindir := $(PREFIX)/bin
libdir := $(PREFIX)/lib
includedir := $(PREFIX)/include
mandir := $(PREFIX)/share/man

# Where the loader looks by itself: only there, and on this machine, its cache has something to gain.
is-system-prefix = $(if $(DESTDIR),,$(filter /usr /usr/local,$(PREFIX:%/=%)))

library := libtrace2
library-major := 0
library-packages := libmd inih
library-objects := $(foreach room,base trace2,$(patsubst %.c,$(BUILD)/library/%.o,$(call room-sources,$(room))))
shared-library := $(BUILD)/$(library).so.$(library-major)
trace2-tools := $(foreach tool,speak careless,$(BUILD)/trace2/$(tool) $(BUILD)/trace2/$(tool)-threads) $(BUILD)/trace2/steps \
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

# It stays in memory once it is there: threads that end and the end of the process lead back into it.
$(shared-library): $(library-objects) userspace/trace2/libtrace2.map
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--version-script=userspace/trace2/libtrace2.map \
		-Wl,--no-undefined -Wl,-z,nodelete -o $@ $(library-objects) $(shell pkg-config --libs $(library-packages)) -lpthread

$(BUILD)/$(library).so: $(shared-library)
	$(Q)ln -sf $(<F) $@

# One object, whose hidden names are local: the static library takes no name from a program but those it offers.
$(BUILD)/$(library).a: $(library-objects)
	@echo '  AR      $@'
	$(Q)$(LD) -r -o $(BUILD)/library/$(library).o $^
	$(Q)objcopy --localize-hidden $(BUILD)/library/$(library).o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/library/$(library).o

# Made anew each time: it holds the place that is asked for now.
library-description = printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' \
	'Name: $(library)' 'Description: telemetry in the form of trace2, for any program' 'Version: $(version)' \
	'Requires.private: $(library-packages)' 'Libs: -L$${libdir} -ltrace2' 'Libs.private: -lpthread' \
	'Cflags: -I$${includedir}'

# Programs of the tests: they know the library's headers only.
$(BUILD)/trace2/%: tests/trace2/%.c $(BUILD)/$(library).so
	@mkdir -p $(@D)
	@echo '  LD      $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(warnings) -O1 -g -Iinclude $(CPPFLAGS) -o $@ $< -L$(BUILD) -ltrace2 -Wl,-rpath,'$$ORIGIN/..' \
		-lpthread

$(BUILD)/trace2/%-threads: tests/trace2/%.c $(call room-sources,base) $(call room-sources,trace2) \
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
		$(DESTDIR)$(includedir)/ktrack $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(mandir)/man3 $(DESTDIR)$(mandir)/man7
	install -m 755 $(BUILD)/ktrack $(DESTDIR)$(bindir)
	install -m 755 $(shared-library) $(DESTDIR)$(libdir)
	ln -sf $(notdir $(shared-library)) $(DESTDIR)$(libdir)/$(library).so
	install -m 644 $(BUILD)/$(library).a $(DESTDIR)$(libdir)
	$(library-description) >$(DESTDIR)$(libdir)/pkgconfig/$(library).pc
	install -m 644 $(wildcard include/trace2/*.h) $(DESTDIR)$(includedir)/trace2
	install -m 644 $(wildcard include/ktrack/*.h) $(DESTDIR)$(includedir)/ktrack
	install -m 644 $(wildcard userspace/cli/*.1) $(DESTDIR)$(mandir)/man1
	install -m 644 $(wildcard userspace/trace2/*.3) $(DESTDIR)$(mandir)/man3
	install -m 644 $(wildcard include/ktrack/*.7) $(DESTDIR)$(mandir)/man7
	$(if $(is-system-prefix),[ "$$(id -u)" != 0 ] || ldconfig)

-include $(library-objects:.o=.d)
