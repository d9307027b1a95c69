// SPDX-License-Identifier: GPL-2.0-only
/* Collects the values of each unit of a recording. */
#include "analysis/internal.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"

/**
 * struct compare_sink - one recording of a comparison
 *
 * The data of counted names are their struct compare_name.
 */
struct compare_sink {
	struct sink sink;
	struct comparison *comparison;
	enum compare_side side;
	int64_t start_ns;
	uint32_t offset; /* number of its first unit */
};

/** struct compare_key - identity of a name */
struct compare_key {
	const char *category;
	struct text name;
};

static bool compare_name_equals(const void *value, const void *key_pointer)
{
	const struct compare_name *name = value;
	const struct compare_key *key = key_pointer;

	return strcmp(name->category, key->category) == 0 &&
	       text_equals(buffer_text(&name->name), key->name);
}

static void compare_name_free(struct compare_name *name)
{
	for (int side = 0; side < COMPARE_SIDES; side++)
		free(name->sides[side].list);
	quantiles_release(&name->quantiles);
	buffer_release(&name->name);
	free(name->category);
	free(name);
}

struct compare_name *comparison_name_get(struct comparison *comparison, const char *category,
					 struct text name)
{
	const struct compare_key key = { category, name };
	uint64_t hash = hash_number(hash_text(text_of(category)) + hash_text(name));
	struct compare_name *one = map_find(&comparison->map, hash, compare_name_equals, &key);

	if (one || comparison->nr_names == COMPARE_NAMES_MAX)
		return one;
	one = calloc(1, sizeof(*one));
	if (!one)
		return NULL;
	one->category = strdup(category);
	buffer_append(&one->name, name.data, name.size);
	buffer_seal(&one->name);
	if (one->category && !one->name.failed &&
	    array_reserve(comparison->names, comparison->nr_names) &&
	    map_insert(&comparison->map, hash, one) == 0) {
		comparison->names[comparison->nr_names++] = one;
		return one;
	}
	compare_name_free(one);
	return NULL;
}

int comparison_value_add(struct compare_name *name, enum compare_side side,
			 const struct compare_value *value)
{
	struct compare_values *values = &name->sides[side];

	if (!array_reserve(values->list, values->size))
		return -1;
	values->list[values->size++] = *value;
	return 0;
}

/* One more nanosecond: there is no logarithm of 0. */
static double ns_log(double ns)
{
	return log(ns + 1);
}

/* The unit of a name is complete. */
static int compare_unit_end(struct compare_name *name, enum compare_side side)
{
	const struct quantiles *quantiles = &name->quantiles;
	struct compare_value value = { .unit = name->unit };

	if (quantiles->count == 0)
		return 0;
	value.logs[COMPARE_MEAN] = ns_log((double)name->total_ns / (double)quantiles->count);
	value.logs[COMPARE_P50] = ns_log((double)quantiles_get(quantiles, 500));
	value.logs[COMPARE_P99] = ns_log((double)quantiles_get(quantiles, 990));
	quantiles_release(&name->quantiles);
	name->total_ns = 0;
	return comparison_value_add(name, side, &value);
}

static int compare_slice(struct compare_sink *sink, const struct timeline_event *event)
{
	struct comparison *comparison = sink->comparison;
	int64_t ns = event->time_ns - event->begin_ns;
	uint32_t block = comparison->has_blocks ? (event->time_ns - sink->start_ns) / NS_PER_S : 0;
	uint32_t unit = sink->offset + block;
	struct compare_name *name = NULL;

	if (event->name->is_counted) {
		void **data = &event->name->sink_data[sink->sink.index];

		if (!*data)
			*data = comparison_name_get(comparison, event->track->category->text,
						    event->name->text);
		name = *data;
	}
	if (!name || slice_is_doubtful(event)) {
		comparison->nr_left_out++;
		return 0;
	}
	if (name->unit != unit && compare_unit_end(name, sink->side) < 0)
		return -1;
	name->unit = unit;
	name->total_ns += ns;
	if (unit >= comparison->nr_units[sink->side])
		comparison->nr_units[sink->side] = unit + 1;
	return quantiles_add(&name->quantiles, (uint64_t)ns);
}

