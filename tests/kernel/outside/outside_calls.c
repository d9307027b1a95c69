// SPDX-License-Identifier: GPL-2.0-only
/* Every macro once, each with arguments that show when they are evaluated. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include "outside.h"
#include "outside_trace.h"

static void outside_plain_calls(unsigned int *nr)
{
	ktrack_begin(outside_work, (++*nr, "plain"));
	ktrack_instant(outside_work, (++*nr, "point"));
	ktrack_end(outside_work);
	ktrack_begin(outside_sleep, (++*nr, "alike"));
	ktrack_end(outside_sleep);
	ktrack_begin(outside_io, "read", ++*nr, 0);
	ktrack_end(outside_io, 5, (++*nr, -EIO));
	ktrack_sample(outside_depth, (++*nr, U64_MAX), S16_MIN);
	ktrack_sample(outside_free, 7, (++*nr, S16_MAX));
	ktrack_sample(outside_balance, (++*nr, S64_MIN));
	ktrack_instant(outside_most, "most", (++*nr, U8_MAX), "track", S8_MIN, U16_MAX, S16_MIN,
		       U32_MAX, S64_MIN, U64_MAX, "text", true);
	ktrack_sample(outside_space, (++*nr, U64_MAX), KTRACK_THIS_CPU);
}

/* Types whose names don't report their sign. */
static void outside_types_calls(void)
{
	ktrack_instant(outside_types, "greatest", U64_MAX, U64_MAX, ULONG_MAX, LONG_MAX, S64_MAX,
		       S32_MAX, OUTSIDE_ON, 'z');
	ktrack_instant(outside_types, "least", 0, 0, 0, LONG_MIN, S64_MIN, S32_MIN, OUTSIDE_OFF,
		       'a');
}

/* As many attributes as there can be, none of which the compiler has. */
static noinline void outside_formatted_most(const char *text, u64 number)
{
	OPTIMIZER_HIDE_VAR(text);
	OPTIMIZER_HIDE_VAR(number);
	ktrack_begin_printf(outside_most, ("%s %llu", text, number), number, text, number, number,
			    number, number, number, number, text, number);
	ktrack_instant_printf(outside_most, ("%llu %s", number, text), number, text, number,
			      number, number, number, number, number, text, number);
}

static void outside_formatted_calls(unsigned int *nr)
{
	ktrack_begin_printf(outside_io, ("write %u of %s", ++*nr, "disk"), 9, 0);
	ktrack_instant_printf(outside_io, ("%d%%", 50), 9, (++*nr, 0));
	ktrack_end(outside_io, 9, 512);
	outside_formatted_most("many", 1);
}

/* Returns early, so that the slice's end is where it isn't written. */
static int outside_bound_calls(unsigned int *nr)
{
	ktrack_guard_named(request, outside_io, (++*nr, "bound"), (++*nr, 3), 0);
	ktrack_guard(outside_work, "inner");
	ktrack_guard_printf(outside_sleep, ("inner %u", ++*nr));

	if (*nr != 12345)
		ktrack_guard_set(request, result, (++*nr, -EAGAIN));
	if (!ktrack_enabled(outside_work))
		return 0;
	if (*nr > 1)
		return 1;
	ktrack_instant(outside_work, "unreached");
	return 0;
}

static int outside_bound_formatted(unsigned int *nr)
{
	ktrack_guard_named_printf(request, outside_io, ("bound %u", ++*nr), (++*nr, 6), 0);

	ktrack_guard_set(request, result, (++*nr, -EIO));
	return -EIO;
}

/* Returns how many of its arguments were evaluated. */
unsigned int outside_calls_make(void)
{
	unsigned int nr = 0;

	outside_plain_calls(&nr);
	outside_types_calls();
	outside_formatted_calls(&nr);
	outside_bound_calls(&nr);
	outside_bound_formatted(&nr);
	return nr;
}
