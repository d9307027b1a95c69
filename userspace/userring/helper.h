/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The helper process: a process with few rights that takes and closes what programs send, and
 * searches those that run.
 *
 * Closing a file of a program may block (a socket that lingers, a file of FUSE), and reading its
 * environment or mappings may. So nothing of a program is opened or closed in the recorder's
 * process, nor in the helper's first one: that starts a process for each program that announces
 * itself, one for a search, and the reader (reader.h), which gets memfds only, opened anew by
 * another process. Nobody waits for a process that may block.
 */
#ifndef USERRING_HELPER_H
#define USERRING_HELPER_H

#include "userring/message.h"
#include "userring/scan.h"

/** READER_SEND_BYTES - how much of a reader may be on the way to the recorder */
#define READER_SEND_BYTES (256 << 10)

/** HELPER_MAPPED_MAX - limit of the memory of a process that a message lists */
#define HELPER_MAPPED_MAX 256

/**
 * enum inspection_kind - what a reader does that only inspects the memory that searches find
 * @INSPECTION_NONE: it reads rings
 * @INSPECTION_STATE: it reports which memory can be recorded
 * @INSPECTION_EVENTS: also its events
 * @INSPECTION_FREE: it switches off what a killed ktrack has left on
 */
enum inspection_kind {
	INSPECTION_NONE,
	INSPECTION_STATE,
	INSPECTION_EVENTS,
	INSPECTION_FREE,
};

/** enum helper_kind - what a message reports
 * @HELPER_BEGUN: it has given up its rights; the first message
 * @HELPER_OFFER: a program starts; it waits until the pipe of the message is closed
 * @HELPER_FOUND: search @number has found a memory
 * @HELPER_LEASED: search @number has found a memory with a lease, which cannot be opened
 * @HELPER_ANSWERED: the program of an offer goes on; @number is not 0 if it had not waited
 * @HELPER_DROPPED: a connection was closed although its message could still arrive
 * @HELPER_PROBLEM: the message of a program could not be received, @number is errno
 * @HELPER_REFUSED: a connection could not be accepted, @number is errno; 0: one was, since
 * @HELPER_CUT: a search has left out @number processes or parts of them, the first is @pid
 * @HELPER_SEARCHED: search @number is over
 */
enum helper_kind {
	HELPER_BEGUN,
	HELPER_OFFER,
	HELPER_FOUND,
	HELPER_LEASED,
	HELPER_ANSWERED,
	HELPER_DROPPED,
	HELPER_PROBLEM,
	HELPER_REFUSED,
	HELPER_CUT,
	HELPER_SEARCHED,
};

/**
 * struct helper_message - a message of the helper
 * @user: to whom the process counts
 * @clock_offset_ns: by how much its clock is ahead, in another time namespace
 * @mapped_ns: CLOCK_BOOTTIME before the mappings of the process were read
 * @mapped: inodes of the memory of ktrack/user.h that the process has mapped
 * @nr_mapped: number of them, 0 if they are unknown
 * @path: of its file
 */
struct helper_message {
	enum helper_kind kind;
	int pid;
	int number;
	uid_t user;
	size_t nr_mapped;
	int64_t clock_offset_ns;
	int64_t mapped_ns;
	ino_t mapped[HELPER_MAPPED_MAX];
	char path[PROGRAM_PATH_MAX];
};

/**
 * struct helper_report - a message with its descriptors, -1 if there is none
 * @memory_fd: a memfd of the program, or another file of the same file system
 * @answer_fd: of an offer: report_answer() lets the program go on. If it is closed without that,
 *	the offer is made again, as the reader was killed
 */
struct helper_report {
	struct helper_message message;
	int memory_fd;
	int answer_fd;
};

/**
 * struct helper - the side of who has started the helper, or of the reader, for which @pid is 0
 * @fd: readable if there is a message; -1 if the helper does not run
 * @nr_unanswered: offers that were received and not reported as answered
 * @is_searching: a search is not over
 * @has_ended: it ended by itself
 * @has_failed: its messages cannot be received
 */
struct helper {
	int fd;
	pid_t pid;
	unsigned int nr_unanswered;
	bool is_searching;
	bool has_ended;
	bool has_failed;
};

/** HELPER_ASK_SEARCH, HELPER_ASK_READER - requests to the first process: a search, a new reader */
#define HELPER_ASK_SEARCH 'S'
#define HELPER_ASK_READER 'R'

