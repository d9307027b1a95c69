// SPDX-License-Identifier: GPL-2.0-only
/* Reads ELF files by libelf, which is loaded for that. USDTs are notes, as systemtap's <sys/sdt.h>
 * describes them. */
#include "event/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Makes the begins of symbols from a name of C++. That is safer than to demangle the symbols of a
 * file, which may be hostile.
 */

/* Appends the parts of a name between "::", each behind its size; returns how many there are. */
static size_t parts_mangle(struct buffer *out, struct text name)
{
	size_t nr_parts = 0;

	while (name.size > 0) {
		const char *colons = memmem(name.data, name.size, "::", 2);
		size_t size = colons ? (size_t)(colons - name.data) : name.size;

		if (size > 0)
			buffer_printf(out, "%zu%.*s", size, (int)size, name.data);
		nr_parts += size > 0;
		name = text_from(name, colons ? size + 2 : size);
	}
	return nr_parts;
}

/* Appends how symbols of a function begin; parameters of "space::Class::function(int)" are ignored.
 */
static void name_mangle(struct buffer mangled[MANGLED_FORMS], const char *name)
{
	static const char *const nested[MANGLED_FORMS] = { "_ZN", "_ZNK" };
	static const char *const plain[MANGLED_FORMS] = { "_Z", "_ZL" };
	struct text without = { name, strcspn(name, "(") };
	SCOPED_BUFFER(parts);
	bool is_nested = parts_mangle(&parts, without) > 1;

	for (size_t i = 0; i < MANGLED_FORMS && without.size > 0; i++)
		buffer_printf(&mangled[i], "%s%s%s", is_nested ? nested[i] : plain[i],
			      buffer_string(&parts), is_nested ? "E" : "");
}

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3
/* The place, the address of this section when the note was written, and the semaphore. */
#define NOTE_ADDRESSES 3
/* The first byte of a locked instruction of x86. */
#define LOCK_PREFIX 0xf0
#define BASE_SECTION ".stapsdt.base"
/* Functions of one name that an error lists. */
#define LISTED_MAX 8
/* The kernel runs no program with more. */
#define SEGMENTS_MAX (65536 / sizeof(Elf64_Phdr))
#define ELF_FUNCTIONS(apply)                                                                       \
	apply(elf_begin) apply(elf_end) apply(elf_getdata) apply(elf_getphdrnum) apply(elf_getscn) \
		apply(elf_getshdrstrndx) apply(elf_kind) apply(elf_nextscn) apply(elf_version)     \
			apply(gelf_getclass) apply(gelf_getehdr) apply(gelf_getnote)               \
				apply(gelf_getphdr) apply(gelf_getshdr) apply(gelf_getsym)

/** struct elf_api - libelf */
struct elf_api {
	void *handle;
	ELF_FUNCTIONS(LIBRARY_MEMBER)
};

struct elf_file {
	struct elf_api api;
	int fd;
	Elf *elf;
	const char *path;
	uint64_t size;
	GElf_Ehdr header;
};

static int elf_file_read(struct elf_file *file, const char *path, struct error *error)
{
	struct elf_api *api = &file->api;
	const struct library_function functions[] = { ELF_FUNCTIONS(LIBRARY_FUNCTION) };
	struct stat about;

	/* Another user's pipe has no writer. */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0 || fstat(file->fd, &about) < 0)
		return error_set_system(error, errno, "%s", path);
	file->size = about.st_size;
	if (library_load(&api->handle, "libelf.so.1", "libelf (Debian's package libelf1)",
			 functions, sizeof(functions) / sizeof(functions[0]), error) < 0)
		return -1;
	api->elf_version(EV_CURRENT);
	file->elf = api->elf_begin(file->fd, ELF_C_READ, NULL);
	if (file->elf && api->elf_kind(file->elf) == ELF_K_ELF &&
	    api->gelf_getehdr(file->elf, &file->header))
		return 0;
	return error_set(error, "%s: not an ELF file; name a program or a shared library", path);
}

