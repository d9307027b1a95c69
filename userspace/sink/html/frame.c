// SPDX-License-Identifier: GPL-2.0-only
/* The frame of the page: what surrounds its lines, and their first one. */
#include "sink/html/page.h"
#include "sink/args.h"
#include "sink/html/state.h"

/* The page may run only its own scripts and styles, and fetch nothing; the live one its lines. */
#define PAGE_BEGIN                                                                    \
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"         \
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " \
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'"
#define PAGE_LIVE "; connect-src 'self'"
#define PAGE_TITLE "\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>ktrack: "

static void append_frame(struct buffer *out, const char *title, const char *policy)
{
	buffer_append_string(out, PAGE_BEGIN);
	buffer_append_string(out, policy);
	buffer_append_string(out, PAGE_TITLE);
	html_append_escaped(out, text_of(title));
	buffer_append_string(out, "</title>\n<style>\n");
	buffer_append_string(out, page_style);
	buffer_append_string(out, "</style></head>\n<body>\n");
	buffer_append_string(out, page_body);
}

void html_append_head(struct buffer *out, const char *title)
{
	append_frame(out, title, "");
	buffer_append_string(out, "<script type=\"text/plain\" id=\"data\">\n");
}

void html_append_tail(struct buffer *out)
{
	buffer_append_string(out, "</script>\n<script>\n");
	buffer_append_string(out, page_script);
	buffer_append_string(out, "</script>\n</body></html>\n");
}

void sink_live_page_append(struct buffer *out, const char *title)
{
	append_frame(out, title, PAGE_LIVE);
	buffer_append_string(out, "<script type=\"text/plain\" id=\"data\" data-lines=\"lines\">");
	html_append_tail(out);
}

static void html_append_member(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, "\"%s\":", name);
	html_append_json(out, text_of(value));
	buffer_append_char(out, ',');
}

/* A label must not end the element of the page that contains it. */
static void html_append_labels(struct buffer *out, const char *labels)
{
	struct text rest = text_of(labels ? labels : ""), key, value;
	const char *comma = "";

	buffer_append_string(out, "\"labels\":{");
	for (; recording_take_label(&rest, &key, &value); comma = ",") {
		buffer_append_string(out, comma);
		html_append_json(out, key);
		buffer_append_char(out, ':');
		html_append_json(out, value);
	}
	buffer_append_string(out, "},");
}

static void html_append_machines(struct buffer *out, const struct recording *recording)
{
	struct buffer member = { 0 };
	struct text text;

	machines_append(&member, recording);
	text = buffer_text(&member);
	if (text.size > 0) {
		html_append_object(out, (struct text){ text.data + 1, text.size - 1 });
		buffer_append_char(out, ',');
	}
	out->failed |= member.failed;
	buffer_release(&member);
}

void html_append_recording(struct buffer *out, const struct recording *recording)
{
	buffer_append_string(out, "r {");
	html_append_member(out, "ktrack", KTRACK_VERSION);
	html_append_member(out, "source", recording->source);
	html_append_member(out, "clock", recording->clock);
	html_append_member(out, "time_source", recording->time_source);
	html_append_member(out, "kernel", recording->kernel);
	if (recording->host)
		html_append_member(out, "host", recording->host);
	html_append_labels(out, recording->labels);
	html_append_machines(out, recording);
	buffer_printf(out, "\"cpus\":%u,\"start_ns\":\"%lld\",\"unix_ns\":\"%lld\"}\n",
		      recording->nr_cpus, (long long)recording->start_ns,
		      (long long)(recording->start_ns + recording->wall_offset_ns));
}
