/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Hashes for tables. They differ from process to process, so that nobody can choose keys that
 * collide; no output may depend on them.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

#include "base/text.h"

/** hash_number - the hash of a number; of several: of the next one, plus the hash of those before
 */
uint64_t hash_number(uint64_t number);

/** hash_text - the hash of a text's bytes */
uint64_t hash_text(struct text text);

#endif