int elf_open(struct elf_file **out, const char *path, struct error *error)
{
	struct elf_file *file = calloc(1, sizeof(*file));

	*out = NULL;
	if (!file)
		return error_set(error, "out of memory");
	file->path = path;
	if (elf_file_read(file, path, error) < 0)
		return elf_close(file), -1;
	*out = file;
	return 0;
}

void elf_close(struct elf_file *file)
{
	if (!file)
		return;
	if (file->elf)
		file->api.elf_end(file->elf);
	library_release(file->api.handle);
	file_close(file->fd);
	free(file);
}

unsigned int elf_machine(const struct elf_file *file)
{
	return file->header.e_machine;
}

/* Returns false if no segment has the address in the file. */
static bool offset_find(const struct elf_file *file, uint64_t address, uint64_t *offset)
{
	size_t nr_segments;

	if (file->api.elf_getphdrnum(file->elf, &nr_segments) < 0)
		return false;
	for (size_t i = 0; i < nr_segments && i < SEGMENTS_MAX; i++) {
		GElf_Phdr segment;

		if (!file->api.gelf_getphdr(file->elf, i, &segment) || segment.p_type != PT_LOAD ||
		    address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

/* Returns the texts of a section, NULL if there are none. */
static const Elf_Data *strings_read(const struct elf_file *file, size_t number)
{
	Elf_Scn *section = file->api.elf_getscn(file->elf, number);
	const Elf_Data *data = NULL;
	GElf_Shdr header;

	if (section && file->api.gelf_getshdr(section, &header) && header.sh_type == SHT_STRTAB)
		data = file->api.elf_getdata(section, NULL);
	return data && data->d_buf ? data : NULL;
}

/* Takes the time of @text, however long the texts are. */
static bool string_is(const Elf_Data *strings, size_t offset, const char *text)
{
	size_t size = strlen(text) + 1;

	return strings && offset < strings->d_size && size <= strings->d_size - offset &&
	       memcmp((const char *)strings->d_buf + offset, text, size) == 0;
}

/** struct function_search - a search in a table of symbols */
struct function_search {
	const char *name; /* that the user wrote */
	/* begins of symbols of C++ functions of this name; NULL for the name itself */
	const struct buffer *mangled;
	/* @address, @size: of the first one found */
	uint64_t address;
	uint64_t size;
	size_t nr_found;
	struct buffer found; /* names of those at other addresses */
	char part[ELF_NAME_SIZE];
	struct suggestion nearest; /* a function with a similar name */
};

/* Returns whether the rest of a symbol may be the types of parameters, or template arguments. */
static bool is_mangled(const struct function_search *search, const char *symbol)
{
	for (size_t i = 0; search->mangled && i < MANGLED_FORMS; i++) {
		size_t size = search->mangled[i].size;

		if (size > 0 && strncmp(symbol, search->mangled[i].data, size) == 0 &&
		    !strchr(symbol, '.'))
			return true;
	}
	return false;
}

static void function_add(struct function_search *search, const GElf_Sym *symbol, const char *name)
{
	if (search->nr_found > 0 && symbol->st_value == search->address)
		return;
	if (search->nr_found++ == 0) {
		search->address = symbol->st_value;
		search->size = symbol->st_size;
	}
	if (search->nr_found <= LISTED_MAX)
		buffer_printf(&search->found, "%s%s", search->nr_found > 1 ? ", " : "", name);
}

static void table_search(const struct elf_file *file, Elf_Scn *section, const GElf_Shdr *header,
			 struct function_search *search)
{
	Elf_Data *data = file->api.elf_getdata(section, NULL);
	const Elf_Data *strings = strings_read(file, header->sh_link);
	size_t size = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	size_t name_size = strlen(search->name), left;
	char name[ELF_NAME_SIZE];

	for (size_t i = 0; i < size; i++) {
		GElf_Sym symbol;

		if (!file->api.gelf_getsym(data, i, &symbol))
			break;
		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		/* Longer names than are copied are only found as a whole. */
		if (string_is(strings, symbol.st_name, search->name)) {
			/* Of static functions of one name, the first. */
			if (search->nr_found == 0)
				function_add(search, &symbol, search->name);
			continue;
		}
		left = strings && symbol.st_name < strings->d_size
			       ? strings->d_size - symbol.st_name
			       : 0;
		snprintf(name, sizeof(name), "%.*s",
			 (int)(left < ELF_NAME_SIZE ? left : ELF_NAME_SIZE),
			 left > 0 ? (const char *)strings->d_buf + symbol.st_name : "");
		if (is_mangled(search, name))
			function_add(search, &symbol, name);
		else if (strncmp(name, search->name, name_size) == 0 &&
			 strncmp(name + name_size, ".part.", 6) == 0)
			strcpy(search->part, name);
		else if (!search->mangled)
			suggestion_add(&search->nearest, text_of(search->name), name);
	}
}

/* A file has one table of a type; many of a hostile one could be the same bytes. */
static void functions_search(const struct elf_file *file, struct function_search *search)
{
	static const unsigned int types[] = { SHT_SYMTAB, SHT_DYNSYM };

	for (size_t i = 0; i < 2 && search->nr_found == 0; i++) {
		Elf_Scn *section = NULL;
		GElf_Shdr header;

		while ((section = file->api.elf_nextscn(file->elf, section)) &&
		       (!file->api.gelf_getshdr(section, &header) || header.sh_type != types[i]))
			;
		if (section)
			table_search(file, section, &header, search);
	}
}

/* Returns -1 with @error unless there is one function of this name. */
static int function_choose(const struct elf_file *file, struct function_search *search,
			   struct error *error)
{
	struct buffer mangled[MANGLED_FORMS] = { { 0 } };
	int status = 0;

	functions_search(file, search);
	if (search->nr_found == 0) {
		name_mangle(mangled, search->name);
		search->mangled = mangled;
		functions_search(file, search);
	}
	if (search->nr_found > 1)
		status = error_set(error, "%s: %zu functions are called '%s'; write one of %s",
				   file->path, search->nr_found, search->name,
				   buffer_string(&search->found));
	else if (search->nr_found == 0 && search->nearest.word[0])
		status = error_set(error, "%s: no function '%s'; did you mean '%s'?", file->path,
				   search->name, search->nearest.word);
	else if (search->nr_found == 0)
		status = error_set(error,
				   "%s: no function '%s'; 'nm -D %s' lists those of a library",
				   file->path, search->name, file->path);
	search->mangled = NULL;
	for (size_t i = 0; i < MANGLED_FORMS; i++)
		buffer_release(&mangled[i]);
	buffer_release(&search->found);
	return status;
}

int elf_find_function(const struct elf_file *file, const char *name, struct elf_function *out,
		      struct error *error)
{
	struct function_search search = { .name = name };
	unsigned char byte;

	if (function_choose(file, &search, error) < 0)
		return -1;
	out->size = search.size;
	strcpy(out->part, search.part);
	if (!offset_find(file, search.address, &out->offset))
		return error_set(error,
				 "%s: function '%s' has no code in the file; name the file that "
				 "has it",
				 file->path, name);
	/* The kernel accepts a uprobe there, but never sets it. */
	if ((elf_machine(file) == EM_X86_64 || elf_machine(file) == EM_386) &&
	    pread(file->fd, &byte, 1, out->offset) == 1 && byte == LOCK_PREFIX)
		return error_set(error,
				 "%s: function '%s' begins with a locked instruction, where the "
				 "kernel sets no probe; name a function that calls it",
				 file->path, name);
	return 0;
}

static bool section_find(const struct elf_file *file, const char *name, GElf_Shdr *header)
{
	const Elf_Data *names = NULL;
	Elf_Scn *section = NULL;
	size_t number;

	if (file->api.elf_getshdrstrndx(file->elf, &number) == 0)
		names = strings_read(file, number);
	while (names && (section = file->api.elf_nextscn(file->elf, section))) {
		if (file->api.gelf_getshdr(section, header) &&
		    string_is(names, header->sh_name, name))
			return true;
	}
	return false;
}

/* A stripped program has them, too; those of a program for any address have another name. */
bool elf_is_go(const struct elf_file *file)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab",
					     ".note.go.buildid", ".go.buildinfo" };
	GElf_Shdr header;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (section_find(file, names[i], &header))
			return true;
	}
	return false;
}

