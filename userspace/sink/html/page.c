// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page: its constant parts, which the assembler embeds by their path from the top of the
 * tree, and what surrounds its lines.
 */
#include "sink/html/state.h"

#include "sink/text.h"

#define FILE_BEGIN(name)         \
	".pushsection .rodata\n" \
	".global " #name "\n.hidden " #name "\n" #name ":\n"
#define FILE_PART(file) ".incbin \"userspace/sink/html/" file "\"\n"
#define FILE_END ".byte 0\n.popsection\n"

__asm__(FILE_BEGIN(page_style) FILE_PART("page.css") FILE_END);
__asm__(FILE_BEGIN(page_body) FILE_PART("page.html") FILE_END);
/* clang-format off */
__asm__(FILE_BEGIN(page_script)
	FILE_PART("bytes.js")
	FILE_PART("chunks.js")
	FILE_PART("index.js")
	FILE_PART("data.js")
	FILE_PART("tree.js")
	FILE_PART("colours.js")
	FILE_PART("far.js")
	FILE_PART("columns.js")
	FILE_PART("lanes.js")
	FILE_PART("counters.js")
	FILE_PART("axis.js")
	FILE_PART("layout.js")
	FILE_PART("draw.js")
	FILE_PART("find.js")
	FILE_PART("flows.js")
	FILE_PART("work.js")
	FILE_PART("statistics.js")
	FILE_PART("worker.js")
	FILE_PART("links.js")
	FILE_PART("details.js")
	FILE_PART("chain.js")
	FILE_PART("overview.js")
	FILE_PART("search.js")
	FILE_PART("why.js")
	FILE_PART("range.js")
	FILE_PART("tracks.js")
	FILE_PART("input.js")
	FILE_PART("save.js")
	FILE_PART("fragment.js")
	FILE_PART("live.js")
	FILE_PART("panel.js")
	FILE_PART("legend.js")
	FILE_PART("page.js")
	FILE_END);

/* The page may run only its own scripts and styles, and fetch nothing; the live one its lines. Workers run these scripts, too. */
#define PAGE_BEGIN                                                                    \
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"         \
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " \
	"script-src 'unsafe-inline'; style-src 'unsafe-inline'; worker-src blob:"
#define PAGE_LIVE "; connect-src 'self'"
#define PAGE_TITLE "\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>ktrack: "

/* Appends a text between tags. */
static void append_escaped(struct buffer *out, struct text text)
{
	while (text.size > 0) {
		size_t size = utf8_sequence_size(text);
		unsigned char byte = text.data[0];

		if (size == 0 || byte < 0x20 || byte == 0x7f)
			buffer_append_string(out, "?");
		else if (byte == '<' || byte == '>' || byte == '&' || byte == '"')
			buffer_printf(out, "&#%d;", byte);
		else
			buffer_append(out, text.data, size);
		size += size == 0;
		text = (struct text){ .data = text.data + size, .size = text.size - size };
	}
}

static void append_frame(struct buffer *out, const char *title, const char *policy)
{
	buffer_append_string(out, PAGE_BEGIN);
	buffer_append_string(out, policy);
	buffer_append_string(out, PAGE_TITLE);
	append_escaped(out, text_of(title));
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
