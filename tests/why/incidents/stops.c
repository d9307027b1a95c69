// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of signals, timers, debuggers, and waits for other processes. */
#define _GNU_SOURCE
#include "actors.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLACK_NS 40000000UL
#define PAGES 3
#define PAGE_SIZE 4096UL

/* A timer is late by its slack; in the twin it was asked for so long a time. */
static void slack(void)
{
	actor_become("ticker", 1, 0);
	if (!stage->is_twin)
		prctl(PR_SET_TIMERSLACK, SLACK_NS);
	for (int i = 0; i < 3; i++) {
		ktrack_begin(incident_work, stage->name);
		sleep_ms(stage->is_twin ? 40 : 1);
		ktrack_end(incident_work);
	}
}

/* Handlers of a periodic signal take most of the time; in the twin there are none. */
static void handler_run(int number)
{
	(void)number;
	compute_ms(1.2);
}

static void handlers(void)
{
	struct itimerval period = { { 0, 2000 }, { 0, 2000 } }, none = { };

	actor_become("solver", 1, 0);
	signal(SIGALRM, handler_run);
	if (!stage->is_twin)
		setitimer(ITIMER_REAL, &period, NULL);
	ktrack_begin(incident_work, stage->name);
	for (volatile int i = 0; i < 2500000; i++)
		;
	ktrack_end(incident_work);
	setitimer(ITIMER_REAL, &none, NULL);
}

/* A process is stopped by a signal; in the twin its cgroup is frozen. */
static void stopped_work(void)
{
	if (stage->is_twin)
		cgroup_join("frozen");
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	compute_ms(20);
	ktrack_end(incident_work);
}

static void stopped(void)
{
	pid_t pid = actor_process("game", 1, 0, stopped_work);

	actor_become("powersave", 0, 0);
	step_wait(1);
	sleep_ms(8);
	if (stage->is_twin)
		file_write("/sys/fs/cgroup/frozen/cgroup.freeze", "1");
	else
		kill(pid, SIGSTOP);
	sleep_ms(60);
	if (stage->is_twin)
		file_write("/sys/fs/cgroup/frozen/cgroup.freeze", "0");
	else
		kill(pid, SIGCONT);
	actors_join();
}

/* A debugger stops a process at each system call; in the twin the process asks it, by a pipe. */
static int questions[2], answers[2];

static void traced_work(void)
{
	char byte = 0;

	sleep_ms(15);
	ktrack_begin(incident_work, stage->name);
	for (int i = 0; i < 20; i++) {
		if (!stage->is_twin)
			syscall(SYS_getppid);
		else if (write(questions[1], &byte, 1) < 0 || read(answers[0], &byte, 1) < 0)
			fail("pipe");
	}
	ktrack_end(incident_work);
	if (stage->is_twin)
		_exit(0);
}

static void traced(void)
{
	int status;
	char byte;
	pid_t pid;

	if (pipe(questions) || pipe(answers))
		fail("pipe");
	pid = actor_process("app", 1, 0, traced_work);
	actor_become("inspector", 0, 0);
	close(questions[1]);
	while (stage->is_twin && read(questions[0], &byte, 1) == 1) {
		compute_ms(1);
		if (write(answers[1], &byte, 1) < 0)
			fail("pipe");
	}
	if (!stage->is_twin && (ptrace(PTRACE_SEIZE, pid, 0, 0) ||
				ptrace(PTRACE_INTERRUPT, pid, 0, 0)))
		fail("ptrace");
	while (waitpid(pid, &status, 0) == pid && !WIFEXITED(status)) {
		compute_ms(0.6);
		ptrace(PTRACE_SYSCALL, pid, 0, 0);
	}
}

/* Pages come from a slow pager; in the twin from a file whose pages are not in memory. */
static int pager_fd;
static char *paged;

static void pager_serve(void)
{
	static char zeros[PAGE_SIZE];
	struct uffdio_copy copy = { .src = (unsigned long)zeros, .len = PAGE_SIZE };
	struct uffd_msg message;

	for (int i = 0; i < PAGES; i++) {
		if (read(pager_fd, &message, sizeof(message)) <= 0)
			fail("userfaultfd");
		sleep_ms(12);
		copy.dst = message.arg.pagefault.address & ~(PAGE_SIZE - 1);
		if (ioctl(pager_fd, UFFDIO_COPY, &copy))
			fail("userfaultfd");
	}
}

