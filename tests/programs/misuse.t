#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: what ktrack/user.h cannot record is refused by the compiler, whose first error, of few lines, says why; what it can has no warning."""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from tap import tested  # noqa: E402

INCLUDE = HERE.parents[1] / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow"]
COMPILERS = {
    "C11, gcc": ["gcc", "-std=gnu11", "-Wjump-misses-init"],
    "C17, clang": ["clang", "-std=gnu17"],
    "C23, gcc": ["gcc", "-std=gnu2x", "-Wjump-misses-init"],
    "C++11, g++": ["g++", "-std=gnu++11", "-x", "c++"],
    "C++17, clang++": ["clang++", "-std=gnu++17", "-x", "c++"],
    "C++20, g++": ["g++", "-std=gnu++20", "-x", "c++"],
}
C = tuple(name for name in COMPILERS if "++" not in name)
CXX = tuple(name for name in COMPILERS if "++" in name)
BOTH = C + CXX
CLANG = tuple(name for name in COMPILERS if "clang" in name)


def major(compiler):
    """Its major version."""
    return int(subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, check=True).stdout.split(".")[0])


# A row has one error, of so many lines; clang shows each macro on the way to it, and to what it contradicts, later ones with a line of code each.
IS_LATER_CLANG = major("clang") >= 16
LINES_MAX, CLANG_LINES_MAX = 15, 65 if IS_LATER_CLANG else 45
# Later clangs report in C each function that an undeclared event has not, behind the first error, which says why.
LATER = ("C17, clang",) if IS_LATER_CLANG else ()
NO_EVENT = 16
# To later gccs a pointer for an integer is an error, too.
TWO_KINDS = 6 if major("gcc") >= 14 else 3
# gcc reports each function and type that is defined again, behind the first error, which says why; clang stops there.
GNU = tuple(name for name in COMPILERS if name not in CLANG)
TWICE = 26

PLAIN = "KTRACK_SLICE(e);"
PAIR = "KTRACK_SLICE(e, KTRACK_FIELD(int, size), KTRACK_TEXT(note));"
DONE = "KTRACK_SLICE(e, KTRACK_FIELD(int, size), KTRACK_RESULT(rc));"
TRACK = "KTRACK_SLICE(e, KTRACK_TRACK_NAME);"
LEVEL = "KTRACK_COUNTER(e, uint32_t, KTRACK_SCOPE(uint32_t, queue));"
IDS = "KTRACK_SLICE(e, KTRACK_FIELD(uint64_t, at), KTRACK_FLOW(connection), KTRACK_ASYNC(id));"
KINDS = "KTRACK_SLICE(e, KTRACK_BYTES(mac, 6), KTRACK_TEXT_N(tag, 4), KTRACK_POINTER(at));"
VALUES = "static unsigned char mac[6]; static char tag[4]; static const char *text = \"\"; static int number;"
ELEVEN = ", ".join(f"KTRACK_FIELD(int, f{index})" for index in range(11))
EVERY_CALL = """ktrack_guard(e, "x", 1); ktrack_begin(e, "x", 1); ktrack_end(e, 1); ktrack_instant(e, "x"); ktrack_begin_printf(e, ("%d", 1), 1);
ktrack_guard_named(g, e, "x", text); ktrack_guard_printf(e, ("x")); ktrack_guard_copy(e, text, tag); if (ktrack_enabled(e)) number = 1;"""

