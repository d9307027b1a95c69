/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Private header of trace2/: times, destinations, settings, events that are prepared for printers,
 * sessions, and the printers of the three targets.
 */
#ifndef TRACE2_SESSION_H
#define TRACE2_SESSION_H

#include "base/base.h"
#include "trace2/trace2.h"

/*
 * Times as text. The calendar is evaluated once per second of recorded time; lines copy its text
 * and append the fraction.
 */

/** TIME_CACHE_TIME, TIME_CACHE_T_ABS - the beginnings of EVENT's members, cached with their seconds
 */
#define TIME_CACHE_TIME ",\"time\":\""
#define TIME_CACHE_T_ABS ",\"t_abs\":"
/** TIME_CACHE_CLOCK_SIZE - bytes of "hh:mm:ss." */
#define TIME_CACHE_CLOCK_SIZE 9
/** TIME_CACHE_UTC_SIZE - bytes of TIME_CACHE_TIME and "YYYY-MM-DDThh:mm:ss." */
#define TIME_CACHE_UTC_SIZE (sizeof(TIME_CACHE_TIME) - 1 + 20)
/** TIME_CACHE_SINCE_SIZE - fits the seconds of any session time, and a point */
#define TIME_CACHE_SINCE_SIZE 16
/** TIME_CACHE_MAX - bytes of a cached text, all of which are copied */
#define TIME_CACHE_MAX PUT_SLACK

/** struct time_cache_second - one second as text; @utc and @since below begin with their members */
struct time_cache_second {
	int64_t begin_ns;
	uint64_t span_ns;	   /* 0 if no second is cached */
	char text[TIME_CACHE_MAX]; /* up to the point; the fraction follows */
	unsigned int size;	   /* of @text */
};

/** struct time_cache - the seconds that contain the last time printed; zeroed it is empty */
struct time_cache {
	struct time_cache_second utc;
	struct time_cache_second clock; /* in local time */
	struct time_cache_second since; /* by the time since the session began */
	int64_t begin_ns;		/* since then: what both @utc and @since contain; */
	uint64_t span_ns;		/* 0 until time_cache_join() */
	bool has_offset;	/* @offset_s is valid in the quarter of an hour @offset_quarter; */
	int64_t offset_quarter; /* no time zone changes its offset within one */
	int64_t offset_s;	/* local time minus UTC */
	int64_t shift_ns;	/* added to Unix times: the wall clock is set, and runs in sleep */
	bool is_frozen; /* @offset_s is valid forever, for async-signal-safe functions only */
};

/** time_cache_set_utc, time_cache_set_clock - cache the second that contains @unix_ns */
void time_cache_set_utc(struct time_cache *times, int64_t unix_ns);
void time_cache_set_clock(struct time_cache *times, int64_t unix_ns);
/** time_cache_set_since - cache the second that contains @since_ns, which is not negative */
void time_cache_set_since(struct time_cache *times, int64_t since_ns);
/** time_cache_shift - print Unix times @shift_ns later than given */
void time_cache_shift(struct time_cache *times, int64_t shift_ns);
/** time_cache_freeze - prepare for use in a signal handler at about @unix_ns */
void time_cache_freeze(struct time_cache *times, int64_t unix_ns);

/** time_cache_second_since - nanoseconds since the second began; below @span_ns within it */
hot_inline uint64_t time_cache_second_since(const struct time_cache_second *second, int64_t time_ns)
{
	return (uint64_t)time_ns - (uint64_t)second->begin_ns;
}

/** time_cache_second_has - whether the second contains @time_ns */
hot_inline bool time_cache_second_has(const struct time_cache_second *second, int64_t time_ns)
{
	return time_cache_second_since(second, time_ns) < second->span_ns;
}

/** time_cache_join - let time_cache_has() find the seconds that are cached, of a session's start */
void time_cache_join(struct time_cache *times, int64_t start_unix_ns);

/**
 * time_cache_has - whether UTC and the time since the session began need no new second
 *
 * @is_cached of the put functions below is a constant; true if time_cache_has().
 */
hot_inline bool time_cache_has(const struct time_cache *times, int64_t since_ns)
{
	return (uint64_t)since_ns - (uint64_t)times->begin_ns < times->span_ns;
}

