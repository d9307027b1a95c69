// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the choice of running programs by the socket that their environment names. */
#include <elf.h>
#include <errno.h>
#include <ktrack/user/layout.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/tap.h"
#include "userring/process.h"
#include "userring/scan.h"

#define PID 77
#define VARIABLE KTRACK_USER_SOCKET_VARIABLE "="

/** struct process_files - what procfs has of the process */
struct process_files {
	const char *environ;
	size_t environ_size;
	const Elf64_auxv_t *auxv;
	size_t auxv_size;
	bool is_too_large;
};

static struct process_files files;

/* Takes the place of ktrack's. */
int file_read_up_to(const char *path, size_t size_max, struct buffer *out)
{
	if (strcmp(path, "/proc/77/environ") == 0)
		buffer_append(out, files.environ, files.environ_size);
	else if (strcmp(path, "/proc/77/auxv") == 0)
		buffer_append(out, files.auxv, files.auxv_size);
	CHECK(size_max <= 2 << 20);
	errno = EFBIG;
	return files.is_too_large ? -1 : 0;
}

static void check_socket(const char *environ, size_t size, const char *wanted)
{
	char *path;

	files = (struct process_files){ .environ = environ, .environ_size = size };
	path = process_socket(PID);
	CHECK_TEXT(path, wanted);
	free(path);
}

#define CHECK_SOCKET(environ, wanted) check_socket(environ, sizeof(environ), wanted)

TEST(the_first_value_of_the_variable_counts)
{
	CHECK_SOCKET("A=1\0" VARIABLE "/a/first\0" VARIABLE "/b/second\0Z=2", "/a/first");
	CHECK_SOCKET(VARIABLE, "");
	CHECK_SOCKET(VARIABLE "x=y", "x=y");
}

TEST(a_program_that_names_no_socket_has_the_usual_one)
{
	CHECK_SOCKET("A=1\0B=2", KTRACK_USER_SOCKET);
	check_socket(NULL, 0, KTRACK_USER_SOCKET);
	CHECK_SOCKET("X" VARIABLE "/a\0" KTRACK_USER_SOCKET_VARIABLE "S=/b\0A=" VARIABLE "/c",
		     KTRACK_USER_SOCKET);
}

/* A program may overwrite its environment. */
TEST(an_environment_of_any_bytes_is_read)
{
	check_socket("\0\0\0\0", 4, KTRACK_USER_SOCKET);
	check_socket(VARIABLE "/a/cut", sizeof(VARIABLE "/a/cut") - 1, "/a/cut");
	check_socket(VARIABLE, sizeof(VARIABLE) - 2, KTRACK_USER_SOCKET);
	check_socket("\0" VARIABLE "/behind", sizeof("\0" VARIABLE "/behind"), "/behind");
}

TEST(the_begin_of_a_large_environment_counts)
{
	char *path;

	files = (struct process_files){ .environ = VARIABLE "/a",
					.environ_size = sizeof(VARIABLE "/a"),
					.is_too_large = true };
	path = process_socket(PID);
	CHECK_TEXT(path, "/a");
	free(path);
}

/* As the program does, which has more rights than its user. */
TEST(a_secure_program_ignores_the_variable)
{
	static const Elf64_auxv_t secure[] = { { AT_PAGESZ, { 4096 } }, { AT_SECURE, { 1 } } },
				  usual[] = { { AT_SECURE, { 0 } }, { AT_UID, { 1 } } };
	static const char environ[] = VARIABLE "/a";
	char *path;

	files = (struct process_files){ environ, sizeof(environ), secure, sizeof(secure), false };
	path = process_socket(PID);
	CHECK_TEXT(path, KTRACK_USER_SOCKET);
	free(path);
	files.auxv = usual;
	path = process_socket(PID);
	CHECK_TEXT(path, "/a");
	free(path);
	/* A half entry is none. */
	files.auxv = secure;
	files.auxv_size = sizeof(secure) - 8;
	path = process_socket(PID);
	CHECK_TEXT(path, "/a");
	free(path);
}

static bool is_owned(const struct program_socket *own, const char *named)
{
	char environ[128];
	size_t size = snprintf(environ, sizeof(environ), VARIABLE "%s", named) + 1;

	files = (struct process_files){ .environ = environ, .environ_size = size };
	return program_socket_owns(own, PID);
}

TEST(a_ktrack_with_the_usual_socket_takes_no_program_of_another_one)
{
	struct program_socket own = { .usual = KTRACK_USER_SOCKET, .path = KTRACK_USER_SOCKET };

	CHECK(is_owned(&own, KTRACK_USER_SOCKET));
	files = (struct process_files){ 0 };
	CHECK(program_socket_owns(&own, PID));
	CHECK(!is_owned(&own, "/a"));
	CHECK(!is_owned(&own, ""));
	CHECK(!is_owned(&own, "/tmp/ktrack-abcdef/user.sock"));
}

TEST(a_ktrack_with_a_chosen_socket_takes_the_programs_that_name_it)
{
	struct program_socket own = { .usual = "/a", .path = "/a", .is_chosen = true };

	CHECK(is_owned(&own, "/a"));
	CHECK(!is_owned(&own, "/a/b"));
	CHECK(!is_owned(&own, KTRACK_USER_SOCKET));
	files = (struct process_files){ 0 };
	CHECK(!program_socket_owns(&own, PID));
}

/* Its command names the temporary socket; children of that may be found by searching only. */
TEST(a_ktrack_with_a_temporary_socket_takes_those_of_the_usual_one_too)
{
	char folder[] = "/tmp/ktrack-123456", path[] = "/tmp/ktrack-123456/user.sock";
	struct program_socket own = { .usual = "/a", .path = path, .folder = folder, .is_chosen = true };

	CHECK(is_owned(&own, "/a"));
	CHECK(is_owned(&own, path));
	CHECK(!is_owned(&own, "/tmp/ktrack-abcdef/user.sock"));
	CHECK(!is_owned(&own, KTRACK_USER_SOCKET));
	own.usual = KTRACK_USER_SOCKET;
	own.is_chosen = false;
	CHECK(is_owned(&own, KTRACK_USER_SOCKET));
	CHECK(is_owned(&own, path));
	/* Of a ktrack that was killed, perhaps. */
	CHECK(is_owned(&own, "/tmp/ktrack-abcdef/user.sock"));
	CHECK(!is_owned(&own, "/tmp/ktrack-abcdef/other.sock"));
	CHECK(!is_owned(&own, "/tmp/ktracks-abcde/user.sock"));
	CHECK(!is_owned(&own, "/user.sock"));
	CHECK(!is_owned(&own, "/a"));
}
