#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# In a clean Debian: builds, installs, upgrades and runs the packages (argument: used), removes and purges them (removed);
# lines "ok WHAT" or "not ok WHAT".
set -eu

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
cd /ktrack
OLD=0.1.0

# In a shell of its own, outside of a condition: otherwise only the last command would decide.
point() {
	what=$1
	shift
	set +e
	(set -e; "$@") >/log 2>&1
	status=$?
	set -e
	if [ $status = 0 ]; then
		echo "ok $what"
	else
		echo "not ok $what"
		tail -n 40 /log | sed 's/^/# /'
	fi
}

# Everything but the databases of dpkg and apt, logs, caches and this project; nor the indices that depmod writes for the kernel
# and the key of DKMS, which are made with the first module of any package.
files_list() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /ktrack -o -path /tmp -o -path /old -o -path /var/lib/dpkg \
		-o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /log \
		-o -path '/usr/lib/modules/*/modules.*' -o -path '/var/lib/dkms/mok.*' \) -prune -o -print | LC_ALL=C sort
}

# The same sources as an earlier version, which the upgrade replaces.
old_make() {
	make deb DEB_VERSION=$OLD
	mkdir /old
	mv build/deb/*.deb /old
}

packages_install() {
	# shellcheck disable=SC2046 # names without blanks
	apt-get -y --allow-downgrades install $(find "$1" -maxdepth 1 -name '*.deb' ! -name '*dbgsym*')
}

lintian_run() {
	lintian --allow-root --fail-on error,warning build/deb/*.deb
}

modules_check() {
	for build in /lib/modules/*/build; do
		release=$(basename "$(dirname "$build")")
		dkms autoinstall -k "$release"
		find "/lib/modules/$release/updates" -name 'ktrack.ko*' | grep -q . || { dkms status; cat /var/lib/dkms/ktrack/*/build/make.log; return 1; }
	done
}

# Only this version of the module is known to DKMS and built.
dkms_check() {
	dkms status
	dkms status | grep -q "^ktrack/$1[,:]" && [ "$(dkms status | sed 's/[,:].*//' | sort -u)" = "ktrack/$1" ]
	[ "$(find /usr/src -maxdepth 1 -name 'ktrack-*')" = "/usr/src/ktrack-$1" ]
}

versions_check() {
	for package in ktrack ktrack-dkms ktrack-dev libtrace2-0 libtrace2-dev; do
		[ "$(dpkg-query -W -f '${Version}' $package)" = "$1" ]
	done
}

library_check() {
	triplet=$(gcc -print-multiarch)
	[ "$(pkg-config --variable=libdir libtrace2)" = "/usr/lib/$triplet" ]
	objdump -p "/usr/lib/$triplet/libtrace2.so.0" | grep -q 'SONAME *libtrace2.so.0$'
	# shellcheck disable=SC2046 # options
	gcc -o /tmp/example /usr/share/doc/libtrace2-dev/examples/example.c $(pkg-config --cflags --libs libtrace2) -lpthread
	EXAMPLE_TRACE2=1 /tmp/example 2>&1 | grep -q atexit
}

driver_check() {
	for build in /lib/modules/*/build; do
		make -C "$build" M="$1" modules
		rm "$1/relay.ko"
	done
}

example_check() {
	cp -r /usr/share/ktrack/examples /tmp/driver
	/usr/share/ktrack/vendor /tmp/driver
	driver_check /tmp/driver
}

# A file that an installed page prints below "example FILE".
page_file() {
	zcat "/usr/share/man/man7/$1.7.gz" | awk -v mark=".\\\\\" example $2" '
		$0 == mark { found = 1 } found && /^\.EE/ { exit } inside { print } found && /^\.EX/ { inside = 1 }' |
		sed 's/\\-/-/g; s/\\&//g; s/\\e/\\/g' >"$2"
	[ -s "$2" ]
}

# What a reader saves: /tmp/typed/PAGE has the files of a page, for the machine in which the tutorials are typed.
reader_folder() {
	mkdir -p "/tmp/typed/$1"
	cd "/tmp/typed/$1"
	page=$1
	shift
	for file in "$@"; do
		page_file "$page" "$file"
	done
	cp -r . "/tmp/$page"
	cd "/tmp/$page"
}

# With the installed pages and files alone.
tutorial_check() {
	reader_folder ktrack-tutorial-driver relay.c Kbuild relay_trace.h relay.patch
	/usr/share/ktrack/vendor .
	patch -l relay.c relay.patch
	driver_check "$PWD"
}

# What the compilers of this system say of wrong calls.
misuse_check() {
	python3 -B tests/programs/misuse.t
}

program_check() {
	reader_folder ktrack-user mytool.h mytool.c
	cc -O2 -o mytool mytool.c
	ktrack stream --programs --html=page.html -- ./mytool
	grep -q mytool_request page.html
}

# Files below /usr that pages and texts name, without a full stop behind them.
files_named() {
	# shellcheck disable=SC2046 # names without blanks
	zcat -f $(dpkg-query -L ktrack ktrack-dev libtrace2-dev | grep -E '^/usr/share/(man|doc)/.*\.(gz|html|md|Debian)$') |
		sed 's/\\-/-/g' | grep -aoE '/usr/(share|include)/[A-Za-z0-9/._-]*[A-Za-z0-9]' | sort -u
}

documents_check() {
	files_named
	[ "$(files_named | wc -l)" -ge 6 ]
	files_named | while read -r name; do [ -e "$name" ] || { echo "$name: not installed"; exit 1; }; done
}

group_check() {
	getent group ktrack
	[ "$(stat -c '%a %U %G' /var/lib/ktrack)" = "2750 root ktrack" ]
}

packages_use() {
	files_list >/tmp/before
	point "packages of an earlier version are built" old_make
	point "they are installed" packages_install /old
	point "with that version" versions_check $OLD
	point "DKMS has that version" dkms_check $OLD
	point "the packages build" make deb
	new=$(dpkg-deb -f build/deb/ktrack_*.deb Version)
	point "lintian finds no error and no warning" lintian_run
	point "they are upgraded" packages_install "$PWD/build/deb"
	point "the version is the new one" versions_check "$new"
	point "DKMS has only the new version" dkms_check "$new"
	point "ktrack runs" sh -c 'ktrack --version && ktrack list --json --rules'
	point "ktrack doctor reports what is missing" sh -c 'ktrack doctor; test $? = 1'
	point "DKMS builds ktrack.ko for each kernel" modules_check
	echo "# kernels: $(cd /lib/modules && echo *)"
	point "a program is built with libtrace2" library_check
	point "the example driver is built with vendored headers" example_check
	point "the tutorial's driver is built from the installed pages" tutorial_check
	point "a program of the installed pages is built and recorded" program_check
	point "wrong calls of programs are refused by these compilers" misuse_check
	point "documents name installed files" documents_check
	point "the group of recordings may read their directory" group_check
	point "man pages are installed" sh -c 'zcat /usr/share/man/man1/ktrack-doctor.1.gz | grep -q "ktrack 0"'
}

packages_remove() {
	point "they are removed" apt-get -y remove ktrack ktrack-dkms ktrack-dev libtrace2-0 libtrace2-dev
	point "the modules are removed" sh -c '! find /lib/modules -name "ktrack.ko*" | grep .'
	point "they are purged" dpkg --purge ktrack ktrack-dkms ktrack-dev libtrace2-0 libtrace2-dev
	files_list >/tmp/after
	point "nothing stays behind" diff /tmp/before /tmp/after
}

case $1 in
used) packages_use ;;
removed) packages_remove ;;
esac
