/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Writes records to the ring of the calling thread. Allowed in signal handlers.
 *
 * checkpatch reports PREFER_DEFINED_ATTRIBUTE_MACRO: programs do not have the kernel's macros.
 */
#ifndef KTRACK_USER_RING_H
#define KTRACK_USER_RING_H

#pragma GCC system_header

#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "describe.h"
#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

#define __KTRACK_CLOCK	7	/* CLOCK_BOOTTIME */

__KTRACK_ONE struct ktrack_user_record *ktrack_user3_write_slice(uint32_t type, const char *name,
								 size_t length,
								 struct ktrack_user_site *site,
								 uint32_t texts_size);
__KTRACK_ONE struct ktrack_user_record *ktrack_user3_write_sample(struct ktrack_user_site *site,
								  uint32_t texts_size);
__KTRACK_ONE int ktrack_user3_full(struct ktrack_user_thread *thread, uint64_t head);
__KTRACK_ONE int ktrack_user3_pad(struct ktrack_user_thread *thread, uint64_t head);
__KTRACK_ONE int ktrack_user3_claim(struct ktrack_user_thread *thread);
__KTRACK_ONE uint64_t ktrack_user3_act_as(uint64_t id, uint64_t begin_ns, char *name);

/*
 * The C library stores the thread's id in mutexes that check their owner: so no system call is
 * needed.
 */
static inline int32_t ktrack_user_tid(void)
{
#ifdef __GLIBC__
	pthread_mutexattr_t attribute;
	pthread_mutex_t mutex;
	int32_t tid;

	pthread_mutexattr_init(&attribute);
	pthread_mutexattr_settype(&attribute, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attribute);
	pthread_mutex_lock(&mutex);
	tid = mutex.__data.__owner;
	pthread_mutex_unlock(&mutex);
	return tid;
#else
	return syscall(SYS_gettid);
#endif
}

/* Uses a part of a ring: all of it if that is no size that it can have. */
static inline void ktrack_user_use(struct ktrack_user_thread *thread, uint32_t size)
{
	uint32_t whole = ktrack_user3_process.ring_size;
	int is_size = size >= KTRACK_USER_RING_MIN && size <= whole && !(size & (size - 1));

	thread->size = is_size ? size : whole;
	thread->mask = thread->size - 1;
}

/* Gives a thread the ring that it owns; without memory for it, the ring is free again. */
static inline void ktrack_user_enter(struct ktrack_user_thread *thread, uint32_t index)
{
	struct ktrack_user_process *process = &ktrack_user3_process;
	struct ktrack_user_ring *ring = &ktrack_user3_control.rings[index];
	int saved_errno = errno;

	thread->data = ktrack_user_ring_map(index);
	errno = saved_errno;
	if (!thread->data) {
		__atomic_store_n(&ring->owner, 0, __ATOMIC_RELEASE);
		return;
	}
	ktrack_user_use(thread, __atomic_load_n(&ring->size, __ATOMIC_RELAXED));
	if (process->has_key)
		pthread_setspecific(process->key, ring);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->ring = ring;
}