static int compare_finish(struct compare_sink *sink)
{
	struct comparison *comparison = sink->comparison;

	if (comparison->nr_units[sink->side] == sink->offset)
		comparison->nr_units[sink->side]++;
	for (size_t i = 0; i < comparison->nr_names; i++) {
		if (compare_unit_end(comparison->names[i], sink->side) < 0)
			return -1;
	}
	return 0;
}

static int compare_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct compare_sink *compare = container_of(sink, struct compare_sink, sink);
	int status = 0;

	if (event->kind == TIMELINE_SLICE_END)
		status = compare_slice(compare, event);
	else if (event->kind == TIMELINE_FINISH)
		status = compare_finish(compare);
	return status < 0 ? error_set(error, "out of memory") : 0;
}

static int compare_open(struct sink *sink, const struct recording *recording,
			unsigned int sink_index, struct error *error)
{
	(void)sink_index, (void)error;
	container_of(sink, struct compare_sink, sink)->start_ns = recording->start_ns;
	return 0;
}

struct sink *compare_sink_new(struct comparison *comparison, bool is_source, struct error *error)
{
	static const struct sink_ops ops = { .open = compare_open, .event = compare_event };
	struct sink *sink = sink_new(&ops, sizeof(struct compare_sink), error);
	struct compare_sink *compare = container_of(sink, struct compare_sink, sink);

	if (sink) {
		compare->comparison = comparison;
		compare->side = is_source ? COMPARE_SOURCE : COMPARE_BASE;
		compare->offset = comparison->nr_units[compare->side];
	}
	return sink;
}

struct comparison *comparison_new(bool has_blocks)
{
	struct comparison *comparison = calloc(1, sizeof(*comparison));

	if (comparison)
		comparison->has_blocks = has_blocks;
	return comparison;
}

void comparison_free(struct comparison *comparison)
{
	if (!comparison)
		return;
	for (size_t i = 0; i < comparison->nr_names; i++)
		compare_name_free(comparison->names[i]);
	free(comparison->names);
	map_release(&comparison->map);
	free(comparison);
}

/* Which changes chance does not explain: a permutation test over all names at once. */

/* Share of comparisons of equal recordings that may report a change: 5 %, less what the choice of
 * assignments by chance may add. */
#define FALSE_ALARMS 0.045

/* Assignments of units; fewer if there is more to compute for each. */
#define ROUNDS_MAX 4000
#define ROUNDS_MIN 400
#define STEPS_MAX 200000000.0

/* Instead of an infinite statistic, where values do not vary. */
#define T_MAX 1e9

#define SEED UINT64_C(0x9e3779b97f4a7c15)

/** struct moments - mean and variance of the values of a side */
struct moments {
	double count;
	double sum;
	double squares;
};

static void moments_add(struct moments *moments, double value)
{
	moments->count++;
	moments->sum += value;
	moments->squares += value * value;
}

static double moments_mean(const struct moments *moments)
{
	return moments->sum / moments->count;
}

/* Of the mean. */
static double moments_variance(const struct moments *moments)
{
	double mean = moments_mean(moments);
	double variance = (moments->squares - moments->count * mean * mean) / (moments->count - 1);

	return (variance > 0 ? variance : 0) / moments->count;
}

/** struct difference - of the means of logarithms */
struct difference {
	bool is_known; /* both sides have two units at least */
	double base;
	double source;
	double error;
};

