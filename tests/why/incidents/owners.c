// SPDX-License-Identifier: GPL-2.0-only
/* Incidents of who cannot do what others wait for: throttled, kept from its CPU, or waiting itself. */
#define _GNU_SOURCE
#include "actors.h"

#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

/* A lock's owner has used up the quota of its cgroup; in the twin it computes. */
static pthread_mutex_t *shared_mutex(void)
{
	pthread_mutex_t *shared = memory_shared(sizeof(*shared));
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(shared, &attributes);
	return shared;
}

static pthread_mutex_t *shared;

static void throttled_own(void)
{
	if (!stage->is_twin)
		cgroup_join("quota");
	pthread_mutex_lock(shared);
	stage->step = 1;
	compute_ms(stage->is_twin ? 40 : 16);
	pthread_mutex_unlock(shared);
	cgroup_join("");
}

/* A request waits for the lock of a process that does @own, to which @act is done. */
static void owner_make(void (*own)(void), void (*act)(pid_t pid))
{
	pid_t pid;

	shared = shared_mutex();
	pid = actor_process("owner", 0, 0, own);
	if (act && !fork()) {
		actor_become("admin", 1, 50);
		step_wait(1);
		sleep_ms(8);
		act(pid);
		_exit(0);
	}
	actor_become("request", 1, 0);
	step_wait(1);
	ktrack_begin(incident_work, stage->name);
	pthread_mutex_lock(shared);
	pthread_mutex_unlock(shared);
	ktrack_end(incident_work);
	actors_join();
}

static void throttled_owner(void)
{
	owner_make(throttled_own, NULL);
}

/* A lock's owner is stopped by a signal; in the twin its cgroup is frozen. */
static void stopped_own(void)
{
	if (stage->is_twin)
		cgroup_join("frozen");
	pthread_mutex_lock(shared);
	stage->step = 1;
	while (stage->step < 2)
		compute_ms(1);
	pthread_mutex_unlock(shared);
}

static void stopped_act(pid_t pid)
{
	if (stage->is_twin)
		file_write("/sys/fs/cgroup/frozen/cgroup.freeze", "1");
	else
		kill(pid, SIGSTOP);
	stage->step = 2;
	sleep_ms(50);
	if (stage->is_twin)
		file_write("/sys/fs/cgroup/frozen/cgroup.freeze", "0");
	else
		kill(pid, SIGCONT);
}

static void stopped_owner(void)
{
	owner_make(stopped_own, stopped_act);
}

/* A lock's owner uses more memory than memory.high of its cgroup; in the twin there is no limit. */
static void large_own(void)
{
	char *memory = memory_map(12 << 20);

	if (!stage->is_twin)
		cgroup_join("high");
	pages_touch(memory, 7 << 20);
	pthread_mutex_lock(shared);
	stage->step = 1;
	pages_touch(memory + (7 << 20), stage->is_twin ? 4 << 20 : 1400 << 10);
	pthread_mutex_unlock(shared);
	munmap(memory, 12 << 20);
	cgroup_join("");
}

static void large_owner(void)
{
	owner_make(large_own, NULL);
}

/* A lock for which others yield: its owner waits for its CPU; in the twin the owner computes. */
static void spinlock_own(void)
{
	stage->step = 1;
	compute_ms(stage->is_twin ? 40 : 10);
	stage->step = 2;
}

static void spinlock_wait(void)
{
	step_wait(1);
	sleep_ms(4);
	ktrack_begin(incident_work, stage->name);
	while (stage->step < 2)
		for (int i = 0; i < 4; i++) {
			compute_ms(0.02);
			sched_yield();
		}
	ktrack_end(incident_work);
}

static void spinlock(void)
{
	actor_thread("owner", 0, 0, spinlock_own);
	actor_thread("waiter", 1, 0, spinlock_wait);
	if (!stage->is_twin)
		actor_thread("urgent", 0, 20, actor_preempt);
	actors_join();
}

