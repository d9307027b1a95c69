// SPDX-License-Identifier: GPL-2.0-only
/* Recognizes kinds of files by their first bytes. */
#include "tracedat/file.h"

#include <string.h>

/** struct file_kind - the first bytes of a kind of files */
struct file_kind {
	const char *magic;
	size_t size;
	const char *what;
};

#define KIND(magic, what)                      \
	{                                      \
		magic, sizeof(magic) - 1, what \
	}

#define NOT ", not a trace.dat; "
#define PCAP "a network capture (pcap)" NOT "open it in wireshark"
#define PAGE "a page of HTML" NOT "open it in a browser"

static const struct file_kind kinds[] = {
	KIND("\x1f\x8b", "compressed by gzip" NOT "run gunzip first"),
	KIND("\x28\xb5\x2f\xfd", "compressed by zstd" NOT "run unzstd first"),
	KIND("\xfd\x37zXZ", "compressed by xz" NOT "run unxz first"),
	KIND("BZh", "compressed by bzip2" NOT "run bunzip2 first"),
	KIND("PERFILE2", "a perf.data" NOT "run 'perf script' on it"),
	KIND("\xd4\xc3\xb2\xa1", PCAP),
	KIND("\xa1\xb2\xc3\xd4", PCAP),
	KIND("\x4d\x3c\xb2\xa1", PCAP),
	KIND("\xa1\xb2\x3c\x4d", PCAP),
	KIND("\x0a\x0d\x0d\x0a", PCAP),
	KIND("\x7f\x45LF", "an ELF file (a program, a module or a core)" NOT
			   "name a recording of ktrack or trace-cmd"),
	KIND("{", "JSON" NOT "name the recording that it was made of"),
	KIND("<!DOCTYPE html>", PAGE),
	KIND("<!doctype html>", PAGE),
	KIND("SQLite format 3", "an SQLite database" NOT "query it with 'ktrack query'"),
	KIND("# tracer:", "tracefs text" NOT "record with 'ktrack record'"),
};

/* Reads a varint at *@place; returns false if it does not end within the bytes. */
static bool varint_read(const unsigned char *bytes, size_t size, size_t *place, uint64_t *out)
{
	*out = 0;
	for (unsigned int shift = 0; *place < size && shift < 63; shift += 7) {
		unsigned char byte = bytes[(*place)++];

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* A Perfetto trace begins with field 1, a packet, in which a field has a valid wire type. */
static bool is_perfetto(const unsigned char *bytes, size_t size)
{
	uint64_t packet_size, tag;
	size_t place = 1;

	if (size < 4 || bytes[0] != 0x0a || !varint_read(bytes, size, &place, &packet_size) ||
	    packet_size < 2)
		return false;
	if (!varint_read(bytes, size, &place, &tag))
		return false;
	return tag >> 3 > 0 && tag >> 3 < 1000 && ((tag & 7) == 0 || (tag & 7) == 2);
}

const char *file_kind_describe(const unsigned char *bytes, size_t size)
{
	if (size == 0)
		return "empty" NOT "name a recording of ktrack or trace-cmd";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (size >= kinds[i].size && memcmp(bytes, kinds[i].magic, kinds[i].size) == 0)
			return kinds[i].what;
	}
	if (is_perfetto(bytes, size))
		return "a Perfetto trace" NOT "open it in ui.perfetto.dev";
	return "not a trace.dat; name a recording of ktrack or trace-cmd";
}
