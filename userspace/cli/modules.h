/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules that come and go while ktrack records: their tracepoints are taken in, and let go. */
#ifndef CLI_MODULES_H
#define CLI_MODULES_H

#include "cli/capture.h"
#include "convention/convention.h"

/**
 * struct modules_handler - who is told
 * @came: a tracepoint is recorded from now on, or since its module was loaded where @is_early
 * @went: it has gone, and what had not been read of it with it
 *
 * Both return -1 with @error.
 */
struct modules_handler {
	void *context;
	int (*came)(void *context, const struct template *template, bool is_early,
		    struct error *error);
	int (*went)(void *context, const struct template *template, struct error *error);
};

/** struct template_list - some of the convention's */
struct template_list {
	const struct template **list;
	size_t size;
};

/**
 * struct modules - what is known of them
 * @changes: what others do to our instance; NULL if that cannot be noticed
 * @fd: can be read when something has happened, with signals too
 * @is_early: ktrack.ko enables what is meant before a module's init runs
 * @let_go: tracepoints that somebody disabled, whose records are still to be read
 * @has_gone: some have gone, so that the kernel has emptied the buffers
 * @had_unread: without having been given up before
 * @was_emptied: another program emptied the buffers
 * @is_emptied_reported, @is_beside_reported: that, of the instance and of the one beside it
 * @was_reclocked: another program changed the clock: what was read since the last look is not to be
 * used, and the recording is to end
 * @doubtful_ns: records up to here can be of those that have gone, or of others that took over
 * their ids: they are read by nothing; 0 where there is no such moment
 * @waiting: templates that are used once that is over
 * @searched: ids that were looked for since modules came last
 */
struct modules {
	struct capture *capture;
	struct convention *convention;
	struct modules_handler handler;
	struct arrivals *arrivals;
	struct changes *changes;
	int fd;
	bool is_early;
	struct template_list let_go;
	bool has_gone;
	bool had_unread;
	bool was_emptied;
	bool is_emptied_reported;
	bool is_beside_reported;
	bool was_reclocked;
	int64_t doubtful_ns;
	struct template_list waiting;
	unsigned char searched[65536 / 8];
};

/**
 * modules_watch - notice modules from now on: before tracepoints are looked for, so that none is
 * missed that comes meanwhile
 * @convention: where templates go
 *
 * Returns -1 with @error; modules_release() is fine in any case, also where this was not called but
 * all is zeroed.
 */
int modules_watch(struct modules *modules, struct capture *capture, struct convention *convention,
		  struct error *error);

/** modules_open - the instance is there, and what is recorded is enabled; returns -1 with @error */
int modules_open(struct modules *modules, const struct modules_handler *handler,
		 struct error *error);

/**
 * modules_catch_up - recording is on: ask ktrack.ko to enable what comes, and record what is meant
 * of the modules that came since modules_watch(); returns -1 with @error
 */
int modules_catch_up(struct modules *modules, struct error *error);

/**
 * modules_look - see what was unloaded or released, and what others did to our instance; returns -1
 * with @error
 */
int modules_look(struct modules *modules, struct error *error);

/** modules_look_changes - see only what others did to our instance, which is reported at once */
void modules_look_changes(struct modules *modules);

/** modules_take_in - if modules came, record what is meant of them; returns -1 with @error */
int modules_take_in(struct modules *modules, struct error *error);

/**
 * modules_find - look for the tracepoint of a record, whose module may have come just now
 * @is_known: it is known now
 *
 * Returns 1 where the record is lost if it is not, 0 where it never was of interest, or -1 with
 * @error.
 */
int modules_find(struct modules *modules, const struct record *record, bool *is_known,
		 struct error *error);

/** modules_trust - all up to @doubtful_ns was delivered */
void modules_trust(struct modules *modules);

void modules_release(struct modules *modules);

/** template_list_add, template_list_remove - the first returns -1 where memory ran out */
int template_list_add(struct template_list *list, const struct template *template);
void template_list_remove(struct template_list *list, const struct template *template);

#endif
