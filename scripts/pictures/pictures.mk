# SPDX-License-Identifier: GPL-2.0-only
# make pictures: draws the pictures of the documents again; needs a virtual machine and Chromium.

.PHONY: pictures

pictures: userspace
	scripts/pictures/architecture >scripts/pictures/architecture.svg
	scripts/pictures/timelines
