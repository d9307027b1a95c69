/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Checksums of files: XXH3, 64 bits, the same on every machine. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** checksum_of - checksum of some hundred bytes or more, with the CPU's widest registers */
uint64_t checksum_of(const void *bytes, size_t size);
/** checksum_chain - checksum of bytes that follow others with the checksum @before, first 0 */
uint64_t checksum_chain(uint64_t before, const void *bytes, size_t size);
/** checksum_wide - checksum_of() with registers of 32 bytes; only if the CPU has AVX2 */
uint64_t checksum_wide(const void *bytes, size_t size);

#endif
