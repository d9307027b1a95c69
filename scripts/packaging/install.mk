# SPDX-License-Identifier: GPL-2.0-only
# Targets that install and remove ktrack, its library, its headers and ktrack.ko.

PREFIX ?= /usr/local
# Where the loader and pkg-config search on systems with several architectures.
multiarch := $(shell $(CC) -print-multiarch 2>/dev/null)
LIBDIR ?= $(PREFIX)/lib$(if $(multiarch),$(if $(filter /usr /usr/local,$(PREFIX:%/=%)),/$(multiarch)))
bindir := $(PREFIX)/bin
includedir := $(PREFIX)/include
mandir := $(PREFIX)/share/man
datadir := $(PREFIX)/share/ktrack
docdir := $(PREFIX)/share/doc/ktrack
# Of the service manager, which searches these folders below /usr and /usr/local.
systemddir := $(PREFIX)/lib
units := $(wildcard scripts/packaging/systemd/*.service)

# Non-empty if the dynamic loader searches PREFIX by default and DESTDIR is unset; only then ldconfig is useful.
is-system-prefix = $(if $(DESTDIR),,$(filter /usr /usr/local,$(PREFIX:%/=%)))

pages := $(wildcard userspace/cli/*.[1-8] userspace/doc/*.[1-8] userspace/trace2/*.[1-8] include/ktrack/*.[1-8])
page-sections := $(sort $(patsubst .%,%,$(suffix $(pages))))
# Headers for programs; all others of include/ktrack are for drivers, which cannot be built with -I/usr/include.
program-headers := $(wildcard include/ktrack/user.h)
program-parts := $(wildcard include/ktrack/user/*.h)
driver-headers := $(filter-out $(program-headers),$(wildcard include/ktrack/*.h))
examples := $(wildcard include/ktrack/example/*)

doc-files := $(wildcard userspace/doc/*.png userspace/doc/*.css userspace/doc/*.html)
html-pages := $(addprefix $(BUILD)/doc/,$(addsuffix .html,$(notdir $(pages))))

.PHONY: doc completion single-header install uninstall modules_install

# Each kind of headers as one file; those for code that declares no tracepoints (generic.h) need ktrack.ko, too.
single-headers := $(addprefix $(BUILD)/single-header/,ktrack-user.h ktrack-kernel.h)

single-header: $(single-headers)

$(BUILD)/single-header/ktrack-user.h: include/ktrack/user.h $(program-parts)
$(BUILD)/single-header/ktrack-kernel.h: include/ktrack/define.h $(driver-headers)

$(single-headers): scripts/single-header userspace/userspace.mk
	@mkdir -p $(@D)
	@echo '  GEN     $@'
	$(Q)scripts/single-header $(version) $(filter %/user.h %/define.h,$^) >$@.new
	$(Q)mv $@.new $@

completions := $(addprefix $(BUILD)/completion/,ktrack.bash ktrack.fish ktrack.zsh)

completion: $(completions)

$(BUILD)/completion/ktrack.%: $(BUILD)/ktrack scripts/completion
	@mkdir -p $(@D)
	@echo '  GEN     $@'
	$(Q)$(BUILD)/ktrack --help-options >$(@D)/options
	$(Q)scripts/completion $* $(@D)/options >$@

# The files by which programs find the library and the headers are filled on each install, since PREFIX may change.
library-private := $(library-packages:lib%=-l%) -lpthread
space := $(subst ,, )
package-fill = sed 's|@prefix@|$(PREFIX)|; s|@libdir@|$(LIBDIR)|; s|@includedir@|$(includedir)|; s|@datadir@|$(datadir)|; s|@version@|$(version)|; s|@soname@|$(notdir $(shared-library))|; s|@packages@|$(library-packages)|; s|@private@|$(subst $(space),;,$(strip $(library-private)))|'
cmake-files := scripts/packaging/cmake
# CMake and pkg-config search these on every architecture.
sharedir := $(PREFIX)/share

# The first line of a page with a table names tbl, which not every man runs otherwise. Installed pages have the date and the version in their footer, and name installed files.
page-fill = sed 's|^\(\.TH [^ ]* [0-9]\) "" "ktrack"|\1 "$(released)" "ktrack $(version)"|; s,/usr/\(share/ktrack/\|share/doc/\),$(PREFIX)/\1,g'

doc: $(html-pages) $(addprefix $(BUILD)/doc/,$(notdir $(doc-files)))

$(addprefix $(BUILD)/doc/,$(notdir $(doc-files))): $(BUILD)/doc/%: userspace/doc/%
	@mkdir -p $(@D)
	$(Q)cp $< $@

# Names of other pages become links, and names of images the images. Lines of code that begin with blanks get no line feed of their own.
page-link = sed '/<pre>/,/<\/pre>/{/^<br\/>$$/d}; s|<i>[a-z/]*/\(ktrack-[a-z-]*\.png\)</i>|<a href="\1"><img src="\1" alt="\1" style="max-width: 100%"></a>|; s|<b>\(ktrack[a-z-]*\)</b>(\([1-8]\))|<a href="\1.\2.html">&</a>|g; s|<b>\(libtrace2\)</b>(3)|<a href="\1.3.html">&</a>|g'

$(html-pages): $(BUILD)/doc/%.html: $(pages) userspace/userspace.mk scripts/packaging/install.mk
	@mkdir -p $(@D)
	@echo '  HTML    $@'
	$(Q)command -v mandoc >/dev/null || { echo 'mandoc: not installed; run scripts/deps check' >&2; exit 1; }
	$(Q)$(page-fill) $(filter %/$*,$(pages)) | mandoc -T html -O style=page.css | $(page-link) >$@

install: userspace library completion single-header
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/$(library) $(DESTDIR)$(includedir)/trace2 \
		$(DESTDIR)$(sharedir)/pkgconfig $(DESTDIR)$(sharedir)/cmake/ktrack \
		$(DESTDIR)$(datadir)/include/ktrack $(DESTDIR)$(datadir)/rules $(DESTDIR)$(datadir)/trace2receiver $(DESTDIR)$(datadir)/systemd $(DESTDIR)$(datadir)/examples $(DESTDIR)$(docdir)/html \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(systemddir)/systemd/system $(DESTDIR)$(systemddir)/tmpfiles.d $(DESTDIR)$(systemddir)/sysusers.d \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d $(addprefix $(DESTDIR)$(mandir)/man,$(page-sections))
	install -m 755 $(BUILD)/ktrack $(DESTDIR)$(bindir)
	install -m 644 $(shared-library) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(shared-library)) $(DESTDIR)$(LIBDIR)/$(library).so
	install -m 644 $(BUILD)/$(library).a $(DESTDIR)$(LIBDIR)
	$(package-fill) scripts/packaging/pkgconfig/$(library).pc >$(DESTDIR)$(LIBDIR)/pkgconfig/$(library).pc
	$(package-fill) scripts/packaging/pkgconfig/ktrack.pc >$(DESTDIR)$(sharedir)/pkgconfig/ktrack.pc
	install -m 644 $(cmake-files)/ktrack-config.cmake $(DESTDIR)$(sharedir)/cmake/ktrack
	$(package-fill) $(cmake-files)/config-version.cmake >$(DESTDIR)$(sharedir)/cmake/ktrack/ktrack-config-version.cmake
	$(package-fill) $(cmake-files)/$(library)-config.cmake >$(DESTDIR)$(LIBDIR)/cmake/$(library)/$(library)-config.cmake
	$(package-fill) $(cmake-files)/config-version.cmake >$(DESTDIR)$(LIBDIR)/cmake/$(library)/$(library)-config-version.cmake
	install -m 644 $(wildcard include/trace2/*.h) $(DESTDIR)$(includedir)/trace2
	install -D -m 644 -t $(DESTDIR)$(includedir)/ktrack $(program-headers)
	install -D -m 644 -t $(DESTDIR)$(includedir)/ktrack/user $(program-parts)
	install -m 644 $(driver-headers) $(DESTDIR)$(datadir)/include/ktrack
	install -D -m 644 -t $(DESTDIR)$(datadir)/single-header $(single-headers)
	install -m 755 scripts/vendor $(DESTDIR)$(datadir)
	echo $(version) >$(DESTDIR)$(datadir)/version
	cp -r LICENSES $(DESTDIR)$(datadir)
	install -m 644 $(wildcard userspace/rules/packs/*.rules) $(DESTDIR)$(datadir)/rules
	install -m 644 $(wildcard scripts/packaging/trace2receiver/*.yml) $(DESTDIR)$(datadir)/trace2receiver
	sed -i 's|/usr/share/ktrack/|$(datadir)/|' $(DESTDIR)$(datadir)/trace2receiver/config.yml
	install -m 644 scripts/packaging/systemd/programs.conf $(DESTDIR)$(datadir)/systemd
	install -m 644 $(examples) $(DESTDIR)$(datadir)/examples
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/$(library)-dev/examples include/trace2/example.c
	install -m 644 CHANGELOG.md README.md SECURITY.md $(DESTDIR)$(docdir)
	install -m 644 $(wildcard userspace/doc/*.png) $(DESTDIR)$(docdir)/html
	install -m 644 $(BUILD)/completion/ktrack.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ktrack
	install -m 644 $(BUILD)/completion/ktrack.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_ktrack
	install -m 644 $(BUILD)/completion/ktrack.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	set -e; for unit in $(units); do \
		sed 's|/usr/bin/ktrack|$(bindir)/ktrack|' "$$unit" >"$(DESTDIR)$(systemddir)/systemd/system/$${unit##*/}"; done
	install -m 644 scripts/packaging/systemd/ktrack.tmpfiles $(DESTDIR)$(systemddir)/tmpfiles.d/ktrack.conf
	install -m 644 scripts/packaging/systemd/ktrack.sysusers $(DESTDIR)$(systemddir)/sysusers.d/ktrack.conf
	set -e; for page in $(pages); do \
		{ ! grep -q '^\.TS' "$$page" || printf '\047\\" t\n'; $(page-fill) "$$page"; } \
			>"$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}"; done
	$(if $(is-system-prefix),[ "$$(id -u)" != 0 ] || ldconfig)

# Installs to a scratch folder to find the names; folders that only ktrack uses are removed when they are empty.
removal := $(BUILD)/uninstall
uninstall: userspace library completion
	$(Q)rm -rf $(removal)
	$(Q)$(MAKE) --no-print-directory -s install DESTDIR=$(abspath $(removal))
	cd $(removal) && find . ! -type d -printf '%P\0' | (cd '$(or $(DESTDIR),/)' && xargs -0 rm -f)
	cd $(removal) && find . -depth -type d \( -path '*/ktrack*' -o -path '*/trace2' -o -path '*/$(library)*' \) -printf '%P\0' | \
		(cd '$(or $(DESTDIR),/)' && xargs -0 rmdir --ignore-fail-on-non-empty)
	$(Q)rm -rf $(removal)
	$(if $(is-system-prefix),[ "$$(id -u)" != 0 ] || ldconfig)

# Only ktrack.ko: the other modules are for tests.
modules_install:
	$(Q)$(MAKE) -C $(KDIR) M=$(CURDIR) KTRACK_MODULES=ktrack modules
	$(Q)$(MAKE) -C $(KDIR) M=$(CURDIR) KTRACK_MODULES=ktrack $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