/** time_cache_put_utc - put ,"time":"YYYY-MM-DDThh:mm:ss.uuuuuuZ", cut, not rounded */
hot_inline char *time_cache_put_utc(struct time_cache *times, char *out, int64_t unix_ns,
				    const bool is_cached)
{
	if (!is_cached && !time_cache_second_has(&times->utc, unix_ns))
		time_cache_set_utc(times, unix_ns);
	put_slack(out, times->utc.text);
	out += TIME_CACHE_UTC_SIZE;
	out = put_nine_part(out, time_cache_second_since(&times->utc, unix_ns), 6);
	return PUT_LITERAL(out, "Z\"");
}

/** time_cache_put_clock - put local time, "hh:mm:ss.uuuuuu" */
hot_inline char *time_cache_put_clock(struct time_cache *times, char *out, int64_t unix_ns)
{
	if (unlikely(!time_cache_second_has(&times->clock, unix_ns)))
		time_cache_set_clock(times, unix_ns);
	out = put_bytes(out, times->clock.text, TIME_CACHE_CLOCK_SIZE);
	return put_nine_part(out, time_cache_second_since(&times->clock, unix_ns), 6);
}

/** time_cache_put_t_abs - put the member "t_abs", as put_seconds() does, with a comma before it */
hot_inline char *time_cache_put_t_abs(struct time_cache *times, char *out, int64_t since_ns,
				      unsigned int decimals, const bool is_cached)
{
	if (!is_cached && !time_cache_second_has(&times->since, since_ns)) {
		if (since_ns < 0)
			return put_seconds(PUT_LITERAL(out, TIME_CACHE_T_ABS), since_ns, decimals);
		time_cache_set_since(times, since_ns);
	}
	put_slack(out, times->since.text);
	out += times->since.size;
	put_nine(out, time_cache_second_since(&times->since, since_ns));
	return out + decimals;
}

/** time_cache_put_since_right - put_seconds_right() of a time since the session began */
hot_inline char *time_cache_put_since_right(struct time_cache *times, char *out, int64_t since_ns,
					    unsigned int decimals, size_t width)
{
	const size_t begin = sizeof(TIME_CACHE_T_ABS) - 1;
	size_t whole, size;

	if (since_ns < 0)
		return put_seconds_right(out, since_ns, decimals, width);
	if (!time_cache_second_has(&times->since, since_ns))
		time_cache_set_since(times, since_ns);
	whole = times->since.size - begin;
	size = whole + decimals;
	put_slack(out, put_blank_block);
	out += width > size ? width - size : 0;
	put_bytes(out, times->since.text + begin, TIME_CACHE_SINCE_SIZE);
	put_nine(out + whole, time_cache_second_since(&times->since, since_ns));
	return out + size;
}

/* The destination of a target: an open file descriptor, and lines that are buffered for it. */

/** struct destination - the destination of a target; zeroed it is off */
struct destination {
	char *name; /* for messages */
	int fd;
	bool is_on;    /* @fd is open and no write has failed; accessed atomically, by any thread */
	bool is_owned; /* @fd is closed with the destination */
	bool is_added; /* @fd is the caller's choice, see trace2_session_add() */
	bool is_datagram;    /* each write is one message, so each line is written alone */
	bool is_socket;	     /* type of an owned @fd; the owner may replace a borrowed one */
	bool is_file;	     /* likewise, also of devices */
	bool is_sentinel;    /* @fd is the file that marks a directory as full */
	struct buffer lines; /* whole lines that are not written yet */
};

/** destination_init - set the name, copied; returns -1 if memory ran out */
int destination_init(struct destination *destination, const char *name);
/** destination_set - turn the destination on, with descriptor @fd */
void destination_set(struct destination *destination, int fd, bool is_owned);

static inline bool destination_is_on(const struct destination *destination)
{
	return __atomic_load_n(&destination->is_on, __ATOMIC_RELAXED);
}

/** destination_turn_off - stop writing; returns whether it was on. Any thread may call it */
bool destination_turn_off(struct destination *destination);

/**
 * destination_write - write whole lines; never raises SIGPIPE
 * @settings: if lenient, one write(2), and a short one counts as complete, as in git: the rest
 * might end up within another process' line. Otherwise waits until all is written
 *
 * Returns 0, or -1 with @error.
 */
