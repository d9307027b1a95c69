// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of pipes, sockets and queues: who does not read, write or answer, and why. */
#define _GNU_SOURCE
#include "actors.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK_SIZE 65536
#define PIECE_SIZE 4096
#define ASK_SIZE 60
#define ANSWER_SIZE 10
#define RECEIVERS 40

static int upper[2], lower[2], answers[2];
static char block[BLOCK_SIZE];

static void pipes_make(void)
{
	if (pipe(upper) || pipe(lower) || pipe(answers))
		fail("pipe");
}

static void byte_send(int fd)
{
	if (write(fd, "x", 1) != 1)
		fail("write");
}

static bool byte_receive(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

/* A producer waits for a filter, which waits for a slow sink; in the twin the filter computes. */
static void pipe_filter(void)
{
	for (int i = 0; i < 40; i++) {
		if (read(upper[0], block, PIECE_SIZE) <= 0)
			return;
		if (stage->is_twin)
			compute_ms(3);
		if (write(lower[1], block, PIECE_SIZE) < 0)
			fail("pipe");
	}
}

static void pipe_sink(void)
{
	for (int i = 0; i < 40; i++) {
		if (!stage->is_twin)
			sleep_ms(3);
		if (read(lower[0], block, PIECE_SIZE) <= 0)
			return;
	}
}

static void pipe_backpressure(void)
{
	pipes_make();
	fcntl(lower[1], F_SETPIPE_SZ, PIECE_SIZE);
	actor_process("filter", 0, 0, pipe_filter);
	actor_process("sink", 0, 0, pipe_sink);
	actor_become("producer", 0, 10);
	for (int i = 0; i < 2; i++) {
		if (i)
			ktrack_begin(incident_work, stage->name);
		if (write(upper[1], block, BLOCK_SIZE) < 0)
			fail("pipe");
		if (i)
			ktrack_end(incident_work);
	}
	actors_kill();
}

/* Services that ask each other: the last one computes; in the twin it sleeps. */
static void chain_store(void)
{
	while (byte_receive(lower[0])) {
		if (stage->is_twin)
			sleep_ms(40);
		else
			compute_ms(40);
		byte_send(answers[1]);
	}
}

static void chain_logic(void)
{
	while (byte_receive(upper[0])) {
		compute_ms(0.5);
		byte_send(lower[1]);
	}
}

static void chain(void)
{
	pipes_make();
	actor_process("store", 0, 0, chain_store);
	actor_process("logic", 1, 0, chain_logic);
	actor_become("front", 1, 0);
	sleep_ms(10);
	ktrack_begin(incident_work, stage->name);
	byte_send(upper[1]);
	byte_receive(answers[0]);
	ktrack_end(incident_work);
	actors_kill();
}

/* An answer comes late because its producer waits for a CPU; in the twin it computes. */
static void starved_produce(void)
{
	while (byte_receive(upper[0])) {
		compute_ms(stage->is_twin ? 40 : 4);
		byte_send(answers[1]);
	}
}

static void starved_preempt(void)
{
	sleep_ms(20);
	busy_ms(60);
}

static void starved_producer(void)
{
	pipes_make();
	actor_process("producer", 0, 0, starved_produce);
	if (!stage->is_twin)
		actor_process("urgent", 0, 30, starved_preempt);
	actor_become("consumer", 1, 40);
	sleep_ms(22);
	ktrack_begin(incident_work, stage->name);
	byte_send(upper[1]);
	byte_receive(answers[0]);
	ktrack_end(incident_work);
	actors_kill();
}

/* A socket of type @type at a port of an address, which is stored. */
static int port_open(int type, in_addr_t local, struct sockaddr_in *address)
{
	int fd = socket(AF_INET, type, 0), on = 1;

	*address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(local),
		.sin_port = htons(7700),
	};
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)address, sizeof(*address)))
		fail("bind");
	return fd;
}

static int listener;

/*
 * A question in two writes: Nagle's algorithm holds the second one back until the server's delayed
 * acknowledgment. In the twin the server sleeps so long.
 */
static void nagle_serve(void)
{
	int fd = accept(listener, NULL, NULL);
	ssize_t n, all = 0;

	while ((n = read(fd, block, ASK_SIZE - all)) > 0) {
		all += n;
		if (all < ASK_SIZE)
			continue;
		if (stage->is_twin)
			sleep_ms(40);
		if (write(fd, block, ANSWER_SIZE) < 0)
			fail("write");
		all = 0;
	}
}

static void nagle(void)
{
	struct sockaddr_in address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	listener = port_open(SOCK_STREAM, INADDR_LOOPBACK, &address);
	if (listen(listener, 1))
		fail("listen");
	actor_process("server", 0, 0, nagle_serve);
	actor_become("client", 1, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		fail("connect");
	for (int i = 0; i < 12; i++) {
		ktrack_begin(incident_work, stage->name);
		if (write(fd, block, ASK_SIZE / 3) < 0 || write(fd, block, ASK_SIZE * 2 / 3) < 0)
			fail("write");
		for (ssize_t n, all = 0; all < ANSWER_SIZE; all += n) {
			n = read(fd, block, ANSWER_SIZE - all);
			if (n <= 0)
				fail("read");
		}
		ktrack_end(incident_work);
	}
	actors_kill();
}

/*
 * Datagrams for many receivers are distributed on a thread's CPU, to which they are steered; in the
 * twin they are not, and have one receiver, and their sender preempts the thread.
 */
static struct sockaddr_in flood_address;

static void flood_send(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	if (!stage->is_twin)
		flood_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK | 0xffffff);
	for (;;) {
		for (int i = 0; i < (stage->is_twin ? 100 : 60); i++)
			sendto(fd, block, 100, 0, (struct sockaddr *)&flood_address,
			       sizeof(flood_address));
		sleep_ms(1);
	}
}

