// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: a file that a compressed output is appended to. What libzstd decodes to its end is complete. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "fuzz.h"
#include "sink/compression.h"

/* Whether libzstd reads all bytes, and ends with a frame. */
static bool is_decoded(const uint8_t *data, size_t size)
{
	static char decoded[1 << 16];
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { .src = data, .size = size };
	size_t left = 1, produced;

	do {
		ZSTD_outBuffer out = { .dst = decoded, .size = sizeof(decoded) };

		left = ZSTD_decompressStream(stream, &out, &in);
		produced = out.pos;
	} while (!ZSTD_isError(left) && (in.pos < in.size || produced == sizeof(decoded)));
	ZSTD_freeDStream(stream);
	return left == 0;
}

/* libzstd also decodes the formats before RFC 8878, which nothing appends to: 0.2 to 0.7. */
static bool has_old_frame(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i + 4 <= size; i++) {
		if (data[i] >= 0x22 && data[i] <= 0x27 &&
		    memcmp(data + i + 1, "\xb5\x2f\xfd", 3) == 0)
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);
	struct error error = { 0 };
	int status;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	status = zstd_frames_check(fd, "frames", &error);
	if ((status < 0) != (*error.text != '\0'))
		abort();
	if (status < 0 && size > 0 && !has_old_frame(data, size) && is_decoded(data, size))
		abort();
	close(fd);
	return 0;
}