/** struct mark_search - parameters of elf_visit_marks() */
struct mark_search {
	const struct elf_file *file;
	int (*visit)(void *context, const struct elf_mark *mark, struct error *error);
	void *context;
	struct error *error;
	bool has_base;
	uint64_t base;
};

static const char *note_take_text(const char **rest, const char *end)
{
	const char *begin = *rest, *nul = memchr(begin, '\0', end - begin);

	if (nul)
		*rest = nul + 1;
	return nul ? begin : NULL;
}

/* Returns false for a note that ends early. */
static bool note_parse(const struct mark_search *search, const Elf_Data *data, size_t at,
		       size_t size, GElf_Addr addresses[], struct elf_mark *out)
{
	Elf_Type type = search->file->api.gelf_getclass(search->file->elf) == ELFCLASS32
				? ELF_T_WORD
				: ELF_T_XWORD;
	size_t word = type == ELF_T_WORD ? sizeof(uint32_t) : sizeof(uint64_t);
	const char *begin = (const char *)data->d_buf + at;
	const char *end = begin + size, *rest = begin + NOTE_ADDRESSES * word;

	if (size < NOTE_ADDRESSES * word)
		return false;
	for (int i = 0; i < NOTE_ADDRESSES; i++) {
		uint32_t half;

		if (type == ELF_T_XWORD) {
			memcpy(&addresses[i], begin + i * word, word);
			continue;
		}
		memcpy(&half, begin + i * word, word);
		addresses[i] = half;
	}
	out->provider = note_take_text(&rest, end);
	out->name = out->provider ? note_take_text(&rest, end) : NULL;
	out->arguments = out->name ? note_take_text(&rest, end) : NULL;
	return out->arguments;
}

