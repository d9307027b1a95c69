// SPDX-License-Identifier: GPL-2.0-only
/*
 * A 32-bit program without libraries: gcc -m32 -nostdlib -static. Creates a child; both call what the
 * 64-bit ABI has under the numbers of other calls. With an argument it continues until it is killed.
 */

enum call {
	CALL_EXIT = 1,
	CALL_FORK = 2,
	CALL_WAITPID = 7,
	CALL_GETPID = 20,
	CALL_GETUID = 24,
	CALL_NANOSLEEP = 162,
};

struct time {
	int s;
	int ns;
};

static int call(enum call number, int first, const void *second)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number), "b"(first), "c"(second), "d"(0)
			 : "memory");
	return result;
}

static void child_run(void)
{
	int child = call(CALL_FORK, 0, 0);

	if (child == 0) {
		call(CALL_GETUID, 0, 0);
		call(CALL_EXIT, 0, 0);
	}
	call(CALL_WAITPID, child, 0);
}

/* Its number of arguments is on top of the stack. */
__attribute__((used)) static void main_run(const int *stack)
{
	static const struct time pause = { .ns = 20000000 };

	do {
		call(CALL_GETPID, 0, 0);
		child_run();
		call(CALL_NANOSLEEP, (int)&pause, 0);
	} while (*stack > 1);
	call(CALL_EXIT, 0, 0);
}

__asm__(".globl _start\n_start:\tmov %esp, %eax\n\tpush %eax\n\tcall main_run\n");
