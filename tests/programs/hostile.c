// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sends ktrack a file whose close blocks, and waits: hostile SOCKET linger | fuse FOLDER.
 *
 * "linger": a socket with unsent data that lingers for an hour. "fuse": a file of a FUSE that never
 * answers a flush, in a child of the process that answers everything else; needs root.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void check(int status, const char *text)
{
	if (status < 0) {
		perror(text);
		exit(1);
	}
}

/* Tells the caller that the file is sent, and keeps the connection. */
static void file_send(const char *path, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = { 0 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct iovec part = { .iov_base = "1234", .iov_len = 4 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	int connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	check(connect(connection, (struct sockaddr *)&address, sizeof(address)), "connect");
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	check(sendmsg(connection, &message, 0), "sendmsg");
	puts("sent");
	fflush(stdout);
	/* The last close is ktrack's; that of a file of FUSE waits here, too. */
	close(fd);
	pause();
}

static int lingering_socket(void)
{
	const struct linger linger = { .l_onoff = 1, .l_linger = 3600 };
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(any);
	int listening = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	static const char bytes[65536];

	check(bind(listening, (struct sockaddr *)&any, size), "bind");
	check(listen(listening, 1), "listen");
	check(getsockname(listening, (struct sockaddr *)&any, &size), "getsockname");
	check(connect(fd, (struct sockaddr *)&any, size), "connect");
	check(accept(listening, NULL, NULL), "accept");
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	return fd;
}

static void fuse_answer(int fd, uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header head = { .len = sizeof(head) + size, .error = error, .unique = unique };
	char answer[512];

	memcpy(answer, &head, sizeof(head));
	memcpy(answer + sizeof(head), data, size);
	if (write(fd, answer, head.len) < 0 && errno != ENOENT)
		exit(1);
}

static void fuse_serve(int fd, const struct fuse_in_header *request)
{
	const struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
	const struct fuse_open_out opened = { 0 };
	struct fuse_attr attributes = { .ino = request->nodeid, .nlink = 1 };
	struct fuse_attr_out attribute_out = { 0 };
	struct fuse_entry_out entry = { .nodeid = 2 };

	attributes.mode = request->nodeid == 1 ? S_IFDIR | 0755 : S_IFREG | 0666;
	attribute_out.attr = attributes;
	entry.attr = attributes;
	entry.attr.ino = 2;
	entry.attr.mode = S_IFREG | 0666;
	if (request->opcode == FUSE_INIT)
		fuse_answer(fd, request->unique, 0, &init, sizeof(init));
	else if (request->opcode == FUSE_GETATTR)
		fuse_answer(fd, request->unique, 0, &attribute_out, sizeof(attribute_out));
	else if (request->opcode == FUSE_LOOKUP)
		fuse_answer(fd, request->unique, 0, &entry, sizeof(entry));
	else if (request->opcode == FUSE_OPEN)
		fuse_answer(fd, request->unique, 0, &opened, sizeof(opened));
	else if (request->opcode != FUSE_FLUSH && request->opcode != FUSE_FORGET &&
		 request->opcode != FUSE_INTERRUPT)
		fuse_answer(fd, request->unique, -ENOSYS, NULL, 0);
}

static void fuse_run(const char *path, const char *folder)
{
	static char request[1 << 17];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC), file;
	char options[128], name[256];

	check(fd, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	check(mount("hostile", folder, "fuse", 0, options), "mount");
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd);
		snprintf(name, sizeof(name), "%s/file", folder);
		file = open(name, O_RDWR);
		check(file, name);
		file_send(path, file);
	}
	while (read(fd, request, sizeof(request)) > 0 || errno == EINTR || errno == ENOENT)
		fuse_serve(fd, (const struct fuse_in_header *)(const void *)request);
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[2], "fuse") == 0)
		fuse_run(argv[1], argv[3]);
	else if (argc == 3 && strcmp(argv[2], "linger") == 0)
		file_send(argv[1], lingering_socket());
	return 1;
}
