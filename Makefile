# SPDX-License-Identifier: GPL-2.0-only
# Builds ktrack: kernel modules through Kbuild into kmod/, userspace into build/.

KDIR ?= /lib/modules/$(shell uname -r)/build
BUILD := build
Q := $(if $(V),,@)

.PHONY: all modules userspace demo check check-quick check-full check-newest check-bench check-packages check-fuzz check-debug check-machines check-static check-faults check-mutants coverage clean distclean help

all: userspace modules

help:
	@echo 'ktrack: kernel track events, recorded through tracefs, exported as trace2'
	@echo
	@echo '  make demo          install missing packages, build, record a demo driver in a VM'
	@echo '  make check         install missing packages, run the tests (15 minutes on two cores)'
	@echo '  make check-quick   run the tests that need no VM (3 minutes)'
	@echo '  make check-full    run all tests with all repetitions: check-newest, -bench, -packages, -fuzz, -debug, -machines, -static, -faults, -mutants, coverage'
	@echo '  make check-debug   run the tests of the modules on kernels with KASAN, lockdep and KCSAN, built on first use'
	@echo '  make check-machines  run tests on arm64 (emulated), with PREEMPT_RT, and on the newest kernel'
	@echo '  make check-static  run sparse, clang-tidy, cppcheck and gcc -fanalyzer'
	@echo '  make check-faults  let each call of the C library fail once while a kernel is recorded (more than an hour)'
	@echo '  make check-mutants  change the code in small ways, each of which has to fail a test'
	@echo '  make coverage      print which part of each module tests without VMs execute'
	@echo '  make               build userspace and modules'
	@echo '  make userspace     build build/ktrack'
	@echo '  make modules       build kmod/*.ko for the kernel whose build tree is KDIR'
	@echo '  make bench         compare the speed of ktrack export and trace-cmd report'
	@echo '  make bench-kernel  count the instructions of the macros in the kernel'
	@echo '  make bench-live    count the instructions of record and stream next to trace-cmd record'
	@echo '  make fuzz          fuzz each target for FUZZ_SECONDS (60), with clang'
	@echo '  make install       install ktrack, libtrace2, headers and man pages below PREFIX (/usr/local); DESTDIR, LIBDIR'
	@echo '  make uninstall     remove what make install installed, with the same variables'
	@echo '  make modules_install  build and install ktrack.ko for the kernel whose build tree is KDIR'
	@echo '  make single-header  the headers for programs and those for drivers as one file each in build/single-header/'
	@echo '  make doc           man pages as HTML in build/doc/'
	@echo '  make pictures      draw the pictures of the documents again'
	@echo '  make deb           build the Debian packages in build/deb/'
	@echo '  make clean         remove build results; keep downloaded kernels'
	@echo '  make distclean     remove build results and downloaded kernels'
	@echo
	@echo '  KDIR=DIR  kernel build tree (now: $(KDIR))'
	@echo '  V=1       show every command'
	@echo '  SAN=1     userspace with address and undefined behaviour sanitizers'

modules:
	@[ -e '$(KDIR)' ] || { \
		echo '$(KDIR): no kernel headers; install linux-headers for your kernel, or set KDIR=DIR' >&2; exit 1; }
	$(Q)$(MAKE) -C $(KDIR) M=$(CURDIR) $(if $(V),V=1) modules

demo:
	$(Q)scripts/deps build demo
	$(Q)$(MAKE) userspace
	$(Q)scripts/demo

# What scripts and modules do in a machine, in every context and order.
module-tests := $(addprefix tests/vm/,$(addsuffix .t,scenarios unload reloads module_watch requests macros))

# Those that need neither a browser, nor other compilers, nor system calls that qemu-user lacks.
arm64-tests := tests/stream/ tests/trace2/parity.t tests/trace2/unwritten.t $(addprefix tests/outputs/,$(addsuffix .t,append chrome fxt labels otlp perfetto prometheus \
	sqlite stat symbols))

