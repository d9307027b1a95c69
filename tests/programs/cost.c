// SPDX-License-Identifier: GPL-2.0-only
/* Calls of one kind: cost COUNT KIND, KIND b (begins), e (ends), g (guards) or o (begins, while off). */
#include "events.h"

void cost_begin(unsigned int bytes);
void cost_end(unsigned int bytes);

__attribute__((noinline)) void cost_begin(unsigned int bytes)
{
	ktrack_begin(prog_one, "handle", bytes);
}

__attribute__((noinline)) void cost_end(unsigned int bytes)
{
	ktrack_end(prog_one, bytes);
}

__attribute__((noinline)) static void cost_guard(unsigned int bytes)
{
	ktrack_guard(prog_one, "handle", bytes);
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;

	ktrack_user3_control.on = *argv[2] != 'o';
	/* The thread's ring and the event's description. */
	cost_begin(0);
	for (int i = 0; i < count; i++) {
		if (*argv[2] == 'e')
			cost_end(7);
		else if (*argv[2] == 'g')
			cost_guard(7);
		else
			cost_begin(7);
	}
	return 0;
}
