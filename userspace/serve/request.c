// SPDX-License-Identifier: GPL-2.0-only
/* Parses requests: a line with method, target and version, then headers, then an empty line. */
#include "serve/request.h"

#include <stdio.h>
#include <strings.h>

#define LINE_END "\r\n"
#define HEAD_END "\r\n\r\n"

/* Takes the bytes before @end, which exists. */
static struct text head_take_line(struct text *rest)
{
	const char *end = memmem(rest->data, rest->size, LINE_END, strlen(LINE_END));
	struct text line = { .data = rest->data, .size = end - rest->data };

	*rest = (struct text){ .data = end + strlen(LINE_END),
			       .size = rest->size - line.size - strlen(LINE_END) };
	return line;
}

/* Takes the part before the first @byte; all if there is none. */
static struct text request_part_take(struct text *rest, char byte)
{
	const char *end = memchr(rest->data, byte, rest->size);
	size_t size = end ? (size_t)(end - rest->data) : rest->size;
	struct text part = { .data = rest->data, .size = size };

	rest->data += size + (end != NULL);
	rest->size -= size + (end != NULL);
	return part;
}

/* Visible ASCII only; with spaces and tabs in values of headers. */
static bool is_clean(struct text text, bool allows_blanks)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = text.data[i];

		if (byte > 0x20 && byte != 0x7f && (byte < 0x80 || allows_blanks))
			continue;
		if (!allows_blanks || (byte != ' ' && byte != '\t'))
			return false;
	}
	return true;
}

static struct text blanks_strip(struct text text)
{
	while (text.size > 0 && (*text.data == ' ' || *text.data == '\t')) {
		text.data++;
		text.size--;
	}
	while (text.size > 0 &&
	       (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\t'))
		text.size--;
	return text;
}

static bool header_is(struct text name, const char *wanted)
{
	return name.size == strlen(wanted) && strncasecmp(name.data, wanted, name.size) == 0;
}

static enum http_status request_line_parse(struct text line, struct http_request *out)
{
	out->method = request_part_take(&line, ' ');
	out->target = request_part_take(&line, ' ');
	if (out->method.size == 0 || out->target.size == 0 || *out->target.data != '/' ||
	    !is_clean(out->method, false) || !is_clean(out->target, false))
		return HTTP_BAD;
	if (!text_equals(line, text_of("HTTP/1.1")) && !text_equals(line, text_of("HTTP/1.0")))
		return HTTP_BAD;
	return HTTP_OK;
}

/* No header continues on the next line, and no request has a body. */
static enum http_status header_parse(struct text line, struct http_request *out)
{
	const char *colon = memchr(line.data, ':', line.size);
	struct text name = { .data = line.data, .size = colon ? (size_t)(colon - line.data) : 0 };
	struct text value = line;

	request_part_take(&value, ':');
	if (name.size == 0 || !is_clean(name, false) || !is_clean(value, true) ||
	    header_is(name, "Content-Length") || header_is(name, "Transfer-Encoding"))
		return HTTP_BAD;
	if (!header_is(name, "Host"))
		return HTTP_OK;
	if (out->host.data)
		return HTTP_BAD;
	out->host = blanks_strip(value);
	return HTTP_OK;
}

enum http_status request_parse(struct text bytes, struct http_request *out)
{
	const char *end = memmem(bytes.data, bytes.size, HEAD_END, strlen(HEAD_END));
	enum http_status status;
	struct text head;

	*out = (struct http_request){ 0 };
	if (!end)
		return bytes.size < REQUEST_SIZE_MAX ? HTTP_INCOMPLETE : HTTP_TOO_LARGE;
	head = (struct text){ .data = bytes.data, .size = end - bytes.data + strlen(LINE_END) };
	status = request_line_parse(head_take_line(&head), out);
	while (status == HTTP_OK && head.size > 0)
		status = header_parse(head_take_line(&head), out);
	if (status != HTTP_OK)
		return status;
	return out->host.data ? HTTP_OK : HTTP_BAD;
}

/* Other names may be those of another site, whose address was changed to this one. */
static bool host_is_allowed(struct text host, unsigned int port)
{
	static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };
	char wanted[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int size = snprintf(wanted, sizeof(wanted), "%s:%u", names[i], port);

		if (header_is(host, wanted))
			return true;
		/* Browsers leave the usual port out. */
		wanted[size - strlen(":80")] = '\0';
		if (port == 80 && header_is(host, wanted))
			return true;
	}
	return false;
}

/*
 * Takes "/TOKEN/" from a path; false if it begins otherwise. The time does not depend on the
 * position of the first difference.
 */
static bool token_take(struct text *path, const char *token)
{
	unsigned char difference = 0;

	if (path->size < TOKEN_SIZE + 2)
		return false;
	difference |= path->data[0] ^ '/';
	for (size_t i = 0; i < TOKEN_SIZE; i++)
		difference |= path->data[1 + i] ^ token[i];
	difference |= path->data[1 + TOKEN_SIZE] ^ '/';
	path->data += TOKEN_SIZE + 2;
	path->size -= TOKEN_SIZE + 2;
	return difference == 0;
}

/* Decimal digits; false if there are none, others, or too many. */
static bool offset_parse(struct text text, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9' ||
		    __builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, text.data[i] - '0', out))
			return false;
	}
	return text.size > 0;
}

static enum http_status lines_judge(struct text query, uint64_t *from)
{
	static const char name[] = "from=";

	*from = 0;
	if (query.size == 0)
		return HTTP_OK;
	if (query.size < strlen(name) || memcmp(query.data, name, strlen(name)) != 0)
		return HTTP_BAD;
	query.data += strlen(name);
	query.size -= strlen(name);
	return offset_parse(query, from) ? HTTP_OK : HTTP_BAD;
}

enum http_status request_judge(const struct http_request *request, const char *token,
			       unsigned int port, enum resource *resource, uint64_t *from)
{
	struct text query = request->target, path = request_part_take(&query, '?');

	if (!host_is_allowed(request->host, port) || !token_take(&path, token))
		return HTTP_FORBIDDEN;
	if (!text_equals(request->method, text_of("GET")))
		return HTTP_METHOD;
	if (text_equals(path, text_of("lines"))) {
		*resource = RESOURCE_LINES;
		return lines_judge(query, from);
	}
	*resource = RESOURCE_PAGE;
	return path.size == 0 ? HTTP_OK : HTTP_NOT_FOUND;
}