static int note_visit(const struct mark_search *search, const Elf_Data *data, size_t at,
		      size_t size)
{
	GElf_Addr addresses[NOTE_ADDRESSES];
	struct elf_mark mark = { 0 };
	uint64_t moved;

	if (!note_parse(search, data, at, size, addresses, &mark))
		return 0;
	moved = search->has_base ? search->base - addresses[1] : 0;
	if (!offset_find(search->file, addresses[0] + moved, &mark.offset) ||
	    (addresses[2] != 0 &&
	     !offset_find(search->file, addresses[2] + moved, &mark.semaphore)))
		return 0;
	return search->visit(search->context, &mark, search->error);
}

static int notes_visit(const struct mark_search *search, const Elf_Data *data)
{
	size_t at = 0, next, name_at, text_at;
	GElf_Nhdr note;

	while ((next = search->file->api.gelf_getnote((Elf_Data *)data, at, &note, &name_at,
						      &text_at)) > 0) {
		const char *owner = (const char *)data->d_buf + name_at;

		at = next;
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
		    memcmp(owner, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0 &&
		    note_visit(search, data, text_at, note.n_descsz) < 0)
			return -1;
	}
	return 0;
}

int elf_visit_marks(const struct elf_file *file,
		    int (*visit)(void *context, const struct elf_mark *mark, struct error *error),
		    void *context, struct error *error)
{
	struct mark_search search = {
		.file = file, .visit = visit, .context = context, .error = error
	};
	Elf_Scn *section = NULL;
	uint64_t left = file->size;
	GElf_Shdr base = { 0 }, header;

	/* The linker moves this section, but not the addresses in notes. */
	search.has_base = section_find(file, BASE_SECTION, &base);
	search.base = base.sh_addr;
	while ((section = file->api.elf_nextscn(file->elf, section))) {
		const Elf_Data *data;

		/* Sections do not overlap: those of a hostile file could be the same bytes. */
		if (!file->api.gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
		    header.sh_size > left)
			continue;
		left -= header.sh_size;
		data = file->api.elf_getdata(section, NULL);
		if (data && notes_visit(&search, data) < 0)
			return -1;
	}
	return 0;
}
