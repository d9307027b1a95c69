// SPDX-License-Identifier: GPL-2.0-only
/* Tests of probes: places, arguments and rules; the static tracepoints are this program's own. */
#include "capture/run.h"

#include <stdio.h>

#include "fixtures/fake_tracefs.h"

/* A note as <sys/sdt.h> writes it: its place is the address of the label. */
#define MARK(name, arguments)                                                            \
	".pushsection .note.stapsdt,\"\",\"note\"\n"                                     \
	".balign 4\n.4byte 8, 9f-8f, 3\n.asciz \"stapsdt\"\n"                            \
	"8: .8byte 1b\n.8byte 0\n.8byte 0\n.asciz \"shop\"\n.asciz \"" name "\"\n"       \
	".asciz \"" arguments "\"\n9: .balign 4\n.popsection\n"

#define SELF "/proc/self/exe"

static __attribute__((noinline, used)) void marked(void)
{
#ifdef __x86_64__
	__asm__ volatile("1: nop\n" MARK("begin", "8@%rdi -4@%esi 4@-20(%rbp) 1@$5 8@(%rax,%rbx)")
			 "1: nop\n" MARK("begin", "8@%r12") "1: nop\n" MARK("end", "-8@%rax"));
#endif
}

/* Returns the status of parsing, and appends "KIND PLACE ARGUMENTS" of each event to @out. */
static int parse(struct probe *probe, enum probe_kind kind, const char *text, struct buffer *out,
		 struct error *error)
{
	const struct probe_setting setting = { kind, "--probe", text };
	int status = probe_parse(probe, &setting, 3, error);

	for (size_t i = 0; i < probe->nr_sites; i++) {
		struct probe_site *site = &probe->sites[i];

		buffer_printf(out, "%s %s%s;", site->kind, buffer_string(&site->place),
			      buffer_string(&site->arguments));
	}
	return status;
}

static void check_sites(const char *text, const char *want)
{
	SCOPED_BUFFER(sites);
	struct error error = { 0 };
	SCOPED(probe) probe;

	CHECK_NUMBER(parse(&probe, PROBE_KERNEL, text, &sites, &error), 0);
	CHECK_TEXT(buffer_string(&sites), want);
	CHECK_TEXT(error.text, "");
}

static void check_refused(enum probe_kind kind, const char *text, const char *want)
{
	SCOPED_BUFFER(sites);
	struct error error = { 0 };
	SCOPED(probe) probe;

	CHECK_NUMBER(parse(&probe, kind, text, &sites, &error), -1);
	CHECK_TEXT(error.text, want);
}

TEST(places_and_arguments)
{
	check_sites("vfs_read", "p vfs_read;r1024 vfs_read ret=$retval:s64;");
	check_sites("ext4:ext4_sync  a=%di b=+4(%si):u32",
		    "p ext4:ext4_sync a=%di b=+4(%si):u32;r1024 ext4:ext4_sync ret=$retval:s64;");
	check_sites("vfs_read r=$retval:s32 a=%di",
		    "p vfs_read a=%di;r1024 vfs_read r=$retval:s32;");
	check_sites("vfs_read+0x10 a=%di", "p vfs_read+0x10 a=%di;");
}

TEST(refused_texts)
{
	static const char form[] = "not a function of the kernel; write FUNCTION or MODULE:FUNCTION";
	char want[256];

	snprintf(want, sizeof(want), "--probe '': %s", form);
	check_refused(PROBE_KERNEL, "", want);
	snprintf(want, sizeof(want), "--probe 'a:b:c': %s", form);
	check_refused(PROBE_KERNEL, "a:b:c", want);
	check_refused(PROBE_KERNEL, "f+1 a=$retval",
		      "--probe 'f+1 a=$retval': argument 'a=$retval': $retval is known at the "
		      "return of a function only; leave out +OFFSET and --entry-only");
	check_refused(PROBE_KERNEL, "f 1a=%di",
		      "--probe 'f 1a=%di': argument '1a=%di': not NAME=FETCHARG; write for example "
		      "size=%dx:u64");
	check_refused(PROBE_KERNEL, "f\n-:g/e",
		      "--probe 'f\n-:g/e': column 2: one of '#;\"{}' or a control character; remove "
		      "it");
	check_refused(PROBE_PROGRAM, SELF,
		      "--probe '" SELF "': not a function of a program; write PATH:SYMBOL");
	check_refused(PROBE_USDT, SELF ":shop:begin..",
		      "--probe '" SELF ":shop:begin..': not a USDT; write PATH:PROVIDER:NAME, or "
		      "PATH:PROVIDER:BEGIN..END");
	check_refused(PROBE_USDT, SELF ":shop:end..nosuch",
		      "--probe '" SELF ":shop:end..nosuch': the file has no such USDT; 'readelf -n "
		      "FILE' lists those it has");
}