# Where it holds, what is declared, what is called, and what the first error says; nothing where it is content. Then where it may have more errors.
ROWS = [
    (BOTH, DONE, 'ktrack_begin(e, "x");', "e has no value for size; a call passes all"),
    (BOTH, DONE, "ktrack_end(e, 1);", "e has no value for rc; a call passes all"),
    (BOTH, DONE, 'ktrack_instant(e, "x");', "e has no value for size; a call passes all"),
    (BOTH, DONE, 'ktrack_guard(e, "x");', "e has no value for size; a call passes all"),
    (BOTH, DONE, 'ktrack_guard_copy(e, "x");', "e has no value for size; a call passes all"),
    (BOTH, DONE, 'ktrack_begin_printf(e, ("x"));', "e has no value for size; a call passes all"),
    (BOTH, LEVEL, "ktrack_sample(e, 1);", "e has no value for scope_queue; a call passes all"),
    (BOTH, PLAIN, 'ktrack_end(e, "x");', "e: more values than attributes (an end has no name"),
    (BOTH, DONE, 'ktrack_begin(e, "x", 1, 2);', "e: more values than attributes"),
    (BOTH, PLAIN, 'ktrack_guard(e, "x", 1);', "e: more values than attributes"),
    (BOTH, PLAIN, "ktrack_sample(e, 1);", "e: declared by KTRACK_SLICE(); use ktrack_begin() or ktrack_guard()"),
    (BOTH, LEVEL, 'ktrack_begin(e, "x", 1);', "e: declared by KTRACK_COUNTER(); use ktrack_sample()"),
    (BOTH, LEVEL, 'ktrack_guard(e, "x", 1);', "e: declared by KTRACK_COUNTER(); use ktrack_sample()"),
    (BOTH, LEVEL, "ktrack_end(e, 1);", "e: declared by KTRACK_COUNTER(); use ktrack_sample()"),
    (BOTH, LEVEL, 'ktrack_begin_printf(e, ("x"), 1);', "e: declared by KTRACK_COUNTER(); use ktrack_sample()"),
    (BOTH, PLAIN, 'ktrack_guard(f, "x");', "f_is_no_ktrack_event", {LATER: NO_EVENT}),
    (BOTH, PLAIN, 'ktrack_begin(f, "x");', "f_is_no_ktrack_event", {LATER: NO_EVENT}),
    (BOTH, DONE, 'ktrack_instant(f, "x", 1); ktrack_end(f, 1, 2);', "f_is_no_ktrack_event", {BOTH: 2, LATER: NO_EVENT}),
    (BOTH, LEVEL, "ktrack_sample(f, 1, 2);", "f_is_no_ktrack_event", {LATER: NO_EVENT}),
    (BOTH, PAIR, 'ktrack_begin_printf(f, ("%d", 1), 1, "a");', "f_is_no_ktrack_event", {CXX: 2, LATER: NO_EVENT}),
    (BOTH, PAIR, 'ktrack_guard_named_printf(g, f, ("%d", 1), 1, "a");', "f_is_no_ktrack_event", {CXX: 2, LATER: NO_EVENT}),
    (BOTH, PAIR, 'ktrack_guard_named_copy(g, f, "x", 1, "a");', "f_is_no_ktrack_event", {LATER: NO_EVENT}),
    (BOTH, PAIR, "if (ktrack_enabled(f)) number = 1;", "f_is_no_ktrack_event", {BOTH: 2}),
    (BOTH, PAIR, 'ktrack_begin(e, "x", "n", 1);', "e wants a number as size"),
    (BOTH, PAIR, 'ktrack_end(e, 1, 2);', "e wants a string as note; KTRACK_BYTES() and KTRACK_TEXT_N() take bytes"),
    (BOTH, PAIR, 'ktrack_instant(e, "x", 1, mac);', "e wants a string as note; KTRACK_BYTES() and KTRACK_TEXT_N() take bytes"),
    (BOTH, KINDS, 'ktrack_instant(e, "x", 1, tag, text);', "e wants a pointer as mac"),
    (BOTH, KINDS, 'ktrack_instant(e, "x", mac, tag, 5);', "e wants a pointer as at"),
    (BOTH, PLAIN, "ktrack_begin(e, 5);", "e wants a string as its name"),
    (BOTH, LEVEL, "ktrack_sample(e, text, 1);", "e wants a number as its value"),
    (BOTH, DONE, 'ktrack_guard_named(g, e, "x", text);', "e wants a number as size"),
    (BOTH, IDS, 'ktrack_instant(e, "x", &number, &number, &number);', "e wants a number as at"),
    (BOTH, IDS, 'ktrack_instant(e, "x", 1, &number, &number);', "e wants a number as connection; ktrack_id() makes one of a pointer"),
    (BOTH, IDS, 'ktrack_end(e, 1, 0, &number);', "e wants a number as scope_id; ktrack_id() makes one of a pointer"),
    (BOTH, IDS, 'ktrack_begin(e, "x", 1, ktrack_flow_new(e), ktrack_id(&number)); ktrack_end(e, number, 0, ktrack_id(number));', ""),
    (BOTH, DONE, 'ktrack_guard_named(g, e, "x", 1); ktrack_guard_set(g, rc, text);', "ktrack_guard_set(g): a number for a string, or a string for a number: rc"),
    (BOTH, PAIR, 'ktrack_guard_named(g, e, "x", 1, text); ktrack_guard_set(g, note, 1);', "ktrack_guard_set(g): a number for a string, or a string for a number: note"),
    (BOTH, PAIR, 'ktrack_guard_named(g, e, "x", 1, text); ktrack_guard_set(g, size, number); ktrack_guard_set(g, note, NULL); ktrack_guard_set(g, note, "a");', ""),
    (BOTH, TRACK, 'ktrack_guard(e, "x", text);', "e: the track name of a guard is a literal or KTRACK_STATIC(text)"),
    (BOTH, TRACK, 'ktrack_guard(e, "x", tag);', "e: the track name of a guard is a literal"),
    (BOTH, TRACK, 'ktrack_guard_printf(e, ("x"), number ? "a" : text);', "e: the track name of a guard is a literal"),
    (BOTH, TRACK, 'ktrack_guard(e, "x", "a"); ktrack_guard(e, "x", KTRACK_STATIC(text)); ktrack_guard_copy(e, text, text);', ""),
    (BOTH, TRACK, 'ktrack_begin(e, text, text); ktrack_end(e, KTRACK_STATIC(text)); ktrack_instant(e, "x", "a");', ""),
    (BOTH, KINDS, 'ktrack_begin(e, "x", mac, tag, &number); ktrack_end(e, NULL, "abcd", NULL); ktrack_guard(e, "x", mac, tag, mac);', ""),
    (BOTH, PAIR, 'ktrack_guard(e, text, number, text); ktrack_guard_printf(e, ("%d", number), 1, "a"); ktrack_begin(e, NULL, 1, NULL);', ""),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(double, size), KTRACK_FIELD(float, part)); KTRACK_COUNTER(c, float);", 'ktrack_guard(e, "x", 0.5, 0.25f); ktrack_sample(c, 0.5f);', ""),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(long double, size));", "", "e: size is not of an integer type, double or float: long double"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE(double, size));", "", "e: scope_size is not of an integer type: double"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_ENUM(float, size, { 1, \"a\" }));", "", "e: size is not of an integer type: float"),
    (BOTH, "KTRACK_COUNTER(e, long double);", "", "e: the counter is not of an integer type, double or float: long double"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(void *, at));", "", "e: at is not of an integer type, double or float: void *"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE(char *, at));", "", "e: scope_at is not of an integer type: char *"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(void *, at));", 'ktrack_instant(e, "x", &number); ktrack_guard(e, "x", tag);', "e: at is not of an integer type, double or float: void *"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(u32, at), KTRACK_TEXT(note));", 'ktrack_instant(e, "x", 1, text); ktrack_guard(e, "x", 1, text);', ("unknown type name", "was not declared")),
    (BOTH, "KTRACK_COUNTER(e, u32, KTRACK_SCOPE(int, at));", "ktrack_sample(e, 1, 2);", ("unknown type name", "was not declared")),
    (BOTH, "#include <linux/types.h>\nKTRACK_SLICE(e, KTRACK_FIELD(__be32, ip));", "", "e: ip would have the wrong byte order: __be32"),
    (BOTH, "#include <linux/types.h>\nKTRACK_SLICE(e, KTRACK_SCOPE(__le16, unit));", "", "e: scope_unit would have the wrong byte order: __le16"),
    (BOTH, "#include <linux/types.h>\nKTRACK_COUNTER(e, __be64);", "", "e would have the wrong byte order: __be64"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_RESULT(a), KTRACK_RESULT(b));", "", "e: has more than one KTRACK_RESULT()"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE_GLOBAL, KTRACK_ASYNC(id));", "", "e: KTRACK_SCOPE_GLOBAL excludes other scopes and KTRACK_ASYNC()"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE(int, a), KTRACK_SCOPE_GLOBAL);", "", "e: KTRACK_SCOPE_GLOBAL excludes other scopes"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE_GLOBAL, KTRACK_TRACK_NAME, KTRACK_FLOW(a), KTRACK_RESULT(b));", "", ""),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_RESULT(a));", "", "e: a counter has no KTRACK_ASYNC(), KTRACK_FLOW() or KTRACK_RESULT()"),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_FIELD(int, b), KTRACK_FLOW(a));", "", "e: a counter has no KTRACK_ASYNC()"),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_ASYNC(a));", "", "e: a counter has no KTRACK_ASYNC()"),
    (BOTH, "KTRACK_COUNTER(e, KTRACK_SCOPE_GLOBAL);", "", "e: the type of a counter follows its name"),
    (BOTH, "KTRACK_COUNTER(e, KTRACK_SCOPE_GLOBAL);", "ktrack_sample(e, 1); if (ktrack_enabled(e)) number = 1;", "e: the type of a counter follows its name"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(int, a), KTRACK_FEILD(int, b));", "", "e: no attribute: KTRACK_FEILD(int, b)"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FEILD(int, b));", f"{EVERY_CALL}", "e: no attribute: KTRACK_FEILD(int, b)"),
    (BOTH, PLAIN, 'ktrack_begin_printf(e, "%d", 1);', "a format and its arguments are in parentheses"),
    (BOTH, PLAIN, 'ktrack_begin_printf(e, "x");', "e wants a string as its name, a _printf call a format in parentheses"),
    (BOTH, PLAIN, "ktrack_begin(e);", ("requires 3 arguments, but only 1 given", "too few arguments provided", "requires at least 3 arguments"), {BOTH: 2}),
    (BOTH, PLAIN + " " + PLAIN, "", "e: declared before; events are declared once, in a header with a guard", {GNU: TWICE}),
    (BOTH, LEVEL + " " + LEVEL, "", "e: declared before; events are declared once, in a header with a guard", {GNU: TWICE}),
    (BOTH, '#undef KTRACK_SYSTEM\n#define KTRACK_SYSTEM "m"\n' + PLAIN, "", "pasting"),
    (BOTH, f"KTRACK_SLICE(e, {ELEVEN});", "", "e: ten attributes at most"),
    (BOTH, f"KTRACK_SLICE(e, {ELEVEN});", 'ktrack_begin(e, "x", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);', "e: ten attributes at most"),
    (BOTH, f"KTRACK_SLICE(e, {ELEVEN}, {ELEVEN}, {ELEVEN});", EVERY_CALL, "e: ten attributes at most"),
    (BOTH, f"KTRACK_COUNTER(e, int, {ELEVEN}, {ELEVEN});", "ktrack_sample(e, 1, 2);", "e: ten attributes at most"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(int, slice_name));", "", "e: slice_name is a field of every record"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_TEXT(track_name));", "", "e: track_name is a field of every record"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_BYTES(all, 65));", "", "e: all: KTRACK_BYTES() has 1 to 64 bytes"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_TEXT_N(tag, 0));", "", "e: tag: KTRACK_TEXT_N() without bytes"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(int, a), KTRACK_FIELD(int, a));", "", "e: two attributes are called a", {GNU: 2}),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(int, a), KTRACK_TEXT(a));", "", "e: two attributes are called a", {GNU[:2]: TWO_KINDS, GNU[2:]: 6}),
    (BOTH, "KTRACK_SLICE(e, KTRACK_ASYNC(a), KTRACK_SCOPE(int, a));", 'ktrack_guard(e, "x", 1, 2); ktrack_end(e, 1, 2);', "e: two attributes are called scope_a", {GNU: 2}),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_FIELD(int, a), KTRACK_FIELD(int, a));", "ktrack_sample(e, 1, 2, 3);", "e: two attributes are called a"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_RESULT(errno), KTRACK_FIELD(int, class), KTRACK_FIELD(int, name), KTRACK_FIELD(int, values));", 'ktrack_guard_named(g, e, "x", 1, 2, 3); ktrack_guard_set(g, errno, -1);', ""),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(uint8_t, small));", 'ktrack_instant(e, "x", 100000);', ("overflow", "implicit conversion")),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(uint8_t, small)); KTRACK_COUNTER(c, uint64_t);", 'ktrack_instant(e, "x", 100000 + number); ktrack_sample(c, -1); ktrack_sample(c, UINT64_MAX - 1);', ""),
    (BOTH, PLAIN, 'if (number) ktrack_guard(e, "x"); else number = 1;', ("ktrack_guard_needs_braces", "expected expression")),
    (BOTH, PLAIN, 'if (number) ktrack_guard(e, "x"); ktrack_instant(e, "y");', ("ktrack_guard_needs_braces", "expected expression")),
    (BOTH, PLAIN, 'if (number) goto out; ktrack_guard(e, "x"); out: number = 1;', ("jump skips variable", "cannot jump from this goto", "jump to label"), {("C++11, g++", "C++20, g++"): 2}),
    (BOTH, PLAIN, 'switch (number) { case 0:; ktrack_guard(e, "x"); break; default: number = 1; }', ("switch jumps over variable", "cannot jump from switch", "jump to case label"), {("C++11, g++", "C++20, g++"): 2}),
    (BOTH, PLAIN, 'if (number) goto out; { ktrack_guard(e, "x"); } out: number = 1;', ""),
    (BOTH, PLAIN, 'ktrack_guard(e, "a"); ktrack_guard(e, "b");', ""),
    (BOTH, PLAIN, 'if (number) ktrack_begin(e, "a"); else ktrack_end(e);', ""),
    (CXX, "enum class Op { Read }; KTRACK_SLICE(e, KTRACK_FIELD(Op, op), KTRACK_ENUM(Op, kind, { Op::Read, \"read\" }));", 'ktrack_instant(e, "x", Op::Read, Op::Read);', ""),
    (CXX, "namespace n { KTRACK_SLICE(e); KTRACK_COUNTER(c, int); }", 'ktrack_guard(n::e, "x"); ktrack_begin(n::e, "x"); ktrack_end(n::e); ktrack_sample(n::c, 1);', ""),
    (CXX, "enum class Op { Read }; KTRACK_SLICE(e, KTRACK_FIELD(::Op, op)); namespace n { KTRACK_SLICE(s); struct C { void f() { ktrack_guard(s, \"x\"); } }; }", 'ktrack_guard(e, "x", Op::Read); ktrack_instant(e, "x", [] { return Op::Read; }());', ""),
    (C, "KTRACK_SLICE(e); inline void g(void); inline void g(void) { ktrack_instant(e, \"x\"); } extern inline void g(void);", "g();", ""),
    (("C++11, g++", "C++17, clang++"), "KTRACK_SLICE(e); constexpr int g(int a) { ktrack_instant(e, \"x\"); return a; }", "g(number);", "constexpr"),
    (("C++20, g++",), "KTRACK_SLICE(e); constexpr int g(int a) { ktrack_instant(e, \"x\"); return a; }", "g(number);", ""),
    (CXX, "enum class Op { Read }; KTRACK_SLICE(e, KTRACK_FIELD(Op, op));", 'ktrack_instant(e, "x", 5);', "e wants a number as op"),
    (CXX, "namespace n { KTRACK_SLICE(e, KTRACK_FIELD(int, a)); }", 'ktrack_end(n::e, "x");', "e wants a number as a"),
    (CXX, "namespace n { KTRACK_SLICE(e, KTRACK_FIELD(int, a)); }", 'ktrack_guard(n::e, "x");', "e has no value for a; a call passes all"),
    (CXX, "#include <string>\n" + PAIR, 'std::string s("a"); ktrack_guard(e, s, 1, s + s); ktrack_begin_printf(e, ("%s", s.c_str()), 1, s);', ""),
    (CXX, "#include <string>\n" + TRACK, 'ktrack_guard(e, "x", std::string("a"));', "e: the track name of a guard is a literal"),
]


