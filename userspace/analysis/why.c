// SPDX-License-Identifier: GPL-2.0-only
/* The sink of ktrack why. */
#include "analysis/why.h"

#include <errno.h>
#include <stdlib.h>

static int why_open(struct sink *sink, const struct recording *recording, unsigned int sink_index,
		    struct error *error)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	(void)error;
	why->sink_index = sink_index;
	why->start_ns = recording->start_ns;
	why->counts_ticks = recording->counts_ticks;
	why->history.start_ns = recording->start_ns;
	return 0;
}

/* The sinks that show the explanations are called later. */
static int why_hand_over(struct why_sink *why, struct error *error)
{
	struct explanations *out = why->settings->explanations;

	out->has_states = why->history.has_states;
	out->has_interrupts = why->history.has_interrupts;
	if (kept_finish(&why->kept, out) < 0)
		return error_set(error, "out of memory");
	if (!out->has_states)
		out->nr_items = 0;
	return 0;
}

static int why_finish(struct why_sink *why, struct error *error)
{
	int status = why->settings->is_json ? why_print_json(why) : why_print_text(why);

	if (status == 0 && why->folded_fd >= 0)
		status = why_print_folded(why);
	if (status < 0 || why->out.failed)
		return error_set(error, "out of memory");
	if (why->folded_fd >= 0 &&
	    file_write_all(why->folded_fd, why->folded.data, why->folded.size, NULL) < 0)
		return error_set_system(error, errno, "cannot write to %s", why->settings->folded);
	if (file_write_all(why->fd, why->out.data, why->out.size, NULL) < 0)
		return error_set_system(error, errno, "cannot write to standard output");
	if (why->nr_matched > 0 || why->settings->is_live)
		return 0;
	return why_refuse_unmatched(why, error);
}

/* Slices are explained before the history learns that they ended. */
static int why_slice_end(struct why_sink *why, const struct timeline_event *event,
			 struct error *error)
{
	struct why_track *track = why_track_of(why, event);

	if (track->role == WHY_ROLE_NONE && !event->is_unfinished)
		why_see_writer(why, track, event);
	if (track->is_selected && why_select_end(why, track, event, error) < 0)
		return -1;
	if (why->nr_matched == 0)
		why_keep_unmatched(why, event);
	why_learn_end(why, track, event);
	if (unlikely(event->track->lane > 0))
		why_learn_operation(why, track, event);
	return 0;
}

static int why_slice_begin(struct why_sink *why, const struct timeline_event *event,
			   struct error *error)
{
	struct why_track *track = why_track_of(why, event);

	if (why_learn(why, event, error) < 0)
		return -1;
	return !why_is_of_thread(track, event) && (track->is_selected || event->track->lane > 0)
		       ? why_keep_begin(why, track, event, error)
		       : 0;
}

static bool event_may_flow(const struct timeline_event *event)
{
	return event->nr_flows > 0 &&
	       (event->kind == TIMELINE_SLICE_BEGIN || event->kind == TIMELINE_SLICE_END ||
		event->kind == TIMELINE_INSTANT);
}

static int why_event(struct sink *sink, const struct timeline_event *event, struct error *error)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);
	bool is_next_state = event->kind == TIMELINE_SLICE_BEGIN &&
			     event->track == why->deferred.track;

	if (unlikely(why->deferred.track) && !is_next_state && why_explain_deferred(why, error) < 0)
		return -1;
	if (event_may_flow(event) && why_learn_flows(why, event, error) < 0)
		return -1;
	splitter_allow(&why->splitter);
	switch (event->kind) {
	case TIMELINE_SLICE_BEGIN:
		if (why_slice_begin(why, event, error) < 0)
			return -1;
		return is_next_state ? why_explain_deferred(why, error) : 0;
	case TIMELINE_SLICE_END:
		return why_slice_end(why, event, error);
	case TIMELINE_FINISH:
		return why->settings->explanations ? why_hand_over(why, error)
						   : why_finish(why, error);
	default:
		return why_learn(why, event, error);
	}
}

static void why_free(struct sink *sink)
{
	struct why_sink *why = container_of(sink, struct why_sink, sink);

	while (why->tracks) {
		struct why_track *next = why->tracks->next;

		free(why->tracks->begins);
		free(why->tracks);
		why->tracks = next;
	}
	for (size_t i = 0; i < why->nr_slices; i++)
		why_slice_release(&why->slices[i]);
	why_slice_release(&why->deferred.slice);
	file_close(why->fd);
	file_close(why->folded_fd);
	buffer_release(&why->folded);
	free(why->slices);
	aggregate_release(&why->aggregate);
	kept_release(&why->kept);
	kept_release(&why->others);
	split_release(&why->scratch);
	hop_flows_release(&why->flows);
	timers_release(&why->timers);
	history_release(&why->history);
	name_table_release(&why->names);
	slice_selector_release(&why->selector);
	buffer_release(&why->out);
	free(why);
}

static const struct sink_ops why_ops = { .open = why_open, .event = why_event, .free = why_free };

void why_settings_set_slice(struct why_settings *settings, const char *text)
{
	static const char suffix[] = " p99";
	size_t size = strlen(text), suffix_size = strlen(suffix);

	if (size > suffix_size && strcmp(text + size - suffix_size, suffix) == 0 &&
	    text[size - suffix_size - 1] != '\\') {
		settings->is_aggregate = true;
		size -= suffix_size;
	}
	settings->slice = (struct text){ .data = text, .size = size };
}

int why_settings_check(const struct why_settings *why, struct error *error)
{
	struct slice_selector selector;
	int status = slice_selector_parse(&selector, why->slice, error);

	slice_selector_release(&selector);
	if (status == 0 && why->is_aggregate && (why->slowest > 0 || why->has_at))
		return error_set(error, "--aggregate: covers all slices; leave out %s",
				 why->has_at ? "--at" : "--slowest");
	if (status == 0 && why->is_aggregate && why->folded)
		return error_set(error, "--folded: contains single slices; leave out --aggregate");
	if (status == 0 && why->folded && strcmp(why->folded, "-") == 0)
		return error_set(error, "--folded=-: standard output is that of the explanation; "
					"write a file");
	return status;
}

struct sink *why_sink_new(const struct why_settings *settings, int fd, int folded_fd,
			  const char *source, struct error *error)
{
	struct why_sink *why = calloc(1, sizeof(*why));

	if (!why) {
		file_close(fd);
		file_close(folded_fd);
		error_set(error, "out of memory");
		return NULL;
	}
	why->sink.ops = &why_ops;
	why->settings = settings;
	why->source = source;
	why->fd = fd;
	why->folded_fd = folded_fd;
	why->splitter = (struct splitter){ .history = &why->history,
					   .names = &why->names,
					   .is_limited = settings->is_aggregate ||
							 settings->explanations };
	if (history_init(&why->history) < 0 || name_table_init(&why->names) < 0)
		error_set(error, "out of memory");
	else if (slice_selector_parse(&why->selector, settings->slice, error) == 0)
		return &why->sink;
	why_free(&why->sink);
	return NULL;
}