int destination_write(const struct destination *destination, const struct buffer *lines,
		      const struct trace2_settings *settings, struct error *error);

/** destination_release - close an owned descriptor; lines that are not written are lost */
void destination_release(struct destination *destination);

/** enum open_result - the result of opening a target */
enum open_result {
	OPEN_OFF,
	OPEN_OPEN,
	OPEN_FAILED,  /* the value is valid, but cannot be opened */
	OPEN_UNKNOWN, /* the value is invalid */
};

/** open_target - open @value and set @destination; sets @error if that fails */
enum open_result open_target(struct destination *destination,
			     const struct trace2_settings *settings, const char *value,
			     const char *name, struct error *error);

/* The private structures of settings. */

/** struct config_entry - a setting of a file */
struct config_entry {
	const char *scope; /* "system" or "global", git's names of the two files */
	char *key; /* "section.name" or "section.subsection.name"; only the latter's in any case */
	char *value; /* NULL if it has none; it is no setting then, but a parameter */
};

/** struct trace2_config - the settings that were read */
struct trace2_config {
	struct buffer entries;	       /* struct config_entry; later ones override earlier ones */
	char *names[TRACE2_KEY_COUNT]; /* of the variables */
	char *variables[TRACE2_KEY_COUNT]; /* their values, NULL for none */
	const char *scope;		   /* of the file that is being read */
	unsigned int nr_files;
	bool is_too_deep;	/* too many files were included; no more are read */
	bool has_failed;	/* memory ran out */
	struct buffer warnings; /* about malformed lines, each NUL-terminated */
};

/** config_visit_params, config_visit_variables - the two halves of trace2_config_visit() */
int config_visit_params(const struct trace2_config *config,
			int (*visit)(void *context, const char *scope, const char *param,
				     const char *value),
			void *context);
int config_visit_variables(const struct trace2_config *config,
			   int (*visit)(void *context, const char *scope, const char *param,
					const char *value),
			   void *context);
/** boolean_parse - parse a boolean of git's: a word or a number; returns -1 if it is malformed */
int boolean_parse(const char *value, bool *out);

/* Prepares events for printers: complete, without secrets, with valid JSON. */

/** struct prepared - an event for printers, and the memory of parts that were replaced */
struct prepared {
	struct trace2_event event;
	struct trace2_repository repository;
	struct buffer value;
	struct buffer more;
	char **words; /* without passwords */
	char *secret; /* a value without its password */
};

/** is_prepared - whether an event can be printed unchanged and without a further line */
bool is_prepared(const struct trace2_settings *settings, const struct trace2_event *event);

/** is_record_prepared - is_prepared() for regions and data, most of a stream, if JSON is valid */
hot_inline bool is_record_prepared(const struct trace2_event *event)
{
	if (event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE)
		return true;
	return (event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON) &&
	       event->data.category && event->data.key;
}

/** prepared_init - complete, check and redact an event; -1 without memory; release it always */
int prepared_init(struct prepared *prepared, const struct trace2_settings *settings,
		  const struct trace2_event *event);

void prepared_release(struct prepared *prepared);

/** enum member_type - how a member of an event is printed; its C type follows */
enum member_type {
	MEMBER_END,
	MEMBER_LITERAL,	  /* no member, only texts */
	MEMBER_STRING,	  /* const char *, as the types up to MEMBER_DIRECTORY */
	MEMBER_OPTIONAL,  /* omitted if NULL */
	MEMBER_HIERARCHY, /* omitted if empty; in parentheses */
	MEMBER_CLASS,	  /* see event_child_class() */
	MEMBER_DIRECTORY, /* omitted if NULL; in quotes if a shell needs them */
	MEMBER_PROGRAM,	  /* the program before the next words; EVENT's is another row */
	MEMBER_WORDS,	  /* char *const *, in quotes if a shell needs them */
	MEMBER_ANCESTRY,  /* char *const *; NORMAL prints arrows between them */
	MEMBER_TEXT,	  /* const struct trace2_text * */
	MEMBER_BYTES,	  /* struct trace2_string, omitted if its data are NULL */
	MEMBER_ERROR,	  /* the message and the format of an error, omitted if that is empty */
	MEMBER_INTEGER,	  /* int */
	MEMBER_COUNT,	  /* uint64_t; signed in EVENT, as in git */
	MEMBER_BOOLEAN,	  /* bool */
	MEMBER_SECONDS,	  /* int64_t nanoseconds */
	MEMBER_TIMER,	  /* int64_t nanoseconds of a timer */
	MEMBER_REASON,	  /* int: the text of an errno, omitted if it is none */
	MEMBER_WORKTREE,  /* the directory of the repository */
};

