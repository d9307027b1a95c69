/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The memory that a program shares with ktrack; ktrack-user(7) describes it.
 *
 * A memfd has, in this order, the control area, the descriptions of events, and the rings. All
 * numbers are in the machine's byte order.
 */
#ifndef KTRACK_USER_LAYOUT_H
#define KTRACK_USER_LAYOUT_H

#pragma GCC system_header

#include <stdint.h>

/* The name of the memfd, by which ktrack finds running programs. */
#define KTRACK_USER_NAME		"ktrack-user"

/* Where a recording ktrack waits for programs, unless the variable names another socket. */
#define KTRACK_USER_SOCKET		"/run/ktrack/user.sock"
#define KTRACK_USER_SOCKET_VARIABLE	"KTRACK_USER_SOCKET"

/*
 * Where a ktrack awaits descendants: an address behind a NUL, of full size, with its number and the
 * time of its start in /proc/PID/stat. Nobody can listen there before, and no other ktrack does.
 */
#define KTRACK_USER_ANCESTOR		"ktrack-user/%d/%s"

#define KTRACK_USER_MAGIC		0x6b747275u
#define KTRACK_USER_VERSION		1

/* The size of the control area is a page's on every architecture. */
#define KTRACK_USER_CONTROL_SIZE	65536u
#define KTRACK_USER_EVENTS_SIZE		(1u << 20)

/* Rings, one for each thread that emits events; and how few a program has whose memory is limited. */
#define KTRACK_USER_RINGS		128u
#define KTRACK_USER_RINGS_FEW		16u

/* Sizes of a ring, a power of 2; the small one is that of a program whose memory is limited. */
#define KTRACK_USER_RING_MIN		4096u
#define KTRACK_USER_RING_MAX		(16u << 20)
#define KTRACK_USER_RING_SMALL		(512u << 10)

/* The size of each ring, unless the program has defined another one. */
#ifndef KTRACK_USER_RING_SIZE
#define KTRACK_USER_RING_SIZE		(4u << 20)
#endif
#if KTRACK_USER_RING_SIZE < KTRACK_USER_RING_MIN || KTRACK_USER_RING_SIZE > KTRACK_USER_RING_MAX || \
	(KTRACK_USER_RING_SIZE & (KTRACK_USER_RING_SIZE - 1))
#error "KTRACK_USER_RING_SIZE: not a power of 2 from 4 KiB to 16 MiB"
#endif

/* The size of the patterns of wanted events, with their NUL. */
#define KTRACK_USER_PATTERNS_SIZE	4096u

/*
 * struct ktrack_user_ring - the state of a ring
 * @owner: the thread that writes it, 0 if it is free
 * @size: the part of its memory that is in use, a power of 2; 0 for all
 * @head: bytes that writers have reserved
 * @lost: records that did not fit
 * @tail: bytes that ktrack has read, and cleared
 * @read: bytes that ktrack has read; if this is more than @tail, it is clearing them, or was killed
 * @parked: the head by which ktrack has made an empty ring look full: before the next record, the
 * writer sets @size and sets the head back
 *
 * Writers change the first part, ktrack the second; each has its own cache line.
 */
struct ktrack_user_ring {
	uint32_t owner;
	uint32_t size;
	uint64_t head;
	uint64_t lost;
	uint64_t more_unused[5];
	uint64_t tail;
	uint64_t read;
	uint64_t parked;
	uint64_t ktracks[5];
};

/*
 * struct ktrack_user_control - the begin of the memfd
 * @on: not 0 while ktrack records; the only member that a disabled call reads
 * @nr_rings, @ring_size, @events_size: the size of the rest
 * @events_used: bytes that descriptions of events use
 * @nr_events: number of descriptions
 * @lost: records of threads that found no free ring
 * @pid: the process, in its PID namespace
 * @is_missed: a ktrack recorded, but could not be reached; ktrack clears it
 * @ring_wanted: the part of a ring that ktrack wants to be in use, 0 for all
 * @can_agree: the program knows parked rings
 * @selection: a number that is not 0 and changes whenever @patterns have changed
 * @can_select: the program knows patterns
 * @patterns: of the events that are wanted, SYSTEM or SYSTEM:EVENT with wildcards, with commas
 * between them; none for all
 */
