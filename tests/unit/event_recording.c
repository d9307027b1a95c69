// SPDX-License-Identifier: GPL-2.0-only
/* Tests of a recording's properties: copies of texts, labels. */
#include <string.h>
#include <sys/utsname.h>

#include "event/event.h"
#include "fixtures/tap.h"

TEST(labels_are_lines_with_a_key)
{
	struct text rest = text_of("a=1\n=2\nno\n\nb=\nc=x=y"), key, value;
	struct buffer out = { 0 };

	while (recording_take_label(&rest, &key, &value))
		buffer_printf(&out, "<%.*s|%.*s>", (int)key.size, key.data, (int)value.size,
			      value.data);
	CHECK_TEXT(buffer_string(&out), "<a|1><b|><c|x=y>");
	buffer_release(&out);
}

TEST(a_recording_owns_the_texts_that_it_keeps)
{
	struct recording recording = { .clock = "boot" };
	char name[] = "host and more";

	CHECK_NUMBER(recording_keep(&recording, &recording.host, (struct text){ name, 4 }), 0);
	memset(name, 'x', sizeof(name) - 1);
	CHECK_TEXT(recording.host, "host");
	CHECK_NUMBER(recording_keep(&recording, &recording.host, text_of("other")), 0);
	CHECK_TEXT(recording.host, "other");
	CHECK_NUMBER(recording_keep_id(&recording, 0x12ab), 0);
	CHECK_TEXT(recording.id, "00000000000012ab");
	CHECK_TEXT(recording.clock, "boot");
	recording_release(&recording);
	CHECK(!recording.texts);
}

TEST(a_live_recording_is_of_this_machine)
{
	struct recording recording = { 0 };
	struct utsname system;

	uname(&system);
	CHECK_NUMBER(recording_keep_system(&recording), 0);
	CHECK_TEXT(recording.kernel, system.release);
	CHECK_TEXT(recording.host, system.nodename);
	recording_release(&recording);
}
