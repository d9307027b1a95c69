// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the files that ktrack writes: who may read them, what becomes of their old content, and
 * whose they are.
 */
#include "output/output.h"

#include "fixtures/folder.h"
#include "fixtures/tap.h"

/* Opens FOLDER/name, and writes a word there; returns the descriptor. */
static int write_new(const struct folder *folder, const char *name, bool is_appending)
{
	const char *path = folder_path(folder, name), *called = NULL;
	struct output_set set = { .is_appending = is_appending };
	struct error error = { 0 };
	int fd = output_open(&set, path, &called, &error);

	CHECK_NUMBER(output_set_begin(&set, &error), 0);
	CHECK(fd > STDERR_FILENO);
	CHECK(called == path);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(write(fd, "new", 3), 3);
	return fd;
}

static void check_content(const struct folder *folder, const char *name, const char *want)
{
	SCOPED_BUFFER(content);

	CHECK_NUMBER(file_read(folder_path(folder, name), &content), 0);
	CHECK_TEXT(buffer_string(&content), want);
}

static struct stat status_of(const struct folder *folder, const char *name)
{
	struct stat status = { 0 };

	CHECK_NUMBER(stat(folder_path(folder, name), &status), 0);
	return status;
}

TEST(a_new_file_can_be_read_by_its_owner_only)
{
	mode_t mask = umask(0);
	struct folder folder;
	int fd;

	folder_new(&folder);
	fd = write_new(&folder, "out", false);
	CHECK_NUMBER(status_of(&folder, "out").st_mode & 07777, 0600);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	check_content(&folder, "out", "new");
	close(fd);
	umask(mask);
	folder_remove(&folder);
}

TEST(an_existing_file_is_emptied_and_stays_the_same_file)
{
	struct stat before, after;
	struct folder folder;

	folder_new(&folder);
	folder_add_text(&folder, "out", "a long old content");
	CHECK_NUMBER(chmod(folder_path(&folder, "out"), 0644), 0);
	before = status_of(&folder, "out");
	close(write_new(&folder, "out", false));
	after = status_of(&folder, "out");
	CHECK(after.st_ino == before.st_ino && after.st_mode == before.st_mode);
	check_content(&folder, "out", "new");
	folder_remove(&folder);
}

TEST(what_a_file_holds_stays_until_there_is_something_to_replace_it)
{
	struct output_set set = { 0 };
	struct error error = { 0 };
	struct folder folder;
	const char *called;
	int fd;

	folder_new(&folder);
	folder_add_text(&folder, "out", "old");
	fd = output_open(&set, folder_path(&folder, "out"), &called, &error);
	CHECK(fd >= 0);
	check_content(&folder, "out", "old");
	CHECK_NUMBER(output_set_begin(&set, &error), 0);
	check_content(&folder, "out", "");
	close(fd);
	folder_remove(&folder);
}