/** struct member - how the three targets print a member of an event */
struct member {
	unsigned char type;
	unsigned short offset; /* in struct trace2_event */
	const char *name;      /* in EVENT; of MEMBER_LITERAL: the text; NULL if EVENT omits it */
	const char *normal;    /* text before it in NORMAL; NULL if NORMAL omits it */
	const char *perf;      /* likewise in PERF */
};

/** member_is_there - whether an event has a member, which may be of a type that is omitted */
bool member_is_there(const struct trace2_event *event, const struct member *member);

/** MEMBERS_MAX - members of a kind, and the end */
#define MEMBERS_MAX 10
/** KIND_HEAD_MAX - bytes of a head that are copied, a constant */
#define KIND_HEAD_MAX 32

struct kind {
	char head[KIND_HEAD_MAX]; /* the beginning of its EVENT lines */
	size_t head_size;
	char column[KIND_HEAD_MAX]; /* its name, padded for PERF's column */
	const struct member *members;
	unsigned short
		t_rel_offset; /* of the time in PERF's column since something began; 0: none */
	unsigned short category_offset; /* of the text in PERF's column; 0 if it is empty */
	const char *verb;      /* the beginning of its NORMAL lines; NULL if NORMAL has none */
	bool has_t_abs;	       /* EVENT has "t_abs" */
	bool may_have_t_abs;   /* EVENT has "t_abs" if the settings ask for more than git's */
	bool has_t_abs_column; /* PERF has the time since the session began */
	bool has_secrets;      /* words or values may contain passwords to hide */
};

extern const struct kind kinds[TRACE2_KIND_COUNT];

/** THREAD_NAME_SIZE - bytes that git cuts a thread's name to, and the width of PERF's column */
#define THREAD_NAME_SIZE 24

/** struct trace2_thread - a thread, and its part of each line */
struct trace2_thread {
	struct text json;    /* EVENT's members "sid" and "thread", without commas around them */
	struct text columns; /* PERF's columns of depth and thread */
	char bytes[];	     /* of both; see buffer_seal() */
};

/** struct trace2_text - a text in the forms that lines need; see buffer_seal() */
struct trace2_text {
	struct buffer json;    /* a JSON string, quotes included */
	struct buffer escaped; /* for NORMAL and PERF */
	bool has_bar;	       /* @escaped contains "|", which must not appear in a column */
	const struct trace2_text *category; /* that a label is rendered for; or one of no event */
	struct buffer members;	   /* of a label, in EVENT: ',"category":...,"label":...' */
	struct buffer key_members; /* and ',"category":...,"key":...,"value":' */
};

/** struct printer - memory that a thread prints with */
struct printer {
	struct buffer line; /* if it is written at once */
	struct time_cache times;
};

struct trace2_session;

/** struct opened_target - a target that has a destination */
struct opened_target {
	struct destination *destination;
	int (*print)(struct buffer *line, struct time_cache *times,
		     const struct trace2_session *session, const struct trace2_event *event);
	bool has_blocks; /* lines are collected in the destination and written as blocks */
};

/** struct trace2_session - one stream of events */
struct trace2_session {
	struct trace2_settings settings;
	char *sid;
	unsigned int depth;	    /* number of sessions above it */
	unsigned int short_nesting; /* deepest that is printed and below PUT_SHORT_LIMIT */
	struct trace2_thread *main_thread;
	struct destination destinations[TRACE2_TARGET_COUNT];
	struct opened_target opened[TRACE2_TARGET_COUNT]; /* may be off since */
	unsigned int nr_opened;
	const struct opened_target
		*block_target;	/* the only one, in blocks and unchecked; or NULL */
	struct printer printer; /* of trace2_session_write() */
	struct error error;	/* the first failure */
};

