// SPDX-License-Identifier: GPL-2.0-only
/* What ktrack why counts without a selector: kinds of slices or instants, and processes. */
#include <stdlib.h>
#include <string.h>

#include "analysis/internal.h"

static bool kind_has_key(const void *value, const void *key)
{
	const struct slice_kind *kind = value, *wanted = key;

	return kind->category == wanted->category && kind->name == wanted->name &&
	       kind->rank == wanted->rank;
}

static uint64_t kind_hash(const struct slice_kind *key)
{
	return hash_number(key->name + hash_number((uintptr_t)key->category + key->rank));
}

bool overview_kind_has_name(const struct overview *overview, const struct slice_kind *kind)
{
	struct slice_kind other = *kind;

	for (other.rank = 0; other.rank < KIND_NONE; other.rank++) {
		if (other.rank != kind->rank &&
		    map_find(&overview->kinds, kind_hash(&other), kind_has_key, &other))
			return false;
	}
	return true;
}

struct slice_kind *overview_kind(struct overview *overview, struct map *kinds,
				 const struct slice_kind *key)
{
	struct slice_kind wanted = *key;
	struct slice_kind *kind = map_find(kinds, kind_hash(key), kind_has_key, key);

	/* Beyond the limit, names of a tracepoint share a kind. */
	if (!kind && kinds->size >= OVERVIEW_MAX) {
		wanted.name = NAMES_OTHER;
		kind = map_find(kinds, kind_hash(&wanted), kind_has_key, &wanted);
	}
	if (kind)
		return kind;
	kind = map_take(kinds, kind_hash(&wanted), malloc(sizeof(*kind)));
	if (kind)
		*kind = wanted;
	overview->failed |= !kind;
	return kind;
}

/* The order is total, so that it is the same in every run. */
static bool instant_is_before(const struct slice_kind *a, const struct slice_kind *b)
{
	if (a->count != b->count)
		return a->count > b->count;
	return a->name != b->name ? a->name < b->name : strcmp(a->category, b->category) < 0;
}

size_t overview_frequent(const struct overview *overview, const struct slice_kind **out, size_t max)
{
	const struct slice_kind *kind;
	size_t nr = 0, at;

	map_for_each(&overview->instants, kind) {
		for (at = nr; at > 0 && instant_is_before(kind, out[at - 1]); at--) {
			if (at < max)
				out[at] = out[at - 1];
		}
		if (at < max)
			out[at] = kind;
		nr += nr < max;
	}
	return nr;
}

static bool process_has_key(const void *value, const void *key)
{
	const struct process_times *process = value, *wanted = key;

	return process->id == wanted->id && process->name == wanted->name;
}

struct process_times *overview_process(struct overview *overview, int id, uint32_t name)
{
	struct process_times key = { .id = id, .name = name };
	uint64_t hash = hash_number(name + hash_number(id));
	struct process_times *process = map_find(&overview->processes, hash, process_has_key, &key);

	/* Beyond the limit, processes are one. */
	if (!process && overview->processes.size >= OVERVIEW_MAX) {
		key = (struct process_times){ .id = PROCESS_OTHER, .name = NAMES_OTHER };
		hash = hash_number(NAMES_OTHER + hash_number(PROCESS_OTHER));
		process = map_find(&overview->processes, hash, process_has_key, &key);
	}
	if (process)
		return process;
	process = map_take(&overview->processes, hash, malloc(sizeof(*process)));
	if (process)
		*process = key;
	overview->failed |= !process;
	return process;
}

/* The order is total, so that it is the same in every run. */
static bool process_is_before(const struct process_times *a, const struct process_times *b)
{
	if (a->running_ns != b->running_ns)
		return a->running_ns > b->running_ns;
	if (a->nr_instants != b->nr_instants)
		return a->nr_instants > b->nr_instants;
	return a->id != b->id ? a->id < b->id : a->name < b->name;
}

size_t overview_busiest(const struct overview *overview, const struct process_times **out,
			size_t max)
{
	const struct process_times *process;
	size_t nr = 0, at;

	map_for_each(&overview->processes, process) {
		if (process->running_ns == 0 &&
		    (overview->running_ns > 0 || process->nr_instants == 0))
			continue;
		for (at = nr; at > 0 && process_is_before(process, out[at - 1]); at--) {
			if (at < max)
				out[at] = out[at - 1];
		}
		if (at < max)
			out[at] = process;
		nr += nr < max;
	}
	return nr;
}

bool call_waits(struct text name)
{
	/* These last as long as nothing happens, and a long one of them is no delay. */
	static const char *const calls[] = {
		"accept",	   "accept4",	     "clock_nanosleep", "epoll_pwait",
		"epoll_pwait2",	   "epoll_wait",     "futex",		"io_getevents",
		"io_pgetevents",   "io_uring_enter", "mq_timedreceive", "msgrcv",
		"nanosleep",	   "newselect",	     "pause",		"poll",
		"ppoll",	   "pselect6",	     "restart_syscall", "rt_sigsuspend",
		"rt_sigtimedwait", "select",	     "semtimedop",	"wait4",
		"waitid",	   "_newselect",     "futex_wait",	"futex_waitv",
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (text_equals(name, text_of(calls[i])))
			return true;
	}
	return false;
}

void overview_release(struct overview *overview)
{
	map_free(&overview->kinds);
	map_free(&overview->instants);
	map_free(&overview->processes);
}
