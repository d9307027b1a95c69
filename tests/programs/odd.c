// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does what no sound program does: odd texts | damage | withhold.
 *
 * "texts": its thread, slices, tracks and fields have texts that mean something to readers.
 * "damage": emits under such a name, then writes a head of its ring that no program writes, and
 * waits. "withhold": reserves a part of its ring, commits it almost a second later, and again.
 */
#include "events.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A second, after which ktrack gives up what is reserved. */
#define ALMOST_US 900000
#define PART 64u
#define PADDING (PART | 3)

static const char *const texts[] = {
	"\033[31mred", "\033]0;title\a", "\xc2\x9b" "31mC1", "</script><script>alert(1)</script>",
	"<img src=x onerror=alert(1)>", "=1+1", "@SUM(A1)", "a\"b\\c", "a\nfake 9\rc",
	"x\"} 1\nfake_metric{a=\"b\"} 9", "bad\xff\xfe", "\xed\xa0\x80surrogate",
	"\xe2\x80\xae" "rtl", "'; DROP TABLE slice;--", "{name}%s%n", "\001\002\177",
};

static void texts_emit(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		prctl(PR_SET_NAME, texts[i]);
		ktrack_begin(prog_client, texts[i], 1, texts[i]);
		ktrack_begin(prog_io, texts[i], 77, 0, 1, 4096, texts[i]);
		ktrack_end(prog_io, 77, 0, 1, 4096, texts[i], 0);
		ktrack_end(prog_client, 1, texts[i]);
	}
}

static void ring_damage(void)
{
	prctl(PR_SET_NAME, texts[1]);
	ktrack_instant(prog_work, "first");
	ktrack_user3_control.rings[0].head = 3;
	puts("damaged");
	fflush(stdout);
	pause();
}

static void ring_withhold(void)
{
	unsigned char *ring = ktrack_user3_process.base + KTRACK_USER_CONTROL_SIZE +
			      KTRACK_USER_EVENTS_SIZE;

	ktrack_instant(prog_work, "first");
	puts("withheld");
	fflush(stdout);
	for (;;) {
		uint64_t head = __atomic_fetch_add(&ktrack_user3_control.rings[0].head, PART,
						   __ATOMIC_RELEASE);

		usleep(ALMOST_US);
		__atomic_store_n((uint32_t *)(void *)(ring + head % KTRACK_USER_RING_SIZE),
				 PADDING, __ATOMIC_RELEASE);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "texts") == 0)
		texts_emit();
	else if (argc == 2 && strcmp(argv[1], "damage") == 0)
		ring_damage();
	else if (argc == 2 && strcmp(argv[1], "withhold") == 0)
		ring_withhold();
	else
		return 1;
	return 0;
}
