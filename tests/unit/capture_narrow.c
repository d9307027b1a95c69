// SPDX-License-Identifier: GPL-2.0-only
/* Tests: which files are 32-bit programs. */
#include "capture/run.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/tap.h"

static Elf32_Ehdr header_of(unsigned char size, uint16_t machine)
{
	Elf32_Ehdr header = { .e_machine = machine };

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = size;
	return header;
}

static bool file_is_narrow(const Elf32_Ehdr *header, size_t size)
{
	char path[] = "/tmp/ktrack-narrow-XXXXXX";
	int fd = mkstemp(path);
	bool is_narrow;

	CHECK(fd >= 0 && file_write_all(fd, (const char *)header, size, NULL) == 0);
	close(fd);
	is_narrow = narrow_program(path);
	unlink(path);
	return is_narrow;
}

TEST(a_header_shows_32_bit_programs)
{
	Elf32_Ehdr header = header_of(ELFCLASS32, EM_386);

	CHECK(file_is_narrow(&header, sizeof(header)));
	CHECK(!file_is_narrow(&header, sizeof(header) - 1));
	header = header_of(ELFCLASS32, EM_ARM);
	CHECK(file_is_narrow(&header, sizeof(header)));
	header.e_ident[0] = '#';
	CHECK(!file_is_narrow(&header, sizeof(header)));
}

TEST(x32_and_64_bit_programs_are_none)
{
	Elf32_Ehdr header = header_of(ELFCLASS64, EM_X86_64);

	CHECK(!file_is_narrow(&header, sizeof(header)));
	header = header_of(ELFCLASS32, EM_X86_64);
	CHECK(!file_is_narrow(&header, sizeof(header)));
	CHECK(!narrow_program("/proc/self/exe"));
	CHECK(!narrow_program("/nothing/here"));
}

TEST(this_process_is_not_listed)
{
	SCOPED_BUFFER(threads);
	char own[16];

	narrow_threads_append(&threads);
	snprintf(own, sizeof(own), "%d", getpid());
	CHECK(!strstr(buffer_string(&threads), own));
}