static void check_setting(enum probe_kind kind, const char *text, const char *want)
{
	const struct probe_setting setting = { kind, "--probe", text };
	struct error error = { 0 };

	CHECK_NUMBER(probe_setting_check(&setting, &error), *want ? -1 : 0);
	CHECK_TEXT(error.text, want);
}

TEST(texts_are_checked_without_programs)
{
	check_setting(PROBE_KERNEL, "vfs_read a=%di", "");
	check_setting(PROBE_PROGRAM, "/nosuch:outer a=%di", "");
	check_setting(PROBE_USDT, "/nosuch:shop:begin..end", "");
	check_setting(PROBE_PROGRAM, "/nosuch:outer a",
		      "--probe '/nosuch:outer a': argument 'a': not NAME=FETCHARG; write for example "
		      "size=%dx:u64");
	check_setting(PROBE_PROGRAM, "/nosuch:",
		      "--probe '/nosuch:': not a function of a program; write PATH:SYMBOL");
	check_setting(PROBE_USDT, "/nosuch:begin",
		      "--probe '/nosuch:begin': not a USDT; write PATH:PROVIDER:NAME, or "
		      "PATH:PROVIDER:BEGIN..END");
}

TEST(rule)
{
	const struct probe_setting setting = { PROBE_KERNEL, "--probe", "m:do_it.isra.0 a=%di b=%si" };
	SCOPED_BUFFER(rule);
	struct error error = { 0 };
	SCOPED(probe) probe;

	CHECK_NUMBER(probe_parse(&probe, &setting, 3, &error), 0);
	probe_append_rule(&probe, "group", &rule);
	probe_append_rule(&probe, "group", &rule);
	CHECK_TEXT(buffer_string(&rule), "slice probe:do_it.isra.0 name=\"do_it.isra.0\"\n"
					 " begin = group:p3_0_do_it_isra_0 args=a,b\n"
					 " end = group:p3_1_do_it_isra_0 args=ret\n"
					 "slice probe:do_it.isra.0.3 name=\"do_it.isra.0\"\n"
					 " begin = group:p3_0_do_it_isra_0 args=a,b\n"
					 " end = group:p3_1_do_it_isra_0 args=ret\n");
}

TEST(functions_of_programs)
{
	struct buffer sites = { 0 };
	struct error error = { 0 };
	struct probe probe;

	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, SELF ":marked a=%di", &sites, &error), 0);
	CHECK_NUMBER(probe.nr_sites, 2);
	CHECK(strstr(buffer_string(&sites), "capture_probe:0x") != NULL);
	CHECK(strstr(buffer_string(&sites), " a=%di;r /") != NULL);
	CHECK_TEXT(error.text, "");
	probe_release(&probe);
	buffer_release(&sites);
	marked();
}

/* Makes a copy of this program, and the symbolic link FOLDER/link to it. */
static void link_make(const struct folder *folder, const char *name)
{
	SCOPED_BUFFER(program);
	char link[128];

	CHECK_NUMBER(file_read(SELF, &program), 0);
	folder_add(folder, name, program.data, program.size);
	snprintf(link, sizeof(link), "%s/link", folder->path);
	CHECK_NUMBER(symlink(name, link), 0);
}

/* As C++ compilers name functions. */
__attribute__((noinline, used)) int engine_step(int) __asm__("_ZN3app6Engine4stepEi");
__attribute__((noinline, used)) int engine_step_long(long) __asm__("_ZN3app6Engine4stepEl");
__attribute__((noinline, used)) int engine_stop(int) __asm__("_ZNK3app6Engine4stopEi");
__attribute__((noinline, used)) int plain_static(int) __asm__("_ZL6helperi");
__attribute__((noinline, used)) int parted(int);
__attribute__((noinline, used)) int parted_rest(int) __asm__("parted.part.0");

int engine_step(int number)
{
	return number + 1;
}

int engine_step_long(long number)
{
	return number + 2;
}

int engine_stop(int number)
{
	return number + 3;
}

int plain_static(int number)
{
	return number + 4;
}

int parted(int number)
{
	return number + 5;
}

int parted_rest(int number)
{
	return number + 6;
}

