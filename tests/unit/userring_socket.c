// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the socket at which programs announce themselves. */
#include <fcntl.h>
#include <ktrack/user/layout.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "fixtures/tap.h"
#include "userring/scan.h"

static char folder[64];
static struct sockaddr_un usual;

/* The usual socket of these tests is in a folder of their own. */
static void folder_begin(void)
{
	strcpy(folder, "/tmp/ktrack-unit-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	usual = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(usual.sun_path, sizeof(usual.sun_path), "%s/user.sock", folder);
	setenv(KTRACK_USER_SOCKET_VARIABLE, usual.sun_path, 1);
	setenv("TMPDIR", folder, 1);
}

/* Takes the place of the C library's. */
static bool is_other_user;

__attribute__((visibility("default"))) uid_t geteuid(void)
{
	return syscall(SYS_geteuid) + is_other_user;
}

static void folder_end(void)
{
	CHECK_NUMBER(rmdir(folder), 0);
}

static bool usual_listens(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool listens = connect(fd, (struct sockaddr *)&usual, sizeof(usual)) == 0;

	close(fd);
	return listens;
}

static bool opens_usual(struct program_socket *own)
{
	struct error error = { 0 };

	CHECK_NUMBER(program_socket_open(own, false, &error), 0);
	return !own->folder;
}

TEST_IN(folder, the_socket_of_a_killed_ktrack_is_replaced)
{
	struct program_socket own;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CHECK_NUMBER(bind(fd, (struct sockaddr *)&usual, sizeof(usual)), 0);
	close(fd);
	CHECK(opens_usual(&own));
	CHECK(usual_listens());
	program_socket_close(&own);
}

TEST_IN(folder, a_second_ktrack_has_another_socket)
{
	struct program_socket first, second;

	CHECK(opens_usual(&first));
	CHECK(!opens_usual(&second));
	CHECK(usual_listens());
	program_socket_close(&second);
	CHECK(usual_listens());
	program_socket_close(&first);
	CHECK(!usual_listens());
}

/* Another ktrack holds the lock between the making of its socket and listening. */
TEST_IN(folder, a_socket_that_does_not_listen_yet_is_left_alone)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct program_socket own;
	int lock;

	lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_NUMBER(flock(lock, LOCK_EX), 0);
	CHECK_NUMBER(bind(fd, (struct sockaddr *)&usual, sizeof(usual)), 0);
	CHECK(!opens_usual(&own));
	CHECK_NUMBER(listen(fd, 1), 0);
	CHECK(usual_listens());
	program_socket_close(&own);
	close(lock);
	close(fd);
	unlink(usual.sun_path);
}

TEST_IN(folder, a_file_of_the_name_is_no_socket_of_a_killed_ktrack)
{
	struct program_socket own;
	int fd;

	fd = open(usual.sun_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	CHECK(!opens_usual(&own));
	program_socket_close(&own);
	CHECK_NUMBER(access(usual.sun_path, F_OK), 0);
	unlink(usual.sun_path);
}

/* In a folder where others may write, a name is theirs as well. */
TEST_IN(folder, the_socket_of_another_user_is_left_alone)
{
	struct program_socket own;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	CHECK_NUMBER(bind(fd, (struct sockaddr *)&usual, sizeof(usual)), 0);
	close(fd);
	is_other_user = true;
	CHECK(!opens_usual(&own));
	is_other_user = false;
	program_socket_close(&own);
	CHECK_NUMBER(access(usual.sun_path, F_OK), 0);
	unlink(usual.sun_path);
}
