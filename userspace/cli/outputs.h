/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command line says of outputs, and the sinks that it asks for. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "cli/identity.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "sink/sink.h"
#include "timeline/timeline.h"

/**
 * struct outputs - the outputs of one run
 * @targets: where lines go, by enum trace2_target; NULL where the command line says nothing
 * @folders: whole paths of those that are folders
 * @pictures: files for viewers
 * @stat: statistics on standard output, instead of all else; NULL for none
 * @set: those that are open
 * @config: what the environment and files say
 * @sid: the session's own id, NULL for one made of time, host and process
 * @with: a set of 1 << enum timeline_emitter: what each record tells of who wrote it
 * @fails_on_loss: losses are a failure
 */
struct outputs {
	const char *targets[TRACE2_TARGET_COUNT];
	char *folders[TRACE2_TARGET_COUNT];
	struct pictures pictures;
	struct sink_stat_settings *stat;
	struct output_set set;
	struct trace2_config *config;
	const char *sid;
	unsigned int with;
	bool fails_on_loss;
};

/** outputs_options - the options that fill a struct outputs */
extern const struct option_part outputs_options;

/** outputs_status - the exit status of a run that went well, but perhaps lost records */
int outputs_status(const struct outputs *outputs, bool has_lost);

/** outputs_have_comm - whether records are to name the thread that wrote them */
bool outputs_have_comm(const struct outputs *outputs);

/**
 * outputs_open - open all targets, and add their sinks to a timeline
 *
 * A target of the command line is over that of the environment and of files; where none of them
 * names any, and no picture is asked for, EVENT goes to standard output. Nothing is written yet.
 * Once the sinks have gone, all can be opened again. Returns -1 with @error.
 */
int outputs_open(struct outputs *outputs, struct timeline *timeline,
		 const struct identity *identity, struct error *error);

/** outputs_release - after the timeline's sinks have gone */
void outputs_release(struct outputs *outputs);

#endif
