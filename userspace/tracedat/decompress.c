// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decompresses an input that is compressed as a whole, into an unnamed temporary file. A child
 * without privileges does it: libraries read here what anybody may have written.
 */
#include "tracedat/file.h"

#include <errno.h>
#include <lzma.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "tracedat/tracedat.h"

#define BLOCK_SIZE 65536
/* Without a limit of the user's: this many times the input, or this size if that is more. */
#define TIMES_MAX 100
#define SIZE_FLOOR (UINT64_C(16) << 20)
/* The largest window of xz -9, with the decoder's own memory; that of zstd without --ultra is less.
 */
#define MEMORY_MAX (UINT64_C(80) << 20)
#define XZ_MEMORY_MAX (UINT64_C(72) << 20)
#define ZSTD_WINDOW_LOG_MAX 26

/* Time of the slowest algorithm on a slow processor: 4 MiB a second. */
#define CPU_S 10
#define BYTES_PER_S_SHIFT 22

/** enum unpack_status - how the child ended, its exit status */
enum unpack_status {
	UNPACK_DONE,
	UNPACK_DAMAGED,
	UNPACK_TOO_LARGE,
	UNPACK_NO_SPACE,
	UNPACK_NO_MEMORY,
	UNPACK_NO_SANDBOX,
	UNPACK_SIGNAL_XFSZ, /* no exit status */
};

/** struct unpacking - an input that is decompressed */
struct unpacking {
	int in_fd;
	int out_fd;
	off_t offset;	  /* of the next bytes of the input */
	uint64_t written; /* bytes in @out_fd, up to @max */
	uint64_t max;
	void *api; /* functions of the algorithm's library */
	unsigned char in[BLOCK_SIZE];
	unsigned char out[BLOCK_SIZE];
};

/** struct packing - an algorithm, by the first bytes of its files */
struct packing {
	const char *magic;
	size_t size;
	const char *name;
	const char *program; /* decompresses to standard output */
	size_t api_size;     /* of the functions of its library, 0 for one that is linked */
	/* load that library; returns -1 with @error */
	int (*load)(void *api, void **handle, struct error *error);
	enum unpack_status (*run)(struct unpacking *unpacking); /* decompress all */
};

/* Returns the number of bytes in @in, 0 at the end; an error of the disk is damage. */
static size_t unpacking_read(struct unpacking *unpacking)
{
	ssize_t size = pread(unpacking->in_fd, unpacking->in, BLOCK_SIZE, unpacking->offset);

	if (size <= 0)
		return 0;
	unpacking->offset += size;
	return size;
}

/* The child may make no other call than write(2). */
static enum unpack_status unpacking_write(struct unpacking *unpacking, size_t size)
{
	const unsigned char *at = unpacking->out;

	if (size > unpacking->max - unpacking->written)
		return UNPACK_TOO_LARGE;
	unpacking->written += size;
	while (size > 0) {
		ssize_t done = write(unpacking->out_fd, at, size);

		if (done < 0)
			return UNPACK_NO_SPACE;
		at += done;
		size -= done;
	}
	return UNPACK_DONE;
}

/* zlib's largest window, and headers of gzip. */
#define GZIP_WINDOW_BITS (15 + 16)

/* Members may follow each other, and zeros the last one. */
static enum unpack_status gzip_run(struct unpacking *unpacking)
{
	z_stream stream = { 0 };
	enum unpack_status status = UNPACK_DONE;
	bool is_between = false;

	if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK)
		return UNPACK_NO_MEMORY;
	while (status == UNPACK_DONE) {
		int result;

		if (stream.avail_in == 0) {
			stream.avail_in = unpacking_read(unpacking);
			stream.next_in = unpacking->in;
		}
		if (stream.avail_in == 0)
			return is_between ? UNPACK_DONE : UNPACK_DAMAGED;
		if (is_between && *stream.next_in == 0)
			return UNPACK_DONE;
		if (is_between && inflateReset(&stream) != Z_OK)
			return UNPACK_DAMAGED;
		stream.next_out = unpacking->out;
		stream.avail_out = BLOCK_SIZE;
		result = inflate(&stream, Z_NO_FLUSH);
		if (result == Z_MEM_ERROR)
			return UNPACK_NO_MEMORY;
		if (result != Z_OK && result != Z_STREAM_END)
			return UNPACK_DAMAGED;
		is_between = result == Z_STREAM_END;
		status = unpacking_write(unpacking, BLOCK_SIZE - stream.avail_out);
	}
	return status;
}

#define ZSTD_FUNCTIONS(apply)                                                    \
	apply(ZSTD_createDCtx) apply(ZSTD_DCtx_setParameter) apply(ZSTD_isError) \
		apply(ZSTD_decompressStream) apply(ZSTD_getErrorCode)

