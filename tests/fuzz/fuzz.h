/* SPDX-License-Identifier: GPL-2.0-only */
/* What fuzz targets have in common: an input, which they read without doing harm. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/** LLVMFuzzerTestOneInput - read an input; libFuzzer's name for it, which replay.c calls too */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
