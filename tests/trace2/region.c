// SPDX-License-Identifier: GPL-2.0-only
/* A program in the common subset of C and C++ whose regions are blocks, left in several ways. */
#include <trace2/region.h>

static int left_early(int number)
{
	trace2_region_guard("block", "outer", NULL);
	trace2_region_guard("block", "inner", NULL);

	if (number)
		return number;
	trace2_data_intmax("block", NULL, "unreached", 1);
	return 0;
}

static void left_by_loops(void)
{
	for (int i = 0; i < 3; i++) {
		trace2_region_guard("loop", "", NULL);

		if (i == 0)
			continue;
		if (i == 1)
			break;
	}
}

#ifdef __cplusplus
static void left_by_exception(void)
{
	try {
		trace2_region_guard("block", "throws", NULL);

		throw 1;
	} catch (int) {
		trace2_data_intmax("block", NULL, "caught", 1);
	}
}
#else
static void left_by_exception(void)
{
}
#endif

int main(int argc, char **argv)
{
	static const struct trace2_program program = { "1.0", NULL, NULL, NULL, false, false };

	(void)argc;
	trace2_initialize(&program);
	trace2_cmd_start(argv);
	left_early(1);
	left_by_loops();
	left_by_exception();
	return trace2_cmd_exit(0);
}
