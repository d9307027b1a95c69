// SPDX-License-Identifier: GPL-2.0-only
/* What a person reads of a split: sums of small parts, and the causes at the ends of waits. */
#include "analysis/internal.h"

#include <stdlib.h>

/** OWN_PERCENT - larger parts are not summed up */
#define OWN_PERCENT 5

/** struct summary - a split that is summed up */
struct summary {
	struct split *split;
	const struct history *history;
	struct name_table *names;
	int64_t slice_ns;
};

/** struct member - a small part */
struct member {
	struct part_key key; /* of its sum */
	struct part *part;
};

static bool part_is_large(const struct summary *summary, const struct part *part)
{
	/* A sum is no single cause. */
	return part->nr_members < 2 && part->total_ns > summary->slice_ns / (100 / OWN_PERCENT);
}

/* The members of each sum follow one another, by their threads. */
static int member_compare(const void *a, const void *b)
{
	const struct member *first = a, *second = b;
	int order = memcmp(&first->key, &second->key, sizeof(first->key));

	if (order)
		return order;
	if (first->part->key.tid != second->part->key.tid)
		return first->part->key.tid < second->part->key.tid ? -1 : 1;
	return (first->part > second->part) - (first->part < second->part);
}

/* What was not followed of waits that are summed up, of which some were. */
static void waker_complete(struct part *part)
{
	struct part left = { .total_ns = part->total_ns,
			     .count = 1,
			     .longest_ns = part->longest_ns,
			     .longest_at_ns = part->longest_at_ns };
	const struct part_key key = { .kind = PART_UNDECIDED,
				      .reason = UNDECIDED_NOT_FOLLOWED,
				      .cpu = -1,
				      .tid = -1,
				      .owner = -1 };

	if (!part->waker)
		return;
	left.total_ns -= part->waker->total_ns;
	left.longest_ns = left.total_ns < left.longest_ns ? left.total_ns : left.longest_ns;
	if (left.total_ns > 0)
		split_add_sum(part->waker, &key, &left);
}

/* Adds what happened during one of two waits to that of the other one. */
static int wakers_merge(struct part *part, struct part *other)
{
	struct split *from = other->waker;

	other->waker = NULL;
	if (!from)
		return 0;
	if (!part->waker) {
		part->waker = from;
		return 0;
	}
	for (size_t i = 0; i < from->nr_parts; i++)
		split_add_sum(part->waker, &from->parts[i].key, &from->parts[i]);
	for (size_t i = 0; i < part->waker->nr_parts; i++)
		waker_complete(&part->waker->parts[i]);
	split_release(from);
	free(from);
	return part->waker->failed ? -1 : 0;
}

/* What threads have in common that share a name. */
static void part_find_family(const struct summary *summary, struct part *sum,
			     const struct member *members, size_t nr_members)
{
	const struct thread_history *first = NULL;
	bool has_process = true, has_parent = true, has_name = true, has_cgroup = true;
	const struct thread_history *parent, *other;

	for (size_t i = 0; i < nr_members; i++) {
		const struct thread_history *one = history_thread(summary->history,
								  members[i].part->key.tid, -1);

		if (!one)
			return;
		first = first ? first : one;
		has_process &= one->tgid > 0 && one->tgid == first->tgid;
		has_parent &= one->parent > 0 && one->parent == first->parent;
		parent = history_thread(summary->history, first->parent, -1);
		other = history_thread(summary->history, one->parent, -1);
		has_name &= one->parent > 0 && parent && other && other->comm == parent->comm;
		has_cgroup &= one->cgroup != NAMES_NONE && one->cgroup == first->cgroup;
	}
	if (!first)
		return;
	if (has_process) {
		sum->family_kind = FAMILY_PROCESS;
		sum->family_id = first->tgid;
		sum->family = first->process;
	} else if (has_parent || has_name) {
		parent = history_thread(summary->history, first->parent, -1);
		sum->family_kind = FAMILY_PARENT;
		sum->family_id = has_parent ? first->parent : -1;
		sum->family = parent ? parent->comm : NAMES_NONE;
	} else if (has_cgroup) {
		sum->family_kind = FAMILY_CGROUP;
		sum->family = first->cgroup;
	}
}

