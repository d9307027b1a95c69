// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest: takes in a stream of the test module's records (--with=cpu) as it comes, and holds the
 * time of each against the clock of its receipt. When the stream has ended, prints for each CPU
 *
 *	cpu N records NUMBER first SEQUENCE last SEQUENCE breaks NUMBER
 *
 * (breaks: how often a sequence number was not the one behind the last), then
 *
 *	late MICROSECONDS least MICROSECONDS span MICROSECONDS
 *
 * (the greatest and the least delay; and from the first record's time to the last one's). Lines that
 * have the argument are counted, as "counted NUMBER", and lines of losses are repeated.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CPUS_MAX 16
#define DAY_US (INT64_C(86400) * 1000000)

#define CPU_KEY ",\"cpu\":"
#define SEQUENCE_KEY ",\"args\":{\"sequence\":"
#define ERROR_BEGIN "{\"event\":\"error\""
#define TIME_KEY "\"time\":\""
#define DATE_SIZE 11

/** struct cpu - what came from one CPU */
struct cpu {
	unsigned long records;
	unsigned long first;
	unsigned long last;
	unsigned long breaks;
};

/** struct received - the received bytes */
struct received {
	struct cpu cpus[CPUS_MAX];
	const char *counted;
	unsigned long nr_counted;
	unsigned long records;
	int64_t late_us;
	int64_t least_us;
	int64_t begin_us;
	int64_t end_us;
};

/* Times are those of a day, and differences less than half of one. */
static int64_t since_us(int64_t from_us, int64_t to_us)
{
	int64_t passed_us = (to_us - from_us) % DAY_US;

	if (passed_us > DAY_US / 2)
		return passed_us - DAY_US;
	return passed_us < -DAY_US / 2 ? passed_us + DAY_US : passed_us;
}

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec % 86400) * INT64_C(1000000) + now.tv_nsec / 1000;
}

static int64_t digits_read(const char *text, size_t size)
{
	int64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number * 10 + (text[i] - '0');
	return number;
}

/* Reads "HH:MM:SS.UUUUUU". */
static int64_t clock_read(const char *text)
{
	int64_t minutes = digits_read(text, 2) * 60 + digits_read(text + 3, 2);

	return (minutes * 60 + digits_read(text + 6, 2)) * 1000000 + digits_read(text + 9, 6);
}

static void sequence_take(struct cpu *cpu, unsigned long sequence)
{
	if (cpu->records++ == 0)
		cpu->first = sequence;
	else if (sequence != cpu->last + 1)
		cpu->breaks++;
	cpu->last = sequence;
}

static void time_take(struct received *received, int64_t time_us, int64_t arrived_us)
{
	int64_t passed_us = since_us(time_us, arrived_us);

	if (received->records++ == 0) {
		received->begin_us = time_us;
		received->late_us = passed_us;
		received->least_us = passed_us;
	}
	received->end_us = time_us;
	if (passed_us > received->late_us)
		received->late_us = passed_us;
	if (passed_us < received->least_us)
		received->least_us = passed_us;
}

/* Lines that are no record's own are passed over. */
static void line_take(struct received *received, const char *line, int64_t arrived_us)
{
	const char *cpu_text = strstr(line, CPU_KEY);
	const char *time_text = strstr(line, TIME_KEY);
	unsigned long cpu;
	char *end;

	if (strncmp(line, ERROR_BEGIN, strlen(ERROR_BEGIN)) == 0)
		puts(line);
	if (received->counted && strstr(line, received->counted))
		received->nr_counted++;
	if (!cpu_text || !time_text)
		return;
	cpu = strtoul(cpu_text + strlen(CPU_KEY), &end, 10);
	if (cpu >= CPUS_MAX || strncmp(end, SEQUENCE_KEY, strlen(SEQUENCE_KEY)) != 0)
		return;
	sequence_take(&received->cpus[cpu], strtoul(end + strlen(SEQUENCE_KEY), NULL, 10));
	time_take(received, clock_read(time_text + strlen(TIME_KEY) + DATE_SIZE), arrived_us);
}

/* Takes whole lines; returns how much is left, which is then at the beginning. */
static size_t lines_take(struct received *received, char *text, size_t size)
{
	int64_t arrived_us = now_us();
	char *line = text, *end;

	while ((end = memchr(line, '\n', text + size - line))) {
		*end = '\0';
		line_take(received, line, arrived_us);
		line = end + 1;
	}
	size -= line - text;
	memmove(text, line, size);
	return size;
}

static void received_print(const struct received *received)
{
	for (int i = 0; i < CPUS_MAX; i++) {
		const struct cpu *cpu = &received->cpus[i];

		if (cpu->records > 0)
			printf("cpu %d records %lu first %lu last %lu breaks %lu\n", i,
			       cpu->records, cpu->first, cpu->last, cpu->breaks);
	}
	if (received->counted)
		printf("counted %lu\n", received->nr_counted);
	printf("late %lld least %lld span %lld\n", (long long)received->late_us,
	       (long long)received->least_us,
	       (long long)since_us(received->begin_us, received->end_us));
}

int main(int argc, char **argv)
{
	static char text[128 * 1024];
	static struct received received;
	size_t kept = 0;
	ssize_t size;

	if (argc > 1)
		received.counted = argv[1];
	while ((size = read(STDIN_FILENO, text + kept, sizeof(text) - kept)) > 0)
		kept = lines_take(&received, text, kept + size);
	received_print(&received);
	return size < 0;
}
