// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of who answers late: a supervisor, processes one behind the other, who changes what is asked for. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (1 << 20)

static char bytes[64 << 10] __attribute__((aligned(4096)));

/* Who supervises system calls is slow to answer; in the twin it computes for it. */
static int filter_install(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdir, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void supervised_run(void)
{
	int listener = filter_install();

	if (listener < 0)
		fail("seccomp");
	actor_become("app", 1, 0);
	stage->step = listener;
	while (stage->step >= 0)
		sleep_ms(1);
	ktrack_begin(incident_work, stage->name);
	syscall(SYS_mkdir, "/tmp/supervised", 0700);
	ktrack_end(incident_work);
}

static void supervisor(void)
{
	struct seccomp_notif request = { 0 };
	struct seccomp_notif_resp answer = { 0 };
	pid_t pid = actor_process("app", 1, 0, supervised_run);
	int process, listener;

	step_wait(1);
	actor_become("supervisor", 0, 0);
	process = syscall(SYS_pidfd_open, pid, 0);
	listener = syscall(SYS_pidfd_getfd, process, stage->step, 0);
	if (listener < 0)
		fail("pidfd_getfd");
	stage->step = -1;
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
		fail("SECCOMP_IOCTL_NOTIF_RECV");
	if (stage->is_twin)
		compute_ms(30);
	else
		sleep_ms(30);
	answer.id = request.id;
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer))
		fail("SECCOMP_IOCTL_NOTIF_SEND");
	actors_join();
}

/* A request goes through six processes, the last of which reads a disk with a limit; in the twin it computes. */
#define RELAYS 6
static const char *const tiers[RELAYS] = { "tier-0", "tier-1", "tier-2", "tier-3", "tier-4", "tier-5" };
static int relays[RELAYS][2], relay_number;

static void relay_act(void)
{
	int own = relay_number;
	char byte;

	while (read(relays[own][1], &byte, 1) == 1) {
		if (own + 1 < RELAYS) {
			if (write(relays[own + 1][0], &byte, 1) < 0 || read(relays[own + 1][0], &byte, 1) < 0)
				fail("relay");
		} else if (stage->is_twin) {
			compute_ms(30);
		} else {
			int fd = file_open("/mnt/image", O_RDONLY | O_DIRECT);

			cgroup_join("slow");
			for (int i = 0; i < 4; i++)
				if (pread(fd, bytes, sizeof(bytes) - i * 4096, 0) < 0)
					fail("image");
			cgroup_join("");
		}
		if (write(relays[own][1], &byte, 1) < 0)
			fail("relay");
	}
}

static void relay(void)
{
	char byte = 0;

	for (int i = 0; i < RELAYS; i++)
		socketpair(AF_UNIX, SOCK_STREAM, 0, relays[i]);
	for (relay_number = 0; relay_number < RELAYS; relay_number++) {
		actor_process(tiers[relay_number], 0, 0, relay_act);
	}
	actor_become("client", 1, 0);
	sleep_ms(3);
	ktrack_begin(incident_work, stage->name);
	if (write(relays[0][0], &byte, 1) < 0 || read(relays[0][0], &byte, 1) < 0)
		fail("relay");
	ktrack_end(incident_work);
	actors_kill();
}

/* A directory is changed by another process, synchronously; in the twin not so, and the client computes. */
#define FLAGS_SET _IOW('f', 2, long)
#define FLAG_SYNC 0x8

static char directory_path[64];

static void directory_change(void)
{
	char from[80], to[80];

	snprintf(from, sizeof(from), "%s/from", directory_path);
	snprintf(to, sizeof(to), "%s/to", directory_path);
	close(file_open(from, O_CREAT | O_WRONLY));
	for (int i = 0; i < 12; i++) {
		stage->step = i;
		if (rename(from, to) || rename(to, from))
			fail("rename");
	}
}

static void directory(void)
{
	long flags = FLAG_SYNC;
	char path[80];

	snprintf(directory_path, sizeof(directory_path), "/mnt/%s", stage->name);
	snprintf(path, sizeof(path), "%s/kept", directory_path);
	mkdir(directory_path, 0700);
	close(file_open(path, O_CREAT | O_WRONLY));
	if (!stage->is_twin && ioctl(file_open(directory_path, O_RDONLY | O_DIRECTORY), FLAGS_SET, &flags))
		fail("FS_IOC_SETFLAGS");
	actor_process("mover", 0, 0, directory_change);
	actor_become("client", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	if (stage->is_twin)
		compute_ms(10);
	open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	ktrack_end(incident_work);
	actors_join();
}

/* A process is inspected that copies its memory for children; in the twin it computes, as the inspector does. */
static void inspected_act(void)
{
	pages_touch(memory_map(96 * MIB), 96 * MIB);
	stage->step = 1;
	while (!stage->is_over) {
		if (stage->is_twin)
			compute_ms(1);
		else if (!fork())
			_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static void inspected(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", actor_process("database", 0, 0, inspected_act));
	actor_become("ps", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < 3; i++) {
		int fd = file_open(path, O_RDONLY);

		if (read(fd, bytes, 100) < 0)
			fail(path);
		close(fd);
		if (stage->is_twin)
			compute_ms(4);
	}
	ktrack_end(incident_work);
	stage->is_over = true;
	actors_join();
}

/* A process is awaited by a descriptor of it, while it frees its memory; in the twin it computes. */
static void descriptor_act(void)
{
	char *memory = memory_map(96 * MIB);

	if (!stage->is_twin)
		pages_touch(memory, 96 * MIB);
	stage->step = 1;
	if (stage->is_twin)
		compute_ms(30);
}

static void descriptor(void)
{
	pid_t pid = actor_process("worker", 0, 0, descriptor_act);
	struct pollfd poll_fd = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };

	actor_become("manager", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	poll(&poll_fd, 1, -1);
	ktrack_end(incident_work);
	actors_join();
}

/* A time to which a thread sleeps is put off: the clock is set back; in the twin before it sleeps. */
#define NS_PER_S 1000000000

static struct timespec time_moved(long ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec += ns;
	now.tv_sec += now.tv_nsec >= NS_PER_S ? 1 : now.tv_nsec < 0 ? -1 : 0;
	now.tv_nsec = (now.tv_nsec + NS_PER_S) % NS_PER_S;
	return now;
}

static void clock_set_back(void)
{
	struct timespec time;

	if (!stage->is_twin) {
		step_wait(1);
		sleep_ms(2);
	}
	time = time_moved(-40000000);
	if (clock_settime(CLOCK_REALTIME, &time))
		fail("clock_settime");
	stage->step = 2;
}

static void clock_step(void)
{
	struct timespec until;

	actor_process("ntpd", 0, 0, clock_set_back);
	actor_become("cron", 1, 0);
	if (stage->is_twin)
		step_wait(2);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	until = time_moved(10000000);
	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
	ktrack_end(incident_work);
	actors_join();
}

const struct incident request_incidents[] = {
	{ "supervisor", supervisor },
	{ "relay", relay },
	{ "directory", directory },
	{ "inspected", inspected },
	{ "descriptor", descriptor },
	{ "clock-step", clock_step },
	{ }
};
