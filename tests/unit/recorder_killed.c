// SPDX-License-Identifier: GPL-2.0-only
/* Parts of recordings that were killed at moments when there is nothing, or not all, to be had. */
#include "desk.h"

static void folder_new_parts(const struct desk *desk, const char *file)
{
	folder_add_text(&desk->output, file, "some of it");
}

static int parts_try(struct desk *desk)
{
	return parts_open(&desk->parts, output_path(desk), &ourselves, &desk->error);
}

/* A desk without parts. */
static void desk_begin_empty(struct desk *desk)
{
	*desk = (struct desk){ 0 };
	folder_new(&desk->output);
}

TEST(what_was_killed_before_it_began_is_removed)
{
	struct desk desk;

	desk_begin_empty(&desk);
	folder_new_parts(&desk, "trace.dat.parts/cpu0");
	folder_new_parts(&desk, "trace.dat.parts/formats.new");
	CHECK_NUMBER(parts_try(&desk), -1);
	CHECK(strstr(desk.error.text, "nothing had been recorded yet in ") == desk.error.text);
	CHECK(!output_has(&desk, "trace.dat.parts"));
	folder_remove(&desk.output);
}

TEST(what_was_killed_when_the_file_was_whole_leaves_it_alone)
{
	struct buffer held = { 0 };
	struct desk desk;

	desk_begin_empty(&desk);
	folder_new_parts(&desk, "trace.dat.parts/durable1");
	folder_new_parts(&desk, "trace.dat.parts/options");
	folder_add_text(&desk.output, "trace.dat", "precious");
	CHECK_NUMBER(parts_try(&desk), 1);
	CHECK(!desk.parts);
	CHECK(!output_has(&desk, "trace.dat.parts"));
	CHECK_NUMBER(file_read(output_path(&desk), &held), 0);
	CHECK_TEXT(buffer_string(&held), "precious");
	buffer_release(&held);
	folder_remove(&desk.output);
}

TEST(the_next_recording_takes_the_place_of_one_that_has_nothing)
{
	struct desk desk;

	desk_begin_empty(&desk);
	folder_new_parts(&desk, "trace.dat.parts/cpu0");
	CHECK_NUMBER(parts_new(&desk.parts, output_path(&desk), &ourselves, &desk.error), 0);
	CHECK_TEXT(desk.error.text, "");
	CHECK(!output_has(&desk, "trace.dat.parts/cpu0"));
	parts_close(desk.parts);
	folder_remove(&desk.output);
}

TEST(a_folder_of_somebody_elses_is_left_alone)
{
	static const char *const names[] = { "notes",	     "cpu",	  "cpu0x",
					     "cpu0.new.txt", "instances", "formats.old",
					     "trace.dat.1" };
	struct buffer name = { 0 };
	struct desk desk;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		desk_begin_empty(&desk);
		buffer_clear(&name);
		buffer_printf(&name, "trace.dat.parts/%s", names[i]);
		folder_new_parts(&desk, buffer_string(&name));
		CHECK_NUMBER(parts_try(&desk), -1);
		CHECK(strstr(desk.error.text, " is in the way") != NULL);
		CHECK_NUMBER(parts_new(&desk.parts, output_path(&desk), &ourselves, &desk.error),
			     -1);
		CHECK(strstr(desk.error.text, " is in the way") != NULL);
		CHECK(output_has(&desk, buffer_string(&name)));
		folder_remove(&desk.output);
	}
	buffer_release(&name);
}

TEST(names_of_instances_may_have_blanks_and_be_long)
{
	static const char name[] = "my instance, which has a name that is longer than sixty-three "
				   "characters are";
	struct buffer text = { 0 }, other = { 0 };
	struct desk desk;

	desk_begin(&desk, "oneshot");
	desk_kill(&desk);
	CHECK_NUMBER(file_read(folder_path(&desk.output, "trace.dat.parts/instance"), &text), 0);
	buffer_printf(&other, "%s%s", name, strchr(buffer_string(&text), '\n'));
	CHECK_NUMBER(unlink(folder_path(&desk.output, "trace.dat.parts/instance")), 0);
	folder_add_text(&desk.output, "trace.dat.parts/instance", buffer_string(&other));
	desk_take_up(&desk);
	CHECK_TEXT(parts_instance(desk.parts), name);
	CHECK(desk.parts->mode == recorder_mode_find("oneshot"));
	buffer_release(&text);
	buffer_release(&other);
	desk_end(&desk);
}
