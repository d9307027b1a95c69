# SPDX-License-Identifier: GPL-2.0-only
# Builds ktrack: kernel modules through Kbuild into kmod/, userspace into build/.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD := build
Q := $(if $(V),,@)

.PHONY: all modules userspace demo check clean distclean help

all: userspace modules

help:
	@echo 'ktrack: kernel track events, recorded through tracefs, exported as trace2'
	@echo
	@echo '  make demo       install what is missing, build, boot a VM, show a driver in time'
	@echo '  make check      install what is missing, run every test'
	@echo '  make            userspace and modules'
	@echo '  make userspace  build/ktrack'
	@echo '  make modules    kmod/*.ko for the kernel whose build tree is KDIR'
	@echo '  make bench      how fast ktrack export is, beside trace-cmd report and a naive exporter'
	@echo '  make bench-kernel  what the macros cost in the kernel, in instructions'
	@echo '  make fuzz       random inputs for FUZZ_SECONDS (60) a target, with clang'
	@echo '  make install    ktrack, libtrace2, headers and man pages below PREFIX (/usr/local)'
	@echo '  make clean      remove what was built; downloaded kernels stay'
	@echo '  make distclean  remove downloaded kernels, too'
	@echo
	@echo '  KDIR=DIR  kernel build tree (now: $(KDIR))'
	@echo '  V=1       show every command'
	@echo '  SAN=1     userspace with address and undefined behaviour sanitizers'

modules:
	@[ -e '$(KDIR)' ] || { \
		echo 'ktrack: no kernel headers in $(KDIR); install linux-headers for your kernel, or say KDIR=DIR' >&2; exit 1; }
	$(Q)$(MAKE) -C $(KDIR) M=$(CURDIR) $(if $(V),V=1) modules

demo:
	$(Q)scripts/deps build demo
	$(Q)$(MAKE) userspace
	$(Q)scripts/demo

check:
	$(Q)scripts/deps
	$(Q)$(MAKE) -j"$$(nproc)" userspace unit-tests fuzz-replay
	$(Q)tests/run

# What was downloaded is in vm/, with what was built from it.
clean:
	$(Q)[ ! -e $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name vm -exec rm -rf {} +
	$(Q)rm -rf $(BUILD)/vm/run.* $(BUILD)/vm/*/modules
	$(Q)if [ -e "$(KDIR)" ]; then $(MAKE) -C $(KDIR) M=$(CURDIR) clean; fi

distclean: clean
	$(Q)rm -rf $(BUILD)

include userspace/userspace.mk
include userspace/install.mk
include tests/bench/bench.mk
include tests/fuzz/fuzz.mk
