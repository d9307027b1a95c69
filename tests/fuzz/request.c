// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a request of HTTP; a part of it, and the whole, are parsed and judged. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "serve/client.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static bool is_within(struct text part, const char *bytes, size_t size)
{
	return part.data >= bytes && part.data + part.size <= bytes + size;
}

/* An answer needs the token, and a host that is this machine. */
static void request_check(const struct http_request *request, const char *bytes, size_t size)
{
	enum resource resource;
	uint64_t from;

	if (!is_within(request->method, bytes, size) || !is_within(request->target, bytes, size) ||
	    !is_within(request->host, bytes, size))
		abort();
	if (request_judge(request, TOKEN, 80, &resource, &from) != HTTP_OK)
		return;
	if (!memmem(bytes, size, "/" TOKEN "/", TOKEN_SIZE + 2) ||
	    request->host.size < strlen("[::1]"))
		abort();
}

/* The bytes are in a block of their own, so that no read behind them is unseen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t sizes[] = { size / 2, size };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *bytes = malloc(sizes[i]);
		struct http_request request;

		memcpy(bytes, data, sizes[i]);
		if (request_parse((struct text){ .data = bytes, .size = sizes[i] }, &request) ==
		    HTTP_OK)
			request_check(&request, bytes, sizes[i]);
		free(bytes);
	}
	return 0;
}