# Lanes of tests: check-quick has no VMs, check adds them, check-full runs all tests.
check-quick:
	$(Q)scripts/deps build check
	$(Q)$(MAKE) -j"$$(nproc)" userspace unit-tests fuzz-replay damage-programs
	$(Q)tests/run --lane quick

check:
	$(Q)scripts/deps
	$(Q)$(MAKE) -j"$$(nproc)" userspace unit-tests fuzz-replay fault-programs damage-programs
	$(Q)tests/run

check-full: check-newest check-bench check-packages check-fuzz check-debug check-machines check-static check-faults check-mutants coverage

check-newest:
	$(Q)scripts/deps
	$(Q)$(MAKE) -j"$$(nproc)" userspace unit-tests fuzz-replay fault-programs damage-programs
	$(Q)KTRACK_FULL=1 KTRACK_NEWEST=all tests/run

check-bench: userspace
	$(Q)scripts/deps
	$(Q)tests/run tests/bench/ tests/recipes/ tests/scale/ tests/kernel/untraced

# In clean Debian 12 and 13, and machines that run them: needs root, and Debian's archive.
check-packages: userspace
	$(Q)scripts/deps packages build vm
	$(Q)tests/run --limit 3600 -j 1 tests/packages/

check-fuzz: fuzz

# On kernels with debugging aids, which the first run builds; they are slow, so one machine runs at a time.
check-debug: userspace
	$(Q)scripts/deps
	$(Q)scripts/vm-kernel 6.12-debug
	$(Q)scripts/vm-kernel 6.12-kcsan
	$(Q)KTRACK_KERNELS='6.12-debug 6.12-kcsan' tests/run --limit 7200 -j 1 tests/debug/ $(module-tests)

# Other machines: the modules on a kernel with PREEMPT_RT, on the newest and on arm64, whose userspace also runs here, emulated.
check-machines: userspace
	$(Q)scripts/deps
	$(Q)scripts/deps arm64
	$(Q)KTRACK_KERNELS='6.12-rt newest' tests/run --limit 3600 $(module-tests) tests/vm/tracefs.t tests/vm/stream.t
	$(Q)tests/run --limit 3600 tests/arm64/
	$(Q)KTRACK_KERNELS='6.12-arm64 6.12-arm64-16k' tests/run --limit 3600 $(module-tests)
	$(Q)cd "$$(scripts/arm64 build)" && tests/run --limit 3600 tests/golden/ $(arm64-tests)

check-static:
	$(Q)scripts/deps build check
	$(Q)tests/run --limit 3600 tests/static/

# make check has a sample of these.
check-faults: userspace fault-programs
	$(Q)scripts/deps
	$(Q)tests/vm/faults.t all

# make check has a sample of these, too.
check-mutants:
	$(Q)scripts/deps
	$(Q)$(MAKE) -j"$$(nproc)" userspace unit-tests fuzz-replay fault-programs damage-programs
	$(Q)tests/mutants --all

coverage:
	$(Q)scripts/deps build check
	$(Q)scripts/coverage

# Downloaded kernels are in vm/, next to modules built for them.
clean:
	$(Q)[ ! -e $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name vm -exec rm -rf {} +
	$(Q)rm -rf $(BUILD)/vm/run.* $(BUILD)/vm/*/modules
	$(Q)if [ -e "$(KDIR)" ]; then $(MAKE) -C $(KDIR) M=$(CURDIR) clean; fi

distclean: clean
	$(Q)rm -rf $(BUILD)

include userspace/userspace.mk
include userspace/library.mk
include scripts/packaging/install.mk
include scripts/packaging/deb.mk
include scripts/pictures/pictures.mk
include tests/unit/unit.mk
include tests/bench/bench.mk
include tests/damage/damage.mk
include tests/fault/fault.mk
include tests/fuzz/fuzz.mk