/* @is_source: the side of each unit, those of the base first */
static struct difference difference_of(const struct compare_name *name,
				       enum compare_statistic statistic, const bool *is_source,
				       uint32_t nr_base)
{
	struct moments sides[COMPARE_SIDES] = { 0 };
	struct difference difference = { 0 };

	for (int side = 0; side < COMPARE_SIDES; side++) {
		const struct compare_values *values = &name->sides[side];
		uint32_t offset = side == COMPARE_SOURCE ? nr_base : 0;

		for (size_t i = 0; i < values->size; i++)
			moments_add(&sides[is_source[offset + values->list[i].unit]],
				    values->list[i].logs[statistic]);
	}
	if (sides[COMPARE_BASE].count < 2 || sides[COMPARE_SOURCE].count < 2)
		return difference;
	difference.is_known = true;
	difference.base = moments_mean(&sides[COMPARE_BASE]);
	difference.source = moments_mean(&sides[COMPARE_SOURCE]);
	difference.error = sqrt(moments_variance(&sides[COMPARE_BASE]) +
				moments_variance(&sides[COMPARE_SOURCE]));
	return difference;
}

static double difference_t(const struct difference *difference)
{
	double size = fabs(difference->source - difference->base);

	if (!difference->is_known || size < 1e-9)
		return 0;
	return difference->error > size / T_MAX ? size / difference->error : T_MAX;
}

static void shuffle(bool *list, size_t size, uint64_t *state)
{
	for (size_t i = size; i > 1; i--) {
		bool last = list[i - 1];
		size_t other;

		*state ^= *state << 13;
		*state ^= *state >> 7;
		*state ^= *state << 17;
		other = *state % i;
		list[i - 1] = list[other];
		list[other] = last;
	}
}

static int t_compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one < other) - (one > other);
}

static void sides_init(const struct comparison *comparison, bool *is_source)
{
	uint32_t nr_base = comparison->nr_units[COMPARE_BASE];

	for (uint32_t i = 0; i < nr_base + comparison->nr_units[COMPARE_SOURCE]; i++)
		is_source[i] = i >= nr_base;
}

/*
 * The statistic that chance exceeds in FALSE_ALARMS of all assignments, the real one among them.
 * Returns a negative number if memory ran out.
 */
static double critical_t(const struct comparison *comparison, bool *is_source)
{
	size_t nr_units = comparison->nr_units[COMPARE_BASE] + comparison->nr_units[COMPARE_SOURCE];
	double steps = (double)nr_units * (double)(comparison->nr_names + 1) * COMPARE_STATISTICS;
	double rounds = STEPS_MAX / (steps + 1);
	size_t nr_rounds = rounds < ROUNDS_MIN	 ? ROUNDS_MIN
			   : rounds > ROUNDS_MAX ? ROUNDS_MAX
						 : (size_t)rounds;
	double *largest = calloc(nr_rounds, sizeof(*largest)), critical;
	uint64_t state = SEED;

	if (!largest)
		return -1;
	for (size_t i = 0; i < nr_rounds; i++) {
		double most = 0;

		for (size_t j = 0; j < comparison->nr_names; j++) {
			for (int statistic = 0; statistic < COMPARE_STATISTICS; statistic++) {
				struct difference difference =
					difference_of(comparison->names[j], statistic, is_source,
						      comparison->nr_units[COMPARE_BASE]);
				double t = difference_t(&difference);

				most = t > most ? t : most;
			}
		}
		largest[i] = most;
		shuffle(is_source, nr_units, &state);
	}
	qsort(largest, nr_rounds, sizeof(*largest), t_compare);
	critical = largest[(size_t)(FALSE_ALARMS * (double)nr_rounds)];
	free(largest);
	return critical;
}

static size_t results_fill(const struct comparison *comparison, const bool *is_source,
			   double critical, struct compare_result *results)
{
	struct compare_result *result = results;

	for (size_t i = 0; i < comparison->nr_names; i++) {
		for (int statistic = 0; statistic < COMPARE_STATISTICS; statistic++) {
			struct difference difference =
				difference_of(comparison->names[i], statistic, is_source,
					      comparison->nr_units[COMPARE_BASE]);
			double size = difference.source - difference.base;
			double margin = critical * difference.error;

			if (!difference.is_known)
				continue;
			/* Assignments that only exchange the sides have the same statistic, but for
			 * its last bits. */
			*result++ = (struct compare_result){
				.name = comparison->names[i],
				.statistic = statistic,
				.base_ns = exp(difference.base) - 1,
				.source_ns = exp(difference.source) - 1,
				.change = exp(size) - 1,
				.low = exp(size - margin) - 1,
				.high = exp(size + margin) - 1,
				.is_significant = difference_t(&difference) > critical * (1 + 1e-9),
			};
		}
	}
	return result - results;
}