/* The longest of the parts about one thread, or of one sum, if it is more than half of all. */
static const struct part *members_find_main(const struct member *members, size_t nr_members)
{
	const struct part *main = NULL;
	int64_t total_ns = 0;

	for (size_t i = 0; i < nr_members; i++) {
		const struct part *part = members[i].part;

		total_ns += part->total_ns;
		if (part->nr_members < 2 && (!main || part->total_ns > main->total_ns))
			main = part;
	}
	return main && main->total_ns > total_ns / 2 ? main : NULL;
}

/* Sums up parts that have the same key on a level; all but the first have no time then. */
static int members_sum(const struct summary *summary, struct member *members, size_t nr_members,
		       enum sum_level level)
{
	const struct part *main = level > SUM_THREAD ? members_find_main(members, nr_members)
						     : NULL;
	size_t least = level == SUM_THREADS && members[0].part->nr_members < 2 ? 3 : 2, nr = 0;
	struct part sum = { .key = members[0].key }, *first = NULL;

	if (nr_members - (main != NULL) < least)
		return 0;
	for (size_t i = 0; i < nr_members; i++) {
		struct part *part = members[i].part;

		if (part == main)
			continue;
		sum.is_at_least |= part->is_at_least;
		/* Parts of one thread count once; sums may have some of the same threads. */
		if (part->nr_threads > sum.nr_threads) {
			sum.is_at_least |= sum.nr_threads > 0;
			sum.nr_threads = part->nr_threads;
		} else if (!part->nr_threads && part->key.tid > 0 &&
			   (nr == 0 || members[nr - 1].part->key.tid != part->key.tid)) {
			sum.nr_threads++;
		} else {
			sum.is_at_least |= part->nr_threads > 0;
		}
		members[nr++] = members[i];
	}
	if (level == SUM_THREADS) {
		bool is_one_name = true;

		for (size_t i = 0; i < nr; i++)
			is_one_name &= members[i].part->key.name == members[0].part->key.name;
		if (is_one_name)
			sum.key.name = members[0].part->key.name;
		part_find_family(summary, &sum, members, nr);
	}
	for (size_t i = 0; i < nr; i++) {
		struct part *part = members[i].part;
		uint32_t nr_threads = sum.nr_threads;

		if (level > SUM_THREADS && !first) {
			sum.family_kind = part->family_kind;
			sum.family = part->family;
			sum.family_id = part->family_id;
		} else if (level > SUM_THREADS &&
			   (sum.family_kind != part->family_kind ||
			    sum.family_id != part->family_id || sum.family != part->family)) {
			sum.family_kind = FAMILY_NONE;
		}
		first = first ? first : part;
		if (wakers_merge(&sum, part) < 0) {
			split_release(sum.waker);
			free(sum.waker);
			return -1;
		}
		part_merge(&sum, part);
		sum.nr_threads = nr_threads;
		part->total_ns = 0;
	}
	if (sum.key.instant == NAMES_NONE)
		sum.nr_instants = 0;
	waker_complete(&sum);
	if (level == SUM_THREAD)
		sum.nr_members = sum.nr_threads = 0;
	*first = sum;
	return 0;
}

/* Removes parts without time, and sorts the others. */
static void split_tidy(struct split *split)
{
	size_t nr = 0;

	for (size_t i = 0; i < split->nr_parts; i++) {
		if (split->parts[i].total_ns > 0)
			split->parts[nr++] = split->parts[i];
	}
	split->nr_parts = nr;
	split_sort(split);
}

/* Sums up small parts whose keys are equal on a level. */
static int summary_sum(const struct summary *summary, enum sum_level level)
{
	struct split *split = summary->split;
	struct member *members = malloc((split->nr_parts + 1) * sizeof(*members));
	size_t nr = 0, end;
	int status = members ? 0 : -1;

	for (size_t i = 0; status == 0 && i < split->nr_parts; i++) {
		struct part *part = &split->parts[i];

		if (part_is_large(summary, part) ||
		    (level <= SUM_THREADS && part->key.tid <= 0 && part->nr_members < 2))
			continue;
		members[nr] = (struct member){ part->key, part };
		part_key_generalize(&members[nr].key, level);
		if (level == SUM_THREADS)
			members[nr].key.name = name_table_general(summary->names, part->key.name);
		nr++;
	}
	if (nr > 1)
		qsort(members, nr, sizeof(*members), member_compare);
	for (size_t begin = 0; status == 0 && begin < nr; begin = end) {
		for (end = begin + 1; end < nr; end++) {
			if (memcmp(&members[end].key, &members[begin].key,
				   sizeof(members[end].key)) != 0)
				break;
		}
		status = members_sum(summary, &members[begin], end - begin, level);
	}
	free(members);
	split_tidy(split);
	return status;
}

