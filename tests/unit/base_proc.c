// SPDX-License-Identifier: GPL-2.0-only
/* Tests of walks over /proc, and of namespaces. */
#include "base/base.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixtures/folder.h"
#include "fixtures/tap.h"

/**
 * struct visits - what was visited
 * @wanted, @status: the walk stops there, or at once if @wanted is 0, with that status
 */
struct visits {
	int wanted;
	int status;
	size_t nr_wanted;
	size_t nr_wrong;
	size_t nr;
};

static int visit(void *context, int folder_fd, int number)
{
	struct visits *visits = context;
	struct stat about;

	visits->nr++;
	visits->nr_wanted += number == visits->wanted;
	visits->nr_wrong += number <= 0 || fstat(folder_fd, &about) < 0;
	return number == visits->wanted || !visits->wanted ? visits->status : 0;
}

TEST(processes_and_threads_are_visited_by_their_numbers)
{
	struct visits processes = { .wanted = getpid() }, threads = { .wanted = gettid() };

	CHECK_NUMBER(proc_visit("/proc", visit, &processes), 0);
	CHECK_NUMBER(processes.nr_wanted, 1);
	CHECK_NUMBER(processes.nr_wrong, 0);
	CHECK_NUMBER(proc_visit("/proc/self/task", visit, &threads), 0);
	CHECK_NUMBER(threads.nr_wanted, 1);
	CHECK_NUMBER(threads.nr_wrong, 0);
}

TEST(a_visitor_ends_the_walk)
{
	struct visits ours = { .wanted = getpid(), .status = -1 };
	struct visits first = { .status = 7 };

	CHECK_NUMBER(proc_visit("/proc", visit, &ours), -1);
	CHECK_NUMBER(proc_visit("/proc", visit, &first), 7);
	CHECK_NUMBER(first.nr, 1);
}

TEST(a_folder_that_is_gone_has_nothing_to_visit)
{
	struct visits visits = { .wanted = 1 };

	CHECK_NUMBER(proc_visit("/proc/0/task", visit, &visits), 0);
	CHECK_NUMBER(visits.nr, 0);
}

#define OFFSETS_PATH "/proc/self/timens_offsets"

/* Stands for the offsets of a time namespace, because some machines let nobody make one; -1: the
 * real file. */
static int offsets_fd = -1;

/* Takes the place of the C library's. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
	char copy[64];

	if (offsets_fd >= 0 && strcmp(path, OFFSETS_PATH) == 0) {
		snprintf(copy, sizeof(copy), "/proc/self/fd/%d", offsets_fd);
		path = copy;
	}
	return syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

/* As the kernel prints them. */
static void offsets_set(const char *monotonic, const char *boottime)
{
	if (offsets_fd < 0)
		offsets_fd = memfd_create("offsets", MFD_CLOEXEC);
	CHECK_NUMBER(ftruncate(offsets_fd, 0), 0);
	CHECK_NUMBER(lseek(offsets_fd, 0, SEEK_SET), 0);
	CHECK(dprintf(offsets_fd, "monotonic  %s\nboottime   %s\n", monotonic, boottime) > 0);
}

TEST(clocks_that_a_time_namespace_shifts_are_refused)
{
	struct error error = { 0 };

	CHECK_NUMBER(namespace_check_clocks(&error), 0);
	offsets_set("         0         0", "         0         0");
	CHECK_NUMBER(namespace_check_clocks(&error), 0);
	offsets_set("         0         0", "      1000         0");
	CHECK_NUMBER(namespace_check_clocks(&error), -1);
	CHECK(strstr(error.text, " the clock boottime by 1000 s") != NULL);
	error = (struct error){ 0 };
	offsets_set("        -7         5", "      1000         0");
	CHECK_NUMBER(namespace_check_clocks(&error), -1);
	CHECK_TEXT(error.text, "a time namespace shifts the clock monotonic by -7 s; run ktrack "
			       "outside of it: nsenter --time --target 1 ktrack");
}

static void check_cgroup(const char *text, const char *want)
{
	struct text found = cgroup_path_find(text_of(text));

	CHECK(text_equals(found, text_of(want)));
}

