// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The same function, compiled for AVX2: it takes a third of the instructions. libxxhash selects a
 * variant itself only if its builder chose that.
 */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("avx2")
#pragma GCC optimize("unroll-loops")
#endif

/* The bytes were just read. */
#define XXH_NO_PREFETCH
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/checksum.h"

uint64_t checksum_wide(const void *bytes, size_t size)
{
	return XXH3_64bits(bytes, size);
}
