// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Checksums of files. */
#include "base/checksum.h"

#include <stdbool.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static bool cpu_is_wide(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

uint64_t checksum_of(const void *bytes, size_t size)
{
	return cpu_is_wide() ? checksum_wide(bytes, size) : XXH3_64bits(bytes, size);
}

uint64_t checksum_chain(uint64_t before, const void *bytes, size_t size)
{
	return XXH3_64bits_withSeed(bytes, size, before);
}
