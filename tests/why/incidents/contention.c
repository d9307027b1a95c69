// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of who keeps others from what they share: a process, a file, a connection, a queue. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char bytes[64 << 10];

/* Reads what is not cached from a disk, of which its cgroup may read little. */
static void disk_read(int kib)
{
	int fd = file_open("/mnt/image", O_RDONLY | O_DIRECT);
	char *memory = memory_map(kib << 10);

	cgroup_join("slow");
	if (pread(fd, memory, kib << 10, 0) < 0)
		fail("/mnt/image");
	cgroup_join("");
	close(fd);
}

/* The slice is the wait of @waiter for a process to end. */
static void process_await(const char *name, void (*run)(void), const char *waiter)
{
	pid_t pid = actor_process(name, 1, 0, run);

	actor_become(waiter, 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	waitpid(pid, NULL, 0);
	ktrack_end(incident_work);
	actors_join();
}

/* A process ends for a new program, but its other thread waits for a disk; in the twin for its CPU. */
static void peer_work(void)
{
	cgroup_join(stage->is_twin ? "" : "slow");
	stage->step = 1;
	if (stage->is_twin)
		compute_ms(60);
	else
		disk_read(128);
}

static void exec_run(void)
{
	actor_thread("saver", 0, 0, peer_work);
	step_wait(1);
	sleep_ms(5);
	execl("/bin/busybox", "true", NULL);
}

static void exec_peer(void)
{
	if (stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	process_await("tool", exec_run, "shell");
}

/* The end of a connection waits until its data is taken: its reader sleeps; in the twin it computes. */
static int connection[2];

static void tcp_connect(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) },
				       .sin_port = htons(7778) };
	int server = socket(AF_INET, SOCK_STREAM, 0), size = 8192;

	connection[0] = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(server, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(server, (void *)&address, sizeof(address)) || listen(server, 1) ||
	    connect(connection[0], (void *)&address, sizeof(address)))
		fail("socket");
	connection[1] = accept(server, NULL, NULL);
	close(server);
}

static void linger_read(void)
{
	close(connection[0]);
	stage->step = 1;
	step_wait(2);
	if (stage->is_twin)
		compute_ms(40);
	else
		sleep_ms(40);
	while (read(connection[1], bytes, sizeof(bytes)) > 0)
		;
}

static void linger(void)
{
	struct linger until = { 1, 10 };

	tcp_connect();
	actor_process("reader", 0, 0, linger_read);
	close(connection[1]);
	actor_become("client", 1, 0);
	step_wait(1);
	setsockopt(connection[0], SOL_SOCKET, SO_LINGER, &until, sizeof(until));
	fcntl(connection[0], F_SETFL, O_NONBLOCK);
	while (write(connection[0], bytes, sizeof(bytes)) > 0)
		;
	fcntl(connection[0], F_SETFL, 0);
	stage->step = 2;
	ktrack_begin(incident_work, stage->name);
	close(connection[0]);
	ktrack_end(incident_work);
	actors_join();
}

/* A server is told once of two requests, and takes one of them; in the twin it computes. */
static int pair[2];

static void edge_serve(void)
{
	struct epoll_event event = { .events = EPOLLIN | (stage->is_twin ? 0 : EPOLLET) };
	int events = epoll_create1(0);

	close(pair[0]);
	epoll_ctl(events, EPOLL_CTL_ADD, pair[1], &event);
	stage->step = 1;
	for (int i = 0; i < 2; i++) {
		char request;

		epoll_wait(events, &event, 1, 60);
		if (read(pair[1], &request, 1) < 1)
			break;
		if (stage->is_twin)
			compute_ms(20);
		if (write(pair[1], &request, 1) < 1)
			break;
	}
}

static void edge(void)
{
	char answers[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	actor_process("server", 0, 0, edge_serve);
	close(pair[1]);
	actor_become("client", 1, 0);
	step_wait(1);
	sleep_ms(4);
	ktrack_begin(incident_work, stage->name);
	if (write(pair[0], "ab", 2) < 0)
		fail("write");
	for (int i = 0; i < 2; i++)
		if (read(pair[0], &answers[i], 1) < 1)
			fail("read");
	ktrack_end(incident_work);
	close(pair[0]);
	actors_join();
}

/* The reader of a named pipe waits for its writer, which waits for a disk; in the twin it computes. */
static void fifo_write(void)
{
	step_wait(1);
	if (stage->is_twin)
		compute_ms(40);
	else
		disk_read(128);
	close(file_open("/shm/fifo", O_WRONLY));
}

static void fifo(void)
{
	mkfifo("/shm/fifo", 0600);
	actor_process("loader", 0, 0, fifo_write);
	actor_become("job", 1, 0);
	sleep_ms(4);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	close(file_open("/shm/fifo", O_RDONLY));
	ktrack_end(incident_work);
	actors_join();
}

/* A file is made shorter while another process reads it past the cache, slowly; in the twin it sleeps. */
static void direct_read(void)
{
	int fd = file_open("/mnt/direct", O_RDONLY | O_DIRECT);
	struct iocb request = { .aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = fd,
				.aio_nbytes = 128 << 10 };
	struct iocb *list[1] = { &request };
	aio_context_t context = 0;
	struct io_event event;

	cgroup_join("slow");
	request.aio_buf = (uintptr_t)memory_map(128 << 10);
	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, list) != 1)
		fail("io_submit");
	stage->step = 1;
	syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
	cgroup_join("");
}

static void truncating(void)
{
	int fd = file_open("/mnt/direct", O_CREAT | O_RDWR | O_TRUNC);

	for (int i = 0; i < 2; i++)
		if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd))
			fail("/mnt/direct");
	actor_process("backup", 0, 0, direct_read);
	actor_become("rotate", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	if (stage->is_twin)
		sleep_ms(40);
	else if (ftruncate(fd, 0))
		fail("ftruncate");
	ktrack_end(incident_work);
	actors_join();
}

/* A queue of datagrams is full: its reader waits for a disk; in the twin it computes. */
static void datagrams_read(void)
{
	close(pair[0]);
	step_wait(1);
	if (stage->is_twin)
		compute_ms(40);
	else
		disk_read(128);
	while (!stage->is_over)
		if (recv(pair[1], bytes, sizeof(bytes), 0) < 0)
			fail("recv");
}

static void datagrams(void)
{
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	actor_process("syslogd", 0, 0, datagrams_read);
	close(pair[1]);
	actor_become("service", 1, 0);
	while (send(pair[0], bytes, 64, MSG_DONTWAIT) > 0)
		;
	stage->step = 1;
	sleep_ms(1);
	ktrack_begin(incident_work, stage->name);
	if (send(pair[0], bytes, 64, 0) < 0)
		fail("send");
	ktrack_end(incident_work);
	stage->is_over = true;
	actors_kill();
}

/* The first process of a namespace ends, but another one there waits for a disk; in the twin for its CPU. */
static void inner_run(void)
{
	if (stage->is_twin)
		actor_become("inner", 0, 0);
	peer_work();
}

static void container_run(void)
{
	actor_process("inner", 0, 0, inner_run);
	step_wait(1);
	sleep_ms(5);
}

static void container(void)
{
	if (stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	if (unshare(CLONE_NEWPID))
		fail("unshare");
	process_await("init", container_run, "runtime");
}

const struct incident contention_incidents[] = {
	{ "exec-peer", exec_peer },
	{ "linger", linger },
	{ "edge", edge },
	{ "fifo", fifo },
	{ "truncating", truncating },
	{ "datagrams", datagrams },
	{ "container", container },
	{ }
};
