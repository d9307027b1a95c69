// SPDX-License-Identifier: GPL-2.0-only
/* Tests of symbols of modules that are loaded and unloaded while they are looked up. */
#include "event/kallsyms.h"

#include <sys/stat.h>
#include <unistd.h>

#define OWN_CLOCK CLOCK_BOOTTIME
#include "fixtures/folder.h"
#include "fixtures/own_clock.h"
#include "fixtures/tap.h"

#define CORE "f00 T _text\n1000 T core_first\n2000 T core_last\n2100 T _etext\n"

/** struct fixture - a list of symbols, a directory of modules, and the symbols at the beginning */
struct fixture {
	struct folder folder;
	struct kallsyms *early;
	struct late_symbols *late;
};

static void list_write(const struct fixture *fixture, const char *modules)
{
	folder_set_text(&fixture->folder, "list", CORE);
	folder_add_text(&fixture->folder, "list", modules);
}

static void fixture_open(struct fixture *fixture, const char *modules)
{
	char list[PATH_MAX], *folder;
	struct error error = { 0 };

	folder_new(&fixture->folder);
	folder_make(&fixture->folder, "modules");
	list_write(fixture, modules);
	strcpy(list, folder_path(&fixture->folder, "list"));
	folder = folder_path(&fixture->folder, "modules");
	CHECK_NUMBER(kallsyms_read(&fixture->early, list, &error), 0);
	CHECK_NUMBER(late_symbols_open(&fixture->late, list, folder, &error), 0);
}

static void fixture_close(struct fixture *fixture)
{
	late_symbols_close(fixture->late);
	kallsyms_free(fixture->early);
	folder_remove(&fixture->folder);
}

/* Some file systems do not count directories as links, unlike that of /sys. */
static void module_add(const struct fixture *fixture, const char *name)
{
	struct stat before, after;

	stat(folder_path(&fixture->folder, "modules"), &before);
	folder_make(&fixture->folder, name);
	stat(folder_path(&fixture->folder, "modules"), &after);
	if (before.st_nlink == after.st_nlink)
		late_symbols_expire(fixture->late);
}

static void check_symbol(struct fixture *fixture, uint64_t address, const char *want)
{
	struct kallsyms_symbol symbol = { 0 };
	bool is_found = late_symbols_find(fixture->late, fixture->early, address, &symbol);

	CHECK(text_equals(is_found ? symbol.name : text_of("-"), text_of(want)));
}

TEST(modules_that_are_loaded_later)
{
	struct fixture fixture;

	fixture_open(&fixture, "5000000 t old [one]\n");
	check_symbol(&fixture, 0x1004, "core_first");
	check_symbol(&fixture, 0x5000000, "old");
	check_symbol(&fixture, 0x6000000, "-");
	list_write(&fixture, "5000000 t old [one]\n6000000 t new [two]\n");
	/* Nothing shows that there is another module. */
	check_symbol(&fixture, 0x6000000, "-");
	module_add(&fixture, "modules/two");
	check_symbol(&fixture, 0x6000000, "new");
	check_symbol(&fixture, 0x1004, "core_first");
	/* Close behind the last function of another module. */
	list_write(&fixture, "5000000 t old [one]\n5000100 t near [three]\n6000000 t new [two]\n");
	check_symbol(&fixture, 0x5000004, "old");
	check_symbol(&fixture, 0x5000104, "old");
	module_add(&fixture, "modules/three");
	check_symbol(&fixture, 0x5000104, "near");
	fixture_close(&fixture);
}

TEST(addresses_of_no_function_are_not_looked_for_again)
{
	struct fixture fixture;

	fixture_open(&fixture, "");
	own_clock_ns += 2 * NS_PER_S;
	check_symbol(&fixture, 0x6000000, "-");
	/* Code that no module has, for example of a BPF program. */
	list_write(&fixture, "6000000 t late [bpf]\n7000000 t other [bpf]\n");
	own_clock_ns += 2 * NS_PER_S;
	check_symbol(&fixture, 0x6000000, "-");
	check_symbol(&fixture, 0x7000000, "other");
	check_symbol(&fixture, 0x6000000, "late");
	list_write(&fixture, "");
	late_symbols_expire(fixture.late);
	own_clock_ns += 2 * NS_PER_S;
	check_symbol(&fixture, 0x6000000, "-");
	list_write(&fixture, "6000000 t again [bpf]\n");
	late_symbols_expire(fixture.late);
	check_symbol(&fixture, 0x6000000, "again");
	fixture_close(&fixture);
}

TEST(modules_that_are_unloaded)
{
	struct fixture fixture;

	fixture_open(&fixture, "5000000 t old [one]\n");
	list_write(&fixture, "5000000 t other [two]\n");
	check_symbol(&fixture, 0x5000000, "old");
	late_symbols_expire(fixture.late);
	check_symbol(&fixture, 0x5000000, "other");
	list_write(&fixture, "");
	late_symbols_expire(fixture.late);
	/* Records of a module may be decoded after it was unloaded. */
	check_symbol(&fixture, 0x5000000, "old");
	check_symbol(&fixture, 0x2000, "core_last");
	fixture_close(&fixture);
}

TEST(lists_that_are_longer_than_one_reading)
{
	SCOPED_BUFFER(text);
	struct fixture fixture;

	fixture_open(&fixture, "");
	for (int i = 0; i < 20000; i++)
		buffer_printf(&text, "%x t function_%d\n", 0x3000 + i, i);
	buffer_append_string(&text, "a000000 t late [two]\n");
	for (int i = 0; i < 20000; i++)
		buffer_printf(&text, "%x t more_%d [two]\n", 0xa000010 + 16 * i, i);
	list_write(&fixture, buffer_string(&text));
	late_symbols_expire(fixture.late);
	check_symbol(&fixture, 0xa000004, "late");
	check_symbol(&fixture, 0xa000010 + 16 * 19999, "more_19999");
	fixture_close(&fixture);
}

TEST(lists_that_cannot_be_read)
{
	struct late_symbols *late;
	struct error error = { 0 };

	CHECK_NUMBER(late_symbols_open(&late, "/nosuch/list", "/", &error), -1);
	CHECK_TEXT(error.text, "cannot open /nosuch/list: No such file or directory");
	CHECK(!late);
	CHECK_NUMBER(late_symbols_open(&late, "/dev/null", "/nosuch/folder", &error), -1);
	CHECK(!late);
	late_symbols_close(NULL);
}
