// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of what the kernel has others do: workers of io_uring, scanners, handlers of core dumps, new programs, terminals. */
#define _GNU_SOURCE
#include "actors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static char bytes[64 << 10];

/* A worker of io_uring writes to a disk; in the twin it waits for its CPU. */
static void ring_flush(int fd)
{
	struct io_uring_params params = { 0 };
	int ring = syscall(SYS_io_uring_setup, 1, &params);
	struct io_uring_sqe *request;
	unsigned int *tail, *array;
	char *queue;
	cpu_set_t cpus;

	if (ring < 0)
		fail("io_uring_setup");
	queue = mmap(NULL, params.sq_off.array + sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED,
		     ring, IORING_OFF_SQ_RING);
	request = mmap(NULL, sizeof(*request), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		       IORING_OFF_SQES);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (queue == MAP_FAILED || request == MAP_FAILED ||
	    syscall(SYS_io_uring_register, ring, IORING_REGISTER_IOWQ_AFF, &cpus, sizeof(cpus)))
		fail("io_uring");
	*request = (struct io_uring_sqe){
		.opcode = IORING_OP_FSYNC,
		.flags = IOSQE_ASYNC,
		.fd = fd,
	};
	tail = (unsigned int *)(queue + params.sq_off.tail);
	array = (unsigned int *)(queue + params.sq_off.array);
	array[0] = 0;
	__atomic_store_n(tail, 1, __ATOMIC_RELEASE);
	ktrack_begin(incident_work, stage->name);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		fail("io_uring_enter");
	ktrack_end(incident_work);
}

static void ring(void)
{
	int fd = file_open("/mnt/ring", O_RDWR | O_CREAT | O_TRUNC);

	if (stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	actor_become("database", 1, 0);
	for (int i = 0; i < (stage->is_twin ? 0 : 64); i++)
		if (write(fd, bytes, sizeof(bytes)) < 0)
			fail("/mnt/ring");
	stage->step = 1;
	sleep_ms(8);
	ring_flush(fd);
	actors_join();
}

/* A scanner has to allow that a file is opened: it computes; in the twin it sleeps. */
static int scanner_fd;

static void scanner_answer(void)
{
	struct fanotify_event_metadata event;
	struct fanotify_response response = { .response = FAN_ALLOW };

	if (read(scanner_fd, &event, sizeof(event)) < 0)
		fail("fanotify");
	if (stage->is_twin)
		sleep_ms(40);
	else
		compute_ms(40);
	response.fd = event.fd;
	if (write(scanner_fd, &response, sizeof(response)) < 0)
		fail("fanotify");
}

static void scanner(void)
{
	close(file_open("/shm/scanned", O_RDWR | O_CREAT));
	scanner_fd = fanotify_init(FAN_CLASS_CONTENT, O_RDONLY);
	if (scanner_fd < 0 ||
	    fanotify_mark(scanner_fd, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, "/shm/scanned"))
		fail("fanotify");
	actor_process("scanner", 0, 0, scanner_answer);
	close(scanner_fd);
	actor_become("editor", 1, 0);
	sleep_ms(8);
	ktrack_begin(incident_work, stage->name);
	close(file_open("/shm/scanned", O_RDONLY));
	ktrack_end(incident_work);
	actors_join();
}

/* A child dumps its core, which a slow handler takes; in the twin it computes before it is killed. */
static void dump_child(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	char *memory = memory_map(1 << 20);

	pages_touch(memory, 1 << 20);
	setrlimit(RLIMIT_CORE, &limit);
	step_wait(1);
	if (stage->is_twin)
		compute_ms(40);
	kill(getpid(), stage->is_twin ? SIGKILL : SIGABRT);
	pause();
}

static void core_dump(void)
{
	pid_t pid;

	file_write("/proc/sys/kernel/core_pattern", "|/bin/busybox sleep 0.06");
	pid = actor_process("crasher", 0, 0, dump_child);
	actor_become("supervisor", 1, 0);
	sleep_ms(4);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	waitpid(pid, NULL, 0);
	ktrack_end(incident_work);
	file_write("/proc/sys/kernel/core_pattern", "core");
}

/* A new program has to be read from the disk; in the twin it waits for a CPU. */
static void cold_copy(void)
{
	int from = file_open("/bin/busybox", O_RDONLY), to = file_open("/mnt/tool", O_RDWR | O_CREAT);
	ssize_t size;

	while ((size = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, size) < 0)
			fail("/mnt/tool");
	fchmod(to, 0700);
	if (fsync(to) || (!stage->is_twin && posix_fadvise(to, 0, 0, POSIX_FADV_DONTNEED)))
		fail("/mnt/tool");
	close(to);
	close(from);
}

static void cold_exec(void)
{
	pid_t pid;

	cold_copy();
	if (stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	actor_become("shell", 1, 0);
	stage->step = 1;
	sleep_ms(8);
	ktrack_begin(incident_work, stage->name);
	pid = vfork();
	if (!pid) {
		sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){ { 1 } });
		execl("/mnt/tool", "true", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	ktrack_end(incident_work);
	actors_join();
}

/* A terminal is full, because nobody reads from it for a while; in the twin its reader computes. */
static int terminal;

static void terminal_read(void)
{
	int left = sizeof(bytes);
	ssize_t size;

	step_wait(1);
	if (stage->is_twin)
		compute_ms(40);
	else
		sleep_ms(40);
	for (; left > 0; left -= size) {
		size = read(terminal, bytes, sizeof(bytes));
		if (size <= 0)
			break;
	}
}

static void terminal_full(void)
{
	struct termios raw;
	int fd;

	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (terminal < 0 || unlockpt(terminal))
		fail("terminal");
	fd = file_open(ptsname(terminal), O_RDWR | O_NOCTTY);
	tcgetattr(fd, &raw);
	cfmakeraw(&raw);
	tcsetattr(fd, TCSANOW, &raw);
	memset(bytes, 'x', sizeof(bytes));
	actor_process("sshd", 0, 0, terminal_read);
	actor_become("job", 1, 0);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	for (size_t n = 0; n < sizeof(bytes);) {
		ssize_t size = write(fd, bytes + n, sizeof(bytes) - n);

		if (size < 0)
			fail("terminal");
		n += size;
	}
	ktrack_end(incident_work);
	close(fd);
	actors_join();
}

/* A message comes late, because its sender waits for a disk; in the twin it computes. */
static mqd_t messages;

static void message_send(void)
{
	int fd = file_open("/mnt/state", O_CREAT | O_WRONLY | O_TRUNC);

	step_wait(1);
	if (stage->is_twin)
		compute_ms(20);
	for (int i = 0; i < 4 && !stage->is_twin; i++)
		if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd))
			fail("fsync");
	if (mq_send(messages, "x", 1, 0))
		fail("mq_send");
}