/* Where the kernel sets the probe of a place, as "FILE-OFFSET KIND,KIND". */
static void check_place(const char *place, const char *same_as, const char *kinds)
{
	SCOPED_BUFFER(sites);
	SCOPED_BUFFER(others);
	struct error error = { 0 };
	struct probe probe, other;

	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, place, &sites, &error), 0);
	CHECK_TEXT(error.text, "");
	CHECK_NUMBER(parse(&other, PROBE_PROGRAM, same_as, &others, &error), 0);
	CHECK_TEXT(buffer_string(&probe.sites[0].place), buffer_string(&other.sites[0].place));
	CHECK_NUMBER(probe.nr_sites, strlen(kinds));
	for (size_t i = 0; i < probe.nr_sites; i++)
		CHECK_NUMBER(probe.sites[i].kind[0], kinds[i]);
	probe_release(&probe);
	probe_release(&other);
}

TEST(without_returns_there_are_instants)
{
	static const char *const texts[] = { "vfs_read a=%di", SELF ":marked" };

	for (enum probe_kind kind = PROBE_KERNEL; kind <= PROBE_PROGRAM; kind++) {
		const struct probe_setting setting = { kind, "--probe", texts[kind],
						       .is_entry_only = true };
		struct error error = { 0 };
		struct probe probe;

		CHECK_NUMBER(probe_parse(&probe, &setting, 0, &error), 0);
		CHECK_NUMBER(probe.nr_sites, 1);
		CHECK_NUMBER(probe.sites[0].role, PROBE_INSTANT);
		probe_release(&probe);
	}
}

TEST(functions_of_cpp_have_their_names)
{
	check_place(SELF ":app::Engine::stop", SELF ":_ZNK3app6Engine4stopEi", "pr");
	check_place(SELF ":app::Engine::stop(int, char const*) a=%di", SELF ":_ZNK3app6Engine4stopEi",
		    "pr");
	check_place(SELF ":app::Engine::stop(int)+0", SELF ":_ZNK3app6Engine4stopEi", "p");
	check_place(SELF ":helper", SELF ":_ZL6helperi", "pr");
}

/* The error is one of two texts: symbols have any order. */
static void check_not_found(const char *symbol, const char *want, const char *or)
{
	SCOPED_BUFFER(sites);
	struct error error = { 0 };
	SCOPED(probe) probe;
	char text[128];

	snprintf(text, sizeof(text), SELF ":%s", symbol);
	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, text, &sites, &error), -1);
	CHECK(strstr(error.text, want) || strstr(error.text, or));
}

TEST(names_that_are_not_those_of_one_function)
{
	check_not_found("app::Engine::step",
			"capture_probe: 2 functions are called 'app::Engine::step'; write one of "
			"_ZN3app6Engine4stepEi, _ZN3app6Engine4stepEl",
			"capture_probe: 2 functions are called 'app::Engine::step'; write one of "
			"_ZN3app6Engine4stepEl, _ZN3app6Engine4stepEi");
	check_not_found("partde", "capture_probe: no function 'partde'; did you mean 'parted'?",
			"one text");
}

TEST(a_place_in_a_function_is_one_of_its_instructions)
{
	SCOPED_BUFFER(sites);
	struct error error = { 0 };
	SCOPED(probe) probe;

	check_place(SELF ":parted+0", SELF ":parted", "p");
	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, SELF ":parted+0x10000", &sites, &error), -1);
	CHECK_TEXT(error.text,
		   "--probe '" SELF ":parted+0x10000': the offset is behind the function's "
		   "end; 'objdump -d PATH' shows where its instructions begin");
}

TEST(a_function_may_be_partly_inlined)
{
	SCOPED_BUFFER(sites);
	struct error error = { 0 };
	SCOPED(probe) probe;

	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, SELF ":parted", &sites, &error), 0);
	CHECK_TEXT(buffer_string(&probe.part), "parted.part.0");
}

static void line_append(void *context, const char *line)
{
	buffer_printf(context, "%s\n", line);
}

TEST(calls_that_may_be_missing_are_reported)
{
	SCOPED_BUFFER(lines);
	SCOPED_BUFFER(definitions);
	const struct report report = { .context = &lines, .message = line_append };
	struct capture_settings settings = { .report = &report, .nr_probes = 2 };
	struct probes probes = { 0 };
	struct error error = { 0 };

	settings.probes[0] = (struct probe_setting){ PROBE_PROGRAM, "--uprobe", SELF ":marked" };
	settings.probes[1] = (struct probe_setting){ PROBE_PROGRAM, "--uprobe", SELF ":parted" };
	fake_tracefs_begin();
	folder_add_text(&fake_tracefs.top, "dynamic_events", "");
	CHECK_NUMBER(probes_define(&probes, &settings, &error), 0);
	CHECK_TEXT(buffer_string(&lines), "--uprobe '" SELF ":parted': partly inlined: calls that do "
					  "not get to parted.part.0 may be missing\n");
	CHECK_NUMBER(file_read(folder_path(&fake_tracefs.top, "dynamic_events"), &definitions), 0);
	CHECK(strstr(buffer_string(&definitions), "/p1_0_parted ") != NULL);
	CHECK_NUMBER(probes_remove(&probes, &error), 0);
	CHECK_TEXT(error.text, "");
	fake_tracefs_end();
}