/** struct zstd_stream_api - libzstd */
struct zstd_stream_api {
	ZSTD_FUNCTIONS(LIBRARY_MEMBER)
};

static int zstd_stream_load(void *members, void **handle, struct error *error)
{
	struct zstd_stream_api *api = members;
	const struct library_function functions[] = { ZSTD_FUNCTIONS(LIBRARY_FUNCTION) };

	return library_load(handle, "libzstd.so.1", "libzstd (Debian's package libzstd1)",
			    functions, sizeof(functions) / sizeof(functions[0]), error);
}

/* Frames may follow each other. */
static enum unpack_status zstd_stream_run(struct unpacking *unpacking)
{
	const struct zstd_stream_api *zstd = unpacking->api;
	ZSTD_DCtx *context = zstd->ZSTD_createDCtx();
	ZSTD_inBuffer in = { .src = unpacking->in };
	size_t expected = 1;

	if (!context)
		return UNPACK_NO_MEMORY;
	zstd->ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
	while ((in.size = unpacking_read(unpacking)) > 0) {
		ZSTD_outBuffer out;

		in.pos = 0;
		do {
			enum unpack_status status;

			out = (ZSTD_outBuffer){ .dst = unpacking->out, .size = BLOCK_SIZE };
			expected = zstd->ZSTD_decompressStream(context, &out, &in);
			if (zstd->ZSTD_isError(expected)) {
				ZSTD_ErrorCode code = zstd->ZSTD_getErrorCode(expected);

				return code == ZSTD_error_memory_allocation ||
						       code == ZSTD_error_frameParameter_windowTooLarge
					       ? UNPACK_NO_MEMORY
					       : UNPACK_DAMAGED;
			}
			status = unpacking_write(unpacking, out.pos);
			if (status != UNPACK_DONE)
				return status;
			/* Behind the end of a frame there may be nothing more. */
		} while (in.pos < in.size || (out.pos == out.size && expected > 0));
	}
	return expected == 0 ? UNPACK_DONE : UNPACK_DAMAGED;
}

#define XZ_FUNCTIONS(apply) apply(lzma_stream_decoder) apply(lzma_code)

/** struct xz_api - liblzma */
struct xz_api {
	XZ_FUNCTIONS(LIBRARY_MEMBER)
};

static int xz_load(void *members, void **handle, struct error *error)
{
	struct xz_api *api = members;
	const struct library_function functions[] = { XZ_FUNCTIONS(LIBRARY_FUNCTION) };

	return library_load(handle, "liblzma.so.5", "liblzma (Debian's package liblzma5)",
			    functions, sizeof(functions) / sizeof(functions[0]), error);
}

/* Streams may follow each other. */
static enum unpack_status xz_run(struct unpacking *unpacking)
{
	const struct xz_api *xz = unpacking->api;
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_action action = LZMA_RUN;

	if (xz->lzma_stream_decoder(&stream, XZ_MEMORY_MAX, LZMA_CONCATENATED) != LZMA_OK)
		return UNPACK_NO_MEMORY;
	for (;;) {
		enum unpack_status status;
		lzma_ret result;

		if (stream.avail_in == 0 && action == LZMA_RUN) {
			stream.avail_in = unpacking_read(unpacking);
			stream.next_in = unpacking->in;
			if (stream.avail_in == 0)
				action = LZMA_FINISH;
		}
		stream.next_out = unpacking->out;
		stream.avail_out = BLOCK_SIZE;
		result = xz->lzma_code(&stream, action);
		status = unpacking_write(unpacking, BLOCK_SIZE - stream.avail_out);
		if (status != UNPACK_DONE || result == LZMA_STREAM_END)
			return status;
		if (result == LZMA_MEM_ERROR || result == LZMA_MEMLIMIT_ERROR)
			return UNPACK_NO_MEMORY;
		if (result != LZMA_OK)
			return UNPACK_DAMAGED;
	}
}

#define MAGIC(bytes) bytes, sizeof(bytes) - 1

static const struct packing packings[] = {
	{ MAGIC("\x1f\x8b\x08"), "gzip", "zcat", 0, NULL, gzip_run },
	{ MAGIC("\x28\xb5\x2f\xfd"), "zstd", "zstdcat", sizeof(struct zstd_stream_api),
	  zstd_stream_load, zstd_stream_run },
	{ MAGIC("\xfd"
		"7zXZ\0"),
	  "xz", "xzcat", sizeof(struct xz_api), xz_load, xz_run },
};

static const struct packing *packing_find(struct text head)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		if (text_begins(head, (struct text){ packings[i].magic, packings[i].size }))
			return &packings[i];
	}
	return NULL;
}

