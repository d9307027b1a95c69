// SPDX-License-Identifier: GPL-2.0-only
/* Tests of requests: which are incomplete, refused, answered, and with what. */
#include "serve/client.h"

#include <stdio.h>
#include <stdlib.h>

#include "fixtures/tap.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define PORT 8717
#define HOST "Host: 127.0.0.1:8717\r\n"
#define LINE "GET /" TOKEN "/ HTTP/1.1\r\n"

/* In a block of its own, so that no read behind it is unseen. */
static enum http_status parse(const char *bytes, size_t size, struct http_request *out)
{
	char *copy = malloc(size);
	enum http_status status;

	memcpy(copy, bytes, size);
	status = request_parse((struct text){ .data = copy, .size = size }, out);
	free(copy);
	return status;
}

static void check_parsed(const char *bytes, enum http_status want)
{
	struct http_request request;

	if (!tap_check_number(parse(bytes, strlen(bytes), &request), want, bytes, __FILE__,
			      __LINE__))
		printf("# %s\n", bytes);
}

TEST(requests_are_parsed_once_they_are_complete)
{
	static const char all[] = LINE HOST "Accept: */*\r\n\r\n";
	struct http_request request;

	for (size_t size = 1; size < strlen(all); size++)
		CHECK_NUMBER(parse(all, size, &request), HTTP_INCOMPLETE);
	CHECK_NUMBER(request_parse(text_of(all), &request), HTTP_OK);
	CHECK(text_equals(request.method, text_of("GET")));
	CHECK(text_equals(request.target, text_of("/" TOKEN "/")));
	CHECK(text_equals(request.host, text_of("127.0.0.1:8717")));
	check_parsed("GET / HTTP/1.0\r\nhOST:\t x \t\r\nX: \xc3\xa4\r\n\r\n", HTTP_OK);
	check_parsed("GET / HTTP/1.1\r\n" HOST "\r\nmore", HTTP_OK);
}