static void pager_use(void)
{
	ktrack_begin(incident_work, stage->name);
	pages_touch(paged, PAGES * PAGE_SIZE);
	ktrack_end(incident_work);
}

static void pager_file(void)
{
	static char bytes[PAGES * PAGE_SIZE];
	int fd = file_open("/mnt/paged", O_RDWR | O_CREAT);

	if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		fail("/mnt/paged");
	paged = mmap(NULL, sizeof(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	madvise(paged, sizeof(bytes), MADV_RANDOM);
	actor_thread("vcpu", 1, 0, pager_use);
}

static void pager(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	if (stage->is_twin) {
		pager_file();
		return actors_join();
	}
	paged = memory_map(PAGES * PAGE_SIZE);
	range.range.start = (unsigned long)paged;
	range.range.len = PAGES * PAGE_SIZE;
	pager_fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (pager_fd < 0 || ioctl(pager_fd, UFFDIO_API, &api) ||
	    ioctl(pager_fd, UFFDIO_REGISTER, &range))
		fail("userfaultfd");
	actor_thread("pager", 0, 0, pager_serve);
	actor_thread("vcpu", 1, 0, pager_use);
	actors_join();
}

/* A parent waits for a child that computes; in the twin for one that sleeps. */
static void child_run(void)
{
	step_wait(1);
	if (stage->is_twin)
		sleep_ms(40);
	else
		compute_ms(40);
}

static void child(void)
{
	pid_t pid = actor_process("compiler", 0, 0, child_run);

	actor_become("make", 1, 0);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	waitpid(pid, NULL, 0);
	ktrack_end(incident_work);
}

/* vfork() returns when the child has ended; in the twin fork() has to copy large tables. */
static void forking(void)
{
	char *memory = memory_map(64 << 20);
	pid_t pid;

	actor_become("launcher", 1, 0);
	pages_touch(memory, 64 << 20);
	ktrack_begin(incident_work, stage->name);
	pid = stage->is_twin ? fork() : vfork();
	if (!pid) {
		if (!stage->is_twin)
			usleep(30000);
		_exit(0);
	}
	ktrack_end(incident_work);
	waitpid(pid, NULL, 0);
}

/* A process waits for a signal of another one, which computes; in the twin for its own timer. */
static void signal_send(void)
{
	step_wait(1);
	compute_ms(40);
	if (!stage->is_twin)
		kill(getppid(), SIGUSR1);
}

static void signal_wait(void)
{
	struct itimerval once = { .it_value.tv_usec = 40000 };
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	actor_process("loader", 0, 0, signal_send);
	actor_become("daemon", 1, 0);
	stage->step = 1;
	if (stage->is_twin)
		setitimer(ITIMER_REAL, &once, NULL);
	ktrack_begin(incident_work, stage->name);
	sigwait(&set, &number);
	ktrack_end(incident_work);
	actors_join();
}

/* A handler interrupts a read, which takes its time; in the twin the read waits for its writer. */
static void interrupted_send(void)
{
	step_wait(1);
	if (stage->is_twin)
		compute_ms(40);
	else
		kill(getppid(), SIGUSR1);
	if (!stage->is_twin)
		sleep_ms(40);
	if (write(answers[1], "x", 1) < 0)
		fail("pipe");
}

static void interrupted_handle(int number)
{
	(void)number;
	compute_ms(40);
}

static void interrupted(void)
{
	struct sigaction action = { .sa_handler = interrupted_handle, .sa_flags = SA_RESTART };
	char byte;

	sigaction(SIGUSR1, &action, NULL);
	if (pipe(answers))
		fail("pipe");
	actor_process("sender", 0, 0, interrupted_send);
	actor_become("reader", 1, 0);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	if (read(answers[0], &byte, 1) < 0)
		fail("pipe");
	ktrack_end(incident_work);
	actors_join();
}

const struct incident stop_incidents[] = {
	{ "slack", slack },
	{ "handlers", handlers },
	{ "stopped", stopped },
	{ "traced", traced },
	{ "pager", pager },
	{ "child", child },
	{ "forking", forking },
	{ "signal-wait", signal_wait },
	{ "interrupted", interrupted },
	{ }
};