bool input_is_packed(struct text head)
{
	return packing_find(head);
}

/* The child; it must not return into the parent's code. */
static void __attribute__((noreturn))
unpack_run_child(struct unpacking *unpacking, const struct packing *packing)
{
	const struct sandbox sandbox = { .read_fd = unpacking->in_fd,
					 .write_fd = unpacking->out_fd,
					 .cpu_s = CPU_S + (unpacking->max >> BYTES_PER_S_SHIFT),
					 .memory = MEMORY_MAX,
					 .file_size = unpacking->max };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Sanitizers make _exit(2) look for leaks, which takes other system calls. */
	if (!sandbox_enter(&sandbox))
		syscall(SYS_exit_group, UNPACK_NO_SANDBOX);
	syscall(SYS_exit_group, packing->run(unpacking));
	__builtin_unreachable();
}

/* A child that is killed met a limit, or damage that it did not see. */
static enum unpack_status unpack_await(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return UNPACK_DAMAGED;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return UNPACK_SIGNAL_XFSZ;
	return WIFEXITED(status) && WEXITSTATUS(status) <= UNPACK_NO_SANDBOX ? WEXITSTATUS(status)
									     : UNPACK_DAMAGED;
}

static int unpack_refuse(const struct packing *packing, enum unpack_status status, const char *name,
			 uint64_t max, struct error *error)
{
	switch (status) {
	case UNPACK_TOO_LARGE:
		return error_set(error,
				 "%s: decompressed it has more than %llu KiB; if it is what you "
				 "expect, allow more with --max-input=SIZE",
				 name, (unsigned long long)(max >> 10));
	case UNPACK_NO_SPACE:
		return error_set(error,
				 "%s: no space for it in a temporary file; set TMPDIR to a "
				 "directory with more space",
				 name);
	case UNPACK_SIGNAL_XFSZ:
		return error_set(error,
				 "%s: a temporary file for it may not become large enough; raise "
				 "the limit of files (ulimit -f), or decompress it with %s",
				 name, packing->program);
	case UNPACK_NO_MEMORY:
		return error_set(error, "%s: %s needs too much memory; decompress it with %s", name,
				 packing->name, packing->program);
	case UNPACK_NO_SANDBOX:
		return error_set(error,
				 "%s: without seccomp it cannot be decompressed safely here; "
				 "decompress it with %s",
				 name, packing->program);
	default:
		return error_set(error,
				 "%s: its compressed data (%s) is damaged or cut short; %s writes "
				 "what is left of it",
				 name, packing->name, packing->program);
	}
}

/* Returns the limit of the decompressed size. */
static uint64_t unpack_max(int fd, uint64_t max_kib)
{
	struct stat status;
	uint64_t max = 0;

	if (max_kib > 0)
		return max_kib << 10;
	if (fstat(fd, &status) == 0 && (uint64_t)status.st_size <= INT64_MAX / TIMES_MAX)
		max = (uint64_t)status.st_size * TIMES_MAX;
	return max > SIZE_FLOOR ? max : SIZE_FLOOR;
}

int input_unpack(int fd, const char *name, uint64_t max_kib, struct error *error)
{
	char head[8] = "";
	ssize_t size = file_read_block(fd, head, sizeof(head), 0);
	const struct packing *packing = packing_find((struct text){ head, size > 0 ? size : 0 });
	struct unpacking *unpacking;
	enum unpack_status status = UNPACK_NO_SPACE;
	void *handle = NULL;
	pid_t pid = -1;
	int copy;

	if (!packing)
		return fd;
	unpacking = calloc(1, sizeof(*unpacking));
	if (unpacking)
		unpacking->api = calloc(1, packing->api_size + 1);
	copy = file_open_temporary(NULL);
	if (unpacking && unpacking->api && copy >= 0 &&
	    (!packing->load || packing->load(unpacking->api, &handle, error) == 0)) {
		unpacking->in_fd = fd;
		unpacking->out_fd = copy;
		unpacking->max = unpack_max(fd, max_kib);
		pid = fork();
		if (pid == 0)
			unpack_run_child(unpacking, packing);
		if (pid < 0)
			error_set_system(error, errno, "cannot start a process to decompress %s", name);
	}
	if (pid > 0)
		status = unpack_await(pid);
	if (status != UNPACK_DONE) {
		unpack_refuse(packing, unpacking && unpacking->api ? status : UNPACK_NO_MEMORY,
			      name, unpacking ? unpacking->max : 0, error);
		file_close(copy);
		copy = -1;
	}
	library_release(handle);
	if (unpacking)
		free(unpacking->api);
	free(unpacking);
	close(fd);
	return copy;
}