static void flood(void)
{
	for (int i = 0; i < (stage->is_twin ? 1 : RECEIVERS); i++)
		port_open(SOCK_DGRAM, stage->is_twin ? INADDR_LOOPBACK : INADDR_ANY,
			  &flood_address);
	actor_process("telemetry", stage->is_twin ? 0 : 1, stage->is_twin ? 10 : 0, flood_send);
	actor_become("audio", 0, 0);
	sleep_ms(15);
	ktrack_begin(incident_work, stage->name);
	compute_ms(12);
	ktrack_end(incident_work);
	actors_kill();
}

/* A socket is full because its reader waits for a disk; in the twin it computes. */
static void full_receive(void)
{
	int fd = file_open("/mnt/received", O_WRONLY | O_CREAT | O_TRUNC);

	close(upper[1]);
	while (read(upper[0], block, PIECE_SIZE) > 0) {
		if (stage->is_twin)
			compute_ms(3);
		else if (write(fd, block, PIECE_SIZE) < 0 || fsync(fd))
			fail("fsync");
	}
}

static void full_socket(void)
{
	int size = 16 << 10;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, upper))
		fail("socketpair");
	setsockopt(upper[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	actor_process("collector", 0, 0, full_receive);
	actor_become("sensor", 0, 10);
	for (int i = 0; i < 16; i++) {
		if (i == 12)
			ktrack_begin(incident_work, stage->name);
		if (write(upper[1], block, PIECE_SIZE) < 0)
			fail("write");
	}
	ktrack_end(incident_work);
	actors_kill();
}

/* Each event wakes all that wait with epoll on one CPU; in the twin an urgent thread runs there. */
static void epoll_wait_all(void)
{
	int fd = epoll_create1(0);
	struct epoll_event event = { .events = EPOLLIN };

	epoll_ctl(fd, EPOLL_CTL_ADD, upper[0], &event);
	while (epoll_wait(fd, &event, 1, -1) >= 0)
		if (read(upper[0], block, 1) <= 1)
			compute_ms(1);
}

static void epoll_send(void)
{
	for (;;) {
		if (stage->is_twin)
			busy_ms(1);
		else
			byte_send(upper[1]);
		sleep_ms(1);
	}
}

static void epoll_herd(void)
{
	static const char *const names[] = { "serve0", "serve1", "serve2", "serve3", "serve4",
					     "serve5", "serve6", "serve7", "serve8", "serve9" };

	pipes_make();
	fcntl(upper[0], F_SETFL, O_NONBLOCK);
	for (int i = 0; i < (stage->is_twin ? 0 : 10); i++)
		actor_process(names[i], 0, 0, epoll_wait_all);
	actor_process("source", stage->is_twin ? 0 : 1, stage->is_twin ? 10 : 0, epoll_send);
	actor_become("render", 0, 0);
	sleep_ms(25);
	ktrack_begin(incident_work, stage->name);
	compute_ms(12);
	ktrack_end(incident_work);
	actors_kill();
}

/* A message queue is full: its reader sleeps; in the twin it is stopped by what it reads from. */
static int queue;

static void queue_read(void)
{
	char message[32 + sizeof(long)];

	for (;;) {
		if (!stage->is_twin)
			sleep_ms(8);
		else
			byte_receive(upper[0]);
		if (msgrcv(queue, message, 32, 0, 0) < 0)
			return;
	}
}

static void queue_pace(void)
{
	for (;;) {
		compute_ms(8);
		byte_send(upper[1]);
	}
}

static void full_queue(void)
{
	struct { long type; char text[32]; } message = { .type = 1 };
	struct msqid_ds settings;

	pipes_make();
	queue = msgget(IPC_PRIVATE, 0600);
	if (queue < 0 || msgctl(queue, IPC_STAT, &settings))
		fail("msgget");
	settings.msg_qbytes = 4 * 32;
	msgctl(queue, IPC_SET, &settings);
	actor_process("reader", 0, 0, queue_read);
	if (stage->is_twin)
		actor_process("pace", 0, 0, queue_pace);
	actor_become("writer", 0, 10);
	for (int i = 0; i < 12; i++) {
		if (i == 8)
			ktrack_begin(incident_work, stage->name);
		if (msgsnd(queue, &message, 32, 0))
			fail("msgsnd");
	}
	ktrack_end(incident_work);
	msgctl(queue, IPC_RMID, NULL);
	actors_kill();
}

/* A watcher waits for a file, which its writer makes after a computation; in the twin, a pause. */
static void watched_write(void)
{
	step_wait(1);
	if (stage->is_twin)
		sleep_ms(40);
	else
		compute_ms(40);
	close(file_open("/tmp/watched", O_WRONLY | O_CREAT));
}

static void watched(void)
{
	int fd = inotify_init();

	unlink("/tmp/watched");
	if (inotify_add_watch(fd, "/tmp", IN_CREATE) < 0)
		fail("inotify");
	actor_process("deploy", 0, 0, watched_write);
	actor_become("watcher", 1, 0);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	if (read(fd, block, BLOCK_SIZE) <= 0)
		fail("inotify");
	ktrack_end(incident_work);
	actors_join();
}

const struct incident socket_incidents[] = {
	{ "pipe-backpressure", pipe_backpressure },
	{ "chain", chain },
	{ "starved-producer", starved_producer },
	{ "nagle", nagle },
	{ "flood", flood },
	{ "full-socket", full_socket },
	{ "epoll-herd", epoll_herd },
	{ "full-queue", full_queue },
	{ "watched", watched },
	{ }
};
