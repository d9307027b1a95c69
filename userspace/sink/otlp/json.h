/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of OTLP in its JSON form, which differs from that of protocol buffers: ids are
 * hexadecimal, enumerations are numbers, 64-bit numbers are strings.
 */
#ifndef SINK_OTLP_JSON_H
#define SINK_OTLP_JSON_H

#include "base/base.h"

/** otlp_append_key - append the begin of an attribute, after "," unless it is the first */
void otlp_append_key(struct buffer *out, const char *prefix, struct text key);

/** otlp_append_value - append the rest of an attribute */
void otlp_append_value(struct buffer *out, const struct value *value);

/** otlp_append_text, otlp_append_number, otlp_append_true - append an attribute */
void otlp_append_text(struct buffer *out, const char *key, struct text text);
void otlp_append_number(struct buffer *out, const char *key, int64_t number);
void otlp_append_true(struct buffer *out, const char *key);

/** otlp_append_fields - append an attribute for each field, with a prefix of its key */
void otlp_append_fields(struct buffer *out, const char *prefix, const struct field *fields,
			size_t nr_fields);

/** otlp_append_time - append a member with nanoseconds since 1970; times before are 0 */
void otlp_append_time(struct buffer *out, const char *member, int64_t wall_ns);

/** otlp_append_separator - append "," unless an array or an object was just opened, or is empty */
void otlp_append_separator(struct buffer *out);

#endif
