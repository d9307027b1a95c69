// SPDX-License-Identifier: GPL-2.0-only
/* Emits events that -e selects one by one, and prints those for which ktrack_enabled() is true. */
#define KTRACK_SYSTEM ub
#include <ktrack/user.h>
#include <stdio.h>
#include <sys/wait.h>

KTRACK_SLICE(open_file, KTRACK_FIELD(uint32_t, number));
KTRACK_SLICE(open_dir, KTRACK_FIELD(uint32_t, number));
KTRACK_SLICE(close_file, KTRACK_FIELD(uint32_t, number));
KTRACK_COUNTER(depth, uint32_t);
KTRACK_SLICE_OF(other, opened);

/* Of an object that has older headers. */
void library_emit(unsigned int count);

static void emit(void)
{
	uint32_t number = 0;

#ifdef LIBRARY
	library_emit(100);
#endif

	for (int i = 0; i < 100; i++) {
		ktrack_guard(close_file, "guard", number);

		ktrack_begin(open_file, "open", number);
		ktrack_begin_printf(open_dir, ("dir %u", number), number);
		ktrack_sample(depth, number++);
		ktrack_instant(opened, "opened");
		ktrack_end(open_dir, number);
		ktrack_end(open_file, number);
	}
}

static void print(void)
{
	printf("enabled%s%s%s%s%s\n", ktrack_enabled(open_file) ? " open_file" : "", ktrack_enabled(open_dir) ? " open_dir" : "",
	       ktrack_enabled(close_file) ? " close_file" : "", ktrack_enabled(depth) ? " depth" : "", ktrack_enabled(opened) ? " opened" : "");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	(void)argv;
	emit();
	print();
	/* A child, and the next recorder of this process, which reads a line when it is there. */
	if (argc > 1 && fork() == 0) {
		emit();
		print();
		return 0;
	}
	while (argc > 1 && wait(NULL) > 0)
		;
	while (argc > 2 && getchar() != EOF) {
		emit();
		print();
	}
	return 0;
}
