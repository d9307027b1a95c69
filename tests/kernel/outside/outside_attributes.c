// SPDX-License-Identifier: GPL-2.0-only
/* Asynchronous ids, flows, results, names of numbers, global and several scopes, strings, bytes. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "outside.h"
#include "outside_trace.h"

static void outside_request_calls(unsigned int *nr)
{
	void *address = (void *)0x1234;

	ktrack_begin(outside_request, "read", 2, (++*nr, 0x11), 0x22, OUTSIDE_READ,
		     OUTSIDE_SYNC | OUTSIDE_DISCARD);
	ktrack_instant(outside_request, "retry", 2, 0x11, ktrack_id(address), OUTSIDE_WRITE, 0);
	ktrack_end(outside_request, 2, 0x11, 0x22, (++*nr, -EIO), 3, OUTSIDE_DISCARD);
	ktrack_begin_printf(outside_async, ("wait %d", 1), ktrack_id(address));
	ktrack_end(outside_async, ktrack_id(address));
	ktrack_begin(outside_pending, "wait", ktrack_id(-1));
	ktrack_end(outside_pending, ktrack_id(U64_MAX));
}

static void outside_scope_calls(void)
{
	ktrack_begin(outside_global, "all", "track");
	ktrack_end(outside_global, "track");
	ktrack_guard(outside_key, "key", 1, -2, KTRACK_THIS_CPU);
	ktrack_sample(outside_state, 9, -1);
	ktrack_sample(outside_state, 9, 1);
}

/* Results of guards: set, and left at 0. */
static void outside_result_calls(unsigned int *nr)
{
	ktrack_guard_named(first, outside_request, "set", 1, ktrack_id(1), 0, OUTSIDE_WRITE, 1);
	ktrack_guard(outside_request, "unset", 1, ktrack_id(2), 0, OUTSIDE_WRITE, 1);

	ktrack_guard_set(first, error, (++*nr, -5));
}

/* The strings change before the guard's end. */
static void outside_copy_calls(unsigned int *nr)
{
	char track[] = "copied", note[] = "kept";

	ktrack_guard_named_copy(guard, outside_text, (++*nr, "copy"), track, note);
	ktrack_guard_copy(outside_text, "null", NULL, note);

	memset(track, 'x', sizeof(track) - 1);
	memset(note, 'x', sizeof(note) - 1);
	ktrack_guard_set(guard, note, "set");
}

/* The array without a NUL, and all bytes, change before the guard's end. */
static void outside_raw_calls(void)
{
	u8 mac[6] = { 2, 0x42, 0xac, 0x11, 0, 2 };
	char tag[4] = { 'f', 'u', 'l', 'l' };

	ktrack_guard(outside_raw, "bytes", mac, tag, NULL);
	ktrack_instant(outside_raw, "none", NULL, "ab", NULL);
	memset(mac, 'x', sizeof(mac));
	memset(tag, 'x', sizeof(tag));
}

/* Returns how many of its arguments were evaluated. */
unsigned int outside_attributes_make(void)
{
	unsigned int nr = 0;

	outside_request_calls(&nr);
	outside_scope_calls();
	outside_result_calls(&nr);
	outside_copy_calls(&nr);
	outside_raw_calls();
	return nr;
}