TEST(the_cgroup_is_that_of_version_2_or_else_of_a_controller)
{
	check_cgroup("0::/system.slice/a.service\n", "/system.slice/a.service");
	check_cgroup("0::/\n", "/");
	check_cgroup("", "");
	check_cgroup("3:memory:/m\n2:cpuset,cpu:/c\n1:name=systemd:/s\n0::/v2\n", "/v2");
	check_cgroup("3:memory:/m\n2:cpuset,cpu:/c:d\n1:name=systemd:/s\n0::/\n", "/c:d");
	check_cgroup("3:memory:/m\n2:cpu,cpuacct:/\n1:cpuset:/s\n", "/m");
	check_cgroup("3:memory:/\n2:cpu:/\n", "/");
	check_cgroup("2:cpu\nnothing\n::\n", "");
}

TEST(the_cgroup_of_a_process_is_read)
{
	SCOPED_BUFFER(path);

	CHECK(proc_cgroup_append(getpid(), &path));
	CHECK(path.size > 0 && path.data[0] == '/');
	buffer_clear(&path);
	CHECK(!proc_cgroup_append(0, &path));
	CHECK_NUMBER(path.size, 0);
}

static void limits_make(const struct folder *folder, const char *cgroup, const char *max,
			const char *stat)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/cpu.max", cgroup);
	folder_make(folder, cgroup);
	folder_add_text(folder, path, max);
	snprintf(path, sizeof(path), "%s/cpu.stat", cgroup);
	folder_add_text(folder, path, stat);
}

TEST(block_devices_have_the_names_at_which_their_numbers_point)
{
	struct buffer found = { 0 };
	struct folder folder;
	char path[PATH_MAX];

	folder_new(&folder);
	snprintf(path, sizeof(path), "%s/8:0", folder.path);
	CHECK(symlink("../../devices/pci/block/sda", path) == 0);
	devices_append(&found, folder.path);
	CHECK_TEXT(buffer_string(&found), "8:0 sda\n");
	buffer_clear(&found);
	devices_append(&found, "/nonexistent");
	CHECK_NUMBER(found.size, 0);
	buffer_release(&found);
	CHECK(unlink(path) == 0);
	folder_remove(&folder);
}

TEST(limits_of_cgroups_are_differences)
{
	struct buffer before = { 0 }, after = { 0 };
	struct folder first, second;
	struct text text;

	folder_new(&first);
	folder_new(&second);
	limits_make(&first, "a", "max 100000\n", "nr_throttled 9\nthrottled_usec 9\n");
	limits_make(&first, "a/b c", "20000 100000\n",
		    "usage_usec 7\nnr_periods 8\nnr_throttled 3\nthrottled_usec 500\n");
	limits_make(&first, "idle", "20000 100000\n", "nr_throttled 5\nthrottled_usec 600\n");
	limits_make(&second, "a/b c", "30000 100000\n", "nr_throttled 5\nthrottled_usec 1500\n");
	limits_make(&second, "idle", "20000 100000\n", "nr_throttled 5\nthrottled_usec 600\n");
	limits_make(&second, "new", "1000 2000\n", "nr_throttled 1\nthrottled_usec 2\n");
	cgroup_limits_append(&before, first.path, NULL);
	text = buffer_text(&before);
	CHECK(memmem(text.data, text.size, "3 500 20000 100000 /a/b c\n", 26));
	CHECK(memmem(text.data, text.size, "5 600 20000 100000 /idle\n", 25));
	CHECK(!memmem(text.data, text.size, "max", 3));
	cgroup_limits_append(&after, second.path, &text);
	text = buffer_text(&after);
	CHECK(memmem(text.data, text.size, "2 1000 30000 100000 /a/b c\n", 27));
	CHECK(memmem(text.data, text.size, "1 2 1000 2000 /new\n", 19));
	CHECK(!memmem(text.data, text.size, "idle", 4));
	buffer_clear(&after);
	cgroup_limits_append(&after, "/nonexistent", NULL);
	CHECK_NUMBER(after.size, 0);
	buffer_release(&before);
	buffer_release(&after);
	folder_remove(&first);
	folder_remove(&second);
}