/* Its other users, who may have it as their standard output too, must not meet EAGAIN. */
TEST(a_pipe_as_standard_output_blocks_others_but_not_us)
{
	struct output_set set = { 0 };
	struct error error = { 0 };
	int pair[2], before, fd;
	const char *called;

	fflush(stdout);
	before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	CHECK_NUMBER(pipe(pair), 0);
	dup2(pair[1], STDOUT_FILENO);
	fd = output_open(&set, "-", &called, &error);
	dup2(before, STDOUT_FILENO);
	close(before);
	CHECK(fcntl(fd, F_GETFL) & O_NONBLOCK);
	CHECK(!(fcntl(pair[1], F_GETFL) & O_NONBLOCK));
	CHECK_NUMBER(write(fd, "x", 1), 1);
	CHECK_NUMBER(output_set_begin(&set, &error), 0);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

static int give_up(void *context, int fd)
{
	int *nr_waits = context;

	CHECK_NUMBER(fd, -1);
	errno = ECANCELED;
	return ++*nr_waits < 3 ? 0 : -1;
}

TEST(a_fifo_that_nobody_reads_is_waited_for_as_long_as_that_is_wanted)
{
	int nr_waits = 0, reader, fd;
	struct output_set set = { .wait = { .wait = give_up, .context = &nr_waits } };
	struct error error = { 0 };
	struct folder folder;
	const char *called;
	char want[512];

	folder_new(&folder);
	CHECK_NUMBER(mkfifo(folder_path(&folder, "fifo"), 0600), 0);
	CHECK_NUMBER(output_open(&set, folder_path(&folder, "fifo"), &called, &error), -1);
	CHECK_NUMBER(nr_waits, 3);
	snprintf(want, sizeof(want), "cannot write to %s/fifo: nobody reads it", folder.path);
	CHECK_TEXT(error.text, want);
	error.text[0] = '\0';
	reader = open(folder_path(&folder, "fifo"), O_RDONLY | O_NONBLOCK);
	fd = output_open(&set, folder_path(&folder, "fifo"), &called, &error);
	CHECK(fd >= 0 && fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
	close(reader);
	folder_remove(&folder);
}

TEST(an_existing_file_can_be_added_to)
{
	struct folder folder;
	int fd;

	folder_new(&folder);
	folder_add_text(&folder, "out", "old,");
	fd = write_new(&folder, "out", true);
	CHECK(fcntl(fd, F_GETFL) & O_APPEND);
	close(fd);
	check_content(&folder, "out", "old,new");
	close(write_new(&folder, "other", true));
	check_content(&folder, "other", "new");
	CHECK_NUMBER(status_of(&folder, "other").st_mode & 07777, 0600);
	folder_remove(&folder);
}

TEST(a_link_is_followed_to_the_file_that_others_have_open)
{
	struct folder folder;
	int fd;

	folder_new(&folder);
	fd = write_new(&folder, "real", false);
	CHECK_NUMBER(symlink("real", folder_path(&folder, "link")), 0);
	close(write_new(&folder, "link", false));
	CHECK_NUMBER(write(fd, "er", 2), 2);
	close(fd);
	check_content(&folder, "real", "newer");
	folder_remove(&folder);
}

/* Whose a file is that did not exist before, with sudo's variables set so; NULL unsets one. */
static void check_owner(const char *user, const char *group, uid_t want_user, gid_t want_group)
{
	struct folder folder;
	struct stat status;

	if (user)
		setenv("SUDO_UID", user, 1);
	if (group)
		setenv("SUDO_GID", group, 1);
	folder_new(&folder);
	close(write_new(&folder, "out", false));
	status = status_of(&folder, "out");
	CHECK_NUMBER(status.st_uid, want_user);
	CHECK_NUMBER(status.st_gid, want_group);
	CHECK_NUMBER(status.st_mode & 07777, 0600);
	folder_remove(&folder);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

TEST(under_sudo_a_new_file_is_the_invoking_users)
{
	bool is_root = geteuid() == 0;

	check_owner("12345", "23456", is_root ? 12345 : geteuid(), is_root ? 23456 : getegid());
	check_owner("12345", NULL, geteuid(), getegid());
	check_owner(NULL, "23456", geteuid(), getegid());
	check_owner("", "", geteuid(), getegid());
	check_owner("0", "0", geteuid(), getegid());
	check_owner("nobody", "23456", geteuid(), getegid());
	check_owner("3000000000", "3000000001", is_root ? 3000000000 : geteuid(),
		    is_root ? 3000000001 : getegid());
	check_owner("4294967297", "23456", geteuid(), getegid());
}

TEST(under_sudo_an_existing_file_keeps_its_owner)
{
	struct folder folder;

	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "23456", 1);
	folder_new(&folder);
	folder_add_text(&folder, "out", "old");
	close(write_new(&folder, "out", false));
	CHECK_NUMBER(status_of(&folder, "out").st_uid, geteuid());
	folder_remove(&folder);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

TEST(a_dash_is_standard_output_through_a_descriptor_of_its_own)
{
	struct error error = { 0 };
	const char *called = NULL;
	struct output_set set = { 0 };
	int fd = output_open(&set, "-", &called, &error);
	struct stat ours, theirs;

	CHECK(fd > STDERR_FILENO);
	CHECK_TEXT(called, "standard output");
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK(fstat(fd, &ours) == 0 && fstat(STDOUT_FILENO, &theirs) == 0 &&
	      ours.st_ino == theirs.st_ino);
	close(fd);
	CHECK(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
}

TEST(without_a_standard_output_a_dash_is_refused)
{
	struct output_set set = { 0 };
	struct error error = { 0 };
	const char *called;
	int before, fd;

	fflush(stdout);
	before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	close(STDOUT_FILENO);
	fd = output_open(&set, "-", &called, &error);
	dup2(before, STDOUT_FILENO);
	close(before);
	CHECK_NUMBER(fd, -1);
	CHECK_TEXT(error.text, "cannot write to standard output: Bad file descriptor");
}

TEST(a_link_to_nothing_makes_no_file)
{
	struct output_set set = { 0 };
	struct error error = { 0 };
	struct folder folder;
	const char *called;

	folder_new(&folder);
	CHECK_NUMBER(symlink("missing", folder_path(&folder, "link")), 0);
	CHECK_NUMBER(output_open(&set, folder_path(&folder, "link"), &called, &error), -1);
	CHECK(strstr(error.text, "/link for writing: No such file or directory") != NULL);
	CHECK(access(folder_path(&folder, "missing"), F_OK) < 0);
	folder_remove(&folder);
}

static void check_refused(const char *target, const char *want)
{
	struct output_set set = { 0 };
	struct error error = { 0 };
	const char *called;

	CHECK_NUMBER(output_open(&set, target, &called, &error), -1);
	CHECK_NUMBER(set.size, 0);
	CHECK_TEXT(error.text, want);
}

TEST(what_cannot_be_written_to_is_refused_by_name)
{
	check_refused("/", "cannot open / for writing: Is a directory");
	check_refused("/nonexistent/out",
		      "cannot open /nonexistent/out for writing: No such file or directory");
	check_refused("/dev/null/out", "cannot open /dev/null/out for writing: Not a directory");
	check_refused("", "cannot open  for writing: No such file or directory");
}