int comparison_judge(const struct comparison *comparison, struct compare_result **out, size_t *size)
{
	size_t nr_units = comparison->nr_units[COMPARE_BASE] + comparison->nr_units[COMPARE_SOURCE];
	bool *is_source = calloc(nr_units + 1, sizeof(*is_source));
	double critical = -1;

	*size = 0;
	*out = calloc(comparison->nr_names * COMPARE_STATISTICS + 1, sizeof(**out));
	if (is_source && *out) {
		sides_init(comparison, is_source);
		critical = critical_t(comparison, is_source);
		sides_init(comparison, is_source);
	}
	if (critical >= 0)
		*size = results_fill(comparison, is_source, critical, *out);
	free(is_source);
	return critical < 0 ? -1 : 0;
}

/* An assignment and its mirror must be rarer than FALSE_ALARMS. */
bool comparison_can_decide(const struct comparison *comparison)
{
	uint32_t nr_base = comparison->nr_units[COMPARE_BASE];
	uint32_t nr_source = comparison->nr_units[COMPARE_SOURCE];
	double nr_assignments = 1;

	for (uint32_t i = 1; i <= nr_source && nr_assignments * FALSE_ALARMS < 2; i++)
		nr_assignments *= (double)(nr_base + i) / i;
	return nr_base >= 2 && nr_source >= 2 && nr_assignments * FALSE_ALARMS >= 2;
}

/* The result of a comparison, for people and for programs. */

static const char *const statistic_names[] = {
	[COMPARE_MEAN] = "mean",
	[COMPARE_P50] = "p50",
	[COMPARE_P99] = "p99",
};

/* An interval beyond is not worth its digits. */
#define CHANGE_MAX 99.99

static double result_size(const struct compare_result *result)
{
	return fabs(log((result->source_ns + 1) / (result->base_ns + 1)));
}

/* The largest change first. */
static int result_compare(const void *a, const void *b)
{
	double one = result_size(a), other = result_size(b);

	return one != other ? (one < other) - (one > other) : (a > b) - (a < b);
}

static bool result_is_change(const struct compare_result *result, double min_change)
{
	return result->is_significant && fabs(result->change) >= min_change;
}

static void change_append(struct buffer *out, double change)
{
	if (change > CHANGE_MAX)
		buffer_printf(out, ">+%.0f%%", 100 * CHANGE_MAX);
	else
		buffer_printf(out, "%+.1f%%", 100 * change);
}

static void field_pad(struct buffer *out, size_t begin, size_t width)
{
	do {
		buffer_append_char(out, ' ');
	} while (!out->failed && out->size < begin + width);
}

/* Control characters would make one name look like another. */
static void name_append_plain(struct buffer *out, struct text name)
{
	for (size_t i = 0; i < name.size; i++) {
		unsigned char byte = (unsigned char)name.data[i];

		buffer_append_char(out, byte < 0x20 || byte == 0x7f ? '?' : name.data[i]);
	}
}

static void change_print(struct buffer *out, const struct compare_result *result)
{
	size_t begin = out->size;

	change_append(out, result->change);
	field_pad(out, begin, 9);
	buffer_append_char(out, '[');
	change_append(out, result->low);
	buffer_append_string(out, ", ");
	change_append(out, result->high);
	buffer_append_char(out, ']');
	field_pad(out, begin, 30);
	buffer_append_string(out, statistic_names[result->statistic]);
	field_pad(out, begin, 36);
	buffer_append_duration(out, (int64_t)result->base_ns);
	field_pad(out, begin, 44);
	buffer_append_duration(out, (int64_t)result->source_ns);
	field_pad(out, begin, 52);
	buffer_append_string(out, result->name->category);
	buffer_append_char(out, '/');
	name_append_plain(out, buffer_text(&result->name->name));
	buffer_append_char(out, '\n');
}

