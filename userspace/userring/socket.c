// SPDX-License-Identifier: GPL-2.0-only
/* Opens the socket at which programs announce themselves. They trust only root and their user. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "userring/process.h"
#include "userring/scan.h"

/* If so many have connected, others wait. */
#define BACKLOG 256

/* How often the lock of a folder is tried. */
#define LOCK_STEPS 100
#define LOCK_STEP_NS (NS_PER_S / 100)

static int address_set(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return -1;
	strcpy(address->sun_path, path);
	return 0;
}

/* Whether a ktrack listens there; the socket of a killed one refuses connections. */
static bool socket_is_used(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_used = fd >= 0 &&
		       (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
			errno == EAGAIN);

	file_close(fd);
	return is_used;
}

/* Whether it is a socket of this user: a mistyped name must not remove a file. */
static bool socket_is_own(const char *path)
{
	struct stat about;

	return lstat(path, &about) == 0 && S_ISSOCK(about.st_mode) && about.st_uid == geteuid();
}

/* Anybody may connect: programs of all users announce themselves. */
static int socket_bind_alone(int fd, const char *path)
{
	struct sockaddr_un address;
	mode_t mask;
	int status;

	if (address_set(&address, path) < 0)
		return -1;
	mask = umask(0111);
	status = bind(fd, (struct sockaddr *)&address, sizeof(address));
	if (status < 0 && errno == EADDRINUSE && socket_is_own(path) && !socket_is_used(&address) &&
	    unlink(path) == 0)
		status = bind(fd, (struct sockaddr *)&address, sizeof(address));
	umask(mask);
	return status == 0 ? listen(fd, BACKLOG) : -1;
}

/*
 * The socket of a ktrack that starts at the same time looks like that of a killed one until it
 * listens: the folder is locked. Whoever keeps the lock gets this ktrack to use another folder.
 */
static int socket_bind(int fd, const char *path)
{
	const struct timespec step = { .tv_nsec = LOCK_STEP_NS };
	char *copy = strdup(path);
	int folder = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int status = -1;

	free(copy);
	if (folder < 0)
		return -1;
	for (int i = 0; i < LOCK_STEPS && status < 0; i++) {
		status = flock(folder, LOCK_EX | LOCK_NB);
		if (status < 0)
			nanosleep(&step, NULL);
	}
	if (status == 0)
		status = socket_bind_alone(fd, path);
	close(folder);
	return status;
}

/* The folder of the usual socket exists while a ktrack of root runs. */
static int socket_open_usual(struct program_socket *own)
{
	char folder[] = KTRACK_USER_SOCKET;

	own->path = strdup(own->usual);
	if (!own->path)
		return -1;
	if (!own->is_chosen)
		mkdir(dirname(folder), 0711);
	return socket_bind(own->fd, own->path);
}

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

static int socket_open_temporary(struct program_socket *own)
{
	free(own->path);
	own->path = NULL;
	if (asprintf(&own->folder, "%s/ktrack-XXXXXX", temporary_folder()) < 0)
		own->folder = NULL;
	if (!own->folder || !mkdtemp(own->folder)) {
		free(own->folder);
		own->folder = NULL;
		return -1;
	}
	if (asprintf(&own->path, "%s/user.sock", own->folder) < 0)
		own->path = NULL;
	/* The command of root may run as another user. */
	chmod(own->folder, 0711);
	return own->path ? socket_bind(own->fd, own->path) : -1;
}

/* Without it, descendants that do not know the path are found by searching. */
static int socket_open_for_descendants(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char start[24];

	snprintf(start, sizeof(start), "%llu", (unsigned long long)process_started(getpid()));
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, KTRACK_USER_ANCESTOR, getpid(),
		 start);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	file_close(fd);
	return -1;
}

int program_socket_open(struct program_socket *own, bool is_private, struct error *error)
{
	const char *variable = getenv(KTRACK_USER_SOCKET_VARIABLE);

	*own = (struct program_socket){
		.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0),
		.descendants_fd = is_private ? socket_open_for_descendants() : -1,
		.usual = strdup(variable ? variable : KTRACK_USER_SOCKET),
		.is_chosen = variable,
	};
	if (!own->usual)
		return error_set(error, "out of memory");
	if (own->fd < 0)
		return error_set_system(error, errno, "cannot create a socket");
	if ((!is_private && socket_open_usual(own) == 0) || socket_open_temporary(own) == 0)
		return 0;
	return error_set_system(error, errno,
				"%s: cannot make a socket there; set TMPDIR to a directory that can "
				"be written",
				temporary_folder());
}

void program_socket_close(struct program_socket *own)
{
	if (own->path && socket_is_own(own->path))
		unlink(own->path);
	file_close(own->fd);
	file_close(own->descendants_fd);
	if (own->folder)
		rmdir(own->folder);
	free(own->usual);
	free(own->path);
	free(own->folder);
	*own = (struct program_socket){ .fd = -1, .descendants_fd = -1 };
}
