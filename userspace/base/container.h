/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* From a member to the struct around it. */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include <stddef.h>

/** container_of - the struct @type whose @member is at @pointer */
#define container_of(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

#endif
