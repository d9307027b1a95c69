// SPDX-License-Identifier: GPL-2.0-only
/* Tests of ELF files that claim more than they have: neither time nor memory exceed their size. */
#include "event/elf.h"

#include <elf.h>
#include <sys/resource.h>

#include "base/base.h"
#include "fixtures/folder.h"
#include "fixtures/tap.h"

/* Many sections are the same bytes. */
#define NR_SECTIONS 400
#define CONTENT_SIZE (2400 * 1024)

/* Memory of the process may grow by a few copies of the file. */
#define GROWTH_KIB_MAX (16 * CONTENT_SIZE / 1024)

static const struct error no_error;

static long memory_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Every symbol is a function whose name is the text at the begin of the section. */
static void content_fill(struct buffer *file)
{
	static const Elf64_Sym symbol = { .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					  .st_shndx = 1 };

	for (size_t i = 0; i < CONTENT_SIZE / sizeof(symbol); i++)
		buffer_append(file, (const char *)&symbol, sizeof(symbol));
}

/* Returns the path of a file whose sections of @type are all the same. */
static const char *file_make(const struct folder *folder, unsigned int type)
{
	Elf64_Ehdr header = { .e_ident = ELFMAG, .e_type = ET_DYN, .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
			      .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = NR_SECTIONS };
	Elf64_Shdr section = { .sh_offset = sizeof(header), .sh_addralign = 4,
			       .sh_size = CONTENT_SIZE / sizeof(Elf64_Sym) * sizeof(Elf64_Sym) };
	struct buffer file = { 0 };

	memcpy(&header.e_ident[EI_CLASS], "\2\1\1", 3);
	header.e_shoff = sizeof(header) + section.sh_size;
	buffer_append(&file, (const char *)&header, sizeof(header));
	content_fill(&file);
	for (int i = 0; i < NR_SECTIONS; i++) {
		section.sh_type = i == 0 ? SHT_NULL : i == 1 ? SHT_STRTAB : type;
		section.sh_link = 1;
		section.sh_entsize = sizeof(Elf64_Sym);
		buffer_append(&file, (const char *)&section, sizeof(section));
	}
	folder_add(folder, "file", file.data, file.size);
	buffer_release(&file);
	return folder_path(folder, "file");
}

static int mark_ignore(void *context, const struct elf_mark *mark, struct error *error)
{
	(void)context, (void)mark, (void)error;
	return 0;
}

static void check_memory(unsigned int type)
{
	struct error error = no_error;
	struct elf_file *file;
	struct folder folder;
	struct elf_function found;
	long before_kib;

	folder_new(&folder);
	CHECK_NUMBER(elf_open(&file, file_make(&folder, type), &error), 0);
	before_kib = memory_kib();
	CHECK_NUMBER(elf_find_function(file, "nosuch", &found, &error), -1);
	CHECK_NUMBER(elf_visit_marks(file, mark_ignore, NULL, &error), 0);
	CHECK(memory_kib() - before_kib < GROWTH_KIB_MAX);
	elf_close(file);
	folder_remove(&folder);
}

TEST(sections_that_are_the_same_bytes)
{
	check_memory(SHT_SYMTAB);
	check_memory(SHT_NOTE);
}

TEST(a_pipe_without_a_writer_is_no_program)
{
	struct error error = no_error;
	struct elf_file *file;
	struct folder folder;
	char want[128];

	folder_new(&folder);
	CHECK_NUMBER(mkfifo(folder_path(&folder, "pipe"), 0600), 0);
	CHECK_NUMBER(elf_open(&file, folder_path(&folder, "pipe"), &error), -1);
	snprintf(want, sizeof(want),
		 "%s/pipe: not an ELF file; name a program or a shared library", folder.path);
	CHECK_TEXT(error.text, want);
	folder_remove(&folder);
}