/* Who changes the network's configuration waits for its CPU; in the twin the measured thread does. */
static void network_set(unsigned long call, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	strcpy(request->ifr_name, "lo");
	if (fd < 0 || ioctl(fd, call, request))
		fail("lo");
	close(fd);
}

static void network_toggle(void)
{
	struct ifreq request = { 0 };

	stage->step = 1;
	while (!stage->is_over) {
		request.ifr_flags = 0;
		network_set(SIOCSIFFLAGS, &request);
		request.ifr_flags = IFF_UP;
		network_set(SIOCSIFFLAGS, &request);
	}
}

static void network(void)
{
	struct ifreq request = { .ifr_qlen = 1000 };

	actor_process("urgent", stage->is_twin, 20, actor_preempt);
	if (!stage->is_twin)
		actor_process("netadm", 0, 0, network_toggle);
	actor_become("agent", 1, 0);
	if (stage->is_twin)
		stage->step = 1;
	step_wait(1);
	for (int i = 0; i < (stage->is_twin ? 1 : 20); i++) {
		ktrack_begin(incident_work, stage->name);
		network_set(SIOCSIFTXQLEN, &request);
		if (stage->is_twin)
			compute_ms(6);
		ktrack_end(incident_work);
		sleep_ms(2);
	}
	stage->is_over = true;
	actors_join();
}

/* A thread has used its runtime before its deadline; in the twin it has yielded the rest. */
static void runtime(void)
{
	actor_become("radio", ANY_CPU, 0);
	deadline_set(4);
	sched_yield();
	ktrack_begin(incident_work, stage->name);
	if (stage->is_twin)
		for (int i = 0; i < 3; i++)
			sched_yield();
	else
		compute_ms(12);
	ktrack_end(incident_work);
}

/* A server does not take its connections; in the twin it does, after a computation. */
static void backlog_serve(void)
{
	int fd = stage->step;

	if (stage->is_twin)
		compute_ms(40);
	else
		sleep_ms(400);
	for (int i = 0; i < 2; i++)
		accept(fd, NULL, NULL);
	sleep_ms(stage->is_twin ? 20 : 1500);
}

static void backlog(void)
{
	struct sockaddr_in inet = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) },
				    .sin_port = htons(7777) };
	struct sockaddr_un local = { .sun_family = AF_UNIX, .sun_path = "/shm/socket" };
	struct sockaddr *address = stage->is_twin ? (void *)&local : (void *)&inet;
	socklen_t size = stage->is_twin ? sizeof(local) : sizeof(inet);
	int family = address->sa_family, server = socket(family, SOCK_STREAM, 0);

	unlink(local.sun_path);
	if (bind(server, address, size) || listen(server, 0) ||
	    connect(socket(family, SOCK_STREAM, 0), address, size))
		fail("socket");
	stage->step = server;
	actor_process("server", 0, 0, backlog_serve);
	actor_become("client", 1, 0);
	ktrack_begin(incident_work, stage->name);
	if (connect(socket(family, SOCK_STREAM, 0), address, size))
		fail("connect");
	ktrack_end(incident_work);
	actors_join();
}

/*
 * All threads of a process have to take a new user id: one waits for its CPU; in the twin one
 * starts a child, which computes.
 */