static void print_as_text(struct buffer *out, const struct comparison *comparison,
			  const struct compare_result *results, size_t size, double min_change)
{
	size_t nr_changes = 0;

	for (size_t i = 0; i < size; i++) {
		if (!result_is_change(&results[i], min_change))
			continue;
		if (nr_changes++ == 0)
			buffer_append_string(out, "CHANGE   INTERVAL             WHAT  BASE    "
						  "SOURCE  SLICES\n");
		change_print(out, &results[i]);
	}
	buffer_append_count(out, nr_changes, "change");
	buffer_printf(out, " beyond %.3g%% of %zu statistics, comparing ", 100 * min_change, size);
	buffer_append_count(out, comparison->nr_units[COMPARE_BASE],
			    comparison->has_blocks ? "second" : "recording");
	buffer_append_string(out, " with ");
	buffer_append_count(out, comparison->nr_units[COMPARE_SOURCE],
			    comparison->has_blocks ? "second" : "recording");
	buffer_append_char(out, '\n');
}

static void print_as_json(struct buffer *out, const struct comparison *comparison,
			  const struct compare_result *results, size_t size, double min_change)
{
	buffer_printf(out, "{\"unit\":\"%s\",\"base\":%u,\"source\":%u,\"min_change\":%.6g",
		      comparison->has_blocks ? "second" : "recording",
		      comparison->nr_units[COMPARE_BASE], comparison->nr_units[COMPARE_SOURCE],
		      min_change);
	buffer_printf(out, ",\"not_compared\":%llu,\"slices\":[",
		      (unsigned long long)comparison->nr_left_out);
	for (size_t i = 0; i < size; i++) {
		const struct compare_result *result = &results[i];
		bool first = true;

		buffer_append_string(out, i > 0 ? ",{" : "{");
		json_append_text(out, "tracepoint", text_of(result->name->category), &first);
		json_append_text(out, "name", buffer_text(&result->name->name), &first);
		buffer_printf(out, ",\"what\":\"%s\",\"base_ns\":%.6g,\"source_ns\":%.6g",
			      statistic_names[result->statistic], result->base_ns,
			      result->source_ns);
		buffer_printf(out, ",\"change\":%.6g,\"low\":%.6g,\"high\":%.6g", result->change,
			      result->low, result->high < 1e9 ? result->high : 1e9);
		json_append_flag(out, "changed", result_is_change(result, min_change), &first);
		buffer_append_char(out, '}');
	}
	buffer_append_string(out, "]}\n");
}

int comparison_print(const struct comparison *comparison, double min_change, bool is_json,
		     struct buffer *out, struct error *error)
{
	struct compare_result *results;
	size_t size;
	int status = comparison_judge(comparison, &results, &size);

	if (status == 0) {
		qsort(results, size, sizeof(*results), result_compare);
		(is_json ? print_as_json : print_as_text)(out, comparison, results, size,
							  min_change);
	}
	free(results);
	return status < 0 || out->failed ? error_set(error, "out of memory") : 0;
}

int comparison_check(const struct comparison *comparison, struct error *error)
{
	const uint32_t *nr_units = comparison->nr_units;

	if (!comparison_can_decide(comparison)) {
		if (comparison->has_blocks)
			return error_set(error,
					 "--compare: %u and %u seconds decide nothing; record at "
					 "least 4 seconds each, or several recordings",
					 nr_units[COMPARE_BASE], nr_units[COMPARE_SOURCE]);
		return error_set(
			error,
			"--compare: %u and %u recordings decide nothing; give at least 4 each",
			nr_units[COMPARE_BASE], nr_units[COMPARE_SOURCE]);
	}
	for (size_t i = 0; i < comparison->nr_names; i++) {
		const struct compare_values *sides = comparison->names[i]->sides;

		if (sides[COMPARE_BASE].size >= 2 && sides[COMPARE_SOURCE].size >= 2)
			return 0;
	}
	return error_set(error,
			 "--compare: no slices have the same name in two %s of each set; give "
			 "recordings of the same tracepoints, and the same -e and -r",
			 comparison->has_blocks ? "seconds" : "recordings");
}