/* Sums up what is beyond the limit by kind. */
static int summary_sum_rest(const struct summary *summary, size_t parts_max)
{
	struct split *split = summary->split, sums = { 0 };

	for (size_t i = parts_max - 1; i < split->nr_parts; i++) {
		struct part *part = &split->parts[i];
		struct part_key key = part->key;
		uint32_t nr_members = part->nr_members ? part->nr_members : 1;

		if (part_is_large(summary, part))
			continue;
		part_key_generalize(&key, SUM_KINDS);
		split_add_sum(&sums, &key, part);
		for (size_t j = 0; j < sums.nr_parts; j++) {
			if (sums.parts[j].key.kind == key.kind)
				sums.parts[j].nr_members += nr_members;
		}
		part_merge(&(struct part){ 0 }, part);
		part->total_ns = 0;
	}
	split_tidy(split);
	for (size_t i = 0; i < sums.nr_parts && !sums.failed; i++) {
		sums.parts[i].is_rest = true;
		if (array_double(split->parts, split->nr_parts, split->capacity))
			split->parts[split->nr_parts++] = sums.parts[i];
		else
			sums.failed = true;
	}
	split_sort(split);
	free(sums.parts);
	return sums.failed ? -1 : 0;
}

int split_summarize(struct split *split, const struct history *history, struct name_table *names,
		    int64_t slice_ns, size_t parts_max)
{
	const struct summary summary = { split, history, names, slice_ns };
	int status = summary_sum(&summary, SUM_THREAD);

	for (int level = SUM_THREADS; status == 0 && level < SUM_KINDS; level++) {
		if (level == SUM_THREADS || split->nr_parts > parts_max)
			status = summary_sum(&summary, level);
	}
	if (status == 0 && split->nr_parts > parts_max)
		status = summary_sum_rest(&summary, parts_max);
	for (size_t i = 0; status == 0 && i < split->nr_parts; i++) {
		if (split->parts[i].waker)
			status = split_summarize(split->parts[i].waker, history, names, slice_ns,
						 SUMMARY_WAKER_PARTS);
	}
	return status;
}

/* The causes: what is at the ends of chains of waits. */

/** struct cause_list - the parts at the ends, one for each key, and the waits for each */
struct cause_list {
	struct cause *causes;
	size_t nr_causes;
	size_t capacity;
	const struct name_table *names;
	const struct part *path[CAUSE_PATH_MAX];
	size_t nr_path;
	bool failed;
};

static void causes_add(struct cause_list *list, const struct part_key *key, const struct part *end)
{
	struct cause *cause = NULL;
	struct part one = *end;

	one.waker = NULL;
	for (size_t i = 0; i < list->nr_causes && !cause; i++) {
		if (memcmp(&list->causes[i].parts[0].key, key, sizeof(*key)) == 0)
			cause = &list->causes[i];
	}
	if (!cause) {
		if (!array_double(list->causes, list->nr_causes, list->capacity)) {
			list->failed = true;
			return;
		}
		cause = &list->causes[list->nr_causes++];
		*cause = (struct cause){ .nr_parts = 1 };
		cause->parts[0].key = *key;
	}
	/* The longest of them comes first in each split. */
	if (end->total_ns > cause->path_ns) {
		cause->path_ns = end->total_ns;
		memcpy(cause->path, list->path, sizeof(list->path));
		cause->nr_path = list->nr_path;
		one.key = *key;
		one.total_ns += cause->parts[0].total_ns;
		one.count += cause->parts[0].count;
		one.nr_instants += cause->parts[0].nr_instants;
		cause->parts[0] = one;
	} else {
		part_merge(&cause->parts[0], &one);
	}
	cause->total_ns = cause->parts[0].total_ns;
}

/*
 * A thread that sleeps until a time waits for nobody; who armed its timer is known. Of the waits in
 * a sum, most may not be followed.
 */
