// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the wire form of protocol buffers, byte by byte. */
#include "sink/proto.h"

#include "fixtures/tap.h"

/* All bytes that were written, in hexadecimal. */
static const char *bytes_of(struct buffer *out)
{
	static struct buffer text;
	struct value bytes = { .kind = VALUE_BYTES, .text = buffer_text(out) };

	buffer_clear(&text);
	value_append_text(&text, &bytes);
	buffer_clear(out);
	return buffer_string(&text);
}

static struct buffer out;

TEST(numbers_are_varints)
{
	proto_append_number(&out, 0);
	proto_append_number(&out, 127);
	proto_append_number(&out, 128);
	proto_append_number(&out, 300);
	CHECK_TEXT(bytes_of(&out), "007f8001ac02");
	proto_append_number(&out, UINT64_MAX);
	CHECK_TEXT(bytes_of(&out), "ffffffffffffffffff01");
	buffer_release(&out);
}

TEST(fields_begin_with_their_number_and_type)
{
	proto_number(&out, 1, 150);
	CHECK_TEXT(bytes_of(&out), "089601");
	proto_number(&out, 16, 1);
	CHECK_TEXT(bytes_of(&out), "800101");
	proto_signed(&out, 2, -2);
	CHECK_TEXT(bytes_of(&out), "10feffffffffffffffff01");
	proto_double(&out, 44, 1.0);
	CHECK_TEXT(bytes_of(&out), "e102000000000000f03f");
	proto_text(&out, 2, text_of("testing"));
	CHECK_TEXT(bytes_of(&out), "120774657374696e67");
	proto_text(&out, 2, text_of(""));
	CHECK_TEXT(bytes_of(&out), "1200");
	buffer_release(&out);
}

TEST(texts_are_utf8_whatever_they_were)
{
	proto_text(&out, 1, text_of("\xc3\xbc\xff"));
	CHECK_TEXT(bytes_of(&out), "0a05c3bcefbfbd");
	proto_text(&out, 1, text_of("a\xff\xfe" "b"));
	CHECK_TEXT(bytes_of(&out), "0a0861efbfbdefbfbd62");
	buffer_release(&out);
}

TEST(messages_have_their_size_however_long_they_are)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 100000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buffer want = { 0 };
		size_t message = proto_begin(&out, 3);

		proto_append_number(&want, 3 << 3 | 2);
		proto_append_number(&want, sizes[i]);
		for (size_t n = 0; n < sizes[i]; n++) {
			buffer_append_char(&out, 'a' + n % 26);
			buffer_append_char(&want, 'a' + n % 26);
		}
		proto_end(&out, message);
		CHECK(text_equals(buffer_text(&out), buffer_text(&want)));
		buffer_clear(&out);
		buffer_release(&want);
	}
	buffer_release(&out);
}

TEST(messages_lie_in_messages)
{
	size_t outer = proto_begin(&out, 1), inner;

	proto_number(&out, 1, 5);
	inner = proto_begin(&out, 2);
	proto_number(&out, 3, 6);
	proto_end(&out, inner);
	proto_number(&out, 4, 7);
	proto_end(&out, outer);
	CHECK_TEXT(bytes_of(&out), "0a08080512021806"
				   "2007");
	buffer_release(&out);
}
