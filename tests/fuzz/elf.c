// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz target: an ELF file, whose symbol and static tracepoints are probed. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "capture/run.h"

/* A refused probe has an error, another one has places in the file. */
static void probe_check(enum probe_kind kind, int fd, const char *place)
{
	char text[64];
	struct probe_setting setting = { kind, "--probe", text };
	struct error error = { 0 };
	struct probe probe;
	int status;

	snprintf(text, sizeof(text), "/proc/self/fd/%d:%s", fd, place);
	status = probe_parse(&probe, &setting, 0, &error);
	if ((status == 0) != (error.text[0] == '\0') || (status == 0 && probe.nr_sites == 0))
		abort();
	probe_release(&probe);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	probe_check(PROBE_PROGRAM, fd, "outer");
	probe_check(PROBE_USDT, fd, "shop:begin..end");
	probe_check(PROBE_USDT, fd, "shop:begin");
	close(fd);
	return 0;
}
