// SPDX-License-Identifier: GPL-2.0-only
/* Reads the number of --ready-fd and writes the line to it. */
#include "cli/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READY_LINE "ready\n"

/* More digits than any descriptor has. */
#define DIGITS_MAX 9

int ready_fd_parse(const char *text, int *out, struct error *error)
{
	size_t nr_digits = strspn(text, "0123456789");
	int fd, flags;

	if (nr_digits == 0 || nr_digits > DIGITS_MAX || text[nr_digits])
		return error_set(error, "'%s' is no descriptor; write its number", text);
	fd = atoi(text);
	if (fd <= STDERR_FILENO)
		return error_set(error, "--ready-fd=%d is a standard stream; write 3 or more", fd);
	flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return error_set(error, "--ready-fd=%d is not open; open it as in %d>FILE", fd, fd);
	if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH))
		return error_set(error, "--ready-fd=%d cannot be written; open it as in %d>FILE",
				 fd, fd);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	*out = fd;
	return 0;
}

int ready_signal(int *fd, struct error *error)
{
	int status = 0;

	if (*fd < 0)
		return 0;
	if (file_write_all(*fd, READY_LINE, strlen(READY_LINE), NULL) < 0)
		status = error_set_system(error, errno, "cannot write to --ready-fd=%d", *fd);
	close(*fd);
	*fd = -1;
	return status;
}
