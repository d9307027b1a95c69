// SPDX-License-Identifier: GPL-2.0-only
/*
 * Repeats one activity on one CPU while others do the same or something else. Prints how many
 * attempts succeeded. Attempts may fail: the others take away what they need.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACING		"/sys/kernel/tracing"
#define ANY_INSTANCES	3
#define LONG_LINE	700
#define EMPTY_WAIT_US	1000

/* No process has memory there. */
static const char *const volatile unmapped = (const char *)8;

static const char *const requests[] = {
	"race0 ktrack_early\n",
	"race1 ktrack_early:*level\n",
	"race2 *:*slice\nrace0 ktrack_t*\nrace1 nothing",
	"race0 ktrack_early\nrace1\nrace2 *\n",
	"\n",
	" x\n",
	"a/b *\n",
	"race0 [:[\n",
};

static bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool is_written;

	if (fd < 0)
		return false;
	is_written = write(fd, text, strlen(text)) > 0;
	close(fd);
	return is_written;
}

static void *request_write_too(void *argument)
{
	const int *fd = argument;

	(void)!write(*fd, requests[0], strlen(requests[0]));
	return NULL;
}

static bool request_write(int fd, unsigned int number)
{
	const char *text = requests[number % (sizeof(requests) / sizeof(*requests))];
	char line[LONG_LINE];

	if (number % 11 == 0) {
		memset(line, 'x', sizeof(line));
		return write(fd, line, sizeof(line)) > 0;
	}
	if (number % 13 == 0)
		return write(fd, unmapped, LONG_LINE) > 0;
	return write(fd, text, strlen(text)) > 0;
}

/* Opens the device; a second thread writes to the same file, a child shares it and ends at any moment. */
static bool open_and_request(unsigned int number)
{
	int fd = open("/dev/ktrack", O_WRONLY | O_CLOEXEC);
	pthread_t second;
	bool is_written;
	pid_t child;

	if (fd < 0)
		return false;
	if (pthread_create(&second, NULL, request_write_too, &fd))
		exit(EXIT_FAILURE);
	child = number % 7 ? -1 : fork();
	if (!child) {
		request_write(fd, number + 1);
		_exit(0);
	}
	is_written = request_write(fd, number);
	if (child > 0 && number % 2)
		kill(child, SIGKILL);
	pthread_join(second, NULL);
	close(fd);
	if (child > 0)
		waitpid(child, NULL, 0);
	return is_written;
}

static bool instance_make_or_remove(unsigned int number)
{
	char path[100];

	snprintf(path, sizeof(path), TRACING "/instances/race%u", number / 2 % ANY_INSTANCES);
	return number % 2 ? !rmdir(path) : !mkdir(path, 0700);
}

static bool events_switch(unsigned int number)
{
	const char *text = number % 2 ? "0" : "1";

	switch (number / 2 % 5) {
	case 0:
		return file_write(TRACING "/events/ktrack_test/enable", text);
	case 1:
		return file_write(TRACING "/instances/mine/events/ktrack_test/enable", text);
	case 2:
		return file_write(TRACING "/instances/mine/events/ktrack_early/enable", text);
	case 3:
		return file_write(TRACING "/instances/race0/events/ktrack_early/enable", "0");
	default:
		return file_write(TRACING "/events/ktrack/enable", text);
	}
}

static bool module_load_or_unload(unsigned int number)
{
	int fd, error;

	if (number % 2)
		return !syscall(SYS_delete_module, "ktrack_early", O_NONBLOCK);
	fd = open("/modules/ktrack_early.ko", O_RDONLY);
	error = syscall(SYS_finit_module, fd, "", 0);
	close(fd);
	return !error;
}

static bool scenario_write(unsigned int number)
{
	static const char *const names[] = { "nested 5", "everywhere 3", "nmi 2", "contexts 3", "names_odd 1" };

	return file_write("/dev/ktrack_test", names[number % (sizeof(names) / sizeof(*names))]);
}

/* Succeeds if there are records: lines of the heading begin with "#". */
static bool trace_read(unsigned int number)
{
	char text[4096 + 1];
	int fd = open(number % 2 ? TRACING "/trace" : TRACING "/instances/mine/trace", O_RDONLY);
	bool has_records = false;
	ssize_t size;

	while (fd >= 0 && (size = read(fd, text, sizeof(text) - 1)) > 0) {
		text[size] = '\0';
		has_records |= strstr(text, "\n ") != NULL;
	}
	if (fd >= 0)
		close(fd);
	if (!has_records)
		usleep(EMPTY_WAIT_US);
	return has_records;
}

static const struct {
	const char *name;
	bool (*attempt)(unsigned int number);
} activities[] = {
	{ "open", open_and_request }, { "instance", instance_make_or_remove },
	{ "switch", events_switch },  { "module", module_load_or_unload },
	{ "write", scenario_write },  { "read", trace_read },
};

static void cpu_choose(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (cpu >= 0 && sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("sched_setaffinity");
		exit(EXIT_FAILURE);
	}
}

/* Arguments: ACTIVITY CPU ATTEMPTS; any CPU if it is -1. */
int main(int argc, char **argv)
{
	unsigned int attempts = argc == 4 ? atoi(argv[3]) : 0, number, successes = 0;
	size_t index;

	for (index = 0; attempts && index < sizeof(activities) / sizeof(*activities); index++) {
		if (strcmp(activities[index].name, argv[1]))
			continue;
		cpu_choose(atoi(argv[2]));
		for (number = 0; number < attempts; number++)
			successes += activities[index].attempt(number);
		printf("%s %u\n", argv[1], successes);
		return 0;
	}
	fprintf(stderr, "usage: race ACTIVITY CPU ATTEMPTS\n");
	return 2;
}
