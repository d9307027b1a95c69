// SPDX-License-Identifier: GPL-2.0-only
/*
 * Program of scripts/demo: one thread makes jobs, another one lets the demo driver serve each of
 * them as a request. Its slices have the flow of the driver's request.
 *
 * Arguments: the number of the driver's first request, and how many jobs there are.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define KTRACK_SYSTEM demo_client
#include <ktrack/user.h>

KTRACK_SLICE(client_job, KTRACK_FLOW(ktrack_demo_request), KTRACK_FIELD(uint32_t, job));
KTRACK_COUNTER(client_made, uint32_t);

#define JOB_ROUNDS 20000

/** struct jobs - what both threads share: a pipe for the numbers of requests */
struct jobs {
	uint64_t first;
	unsigned int count;
	int write_fd;
};

static void *jobs_make(void *argument)
{
	const struct jobs *jobs = argument;

	for (unsigned int i = 0; i < jobs->count; i++) {
		uint64_t request = jobs->first + i;
		volatile unsigned int sum = 0;

		ktrack_begin(client_job, "make", request, i);
		for (unsigned int round = 0; round < JOB_ROUNDS; round++)
			sum += round;
		ktrack_end(client_job, request, i);
		ktrack_sample(client_made, i + 1);
		if (write(jobs->write_fd, &request, sizeof(request)) < 0)
			break;
	}
	close(jobs->write_fd);
	return NULL;
}

/* The driver serves one request for each number that is written to it. */
static int jobs_submit(int read_fd, int device_fd)
{
	uint64_t request;
	uint32_t number = 0;

	while (read(read_fd, &request, sizeof(request)) == sizeof(request)) {
		ktrack_guard(client_job, "submit", request, number++);
		if (write(device_fd, "1", 1) != 1)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int device_fd = open("/dev/ktrack_demo", O_WRONLY), fds[2], status;
	struct jobs jobs = { 0 };
	pthread_t maker;

	if (argc != 3 || device_fd < 0 || pipe(fds) < 0) {
		fprintf(stderr, "demo-client: needs FIRST and COUNT, and /dev/ktrack_demo\n");
		return 2;
	}
	jobs = (struct jobs){ .first = strtoull(argv[1], NULL, 10),
			      .count = strtoul(argv[2], NULL, 10),
			      .write_fd = fds[1] };
	if (pthread_create(&maker, NULL, jobs_make, &jobs) != 0)
		return 1;
	status = jobs_submit(fds[0], device_fd);
	pthread_join(maker, NULL);
	return status;
}
