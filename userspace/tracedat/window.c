// SPDX-License-Identifier: GPL-2.0-only
/* Moves windows over a file. */
#include "tracedat/window.h"

#include <errno.h>
#include <stdlib.h>

static bool window_reserve(struct window *window, size_t size)
{
	if (size <= window->capacity)
		return true;
	free(window->bytes);
	window->bytes = malloc(size);
	window->filled = 0;
	window->capacity = window->bytes ? size : 0;
	return window->bytes;
}

static bool window_contains(const struct window *window, uint64_t offset, size_t size)
{
	return offset >= window->begin && offset - window->begin <= window->filled &&
	       size <= window->filled - (offset - window->begin);
}

static size_t window_size_ahead(const struct window *window, uint64_t offset, uint64_t end,
				size_t size)
{
	uint64_t left = end > offset ? end - offset : 0;
	size_t want = size > window->ahead ? size : window->ahead;

	return want < left ? want : left;
}

const unsigned char *window_read(struct window *window, uint64_t offset, uint64_t end, size_t *size)
{
	size_t want;

	if (window_contains(window, offset, *size))
		return window->bytes + (offset - window->begin);
	want = window_size_ahead(window, offset, end, *size);
	if (*size > WINDOW_SIZE_MAX || !window_reserve(window, want)) {
		errno = ENOMEM;
		*size = 0;
		return NULL;
	}
	window->begin = offset;
	window->filled = input_read(window->input, window->bytes, want, offset);
	if (*size > window->filled)
		*size = window->filled;
	return window->bytes;
}

void window_release(struct window *window)
{
	free(window->bytes);
	*window = (struct window){ .input = window->input, .ahead = window->ahead };
}