static bool part_is_end(const struct cause_list *list, const struct part *part)
{
	const struct part *first = part->waker && part->waker->nr_parts > 0 ? &part->waker->parts[0]
									    : NULL;

	if (!first || list->nr_path == CAUSE_PATH_MAX)
		return true;
	if (first->key.kind == PART_UNDECIDED && first->key.reason == UNDECIDED_NOT_FOLLOWED)
		return first->total_ns > part->total_ns / 2;
	return part_is_timeout(list->names, &part->key) && first->key.kind == PART_WAITING &&
	       first->total_ns > part->total_ns / 4 * 3;
}

static void causes_find(struct cause_list *list, const struct split *split)
{
	const struct part *wait = list->nr_path > 0 ? list->path[list->nr_path - 1] : NULL;

	for (size_t i = 0; i < split->nr_parts; i++) {
		const struct part *part = &split->parts[i];
		struct part_key key = part->key;

		if (!part_is_end(list, part)) {
			list->path[list->nr_path++] = part;
			causes_find(list, part->waker);
			list->nr_path--;
			continue;
		}
		/* The parts of a waker are those of its thread. */
		if (wait && wait->key.kind != PART_STAGE && wait->key.object == NAMES_NONE &&
		    key.owner < 0 && key.owner_name == NAMES_NONE) {
			key.owner = wait->key.tid;
			key.owner_name = wait->key.name;
		}
		/* On which CPU is a detail. */
		if (key.tid == 0)
			key.name = NAMES_NONE;
		key.cpu = -1;
		causes_add(list, &key, part);
	}
}

static int cause_compare(const void *a, const void *b)
{
	const struct cause *first = a, *second = b;

	if (first->total_ns != second->total_ns)
		return first->total_ns > second->total_ns ? -1 : 1;
	return memcmp(&first->parts[0].key, &second->parts[0].key, sizeof(first->parts[0].key));
}

/* Whether two ends are one cause. */
static bool cause_is_same(const struct cause *cause, const struct cause *other)
{
	const struct part_key *a = &cause->parts[0].key, *b = &other->parts[0].key;

	if (a->owner != b->owner || a->owner_name != b->owner_name)
		return false;
	return a->owner_name != NAMES_NONE || a->owner >= 0 ||
	       (a->kind == b->kind && (a->kind == PART_RUNNING || a->kind == PART_RUNNABLE ||
				       a->kind == PART_HARD || a->kind == PART_SOFT));
}

/* Joins the ends that are one cause, of which the longest come first. */
static void causes_join(struct cause_list *list)
{
	size_t nr = 0, at;

	for (size_t i = 0; i < list->nr_causes; i++) {
		struct cause *cause = &list->causes[i], *other;

		for (at = 0; at < nr && !cause_is_same(&list->causes[at], cause); at++)
			;
		if (at == nr) {
			list->causes[nr++] = *cause;
			continue;
		}
		other = &list->causes[at];
		other->total_ns += cause->total_ns;
		if (other->nr_parts < CAUSE_PARTS)
			other->parts[other->nr_parts++] = cause->parts[0];
	}
	list->nr_causes = nr;
}

int split_find_causes(const struct split *split, const struct name_table *names, struct cause *out)
{
	struct cause_list list = { .names = names };
	size_t nr = 0;

	causes_find(&list, split);
	if (list.nr_causes > 1)
		qsort(list.causes, list.nr_causes, sizeof(*list.causes), cause_compare);
	causes_join(&list);
	if (list.nr_causes > 1)
		qsort(list.causes, list.nr_causes, sizeof(*list.causes), cause_compare);
	/* A second cause counts if it may be as good a reason. */
	for (; nr < list.nr_causes && nr < CAUSES_MAX; nr++) {
		/* What a thread has to do anyway explains no delay. */
		bool is_enough = nr > 0 && out[0].total_ns > split->total_ns / 2 &&
				 (out[0].parts[0].key.kind != PART_RUNNING ||
				  out[0].parts[0].key.owner >= 0);
		int share = is_enough ? 4 : 10;

		if (nr > 0 && list.causes[nr].total_ns < split->total_ns / share)
			break;
		out[nr] = list.causes[nr];
		out[nr].is_first = nr == 0;
	}
	free(list.causes);
	return list.failed ? -1 : (int)nr;
}
