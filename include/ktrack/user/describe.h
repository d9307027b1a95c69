/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Descriptions of events, from which ktrack makes formats as tracefs has them.
 *
 * checkpatch reports SPACING: it takes C++ for C.
 */
#ifndef KTRACK_USER_DESCRIBE_H
#define KTRACK_USER_DESCRIBE_H

#pragma GCC system_header

#include <string.h>

#include "select.h"

/* struct ktrack_user_value - a value of KTRACK_ENUM() or a bit of KTRACK_FLAGS(), and its name */
#ifdef __cplusplus
extern "C++" {
struct ktrack_user_value {
	long long value;
	const char *text;

	/* Also of an enum class. */
	template <typename T>
	constexpr ktrack_user_value(T number, const char *name)
		: value((long long)number), text(name)
	{
	}
};
}

extern "C" {
#else
struct ktrack_user_value {
	long long value;
	const char *text;
};
#endif

/* struct ktrack_user_about - a field; as struct ktrack_user_field */
struct ktrack_user_about {
	const char *name;
	const struct ktrack_user_value *values;
	unsigned int nr_values;
	unsigned int offset;
	unsigned int size;
	unsigned int is_signed;
	unsigned int kind;
};

/*
 * struct ktrack_user_site - an event in one file of the program
 * @number: of its description, and above 16 bits the process's generation; 0 if it has none
 * @wanted, @refused: the last selection by which it was, and was not; with @wanted it is described
 */
struct ktrack_user_site {
	const char *system;
	const char *name;
	const struct ktrack_user_about *fields;
	unsigned int nr_fields;
	unsigned int kind;
	unsigned int size;
	uint32_t number;
	uint32_t wanted;
	uint32_t refused;
};

__KTRACK_ONE int32_t ktrack_user3_choose(struct ktrack_user_site *site);

static inline size_t ktrack_user_field_size(const struct ktrack_user_about *field)
{
	size_t size = sizeof(struct ktrack_user_field) + strlen(field->name) + 1;

	for (unsigned int i = 0; i < field->nr_values; i++)
		size += sizeof(int64_t) + strlen(field->values[i].text) + 1;
	return size;
}

static inline unsigned char *ktrack_user_add(unsigned char *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

static inline unsigned char *ktrack_user_add_text(unsigned char *to, const char *text)
{
	return ktrack_user_add(to, text, strlen(text) + 1);
}

static inline unsigned char *ktrack_user_add_field(unsigned char *to,
						   const struct ktrack_user_about *about)
{
	struct ktrack_user_field field;

	field.offset = (uint16_t)about->offset;
	field.size = (uint8_t)about->size;
	field.is_signed = (uint8_t)about->is_signed;
	field.kind = (uint8_t)about->kind;
	field.nr_texts = (uint8_t)about->nr_values;
	to = ktrack_user_add(to, &field, sizeof(field));
	to = ktrack_user_add_text(to, about->name);
	for (unsigned int i = 0; i < about->nr_values; i++) {
		int64_t value = about->values[i].value;

		to = ktrack_user_add(to, &value, sizeof(value));
		to = ktrack_user_add_text(to, about->values[i].text);
	}
	return to;
}

/* Reserves @size bytes for a description; returns NULL if they do not fit. */
static inline unsigned char *ktrack_user_events_take(size_t size)
{
	struct ktrack_user_control *control = &ktrack_user3_control;
	uint32_t used = __atomic_load_n(&control->events_used, __ATOMIC_RELAXED);

	do {
		if (size > KTRACK_USER_EVENTS_SIZE - used)
			return NULL;
	} while (!__atomic_compare_exchange_n(&control->events_used, &used, used + (uint32_t)size,
					      0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return ktrack_user3_process.base + KTRACK_USER_CONTROL_SIZE + used;
}

/*
 * Describes an event before its first record; returns its number, or 0 if there is no more space.
 * Threads may do so at once: then it has two descriptions.
 */
static inline uint32_t ktrack_user_describe(struct ktrack_user_site *site)
{
	struct ktrack_user_event event;
	size_t size = sizeof(event) + strlen(site->system) + strlen(site->name) + 2;
	unsigned char *begin, *to;
	uint32_t number;

	for (unsigned int i = 0; i < site->nr_fields; i++)
		size += ktrack_user_field_size(&site->fields[i]);
	size = (size + 7) & ~(size_t)7;
	begin = ktrack_user3_process.base ? ktrack_user_events_take(size) : NULL;
	if (!begin)
		return 0;
	number = __atomic_add_fetch(&ktrack_user3_control.nr_events, 1, __ATOMIC_RELAXED);
	/* If the thread is killed from here on, ktrack skips the description. */
	__atomic_store_n((uint32_t *)(void *)begin, (uint32_t)size, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	event.word = (uint32_t)size;
	event.number = (uint16_t)number;
	event.kind = (uint8_t)site->kind;
	event.nr_fields = (uint8_t)site->nr_fields;
	event.size = site->size;
	to = ktrack_user_add(begin, &event, sizeof(event));
	to = ktrack_user_add_text(to, site->system);
	to = ktrack_user_add_text(to, site->name);
	for (unsigned int i = 0; i < site->nr_fields; i++)
		to = ktrack_user_add_field(to, &site->fields[i]);
	__atomic_store_n((uint32_t *)(void *)begin, (uint32_t)size | KTRACK_USER_COMMITTED,
			 __ATOMIC_RELEASE);
	number |= ktrack_user3_process.generation << 16;
	__atomic_store_n(&site->number, number, __ATOMIC_RELEASE);
	return number;
}

/* Returns the number of the event's description, 0 if it cannot be described, -1 if it is unwanted. */
int32_t ktrack_user3_choose(struct ktrack_user_site *site)
{
	uint32_t selection = __atomic_load_n(&ktrack_user3_control.selection, __ATOMIC_ACQUIRE);
	uint32_t number = __atomic_load_n(&site->number, __ATOMIC_RELAXED);

	if (!ktrack_user3_decide(selection, site->system, site->name, &site->refused))
		return -1;
	if (number >> 16 != ktrack_user3_process.generation)
		number = ktrack_user_describe(site);
	if (number)
		__atomic_store_n(&site->wanted, selection, __ATOMIC_RELEASE);
	return (int32_t)(number & 0xffff);
}

#ifdef __cplusplus
}
#endif

#endif
