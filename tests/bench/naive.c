// SPDX-License-Identifier: GPL-2.0-only
/*
 * The exporter that one writes first: every track event of a trace.dat as a JSON line, by libtracecmd,
 * look-ups by name and fprintf(). It is what ktrack's speed and values are compared with.
 */
#include <event-parse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

static void string_print(const char *string)
{
	putchar('"');
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			putchar('\\');
		putchar(*string);
	}
	putchar('"');
}

static void text_print(struct tep_event *event, struct tep_format_field *field,
		       struct tep_record *record)
{
	int size;
	char *data = tep_get_field_raw(NULL, event, field->name, record, &size, 0);
	char *copy = data ? strndup(data, size) : NULL;

	string_print(copy ? copy : "");
	free(copy);
}

static void number_print(struct tep_event *event, struct tep_format_field *field,
			 struct tep_record *record)
{
	unsigned long long number = 0;
	unsigned int shift = 64 - 8 * field->size;

	tep_get_field_val(NULL, event, field->name, record, &number, 0);
	if (field->flags & TEP_FIELD_IS_SIGNED)
		printf("%lld", (long long)(number << shift) >> shift);
	else
		printf("%llu", number);
}

static void field_print(struct tep_event *event, struct tep_format_field *field,
			struct tep_record *record)
{
	printf(",\"%s\":", field->name);
	if (field->flags & TEP_FIELD_IS_STRING)
		text_print(event, field, record);
	else
		number_print(event, field, record);
}

static int record_print(struct tracecmd_input *input, struct tep_record *record, int cpu,
			void *context)
{
	struct tep_event *event = tep_find_event_by_record(tracecmd_get_tep(input), record);

	(void)context;
	if (!event || (!tep_find_field(event, "track_event_type") &&
		       !tep_find_field(event, "counter_value")))
		return 0;
	printf("{\"time\":%llu,\"cpu\":%d,\"tid\":%d,\"category\":\"%s:%s\"", record->ts, cpu,
	       tep_data_pid(event->tep, record), event->system, event->name);
	for (struct tep_format_field *field = event->format.fields; field; field = field->next)
		field_print(event, field, record);
	printf("}\n");
	return 0;
}

int main(int argc, char **argv)
{
	struct tracecmd_input *input = argc == 2 ? tracecmd_open(argv[1], 0) : NULL;

	if (!input) {
		fprintf(stderr, "naive: give me a trace.dat\n");
		return 1;
	}
	tracecmd_iterate_events(input, NULL, 0, record_print, NULL);
	tracecmd_close(input);
	return 0;
}