/**
 * struct helper_work - what a helper does
 * @socket_fd, @descendants_fd: listen for programs; -1 for none
 * @of_descendants: programs that announce themselves must be descendants of @own_pid
 * @own_pid: the recorder, which a search leaves out
 * @reader_fd: the reader's end of its connection to the recorder; -1 without a reader: then whoever
 *	has started the helper gets the memfds
 * @reader_user, @reader_group: of the reader; 0 for those of the recorder
 * @globs, @ring_size, @events: which programs the reader takes, how much of their rings is used, and
 *	which events are recorded, as of struct programs_settings
 * @inspection: what the reader does
 * @wants: whether the memory of a process is reported by a search; NULL for all. It is called in a
 *	process of the helper
 */
struct helper_work {
	int socket_fd;
	int descendants_fd;
	bool of_descendants;
	int own_pid;
	int reader_fd;
	uid_t reader_user;
	gid_t reader_group;
	const char *globs;
	enum inspection_kind inspection;
	uint32_t ring_size;
	const char *events;
	void *context;
	bool (*wants)(void *context, int pid);
};

/** helper_start - start a helper and wait until it has begun; returns -1 with @error */
int helper_start(struct helper *helper, const struct helper_work *work, struct error *error);

/**
 * helper_start_reader - helper_start() with a reader, whose user is ktrack's own if there is one
 * @reader_fd: the recorder's end of the connection to the reader; -1 on failure
 */
int helper_start_reader(struct helper *helper, struct helper_work *work, int *reader_fd,
			struct error *error);

/** helper_search - start a search, unless one is not over */
void helper_search(struct helper *helper);

/** helper_replace_reader - kill the reader, and start another one, which finds the programs anew */
void helper_replace_reader(struct helper *helper);

/**
 * helper_receive - take a message
 * @timeout_ms: how long to wait for it
 *
 * The caller closes its descriptors by report_close(). Returns false if there is none.
 */
bool helper_receive(struct helper *helper, struct helper_report *out, int timeout_ms);

/** report_answer - let the program of an offer go on */
void report_answer(const struct helper_report *report);

/** report_close - close what the message has brought */
void report_close(struct helper_report *report);

/** helper_end - end the helper; a process of it that hangs in the kernel is left to init */
void helper_end(struct helper *helper);

/**
 * helper_run - the helper's first process; returns when it ends
 * @fd: its end of the connection to the recorder
 */
void helper_run(const struct helper_work *work, int fd);

/** helper_send - send a message and descriptors, which stay open; returns false if that fails */
bool helper_send(int fd, const struct helper_message *message, const int *fds, size_t nr_fds);

/** message_describe - set what the reader may not read of the process of a message */
void message_describe(struct helper_message *message);

/** offer_run - the process that takes the message of one program; @fd as of helper_run() */
void offer_run(const struct helper_work *work, int fd, int connection);

/** MAPPED_LIMIT_NS - CPU time for reading mappings; a hostile process may have very many */
#define MAPPED_LIMIT_NS (NS_PER_S / 2)

/** SEARCH_SKIPPED_MAX - limit of processes in which searches have hung */
#define SEARCH_SKIPPED_MAX 64

/**
 * struct search_plan - what a search does
 * @number: of the search
 * @is_first: also find programs that have closed all files, which takes longer; those that start
 *	later announce themselves
 * @place: shared with the process that searches, which writes there which process it examines
 * @reader_pid: has files of all programs, but is none; 0 for none
 * @skipped: processes that are left out
 */
struct search_plan {
	int number;
	bool is_first;
	int *place;
	int reader_pid;
	int skipped[SEARCH_SKIPPED_MAX];
	size_t nr_skipped;
};

/** search_run - the process that searches; @fd as of helper_run() */
void search_run(const struct helper_work *work, const struct search_plan *plan, int fd);

/**
 * helper_drop_rights - keep only the rights and system calls that a helper needs
 * @starts_reader: also those for starting and killing a reader of another user
 */
void helper_drop_rights(bool starts_reader);

/** helper_drop_reader_rights - in a new process of the helper: keep those of a search */
void helper_drop_reader_rights(void);

/** reader_drop_rights - in the reader: become its user if that is possible, and keep no right */
void reader_drop_rights(const struct helper_work *work);

#endif