static void identity_work(void)
{
	pid_t pid;

	stage->step = 1;
	if (!stage->is_twin) {
		compute_ms(60);
		return;
	}
	pid = vfork();
	if (!pid) {
		compute_ms(40);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void identity_set(void)
{
	step_wait(1);
	sleep_ms(8);
	ktrack_begin(incident_work, stage->name);
	if (setuid(0))
		fail("setuid");
	ktrack_end(incident_work);
}

static void identity(void)
{
	if (!stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	actor_thread("worker", 0, 0, identity_work);
	actor_thread("daemon", 1, 0, identity_set);
	actors_join();
}

/* Threads that a condition woke need its lock one after another; in the twin its waker is late. */
static void turn_wait(void)
{
	pthread_mutex_lock(&mutex);
	while (stage->step < 2)
		pthread_cond_wait(&cond, &mutex);
	if (!stage->is_twin)
		compute_ms(6);
	pthread_mutex_unlock(&mutex);
}

static void turn_request(void)
{
	sleep_ms(12);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	turn_wait();
	ktrack_end(incident_work);
}

static void turn_lead(void)
{
	step_wait(1);
	compute_ms(stage->is_twin ? 40 : 2);
	pthread_mutex_lock(&mutex);
	stage->step = 2;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

static void turns(void)
{
	for (int i = 0; i < 6; i++)
		actor_thread("pool", ANY_CPU, 0, turn_wait);
	actor_thread("request", ANY_CPU, 0, turn_request);
	actor_thread("leader", 0, 0, turn_lead);
	actors_join();
}

/* A move to a cgroup waits for a grace period of RCU; in the twin the process computes. */
static void cgroup_compete(void)
{
	stage->step = 1;
	compute_ms(60);
}

static void cgroup_move(void)
{
	actor_process("runtime", 0, 0, cgroup_compete);
	actor_become("manager", 1, 0);
	step_wait(1);
	sleep_ms(8);
	ktrack_begin(incident_work, stage->name);
	if (stage->is_twin)
		compute_ms(20);
	else
		cgroup_join("move");
	ktrack_end(incident_work);
	cgroup_join("");
	actors_join();
}

/* A thread is moved to a CPU that an urgent one uses; in the twin it is stopped. */
static void moved_work(void)
{
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	compute_ms(12);
	ktrack_end(incident_work);
}

static void moved_encode(void)
{
	step_wait(1);
	busy_ms(40);
}

static void moved(void)
{
	pid_t pid;

	if (!stage->is_twin)
		actor_process("encoder", 0, 10, moved_encode);
	pid = actor_process("mixer", 1, 0, moved_work);
	actor_become("admin", 1, 50);
	step_wait(1);
	sleep_ms(4);
	if (!stage->is_twin) {
		sched_setaffinity(pid, sizeof(cpu_set_t), &(cpu_set_t){ { 1 } });
	} else {
		kill(pid, SIGSTOP);
		sleep_ms(40);
		kill(pid, SIGCONT);
	}
	actors_join();
}

/* An event has no room until it is read: its reader sleeps; in the twin it computes. */
static int full_fd;

static void event_read(void)
{
	uint64_t value;

	step_wait(1);
	if (stage->is_twin)
		compute_ms(40);
	else
		sleep_ms(40);
	if (read(full_fd, &value, sizeof(value)) < 0)
		fail("eventfd");
}

static void full_event(void)
{
	uint64_t value = UINT64_MAX - 1;

	full_fd = eventfd(0, 0);
	if (write(full_fd, &value, sizeof(value)) < 0)
		fail("eventfd");
	actor_process("consumer", 0, 0, event_read);
	actor_become("poster", 1, 0);
	stage->step = 1;
	ktrack_begin(incident_work, stage->name);
	if (write(full_fd, &value, sizeof(value)) < 0)
		fail("eventfd");
	ktrack_end(incident_work);
	actors_join();
}

/* A writer waits for a reader that waits for its CPU; in the twin the reader sleeps. */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void reader_hold(void)
{
	pthread_rwlock_rdlock(&rwlock);
	stage->step = 1;
	if (stage->is_twin)
		sleep_ms(40);
	else
		compute_ms(10);
	pthread_rwlock_unlock(&rwlock);
}

static void writer_wait(void)
{
	step_wait(1);
	sleep_ms(5);
	ktrack_begin(incident_work, stage->name);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	ktrack_end(incident_work);
}

static void preempted_reader(void)
{
	actor_thread("report", 0, 0, reader_hold);
	actor_thread("config", 1, 0, writer_wait);
	if (!stage->is_twin)
		actor_thread("urgent", 0, 20, actor_preempt);
	actors_join();
}

/* The limit of a cgroup is that of one above it; in the twin an urgent thread has the CPU. */
static void outer_preempt(void)
{
	for (;;) {
		sleep_ms(6);
		busy_ms(14);
	}
}

static void outer_quota(void)
{
	if (stage->is_twin)
		actor_process("urgent", 1, 10, outer_preempt);
	actor_become("render", 1, 0);
	if (!stage->is_twin)
		cgroup_join("quota/pod/job");
	ktrack_begin(incident_work, stage->name);
	compute_ms(20);
	ktrack_end(incident_work);
	cgroup_join("");
	actors_kill();
}

/* A file is opened whose lease another process gives back late; in the twin it computes first. */
static void lease_give_back(int number)
{
	(void)number;
	if (stage->is_twin)
		compute_ms(40);
	else
		sleep_ms(40);
	fcntl(stage->step, F_SETLEASE, F_UNLCK);
	stage->is_over = true;
}

static void lease_hold(void)
{
	int fd = file_open("/shm/leased", O_RDONLY);

	signal(SIGIO, lease_give_back);
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		fail("F_SETLEASE");
	stage->step = fd;
	while (!stage->is_over)
		pause();
}

static void lease(void)
{
	close(file_open("/shm/leased", O_RDWR | O_CREAT));
	actor_process("smbd", 0, 0, lease_hold);
	actor_become("editor", 1, 0);
	step_wait(1);
	sleep_ms(4);
	ktrack_begin(incident_work, stage->name);
	close(file_open("/shm/leased", O_WRONLY));
	ktrack_end(incident_work);
	actors_join();
}

/* A debugger waits for a process to stop, which waits for its CPU; in the twin it sleeps in vfork. */
static void attached_run(void)
{
	stage->step = 1;
	if (!stage->is_twin) {
		compute_ms(60);
		return;
	}
	if (!vfork()) {
		usleep(40000);
		_exit(0);
	}
}

static void attach(void)
{
	pid_t pid = actor_process("app", 0, 0, attached_run);
	int status;

	if (!stage->is_twin)
		actor_process("urgent", 0, 20, actor_preempt);
	actor_become("debugger", 1, 0);
	step_wait(1);
	sleep_ms(8);
	ktrack_begin(incident_work, stage->name);
	if (ptrace(PTRACE_ATTACH, pid, 0, 0) || waitpid(pid, &status, 0) < 0)
		fail("ptrace");
	ktrack_end(incident_work);
	ptrace(PTRACE_DETACH, pid, 0, 0);
	actors_join();
}

/* A thread is joined that waits for a disk; in the twin it computes. */
static void joined_run(void)
{
	static char bytes[64 << 10];
	int fd = file_open("/mnt/state", O_CREAT | O_WRONLY | O_TRUNC);

	if (stage->is_twin)
		compute_ms(20);
	for (int i = 0; i < 4 && !stage->is_twin; i++)
		if (write(fd, bytes, sizeof(bytes)) < 0 || fsync(fd))
			fail("fsync");
}

static void join(void)
{
	pthread_t thread = actor_thread("saver", 0, 0, joined_run);

	actor_become("window", 1, 0);
	ktrack_begin(incident_work, stage->name);
	pthread_join(thread, NULL);
	ktrack_end(incident_work);
}

const struct incident owner_incidents[] = {
	{ "throttled-owner", throttled_owner },
	{ "spinlock", spinlock },
	{ "network", network },
	{ "runtime", runtime },
	{ "backlog", backlog },
	{ "identity", identity },
	{ "turns", turns },
	{ "cgroup-move", cgroup_move },
	{ "moved", moved },
	{ "full-event", full_event },
	{ "preempted-reader", preempted_reader },
	{ "outer-quota", outer_quota },
	{ "stopped-owner", stopped_owner },
	{ "large-owner", large_owner },
	{ "lease", lease },
	{ "attach", attach },
	{ "join", join },
	{ }
};
