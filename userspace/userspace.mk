# SPDX-License-Identifier: GPL-2.0-only
# Userspace: sources of each module, and the ktrack binary.

# A module may include only modules before it in this list. Its sources are all *.c files of its folder.
modules := base event userring tracefs tracedat tracetext source convention rules timeline track trace2 sink serve analysis reader output capture replay check cli
module-sources = $(sort $(foreach module,$(1),$(wildcard userspace/$(module)/*.c userspace/$(module)/*/*.c)))
sources := $(call module-sources,$(modules))
library-sources := $(filter-out userspace/cli/main.c,$(sources))

packages := libtracefs >= 1.6 libtraceevent >= 1.7 libxxhash libmd zlib libcap-ng libseccomp
# Only their headers: they are loaded when they are needed.
loaded-packages := sqlite3 >= 3.38 libelf libzstd liblzma ncursesw
# The version and its date, for the program, the man pages and the packages.
version := 0.2.0
released := 2026-11-23

CC ?= gcc
CFLAGS ?= -O2 -g
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
# SLP vectorization collects separate stores in vector registers, which makes export 2 to 4 % slower.
tuning := -fno-tree-slp-vectorize
warnings := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wno-missing-field-initializers
# For programs and libraries that are used, not for those of tests. The caller's flags come later, so that they win.
machine := $(shell $(CC) -dumpmachine)
branch-protection := $(if $(filter x86_64%,$(machine)),-fcf-protection,$(if $(filter aarch64%,$(machine)),-mbranch-protection=standard))
optimizes = $(filter-out -O0,$(filter -O%,$(CFLAGS)))
fortifies = $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))
hardening = $(if $(SAN),,-fstack-protector-strong -fstack-clash-protection $(branch-protection) \
	$(if $(and $(optimizes),$(if $(fortifies),,yes)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
link-hardening = $(if $(SAN),,-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
# Found when first needed, once for all objects.
package-flags = $(eval package-flags := $$(shell pkg-config --cflags '$(packages) $(loaded-packages)' 2>/dev/null))$(package-flags)
package-libraries = $(eval package-libraries := $$(shell pkg-config --libs '$(packages)' 2>/dev/null))$(package-libraries)
flags = -std=gnu11 -D_GNU_SOURCE -DKTRACK_VERSION='"$(version)"' $(warnings) $(tuning) -fvisibility=hidden \
	-Iuserspace -Iinclude -MD -MP $(package-flags) $(CPPFLAGS)
libraries = $(package-libraries) -lm
objects := $(sources:%.c=$(BUILD)/%.o)

userspace: $(BUILD)/ktrack

.PHONY: packages
packages:
	@pkg-config --print-errors '$(packages) $(loaded-packages)' || { echo 'pkg-config: libraries missing; run scripts/deps build, or install with headers: $(packages) $(loaded-packages)' >&2; exit 1; }

$(BUILD)/ktrack: $(objects)
	@echo '  LD      $@'
	$(Q)$(CC) -pie $(link-hardening) $(CFLAGS) $(LDFLAGS) $(if $(SAN),$(SANITIZE)) -o $@ $^ $(libraries)

$(BUILD)/%.o: %.c userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC      $<'
	$(Q)$(CC) -fPIE $(hardening) $(flags) $(CFLAGS) $(independent) $(if $(SAN),$(SANITIZE)) -c -o $@ $<

# page.c, packs.c, sqlite.c and query.c embed these files; the compiler lists them in no dependency file.
$(BUILD)/userspace/rules/packs.o $(BUILD)/san/userspace/rules/packs.o $(BUILD)/fuzz/clang/userspace/rules/packs.o: $(wildcard userspace/rules/packs/*)
$(BUILD)/userspace/sink/html/page.o $(BUILD)/san/userspace/sink/html/page.o: $(wildcard userspace/sink/html/*)
$(foreach build,$(BUILD) $(BUILD)/san $(BUILD)/fuzz/clang,$(build)/userspace/sink/sqlite/sqlite.o): $(wildcard userspace/sink/sqlite/*.sql)
$(foreach build,$(BUILD) $(BUILD)/san $(BUILD)/fuzz/clang,$(build)/userspace/sink/sqlite/query.o): $(wildcard userspace/sink/sqlite/queries/*)

.SECONDARY:
-include $(objects:.o=.d)
