/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Hashes for tables. Each process has its own seed, so that an input cannot contain keys that
 * collide. No output may depend on them.
 *
 * Texts are hashed by libxxhash; a number needs one multiplication, which is not worth a call.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

#include "base/text.h"

/** hash_number - hash a number; for several, hash the next plus the hash of the previous ones */
uint64_t hash_number(uint64_t number);

/** hash_text - hash the bytes of a text */
uint64_t hash_text(struct text text);

#endif