struct ktrack_user_control {
	uint32_t on;
	uint32_t magic;
	uint32_t version;
	uint32_t pid;
	uint32_t nr_rings;
	uint32_t ring_size;
	uint32_t events_size;
	uint32_t events_used;
	uint32_t nr_events;
	uint32_t is_missed;
	uint64_t lost;
	uint32_t ring_wanted;
	uint32_t can_agree;
	uint32_t selection;
	uint32_t can_select;
	uint64_t more_unused[8];
	struct ktrack_user_ring rings[KTRACK_USER_RINGS];
	char patterns[KTRACK_USER_PATTERNS_SIZE];
};

/* Flags of the first word of a record or a description, whose size is a multiple of 8. */
#define KTRACK_USER_COMMITTED		1u
#define KTRACK_USER_PAD			2u

/*
 * struct ktrack_user_record - the begin of a record in a ring
 * @word: its size with this struct, and flags; written twice: first without KTRACK_USER_COMMITTED
 * @time_ns: CLOCK_BOOTTIME
 * @number: of the event's description
 * @tid: the thread
 * @tgid: for ktrack
 *
 * The members from @number on are the begin of the record that ktrack stores. The event's fields
 * follow, and the strings at the end.
 *
 * A writer reserves bytes of its ring by compare-and-swap of the head, as signal handlers of the
 * thread may do meanwhile; writes the size, the fields and the strings, and then reads the clock;
 * and stores the size again with KTRACK_USER_COMMITTED (release). A record that does not fit up to
 * the end of the ring is preceded by one with KTRACK_USER_PAD, which fills the end. ktrack reads
 * committed records from the tail on, copies them, clears their bytes, and advances the tail
 * (release): a byte of the ring without a record is 0. Records up to a time are final if no ring
 * has a record that was begun before it and is not committed.
 */
struct ktrack_user_record {
	uint32_t word;
	uint32_t unused;
	uint64_t time_ns;
	uint16_t number;
	uint16_t flags;
	int32_t tid;
	int32_t tgid;
};

/*
 * The name of an end that ends a certain slice, and not the innermost one of its thread: the time of
 * the begin, an at sign, and the thread that ends it, as hexadecimal digits; the record's thread is
 * that of the begin. A trace.dat has nanoseconds since the begin, and a blank instead of the sign.
 */
#define KTRACK_USER_END_SIZE		25u
#define KTRACK_USER_END_AT		16u

/* Offset of the stored record in a record of a ring. */
#define KTRACK_USER_STORED		16u

/* The longest record. */
#define KTRACK_USER_RECORD_MAX		3072u

/* Kinds of events. */
#define KTRACK_USER_SLICE		1
#define KTRACK_USER_COUNTER		2

/* Kinds of fields; fields of the convention have no kind of their own. */
#define KTRACK_USER_INTEGER		0
#define KTRACK_USER_SCOPE		1
#define KTRACK_USER_GLOBAL		2
#define KTRACK_USER_ASYNC		3
#define KTRACK_USER_TEXT		4
#define KTRACK_USER_FLOW		5
#define KTRACK_USER_RESULT		6
#define KTRACK_USER_SYMBOL		7
#define KTRACK_USER_BITS		8
#define KTRACK_USER_BYTES		9
#define KTRACK_USER_POINTER		10
#define KTRACK_USER_FLOATING		11

/* The most bytes of a field of bytes. */
#define KTRACK_USER_BYTES_MAX		64

/*
 * struct ktrack_user_event - the begin of the description of an event
 * @word: as of a record
 * @number: of the event, in its records
 * @kind: slice or counter
 * @nr_fields: number of struct ktrack_user_field that follow, each before its strings
 * @size: of a stored record without its strings
 *
 * The names of the system and of the event follow, each with its NUL.
 */
struct ktrack_user_event {
	uint32_t word;
	uint16_t number;
	uint8_t kind;
	uint8_t nr_fields;
	uint32_t size;
};

/*
 * struct ktrack_user_field - a field of an event
 * @offset: in the stored record
 * @size: in bytes, 0 of a field that records do not have
 * @is_signed: the number has a sign
 * @nr_texts: number of texts, each an int64_t and a string
 *
 * Packed: names of any length are between them. Its name follows with its NUL, then its texts.
 */
struct ktrack_user_field {
	uint16_t offset;
	uint8_t size;
	uint8_t is_signed;
	uint8_t kind;
	uint8_t nr_texts;
};

#endif
