# SPDX-License-Identifier: GPL-2.0-only
# make deb: the Debian packages, built in a copy of the tree.

# Options of dpkg-buildpackage; Debian 12 and later have the build dependencies.
DEB_FLAGS ?= -b -us -uc
deb-tree := $(BUILD)/deb/ktrack-$(version)
# A Debian revision for tests of upgrades.
DEB_VERSION ?= $(version)

.PHONY: deb

deb:
	$(Q)rm -rf $(BUILD)/deb
	$(Q)mkdir -p $(deb-tree)
	$(Q)cp -r CHANGELOG.md Kbuild LICENSE LICENSES Makefile README.md SECURITY.md include kmod scripts tests userspace $(deb-tree)
	$(Q)cp -r scripts/packaging/debian $(deb-tree)
	$(Q)printf '%s\n' 'ktrack ($(DEB_VERSION)) unstable; urgency=medium' '' '  * See /usr/share/doc/ktrack/CHANGELOG.md.' '' \
		" -- $$(sed -n 's/^Maintainer: //p' scripts/packaging/debian/control)  $$(LC_ALL=C date -R -u -d $(released))" \
		>$(deb-tree)/debian/changelog
	$(Q)cd $(deb-tree) && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage $(DEB_FLAGS)