static void late_message(void)
{
	struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	char message[8];

	messages = mq_open("/messages", O_RDWR | O_CREAT, 0600, &attributes);
	if (messages < 0)
		fail("mq_open");
	actor_process("producer", 0, 0, message_send);
	actor_become("consumer", 1, 0);
	sleep_ms(4);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	if (mq_receive(messages, message, sizeof(message), NULL) < 0)
		fail("mq_receive");
	ktrack_end(incident_work);
	mq_unlink("/messages");
	actors_join();
}

/* A disk is a file on another disk, not in memory; in the twin its reader waits for its CPU. */
static void stacked_disk(void)
{
	int fd = file_open("/mnt/image", O_RDWR), disk = file_open("/dev/loop1", O_RDONLY);

	posix_fadvise(disk, 0, 0, POSIX_FADV_RANDOM);
	if (stage->is_twin) {
		actor_process("urgent", 1, 20, actor_preempt);
	} else if (ioctl(disk, BLKFLSBUF, 0) || fsync(fd) ||
		   posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) ||
		   posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED)) {
		fail("/mnt/image");
	}
	actor_become("reader", 1, 0);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < 12; i++)
		if (pread(disk, bytes, 4096, (i * 37 % 64) << 14) < 0)
			fail("/dev/loop1");
	if (stage->is_twin)
		compute_ms(12);
	ktrack_end(incident_work);
	actors_join();
}

const struct incident service_incidents[] = {
	{ "ring", ring },
	{ "scanner", scanner },
	{ "core-dump", core_dump },
	{ "cold-exec", cold_exec },
	{ "terminal", terminal_full },
	{ "late-message", late_message },
	{ "stacked-disk", stacked_disk },
	{ }
};
