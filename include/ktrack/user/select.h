/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which events ktrack wants: it stores patterns of their names, which the program matches. */
#ifndef KTRACK_USER_SELECT_H
#define KTRACK_USER_SELECT_H

#pragma GCC system_header

#include <string.h>

#include "state.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * struct ktrack_user_choice - whether an event is wanted, in one file of the program, for those who
 * ask before they write
 * @wanted, @refused: the last selection by which it was, and was not
 */
struct ktrack_user_choice {
	const char *system;
	const char *name;
	uint32_t wanted;
	uint32_t refused;
};

__KTRACK_ONE int ktrack_user3_decide(uint32_t selection, const char *system, const char *name,
				     uint32_t *refused);
__KTRACK_ONE int ktrack_user3_wants(struct ktrack_user_choice *choice);

/* Returns the end of a set, such as [a-z] or [!x], NULL if it is none. */
static inline const char *ktrack_user_set_end(const char *pattern, const char *end)
{
	const char *at = pattern + 1;

	if (at < end && (*at == '!' || *at == '^'))
		at++;
	/* The first character may be a bracket. */
	for (at++; at < end; at++) {
		if (*at == ']')
			return at;
	}
	return NULL;
}

static inline int ktrack_user_set_has(const char *pattern, const char *set_end, char character)
{
	const char *at = pattern + 1;
	int is_not = *at == '!' || *at == '^', has = 0;

	for (at += is_not; at < set_end; at++) {
		const char *last = at;

		if (at + 2 < set_end && at[1] == '-')
			last = at + 2;
		has |= *at <= character && character <= *last;
		at = last;
	}
	return has != is_not;
}

/* Returns what follows the first character of a pattern, NULL if that does not match. */
static inline const char *ktrack_user_match_one(const char *pattern, const char *end, char character)
{
	const char *set_end;

	if (pattern == end)
		return NULL;
	set_end = *pattern == '[' ? ktrack_user_set_end(pattern, end) : NULL;
	if (set_end)
		return ktrack_user_set_has(pattern, set_end, character) ? set_end + 1 : NULL;
	return *pattern == '?' || *pattern == character ? pattern + 1 : NULL;
}

/* As fnmatch(3), which signal handlers may not call. */
static inline int ktrack_user_match(const char *pattern, const char *end, const char *text)
{
	const char *star = NULL, *again = NULL, *next;

	while (*text) {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			again = text;
			continue;
		}
		next = ktrack_user_match_one(pattern, end, *text);
		if (!next && !star)
			return 0;
		pattern = next ? next : star;
		text = next ? text + 1 : ++again;
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

/* Whether a pattern, SYSTEM or SYSTEM:EVENT, means the event. */
static inline int ktrack_user_means(const char *pattern, const char *end, const char *system,
				    const char *name)
{
	const char *colon = (const char *)memchr(pattern, ':', (size_t)(end - pattern));

	return ktrack_user_match(pattern, colon ? colon : end, system) &&
	       (!colon || ktrack_user_match(colon + 1, end, name));
}

static inline int ktrack_user_is_selected(const char *patterns, const char *system,
					  const char *name)
{
	const char *at = patterns, *end = patterns + strnlen(patterns, KTRACK_USER_PATTERNS_SIZE);

	while (at < end) {
		const char *comma = (const char *)memchr(at, ',', (size_t)(end - at));

		if (!comma)
			comma = end;
		if (ktrack_user_means(at, comma, system, name))
			return 1;
		at = comma + 1;
	}
	return !*patterns;
}

/*
 * Decides once for each selection. ktrack changes its number after the patterns: whoever reads both
 * meanwhile decides again.
 */
int ktrack_user3_decide(uint32_t selection, const char *system, const char *name, uint32_t *refused)
{
	if (__atomic_load_n(refused, __ATOMIC_RELAXED) == selection)
		return 0;
	if (ktrack_user_is_selected(ktrack_user3_control.patterns, system, name))
		return 1;
	__atomic_store_n(refused, selection, __ATOMIC_RELAXED);
	return 0;
}

int ktrack_user3_wants(struct ktrack_user_choice *choice)
{
	uint32_t selection = __atomic_load_n(&ktrack_user3_control.selection, __ATOMIC_ACQUIRE);

	if (!ktrack_user3_decide(selection, choice->system, choice->name, &choice->refused))
		return 0;
	__atomic_store_n(&choice->wanted, selection, __ATOMIC_RELAXED);
	return 1;
}

static inline int ktrack_user_wants(struct ktrack_user_choice *choice)
{
	uint32_t selection = __atomic_load_n(&ktrack_user3_control.selection, __ATOMIC_RELAXED);

	return __KTRACK_LIKELY(__atomic_load_n(&choice->wanted, __ATOMIC_RELAXED) == selection) ||
	       ktrack_user3_wants(choice);
}

/* Whether ktrack records this event now. */
#define __KTRACK_IS_ON(event) \
	(ktrack_user_is_on() && ktrack_user_wants(&event##_ktrack_choice))

#ifdef __cplusplus
}
#endif

#endif
