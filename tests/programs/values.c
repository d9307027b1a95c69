// SPDX-License-Identifier: GPL-2.0-only
/* Passes values of each kind, among them those that are gone or changed at the end of a guard. */
#include <stdlib.h>
#include <string.h>

#define KTRACK_SYSTEM vals
#include <ktrack/user.h>

KTRACK_SLICE(vals_kinds, KTRACK_BYTES(mac, 6), KTRACK_TEXT_N(tag, 4), KTRACK_POINTER(at),
	     KTRACK_TEXT(note), KTRACK_RESULT(errno), KTRACK_FIELD(int, class));
KTRACK_SLICE(vals_track, KTRACK_TRACK_NAME);
KTRACK_SLICE_OF(vals_other, vals_work);
KTRACK_COUNTER_OF(vals_other, vals_level, int);
KTRACK_SLICE(vals_part, KTRACK_FIELD(double, ratio), KTRACK_FIELD(float, half));
KTRACK_COUNTER(vals_load, double);

struct request {
	unsigned char mac[6];
	char tag[4];
	char note[40];
};

/* What a guard was given is overwritten and freed before its end. */
static void handle(struct request *request)
{
	char track[16] = "copied";
	char *note = strdup("a note of the begin");

	ktrack_guard_named(guard, vals_kinds, "guarded", request->mac, request->tag, request, note,
			   7);
	ktrack_guard_copy(vals_track, "copy", track);
	ktrack_guard_set(guard, errno, -5);
	memset(track, 'x', sizeof(track));
	memset(note, 'x', strlen(note));
	free(note);
	memset(request, 'x', sizeof(*request));
}

int main(void)
{
	static const char named[] = "of the author";
	struct request request = { { 2, 0x42, 0xac, 0x11, 0, 2 }, "full", "follows" };

	handle(&request);
	{
		ktrack_guard(vals_track, "word", KTRACK_STATIC(named));
		ktrack_guard(vals_work, "one");
		ktrack_guard(vals_work, "two");
		ktrack_sample(vals_level, -3);
	}
	ktrack_begin(vals_kinds, "plain", NULL, "ab", NULL, "b", 8);
	ktrack_end(vals_kinds, NULL, NULL, NULL, "e", -2, 9);
	ktrack_instant(vals_part, "part", 0.1, 0.5f);
	ktrack_instant(vals_part, "words", strtod("nan", NULL), strtof("-inf", NULL));
	ktrack_sample(vals_load, -2.25);
	ktrack_sample(vals_load, 1e300);
	return 0;
}
