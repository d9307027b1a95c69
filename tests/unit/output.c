// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the files that ktrack writes: who may read them, what becomes of their old content, and
 * whose they are.
 */
#include "cli/output.h"

#include "folder.h"
#include "tap.h"

/* Opens FOLDER/name, and writes a word there; returns the descriptor. */
static int write_new(const struct folder *folder, const char *name, bool is_appending)
{
	const char *path = folder_path(folder, name), *called = NULL;
	struct error error = { 0 };
	int fd = output_open(path, is_appending, &called, &error);

	CHECK(fd > STDERR_FILENO);
	CHECK(called == path);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(write(fd, "new", 3), 3);
	return fd;
}

static void check_content(const struct folder *folder, const char *name, const char *want)
{
	struct buffer content = { 0 };

	CHECK_NUMBER(file_read(folder_path(folder, name), &content), 0);
	CHECK_TEXT(buffer_string(&content), want);
	buffer_release(&content);
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
	int fd = output_open("-", false, &called, &error);
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
	struct error error = { 0 };
	const char *called;
	int before, fd;

	fflush(stdout);
	before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	close(STDOUT_FILENO);
	fd = output_open("-", false, &called, &error);
	dup2(before, STDOUT_FILENO);
	close(before);
	CHECK_NUMBER(fd, -1);
	CHECK_TEXT(error.text, "cannot write to standard output: Bad file descriptor");
}

TEST(a_link_to_nothing_makes_no_file)
{
	struct error error = { 0 };
	struct folder folder;
	const char *called;

	folder_new(&folder);
	CHECK_NUMBER(symlink("missing", folder_path(&folder, "link")), 0);
	CHECK_NUMBER(output_open(folder_path(&folder, "link"), false, &called, &error), -1);
	CHECK(strstr(error.text, "/link for writing: No such file or directory") != NULL);
	CHECK(access(folder_path(&folder, "missing"), F_OK) < 0);
	folder_remove(&folder);
}

static void check_refused(const char *target, const char *want)
{
	struct error error = { 0 };
	const char *called;

	CHECK_NUMBER(output_open(target, false, &called, &error), -1);
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
