// SPDX-License-Identifier: GPL-2.0-only
/* In which order a recording gets to the disk: what a crash of the machine leaves can be used. */
#include "fixtures/spool_fixture.h"

/* What was called, one line for each call: these stand for the library's functions of that name. */
static struct buffer calls;
static int sync_result;

/* A file that has to be there at each call. */
static const char *raw_path;

static const char *file_name_of(int fd)
{
	static char path[PATH_MAX];
	char link[64];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, path, sizeof(path) - 1);
	path[size < 0 ? 0 : size] = '\0';
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

__attribute__((visibility("default"))) int fsync(int fd)
{
	const char *name = file_name_of(fd);

	if (raw_path)
		CHECK_NUMBER(access(raw_path, F_OK), 0);
	/* The place's own name is another one each time. */
	buffer_printf(&calls, "sync %s\n", strncmp(name, "ktrack-unit", 11) == 0 ? "." : name);
	if (sync_result == 0)
		return 0;
	errno = sync_result;
	return -1;
}

__attribute__((visibility("default"))) int renameat(int from_fd, const char *from, int to_fd,
						    const char *to)
{
	buffer_printf(&calls, "rename %s %s\n", from, to);
	return syscall(SYS_renameat2, from_fd, from, to_fd, to, 0);
}

static void check_calls(const char *want)
{
	CHECK_TEXT(buffer_string(&calls), want);
	buffer_clear(&calls);
}

TEST(what_is_noted_is_on_the_disk_once_recording_is_on)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	buffer_clear(&calls);
	CHECK_NUMBER(spool_sync(fixture.spool, &fixture.error), 0);
	check_calls(
		"sync formats\nsync comms\nsync options\nsync instance\nsync trace.dat.spool\n");
	CHECK_NUMBER(spool_mark_incomplete(fixture.spool, fixture.recorder, &fixture.error), 0);
	check_calls("sync instance.new\nrename instance.new instance\n");
	buffer_release(&calls);
}

TEST(the_file_is_on_the_disk_before_anything_is_removed)
{
	char *raw;
	FIXTURE(spool_fixture, fixture, "streaming");

	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	raw = strdup(folder_path(&fixture.output, "trace.dat.spool/cpu0"));
	raw_path = raw;
	buffer_clear(&calls);
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	raw_path = NULL;
	free(raw);
	check_calls("sync trace.dat\nrename trace.dat trace.dat\nsync .\n");
	spool_close(fixture.spool);
	fixture.spool = NULL;
	CHECK(!output_has(&fixture, "trace.dat.spool"));
	buffer_release(&calls);
}

TEST(what_does_not_get_to_the_disk_takes_no_ones_place)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	folder_add_text(&fixture.output, "trace.dat", "precious");
	ADD_RECORDS(&fixture, 0, 100);
	spool_fixture_finish(&fixture);
	buffer_clear(&calls);
	sync_result = EIO;
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), -1);
	sync_result = 0;
	check_calls("sync trace.dat\n");
	CHECK(strstr(fixture.error.text, "Input/output error") != NULL);
	spool_fixture_kill(&fixture);
	CHECK(output_has(&fixture, "trace.dat.spool/cpu0"));
	buffer_release(&calls);
}

/* Some filesystems have nothing to bring to a disk. */
TEST(a_filesystem_without_a_disk_is_no_failure)
{
	FIXTURE(spool_fixture, fixture, "streaming");

	spool_fixture_finish(&fixture);
	sync_result = EINVAL;
	CHECK_NUMBER(spool_join(fixture.spool, &fixture.error), 0);
	sync_result = 0;
	buffer_release(&calls);
}