/** SESSION_BLOCK_SIZE - bytes of a block of lines, about */
#define SESSION_BLOCK_SIZE (256 * 1024)

/**
 * session_print - write one event to every target, with the printer of the calling thread
 *
 * Returns as trace2_session_write(). Several threads may call it at once, without a lock, if the
 * session is lenient and flushes by lines.
 */
int session_print(struct trace2_session *session, struct printer *printer,
		  const struct trace2_event *event);

void printer_release(struct printer *printer);

static inline struct text string_text(struct trace2_string string)
{
	return (struct text){ .data = string.data, .size = string.size };
}

/** event_thread - the thread of an event, the main thread if it names none */
static inline const struct trace2_thread *event_thread(const struct trace2_session *session,
						       const struct trace2_event *event)
{
	return event->thread ? event->thread : session->main_thread;
}

/** timer_ns - a timer's time as it is printed: git rounds these, and cuts all others */
int64_t timer_ns(const struct trace2_session *session, int64_t time_ns);
/** parent_join - "PARENT/own" with the value of @variable, or "own" if it is unset, for free() */
char *parent_join(const char *variable, const char *own);

/* The printers of the three targets. Each appends one event as one line. */

/**
 * event_print, perf_print, normal_print - append one event to @line as one whole line
 * @line: the line, or lines that end with a newline
 * @times: the time cache of the calling thread
 * @event: complete and without secrets, see prepared_init()
 *
 * Nothing is appended if the target has no line for this kind, or if the event nests too deeply.
 * @line->failed is set if memory ran out; the line may be cut then. Returns 0: callers that return
 * a status end with the call, which saves them a stack frame.
 */
int event_print(struct buffer *line, struct time_cache *times, const struct trace2_session *session,
		const struct trace2_event *event);
int perf_print(struct buffer *line, struct time_cache *times, const struct trace2_session *session,
	       const struct trace2_event *event);
int normal_print(struct buffer *line, struct time_cache *times,
		 const struct trace2_session *session, const struct trace2_event *event);

hot_inline bool event_is_region(const struct trace2_event *event)
{
	return event->kind == TRACE2_REGION_ENTER || event->kind == TRACE2_REGION_LEAVE;
}

hot_inline bool event_is_data(const struct trace2_event *event)
{
	return event->kind == TRACE2_DATA || event->kind == TRACE2_DATA_JSON;
}

/* Text escaping for NORMAL and PERF. */

/**
 * escape_append, escape_append_string - append any bytes so that they stay on their line
 *
 * Characters of utf8_is_control() become \n, \t, \r, \x1b or \u202e; bytes that are not UTF-8
 * become U+FFFD. Nothing else changes, not even backslashes. git copies all bytes.
 */
void escape_append(struct buffer *line, struct text text);
void escape_append_string(struct buffer *line, const char *string);

/** ESCAPED_BAR - replaces "|" in columns, which end with a bar */
#define ESCAPED_BAR "\\x7c"

/**
 * column_append - append a column, padded to @width, and cut at a character to @width_max
 * @text: escaped; "|" becomes ESCAPED_BAR
 */
void column_append(struct buffer *line, struct text text, size_t width, size_t width_max);

/** blanks_append - append blanks until @line has @size bytes */
void blanks_append(struct buffer *line, size_t size);
/** text_cut - the longest prefix of @text with at most @size_max bytes and whole characters */
struct text text_cut(struct text text, size_t size_max);
/** message_append - append what NORMAL or PERF print of an event's members, and end the line */
void message_append(struct buffer *line, const struct trace2_session *session,
		    const struct trace2_event *event, bool is_perf);

/** event_child_class - the class of a child, as it is printed */
static inline const char *event_child_class(const struct trace2_event *event)
{
	const char *class = event->child_start.child_class;

	if (event->child_start.hook_name)
		return "hook";
	return class ? class : "?";
}

/** seconds_width - the width of a column of @width bytes, given for six decimals */
static inline size_t seconds_width(const struct trace2_session *session, size_t width)
{
	return width + session->settings.decimals - 6;
}

#endif
