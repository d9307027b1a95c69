/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows modules while ktrack records: their tracepoints are enabled, released and unloaded. */
#ifndef CAPTURE_MODULES_H
#define CAPTURE_MODULES_H

#include <stddef.h>

#include "base/base.h"
#include "capture/run.h"
#include "convention/convention.h"

struct descriptor;
struct rule_tracepoint;

/**
 * struct releasing - a tracepoint that was disabled, whose records are not all read yet
 * @category: "SYSTEM:NAME"
 * @descriptor: of the convention, NULL if @rule is set
 * @rule: the tracepoint as rules use it, or NULL
 */
struct releasing {
	const char *category;
	const struct descriptor *descriptor;
	const struct rule_tracepoint *rule;
};

/** struct releasing_list - a tracepoint that follows the convention and has rules is in it twice */
struct releasing_list {
	struct releasing *list;
	size_t size;
};

/** releasing_add - add a tracepoint; returns -1 with @error if memory ran out */
int releasing_add(struct releasing_list *list, struct releasing one, struct error *error);

/** releasing_remove - remove a tracepoint, if it is in the list */
void releasing_remove(struct releasing_list *list, struct releasing one);

/**
 * struct modules_handler - receives changes of tracepoints
 * @came: a tracepoint is recorded from now on, or with @is_early since its module was loaded
 * @went: it was unloaded, and its unread records are lost
 *
 * Its name is "SYSTEM:NAME" and lives as long as the convention and the rules; the descriptor is
 * NULL if only rules decode its records.
 * Both return -1 with @error.
 */
struct modules_handler {
	void *context;
	int (*came)(void *context, const char *tracepoint, const struct descriptor *descriptor,
		    bool is_early, struct error *error);
	int (*went)(void *context, const char *tracepoint, const struct descriptor *descriptor,
		    struct error *error);
};

/** struct descriptor_list - descriptors of a convention */
struct descriptor_list {
	const struct descriptor **list;
	size_t size;
};

/**
 * struct modules - state of all modules; zeroed, nothing is followed and all functions do nothing
 * @fd: readable after a change or a signal
 * @is_changed: modules were loaded or unloaded since modules_watch()
 * @is_early: ktrack.ko enables tracepoints before a module's init runs
 * @releasing: tracepoints that are dropped once their records are read
 * @has_gone: tracepoints were unloaded, so the kernel has emptied the buffers
 * @had_unread: they had unread records
 * @was_emptied: another program emptied the buffers
 * @is_emptied_reported, @is_sideband_reported: the same was reported, of the instance and of its
 * sideband
 * @was_reclocked: another program changed the clock: records since the last check are unreliable,
 * and the recording must end
 * @are_files_reported: it was reported that no more tracepoints can be enabled
 * @doubtful_ns: records up to this time may belong to an unloaded tracepoint or to another one with
 * its id, and are not decoded; 0 for none
 * @waiting: descriptors that are used after that time
 * @searched: ids that were searched since the last change of modules
 */
struct modules {
	struct capture *capture;
	struct convention *convention;
	struct modules_handler handler;
	struct module_watch *watch;
	int fd;
	bool is_changed;
	bool is_early;
	struct releasing_list releasing;
	bool has_gone;
	bool had_unread;
	bool was_emptied;
	bool is_emptied_reported;
	bool is_sideband_reported;
	bool was_reclocked;
	bool are_files_reported;
	int64_t doubtful_ns;
	struct descriptor_list waiting;
	unsigned char searched[65536 / 8];
};

/**
 * modules_watch - notice changes of modules from now on
 * @convention: receives descriptors
 *
 * To be called before tracepoints are searched, so that none is missed. For an existing instance,
 * @modules stays zeroed. Returns -1 with @error; modules_release() works in all cases.
 */
int modules_watch(struct modules *modules, struct capture *capture, struct convention *convention,
		  struct error *error);

/**
 * modules_are_unchanged - whether no module was loaded or unloaded since modules_watch(), so that
 * tracepoints still have the formats that were read
 *
 * The kernel reports an unloaded module before it can be loaded again.
 */
bool modules_are_unchanged(struct modules *modules);

/** modules_open - follow the instance, whose tracepoints are enabled; returns -1 with @error */
int modules_open(struct modules *modules, const struct modules_handler *handler,
		 struct error *error);

/** modules_wake_fd - readable after a change of modules or a signal */
int modules_wake_fd(const struct modules *modules, const struct capture *capture);

/**
 * modules_catch_up - recording is on: have ktrack.ko enable tracepoints of future modules, and
 * enable those of modules that were loaded since modules_watch(); returns -1 with @error
 */
int modules_catch_up(struct modules *modules, struct error *error);

/**
 * modules_look - check for unloaded and released tracepoints, and for changes of our instance by
 * other programs; returns -1 with @error
 */
int modules_look(struct modules *modules, struct error *error);

/** modules_change - process a change of our instance; as in struct instance_observer */
int modules_change(void *context, const struct instance_change *change, struct error *error);

/** modules_look_changes - check only for changes by other programs, which are reported at once */
void modules_look_changes(struct modules *modules);

/** modules_take_in - after modules were loaded, record their tracepoints; returns -1 with @error */
int modules_take_in(struct modules *modules, struct error *error);

/**
 * modules_find - search the tracepoint of a record, whose module may have just been loaded
 * @context: the struct modules
 * @is_known: it was found
 *
 * Returns 1 if the record is lost unless @is_known, 0 if it is of no interest, or -1 with @error.
 */
int modules_find(void *context, const struct record *record, bool *is_known, struct error *error);

/** modules_drop_releasing - all records of releasing tracepoints were delivered */
void modules_drop_releasing(struct modules *modules);

/** modules_trust - all records up to @doubtful_ns were delivered */
void modules_trust(struct modules *modules);

void modules_release(struct modules *modules);

#endif