def prepare(folder):
    """A folder for each compiler, with the header that is before all programs: reading it takes longer than the rest, so it is precompiled."""
    for number, (name, words) in enumerate(COMPILERS.items()):
        header = Path(folder, str(number), "common.h")
        header.parent.mkdir()
        header.write_text("#include <errno.h>\n#include <stddef.h>\n#define KTRACK_SYSTEM tt\n#include <ktrack/user.h>\n")
        command = ["c++-header" if word == "c++" else word for word in words] if name in CXX else [*words, "-x", "c-header"]
        done = subprocess.run([*command, *WARNINGS, f"-I{INCLUDE}", "-o", f"{header}.gch", header], capture_output=True, text=True, check=False)
        yield name, header, done


def compiled(words, header, source):
    """What the compiler prints of a program of one function."""
    return subprocess.run([*words, *WARNINGS, f"-I{INCLUDE}", "-include", header, "-fsyntax-only", source], capture_output=True, text=True, check=False)


def problem(done, wanted, name, most):
    """Why the compiler's answer is not right, or is longer than @most errors; nothing if it is."""
    first = re.search(r"^.*(?:error|warning): .*$", done.stderr, re.MULTILINE)
    if wanted == "":
        return done.stderr.strip()
    if not first:
        return "compiled"
    errors, nr_lines = len(re.findall(r"error: ", done.stderr)), done.stderr.count("\n")
    if errors > most or nr_lines > most * (CLANG_LINES_MAX if name in CLANG else LINES_MAX):
        return f"{errors} errors, {nr_lines} lines"
    texts = wanted if isinstance(wanted, tuple) else (wanted,)
    return "" if any(text.lower() in first[0].lower() for text in texts) else first[0]


@tested
def main(tap):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        headers = {}
        for name, header, done in prepare(folder):
            headers[name] = header
            tap.ok(done.returncode == 0 and not done.stderr, f"the header alone: {name}", done.stderr)
        for number, (where, declaration, body, wanted, *more) in enumerate(ROWS):
            most = {name: count for names, count in (more[0] if more else {}).items() for name in names}
            source = Path(folder) / f"{number}.c"
            source.write_text(f"{declaration}\n{VALUES}\nvoid f(void);\nvoid f(void) {{ (void)mac; (void)tag; (void)text; (void)number; {body} }}\n")
            answers = {name: threads.submit(compiled, COMPILERS[name], headers[name], source) for name in where}
            problems = [f"{name}: {found}" for name, answer in answers.items() if (found := problem(answer.result(), wanted, name, most.get(name, 1)))]
            tap.nothing(problems, f"{'refused' if wanted else 'right'}: {declaration.splitlines()[-1]} {body}")
