/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Types whose names mark fields in the event's format file for ktrack; ktrack-instrument(7)
 * describes them. Other readers see their sizes and signs.
 *
 * checkpatch reports NEW_TYPEDEFS: readers know the meaning of a field by the name of its type.
 */
#ifndef KTRACK_IDS_H
#define KTRACK_IDS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Pairs the begin and the end of slices that may overlap. */
typedef u64 ktrack_async_id;

/* Connects slices and instants on any tracks; 0 connects nothing. */
typedef u64 ktrack_flow_id;

/* Is set in ends only; 0 in other records. */
typedef s64 ktrack_result;

/* The only track of its tracepoint and track name; always 0. */
typedef u8 ktrack_scope_global;

/* One of several scopes, which together select the track. */
typedef s8 ktrack_scope_s8;
typedef s16 ktrack_scope_s16;
typedef s32 ktrack_scope_s32;
typedef s64 ktrack_scope_s64;
typedef u8 ktrack_scope_u8;
typedef u16 ktrack_scope_u16;
typedef u32 ktrack_scope_u32;
typedef u64 ktrack_scope_u64;
typedef char ktrack_scope_char;
typedef long ktrack_scope_long;
typedef unsigned long ktrack_scope_ulong;
typedef dma_addr_t ktrack_scope_dma_addr;
typedef phys_addr_t ktrack_scope_phys_addr;

/**
 * ktrack_id() - an id for KTRACK_ASYNC() and KTRACK_FLOW()
 * @x: a pointer or a number of any integer type
 *
 * A recording then contains the pointer: the kernel's addresses. It identifies its object until
 * that is freed, which is enough for KTRACK_ASYNC(): the end releases the id. A flow has no end,
 * so it needs a number that is not reused: ktrack_flow_new() makes one.
 */
#ifdef __CHECKER__
#define ktrack_id(x)		((__force ktrack_async_id)(unsigned long)(x))
#else
#define ktrack_id(x)		((ktrack_async_id)(__KTRACK_ID_TYPE(x))(x))
#define __KTRACK_ID_TYPE(x) \
	typeof(__builtin_choose_expr(__KTRACK_IS_POINTER(x), 0UL, 0ULL))
#endif

#endif
