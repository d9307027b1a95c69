// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps ktrack busy, until it is killed: siege flood | scramble | connect SOCKET | files | forks | events.
 *
 * "flood": the first rings of a process are full of valid records, always. "scramble": random words in its
 * control area, its descriptions and its rings; a new process does it each time. "connect": connections
 * that say nothing. "files": two processes with thousands of descriptors, of the memory and of others.
 * "forks": processes that emit one event and end. "events": processes that describe thousands of
 * events of their own, fill a ring with records of each, and end.
 */
#define KTRACK_SYSTEM siege
#include <ktrack/user.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

KTRACK_SLICE(siege_work);
KTRACK_COUNTER(siege_level, uint32_t);

#define FLOODED 16
#define CONNECTIONS 300
#define FILES 4000
#define SCRAMBLED 4000
#define EVENTS 4100

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/*
 * Records of all events in turn, as large as the smallest one of an event without fields can be. Not for
 * the first ring, in which this thread has a record of another size.
 */
static void ring_fill(uint32_t number, uint32_t nr_events)
{
	struct ktrack_user_ring *ring = &ktrack_user3_control.rings[number];
	unsigned char *data = ktrack_user_ring_map(number);
	uint64_t head = ring->head, tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	uint64_t time_ns = now_ns();

	for (; data && head + 64 - tail <= KTRACK_USER_RING_SIZE; head += 64) {
		struct ktrack_user_record *record = (struct ktrack_user_record *)(void *)(
			data + head % KTRACK_USER_RING_SIZE);

		record->time_ns = time_ns;
		record->number = (uint16_t)(1 + head / 64 % nr_events);
		record->tid = record->tgid = getpid();
		__atomic_store_n(&record->word, 64 | KTRACK_USER_COMMITTED, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
}

static void flood(void)
{
	ktrack_user3_control.can_agree = 0;
	for (uint32_t i = 0;; i = (i + 1) % FLOODED)
		ring_fill(i + 1, 1);
}

static void word_scramble(void)
{
	const size_t sizes[] = { 64, sizeof(ktrack_user3_control), KTRACK_USER_EVENTS_SIZE, 4096 };
	unsigned char *const parts[] = { (unsigned char *)&ktrack_user3_control,
					 (unsigned char *)&ktrack_user3_control,
					 ktrack_user3_process.base + KTRACK_USER_CONTROL_SIZE,
					 ktrack_user_ring_map(0) };
	int part = rand() % 4;
	size_t place = (size_t)rand() % sizes[part] & ~(size_t)3;
	uint32_t word = (uint32_t)rand() >> rand() % 32;

	memcpy(parts[part] + place, &word, sizeof(word));
}

/* The descriptor of the memory is no secret: what ktrack reads of it may change at any time. */
static void scramble(void)
{
	for (unsigned int seed = 1;; seed++) {
		pid_t child = fork();

		if (child == 0) {
			srand(seed);
			for (int i = 0; i < SCRAMBLED; i++) {
				ktrack_instant(siege_work, "scrambled");
				ktrack_sample(siege_level, (uint32_t)i);
				word_scramble();
				if (i % 100 == 0)
					usleep(10000);
			}
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void connect_all(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fds[CONNECTIONS];

	memset(fds, -1, sizeof(fds));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	for (unsigned int i = 0;; i = (i + 1) % CONNECTIONS) {
		close(fds[i]);
		fds[i] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		if (connect(fds[i], (struct sockaddr *)&address, sizeof(address)) < 0)
			usleep(1000);
	}
}

static void files_hold(void)
{
	int source = fork() == 0 ? ktrack_user3_process.fd : open("/dev/null", O_RDONLY);

	for (int i = 0; i < FILES && dup(source) >= 0; i++)
		;
	pause();
}

static void forks(void)
{
	for (;;) {
		pid_t child = fork();

		if (child == 0) {
			ktrack_instant(siege_work, "forked");
			_exit(0);
		}
		waitpid(child, NULL, 0);
		usleep(10000);
	}
}

static void events_describe(void)
{
	static const struct ktrack_user_about field = { "counter_value", NULL, 0, 16, 4, 0, 0 };
	char name[32];

	for (int i = 0; i < EVENTS; i++) {
		struct ktrack_user_site site = { "siege", name, &field, 1, KTRACK_USER_COUNTER, 20, 0, 0, 0 };

		snprintf(name, sizeof(name), "event%d_%d", i, getpid());
		ktrack_user_describe(&site);
	}
}

static void events(void)
{
	for (;;) {
		pid_t child = fork();

		if (child == 0) {
			events_describe();
			ring_fill(1, ktrack_user3_control.nr_events);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		usleep(100000);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	ktrack_instant(siege_work, "first");
	if (strcmp(mode, "flood") == 0)
		flood();
	else if (strcmp(mode, "scramble") == 0)
		scramble();
	else if (strcmp(mode, "connect") == 0 && argc == 3)
		connect_all(argv[2]);
	else if (strcmp(mode, "files") == 0)
		files_hold();
	else if (strcmp(mode, "forks") == 0)
		forks();
	else if (strcmp(mode, "events") == 0)
		events();
	return 1;
}
