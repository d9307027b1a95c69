// SPDX-License-Identifier: GPL-2.0-only
/* The result of a comparison, for people and for programs. */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/compare.h"
#include "analysis/number.h"

/* An interval beyond is not worth its digits. */
#define CHANGE_MAX 99.99

static double result_size(const struct compare_result *result)
{
	return number_size(number_log((result->source_ns + 1) / (result->base_ns + 1)));
}

/* The largest change first. */
static int result_compare(const void *a, const void *b)
{
	double one = result_size(a), other = result_size(b);

	return one != other ? (one < other) - (one > other) : (a > b) - (a < b);
}

static bool result_is_change(const struct compare_result *result, double min_change)
{
	return result->is_significant && number_size(result->change) >= min_change;
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
	buffer_append_string(out, compare_statistic_name(result->statistic));
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

static void units_append(struct buffer *out, const struct comparison *comparison)
{
	buffer_append_count(out, comparison->nr_units[COMPARE_BASE],
			    comparison->has_blocks ? "second" : "recording");
	buffer_append_string(out, " with ");
	buffer_append_count(out, comparison->nr_units[COMPARE_SOURCE],
			    comparison->has_blocks ? "second" : "recording");
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
	units_append(out, comparison);
	buffer_append_char(out, '\n');
}

static void json_number_append(struct buffer *out, const char *name, double number)
{
	buffer_printf(out, ",\"%s\":%.6g", name, number);
}

static void result_append_json(struct buffer *out, const struct compare_result *result,
			       double min_change)
{
	buffer_append_string(out, "{\"tracepoint\":");
	json_append_string(out, text_of(result->name->category));
	buffer_append_string(out, ",\"name\":");
	json_append_string(out, buffer_text(&result->name->name));
	buffer_printf(out, ",\"what\":\"%s\"", compare_statistic_name(result->statistic));
	json_number_append(out, "base_ns", result->base_ns);
	json_number_append(out, "source_ns", result->source_ns);
	json_number_append(out, "change", result->change);
	json_number_append(out, "low", result->low);
	json_number_append(out, "high", result->high < 1e9 ? result->high : 1e9);
	buffer_printf(out, ",\"changed\":%s}",
		      result_is_change(result, min_change) ? "true" : "false");
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
		buffer_append_string(out, i > 0 ? "," : "");
		result_append_json(out, &results[i], min_change);
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

/* Whether any name can be compared. */
static bool has_common_name(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->nr_names; i++) {
		const struct compare_values *sides = comparison->names[i]->sides;

		if (sides[COMPARE_BASE].size >= 2 && sides[COMPARE_SOURCE].size >= 2)
			return true;
	}
	return false;
}

int comparison_check(const struct comparison *comparison, struct error *error)
{
	const uint32_t *nr_units = comparison->nr_units;

	if (comparison_can_decide(comparison) && has_common_name(comparison))
		return 0;
	if (comparison_can_decide(comparison))
		return error_set(error,
				 "--compare: no slices have the same name in two %s of each set; "
				 "give recordings of the same tracepoints, and the same -e and -r",
				 comparison->has_blocks ? "seconds" : "recordings");
	if (comparison->has_blocks)
		return error_set(error,
				 "--compare: %u and %u seconds decide nothing; record at least 4 "
				 "seconds each, or several recordings",
				 nr_units[COMPARE_BASE], nr_units[COMPARE_SOURCE]);
	return error_set(error,
			 "--compare: %u and %u recordings decide nothing; give at least 4 each",
			 nr_units[COMPARE_BASE], nr_units[COMPARE_SOURCE]);
}
