// SPDX-License-Identifier: GPL-2.0-only
/* Guest: a process of three threads, which make system calls until they are killed. */
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
	for (;;) {
		getppid();
		usleep(10000);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
	}
	work(NULL);
	return 0;
}