/* Becomes a section of Go in a copy of this program. */
static const char go_table[] __attribute__((section(".gopclntaX"), used)) = "";

TEST(returns_of_go_are_refused)
{
	static const char section[] = ".gopclntaX";
	struct buffer program = { 0 }, sites = { 0 };
	struct error error = { 0 };
	struct folder folder;
	struct probe probe;
	char text[256], want[512], *found;

	folder_new(&folder);
	CHECK_NUMBER(file_read(SELF, &program), 0);
	while ((found = memmem(program.data, program.size, section, sizeof(section) - 1)))
		memcpy(found, ".gopclntab", sizeof(section) - 1);
	folder_add(&folder, "go", program.data, program.size);
	snprintf(text, sizeof(text), "%s/go:parted", folder.path);
	snprintf(want, sizeof(want),
		 "--probe '%s': a program of Go, which crashes if returns are recorded; write "
		 "PATH:SYMBOL+0, or --entry-only, for instants at its calls",
		 text);
	check_refused(PROBE_PROGRAM, text, want);
	snprintf(text, sizeof(text), "%s/go:parted+0", folder.path);
	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, text, &sites, &error), 0);
	CHECK_NUMBER(probe.nr_sites, 1);
	CHECK_NUMBER(probe.sites[0].role, PROBE_INSTANT);
	probe_release(&probe);
	buffer_release(&sites);
	buffer_release(&program);
	folder_remove(&folder);
}

static void check_link_refused(const char *name)
{
	struct folder folder;
	char text[128], want[512];

	folder_new(&folder);
	link_make(&folder, name);
	for (enum probe_kind kind = PROBE_PROGRAM; kind <= PROBE_USDT; kind++) {
		snprintf(text, sizeof(text), "%s/link:%s", folder.path,
			 kind == PROBE_USDT ? "shop:begin..end" : "marked");
		snprintf(want, sizeof(want),
			 "--probe '%s': the real path of the file has a space, one of '#;\"{}' or a "
			 "control character; name a copy elsewhere",
			 text);
		check_refused(kind, text, want);
	}
	folder_remove(&folder);
}

/* The kernel would take the second line for a definition of its own. */
TEST(real_paths_that_the_kernel_misreads)
{
	check_link_refused("first\n-:others/event");
	check_link_refused("two words");
	check_link_refused("a;b");
}

#ifdef __x86_64__
__asm__(".text\n.type first_is_locked, @function\nfirst_is_locked:\tlock incl (%rsp)\n\tret\n"
	".size first_is_locked, . - first_is_locked\n");

TEST(functions_that_the_kernel_never_probes)
{
	static const char *const want = ": function 'first_is_locked' begins with a locked "
					"instruction, where the kernel sets no probe; name a "
					"function that calls it";
	struct error error = { 0 };
	SCOPED_BUFFER(sites);
	SCOPED(probe) probe;
	const char *end;

	CHECK_NUMBER(parse(&probe, PROBE_PROGRAM, SELF ":first_is_locked", &sites, &error), -1);
	end = strchr(error.text, ':');
	CHECK_TEXT(end ? end : "", want);
}

TEST(arguments_of_static_tracepoints)
{
	struct error error = { 0 };
	SCOPED_BUFFER(sites);
	SCOPED(probe) probe;

	CHECK_NUMBER(parse(&probe, PROBE_USDT, SELF ":shop:begin..end", &sites, &error), 0);
	CHECK_NUMBER(probe.nr_sites, 3);
	CHECK_TEXT(buffer_string(&probe.sites[0].arguments),
		   " arg1=%di:u64 arg2=%si:s32 arg3=-20(%bp):u32 arg4=\\5:u8");
	CHECK_TEXT(buffer_string(&probe.sites[0].names), "arg1,arg2,arg3,arg4");
	CHECK_TEXT(buffer_string(&probe.sites[1].arguments), " arg1=%r12:u64");
	CHECK_TEXT(buffer_string(&probe.sites[2].arguments), " arg1=%ax:s64");
	CHECK_NUMBER(probe.sites[2].role, PROBE_END);
}
#endif
