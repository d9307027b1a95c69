// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the texts of a recording's properties, and splits its labels. */
#include "event/recording.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/** struct recording_text - a copy that a recording owns */
struct recording_text {
	struct recording_text *next;
	char text[];
};

int recording_keep(struct recording *recording, const char **member, struct text text)
{
	struct recording_text *kept = malloc(sizeof(*kept) + text.size + 1);

	if (!kept)
		return -1;
	memcpy(kept->text, text.data, text.size);
	kept->text[text.size] = '\0';
	kept->next = recording->texts;
	recording->texts = kept;
	*member = kept->text;
	return 0;
}

int recording_keep_id(struct recording *recording, uint64_t hash)
{
	struct buffer digits = { 0 };
	int status;

	buffer_printf(&digits, "%016llx", (unsigned long long)hash);
	status = digits.failed ? -1
			       : recording_keep(recording, &recording->id, buffer_text(&digits));
	buffer_release(&digits);
	return status;
}

int recording_keep_system(struct recording *recording)
{
	struct utsname system;

	if (uname(&system) < 0)
		return 0;
	if (recording_keep(recording, &recording->kernel, text_of(system.release)) < 0)
		return -1;
	return recording_keep(recording, &recording->host, text_of(system.nodename));
}

void recording_release(struct recording *recording)
{
	while (recording->texts) {
		struct recording_text *kept = recording->texts;

		recording->texts = kept->next;
		free(kept);
	}
}

/* Lines may be those of a hostile file. */
bool recording_take_label(struct text *rest, struct text *key, struct text *value)
{
	while (rest->size > 0) {
		struct text line = text_take_line(rest);
		const char *equals = memchr(line.data, '=', line.size);

		if (!equals || equals == line.data)
			continue;
		*key = (struct text){ line.data, equals - line.data };
		*value = (struct text){ equals + 1, line.data + line.size - equals - 1 };
		return true;
	}
	return false;
}