/* Finds a free ring. Returns -1 if there is none, or in a signal handler while it is searched. */
int ktrack_user3_claim(struct ktrack_user_thread *thread)
{
	struct ktrack_user_process *process = &ktrack_user3_process;
	int is_found = 0;

	if (!process->base || thread->is_claiming)
		return -1;
	thread->is_claiming = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->id = (uint64_t)process->generation << 32 | (uint32_t)ktrack_user_tid();
	for (uint32_t i = 0; i < process->nr_rings && !is_found; i++) {
		struct ktrack_user_ring *ring = &ktrack_user3_control.rings[i];
		uint32_t free_owner = 0;

		if (__atomic_load_n(&ring->owner, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&ring->owner, &free_owner, (uint32_t)thread->id, 0,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		is_found = 1;
		ktrack_user_enter(thread, i);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->is_claiming = 0;
	return thread->ring ? 0 : -1;
}

/* Hexadecimal digits; returns the end. Signal handlers may not call snprintf(). */
static inline char *ktrack_user_digits(char *out, uint64_t number, int nr_digits)
{
	while (nr_digits-- > 0)
		*out++ = "0123456789abcdef"[number >> 4 * nr_digits & 15];
	return out;
}

/*
 * A coroutine ends a guard of another thread, or one that is not the innermost: its record is in
 * this thread's ring, and has the number of that one. So do those of a signal handler meanwhile.
 * Sets @name, the end's, to what is ended. Returns this thread's id, or 0 if the begin is a record
 * of this process's parent.
 */
uint64_t ktrack_user3_act_as(uint64_t id, uint64_t begin_ns, char *name)
{
	struct ktrack_user_thread *thread = &ktrack_user3_thread;
	uint64_t own_id;

	if (id >> 32 != ktrack_user3_process.generation)
		return 0;
	/* Whoever takes a ring sets the id. */
	if (!thread->ring)
		ktrack_user3_claim(thread);
	own_id = thread->id;
	name = ktrack_user_digits(name, begin_ns, KTRACK_USER_END_AT);
	*name++ = '@';
	*ktrack_user_digits(name, (uint32_t)own_id, 8) = 0;
	if (thread->ring)
		thread->id = id;
	return own_id;
}

/* Counts a record that is not written. */
static inline struct ktrack_user_record *ktrack_user_lose(uint64_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Whether the bytes up to @end, a new head, are free. */
static inline int ktrack_user_fits(const struct ktrack_user_thread *thread,
				   const struct ktrack_user_ring *ring, uint64_t end)
{
	return (uint32_t)(end - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) <= thread->size;
}

static inline int ktrack_user_take(struct ktrack_user_ring *ring, uint64_t head, uint64_t end)
{
	return __atomic_compare_exchange_n(&ring->head, &head, end, 0, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* Whether no signal handler has written meanwhile: ktrack may have read that, too. */
static inline int ktrack_user_is_head(const struct ktrack_user_ring *ring, uint64_t head)
{
	return __atomic_load_n(&ring->head, __ATOMIC_RELAXED) == head;
}

/*
 * The ring is full at @head, or parked: then it is empty, and its size becomes what ktrack wants.
 * Returns -1 if the record is lost, as in a signal handler meanwhile.
 */
int ktrack_user3_full(struct ktrack_user_thread *thread, uint64_t head)
{
	struct ktrack_user_ring *ring = thread->ring;
	uint64_t parked = __atomic_load_n(&ring->parked, __ATOMIC_ACQUIRE);

	if (!ktrack_user_is_head(ring, head))
		return 0;
	if (parked != head || thread->is_claiming)
		return -1;
	thread->is_claiming = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ktrack_user_use(thread,
			__atomic_load_n(&ktrack_user3_control.ring_wanted, __ATOMIC_RELAXED));
	__atomic_store_n(&ring->size, thread->size, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->head, head - ktrack_user3_process.ring_size, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->parked, 0, __ATOMIC_RELAXED);
	/* Whoever sees a later head sees this, too. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	thread->is_claiming = 0;
	return 0;
}

/* Fills the end of a ring, where a record does not fit; returns -1 if that is not free. */
int ktrack_user3_pad(struct ktrack_user_thread *thread, uint64_t head)
{
	uint32_t offset = (uint32_t)head & thread->mask;
	uint32_t size = thread->size - offset;

	if (!ktrack_user_fits(thread, thread->ring, head + size))
		return ktrack_user3_full(thread, head);
	if (ktrack_user_take(thread->ring, head, head + size))
		__atomic_store_n((uint32_t *)(void *)(thread->data + offset),
				 size | KTRACK_USER_PAD | KTRACK_USER_COMMITTED, __ATOMIC_RELEASE);
	return 0;
}

/*
 * Reserves @size bytes in a ring; returns NULL if it is full. Signal handlers of the thread are the
 * only other writers.
 */
static inline __attribute__((always_inline)) struct ktrack_user_record *
ktrack_user_reserve(struct ktrack_user_thread *thread, uint32_t size)
{
	struct ktrack_user_ring *ring = thread->ring;
	struct ktrack_user_record *record;
	uint64_t head, end;
	uint32_t offset;

	for (;;) {
		head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		offset = (uint32_t)head & thread->mask;
		end = head + size;
		if (__KTRACK_UNLIKELY(offset + size > thread->size)) {
			if (ktrack_user3_pad(thread, head) < 0)
				return ktrack_user_lose(&ring->lost);
		} else if (__KTRACK_UNLIKELY(!ktrack_user_fits(thread, ring, end))) {
			if (ktrack_user3_full(thread, head) < 0)
				return ktrack_user_lose(&ring->lost);
		} else if (__KTRACK_LIKELY(ktrack_user_take(ring, head, end))) {
			break;
		}
	}
	record = (struct ktrack_user_record *)(void *)(thread->data + offset);
	/* The compiler need not test that. */
	if (!record)
		__builtin_unreachable();
	/* If the thread is killed from here on, ktrack skips the record. */
	__atomic_store_n(&record->word, size, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return record;
}

/*
 * Begins a record of @site with strings of @texts_size bytes; returns NULL if it is lost. ktrack
 * clears what it has read, so that all other bytes are zeros.
 */
static inline __attribute__((always_inline)) struct ktrack_user_record *
ktrack_user_begin_record(struct ktrack_user_site *site, uint32_t texts_size)
{
	uint32_t wanted = __atomic_load_n(&site->wanted, __ATOMIC_ACQUIRE);
	int32_t number = (int32_t)__atomic_load_n(&site->number, __ATOMIC_RELAXED);
	struct ktrack_user_thread *thread = &ktrack_user3_thread;
	struct ktrack_user_record *record;

	/* gcc 12 tests a weak variable's address wrongly for -fsanitize=null. */
	__asm__("" : "+r"(thread));
	if (__KTRACK_UNLIKELY(wanted != __atomic_load_n(&ktrack_user3_control.selection,
							__ATOMIC_RELAXED))) {
		number = ktrack_user3_choose(site);
		if (number <= 0)
			return number < 0 ? NULL : ktrack_user_lose(&ktrack_user3_control.lost);
	}
	if (__KTRACK_UNLIKELY(!thread->ring) && ktrack_user3_claim(thread) < 0)
		return ktrack_user_lose(&ktrack_user3_control.lost);
	record = ktrack_user_reserve(thread, (site->size + KTRACK_USER_STORED + texts_size + 7) &
						     ~7u);
	if (__KTRACK_UNLIKELY(!record))
		return NULL;
	record->number = (uint16_t)number;
	record->tid = (int32_t)thread->id;
	return record;
}

/* The time is taken after the record's place, so that later places have later times. */
static inline struct ktrack_user_record *ktrack_user_set_time(struct ktrack_user_record *record)
{
	struct timespec now;

	clock_gettime(__KTRACK_CLOCK, &now);
	record->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return record;
}

/*
 * struct ktrack_user_slice - the begin of a record of a slice
 * @type: 'B', 'E' or 'I'
 * @name: offset and size of the name, which follows the fields
 */
struct ktrack_user_slice {
	struct ktrack_user_record head;
	uint8_t type;
	uint32_t name;
};

/*
 * Begins a record of a slice, whose name is the first of its strings; NULL if it is lost. The first
 * parameters are those of the caller, which need not move them.
 */
struct ktrack_user_record *ktrack_user3_write_slice(uint32_t type, const char *name, size_t length,
						    struct ktrack_user_site *site,
						    uint32_t texts_size)
{
	struct ktrack_user_record *record =
		ktrack_user_begin_record(site, texts_size + (uint32_t)length + 1);
	struct ktrack_user_slice *slice = (struct ktrack_user_slice *)(void *)record;

	if (__KTRACK_UNLIKELY(!record))
		return NULL;
	slice->type = (uint8_t)type;
	slice->name = ((uint32_t)length + 1) << 16 | site->size;
	if (length > 0)
		memcpy((char *)record + KTRACK_USER_STORED + site->size, name, length);
	return ktrack_user_set_time(record);
}

/* Begins a record of a counter; NULL if it is lost. */
struct ktrack_user_record *ktrack_user3_write_sample(struct ktrack_user_site *site, uint32_t texts_size)
{
	struct ktrack_user_record *record = ktrack_user_begin_record(site, texts_size);

	return __KTRACK_LIKELY(record) ? ktrack_user_set_time(record) : NULL;
}

/* Makes a record visible to ktrack, which may clear it then. Returns its time. */
static inline uint64_t ktrack_user_commit(struct ktrack_user_record *record)
{
	uint64_t time_ns = record->time_ns;

	__atomic_store_n(&record->word, record->word | KTRACK_USER_COMMITTED, __ATOMIC_RELEASE);
	return time_ns;
}

#ifdef __cplusplus
}
#endif

#endif