TEST(what_is_no_request_is_refused)
{
	static const char *const bad[] = {
		"\r\n\r\n",
		"\r\n" LINE HOST "\r\n",
		"GET / HTTP/1.1\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST HOST "\r\n",
		"GET  / HTTP/1.1\r\n" HOST "\r\n",
		"GET /\r\n" HOST "\r\n",
		"GET / HTTP/2\r\n" HOST "\r\n",
		"GET / HTTP/1.1 \r\n" HOST "\r\n",
		" / HTTP/1.1\r\n" HOST "\r\n",
		"G\tT / HTTP/1.1\r\n" HOST "\r\n",
		"GET http://127.0.0.1:8717/ HTTP/1.1\r\n" HOST "\r\n",
		"GET * HTTP/1.1\r\n" HOST "\r\n",
		"GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n",
		"GET / HTTP/1.1\r\n" HOST " continued\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "\tcontinued: x\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "no colon\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST ": no name\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "A blank: x\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "A : x\r\n\r\n",
		"GET / HTTP/1.1\nHost: x\n\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "X: \x01\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "content-length: 0\r\n\r\n",
		"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
	};
	static const char nul[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";
	struct http_request request;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_parsed(bad[i], HTTP_BAD);
	CHECK_NUMBER(parse(nul, sizeof(nul) - 1, &request), HTTP_BAD);
}

TEST(a_request_has_a_limit)
{
	SCOPED_BUFFER(bytes);
	struct http_request request;

	buffer_append_string(&bytes, LINE HOST "X: ");
	while (bytes.size < REQUEST_SIZE_MAX - 1)
		buffer_append_char(&bytes, 'x');
	CHECK_NUMBER(request_parse(buffer_text(&bytes), &request), HTTP_INCOMPLETE);
	buffer_append_char(&bytes, 'x');
	CHECK_NUMBER(request_parse(buffer_text(&bytes), &request), HTTP_TOO_LARGE);
}

static void check_judged(const char *method, const char *target, const char *host,
			 enum http_status want)
{
	struct http_request request = { .method = text_of(method),
					.target = text_of(target),
					.host = text_of(host) };
	enum resource resource;
	uint64_t from;

	if (!tap_check_number(request_judge(&request, TOKEN, PORT, &resource, &from), want, target,
			      __FILE__, __LINE__))
		printf("# %s %s %s\n", method, target, host);
}

TEST(only_addresses_of_this_machine_are_hosts)
{
	static const char *const good[] = { "127.0.0.1:8717", "localhost:8717", "[::1]:8717",
					    "LocalHost:8717" };
	static const char *const bad[] = {
		"",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:871",
		"127.0.0.1:8",
		"127.0.0.1:87170",
		"127.0.0.1:8717.",
		"127.0.0.1.:8717",
		"127.0.0.2:8717",
		"localhost.evil.example:8717",
		"evil.example:8717",
		"::1:8717",
		"user@localhost:8717",
		"localhost:8717,localhost:8717",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check_judged("GET", "/" TOKEN "/", good[i], HTTP_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_judged("GET", "/" TOKEN "/", bad[i], HTTP_FORBIDDEN);
}

TEST(the_usual_port_may_be_left_out)
{
	struct http_request request = { .method = text_of("GET"),
					.target = text_of("/" TOKEN "/"),
					.host = text_of("localhost") };
	enum resource resource;
	uint64_t from;

	CHECK_NUMBER(request_judge(&request, TOKEN, 80, &resource, &from), HTTP_OK);
	CHECK_NUMBER(request_judge(&request, TOKEN, 8080, &resource, &from), HTTP_FORBIDDEN);
	request.host = text_of("localhost:80");
	CHECK_NUMBER(request_judge(&request, TOKEN, 80, &resource, &from), HTTP_OK);
}

TEST(nothing_is_answered_without_the_token)
{
	static const char *const bad[] = {
		"/",
		"/lines",
		"/favicon.ico",
		"/" TOKEN,
		TOKEN "/",
		"//" TOKEN "/",
		"/0123456789abcdef0123456789abcdeF/",
		"/0123456789abcdef0123456789abcde/f",
		"/0123456789abcdef0123456789abcdef0/",
		"/1123456789abcdef0123456789abcdef/",
		"/?/" TOKEN "/",
		"/%30123456789abcdef0123456789abcdef/",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_judged("GET", bad[i], "localhost:8717", HTTP_FORBIDDEN);
	check_judged("POST", "/", "localhost:8717", HTTP_FORBIDDEN);
}

TEST(there_are_a_page_and_lines)
{
	check_judged("GET", "/" TOKEN "/", "localhost:8717", HTTP_OK);
	check_judged("GET", "/" TOKEN "/?x", "localhost:8717", HTTP_OK);
	check_judged("GET", "/" TOKEN "/lines", "localhost:8717", HTTP_OK);
	check_judged("GET", "/" TOKEN "/lines?from=0", "localhost:8717", HTTP_OK);
	check_judged("GET", "/" TOKEN "/lines/", "localhost:8717", HTTP_NOT_FOUND);
	check_judged("GET", "/" TOKEN "//", "localhost:8717", HTTP_NOT_FOUND);
	check_judged("GET", "/" TOKEN "/../lines", "localhost:8717", HTTP_NOT_FOUND);
	check_judged("HEAD", "/" TOKEN "/", "localhost:8717", HTTP_METHOD);
	check_judged("get", "/" TOKEN "/", "localhost:8717", HTTP_METHOD);
	check_judged("OPTIONS", "/" TOKEN "/lines", "localhost:8717", HTTP_METHOD);
}

static void check_from(const char *query, enum http_status want, uint64_t want_from)
{
	SCOPED_BUFFER(target);
	struct http_request request = { .method = text_of("GET"),
					.host = text_of("localhost:8717") };
	enum resource resource = RESOURCE_PAGE;
	uint64_t from = 77;

	buffer_printf(&target, "/" TOKEN "/lines?%s", query);
	request.target = buffer_text(&target);
	CHECK_NUMBER(request_judge(&request, TOKEN, PORT, &resource, &from), want);
	CHECK_NUMBER(resource, RESOURCE_LINES);
	if (want == HTTP_OK)
		CHECK_NUMBER(from, want_from);
}

TEST(lines_begin_at_a_byte)
{
	check_from("from=12345", HTTP_OK, 12345);
	check_from("from=18446744073709551615", HTTP_OK, UINT64_MAX);
	check_from("from=18446744073709551616", HTTP_BAD, 0);
	check_from("from=99999999999999999999999", HTTP_BAD, 0);
	check_from("from=", HTTP_BAD, 0);
	check_from("from=-1", HTTP_BAD, 0);
	check_from("from=+1", HTTP_BAD, 0);
	check_from("from=1x", HTTP_BAD, 0);
	check_from("until=1", HTTP_BAD, 0);
	check_from("fro", HTTP_BAD, 0);
}
