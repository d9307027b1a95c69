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

from tap import Tap  # noqa: E402

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
# clang shows each macro on the way to a mistake; clang 19 has one mistake more for a field that is declared twice (399 lines).
LINES_MAX, CLANG_LINES_MAX = 90, 420

PLAIN = "KTRACK_SLICE(e);"
PAIR = "KTRACK_SLICE(e, KTRACK_FIELD(int, size), KTRACK_TEXT(note));"
DONE = "KTRACK_SLICE(e, KTRACK_FIELD(int, size), KTRACK_RESULT(rc));"
TRACK = "KTRACK_SLICE(e, KTRACK_TRACK_NAME);"
LEVEL = "KTRACK_COUNTER(e, uint32_t, KTRACK_SCOPE(uint32_t, queue));"
IDS = "KTRACK_SLICE(e, KTRACK_FIELD(uint64_t, at), KTRACK_FLOW(connection), KTRACK_ASYNC(id));"
KINDS = "KTRACK_SLICE(e, KTRACK_BYTES(mac, 6), KTRACK_TEXT_N(tag, 4), KTRACK_POINTER(at));"
VALUES = "static unsigned char mac[6]; static char tag[4]; static const char *text = \"\"; static int number;"
ELEVEN = ", ".join(f"KTRACK_FIELD(int, f{index})" for index in range(11))

# Where it holds, what is declared, what is called, and what the first error says; nothing where it is content.
ROWS = [
    (BOTH, DONE, 'ktrack_begin(e, "x");', "e_has_no_value_for_size"),
    (BOTH, DONE, "ktrack_end(e, 1);", "e_has_no_value_for_rc"),
    (BOTH, DONE, 'ktrack_instant(e, "x");', "e_has_no_value_for_size"),
    (BOTH, DONE, 'ktrack_guard(e, "x");', "e_has_no_value_for_size"),
    (BOTH, DONE, 'ktrack_guard_copy(e, "x");', "e_has_no_value_for_size"),
    (BOTH, DONE, 'ktrack_begin_printf(e, ("x"));', "e_has_no_value_for_size"),
    (BOTH, LEVEL, "ktrack_sample(e, 1);", "e_has_no_value_for_scope_queue"),
    (BOTH, PLAIN, 'ktrack_end(e, "x");', "e: more values than attributes (an end has no name"),
    (BOTH, DONE, 'ktrack_begin(e, "x", 1, 2);', "e: more values than attributes"),
    (BOTH, PLAIN, 'ktrack_guard(e, "x", 1);', "e: more values than attributes"),
    (BOTH, PLAIN, "ktrack_sample(e, 1);", "ktrack_sample(e): declared by KTRACK_SLICE()"),
    (BOTH, LEVEL, 'ktrack_begin(e, "x", 1);', "ktrack_begin(e): declared by KTRACK_COUNTER()"),
    (C, LEVEL, 'ktrack_guard(e, "x", 1);', "ktrack_guard(e): declared by KTRACK_COUNTER(); use ktrack_sample()"),
    (CXX, LEVEL, 'ktrack_guard(e, "x", 1);', "e_ktrack_"),
    (C, PLAIN, 'ktrack_guard(f, "x");', "f_ktrack_kind"),
    (CXX, PLAIN, 'ktrack_guard(f, "x");', "f_ktrack_"),
    (BOTH, PLAIN, 'ktrack_begin(f, "x");', "f_ktrack_kind"),
    (BOTH, PAIR, 'ktrack_begin(e, "x", "n", 1);', "e_wants_a_number_as_size"),
    (BOTH, PAIR, 'ktrack_end(e, 1, 2);', "e_wants_a_string_or_KTRACK_BYTES_or_KTRACK_TEXT_N_as_note"),
    (C, PAIR, 'ktrack_instant(e, "x", 1, mac);', "e_wants_a_string_or_KTRACK_BYTES_or_KTRACK_TEXT_N_as_note"),
    (CXX, PAIR, 'ktrack_instant(e, "x", 1, mac);', "KTRACK_BYTES() and KTRACK_TEXT_N() take bytes"),
    (BOTH, KINDS, 'ktrack_instant(e, "x", 1, tag, text);', "e_wants_a_pointer_as_mac"),
    (BOTH, KINDS, 'ktrack_instant(e, "x", mac, tag, 5);', "e_wants_a_pointer_as_at"),
    (BOTH, PLAIN, "ktrack_begin(e, 5);", "e_wants_a_string_as_its_name"),
    (BOTH, LEVEL, "ktrack_sample(e, text, 1);", "e_wants_a_number_as_its_value"),
    (BOTH, DONE, 'ktrack_guard_named(g, e, "x", text);', "e_wants_a_number_as_size"),
    (BOTH, IDS, 'ktrack_instant(e, "x", &number, &number, &number);', "e_wants_a_number_as_at"),
    (BOTH, IDS, 'ktrack_instant(e, "x", 1, &number, &number);', "e_wants_ktrack_id_as_connection"),
    (BOTH, IDS, 'ktrack_end(e, 1, 0, &number);', "e_wants_ktrack_id_as_scope_id"),
    (BOTH, IDS, 'ktrack_begin(e, "x", 1, ktrack_flow_new(e), ktrack_id(&number)); ktrack_end(e, number, 0, ktrack_id(number));', ""),
    (BOTH, DONE, 'ktrack_guard_named(g, e, "x", 1); ktrack_guard_set(g, rc, text);', "ktrack_guard_set_wants_another_kind_as_rc"),
    (BOTH, PAIR, 'ktrack_guard_named(g, e, "x", 1, text); ktrack_guard_set(g, note, 1);', "ktrack_guard_set_wants_another_kind_as_note"),
    (BOTH, PAIR, 'ktrack_guard_named(g, e, "x", 1, text); ktrack_guard_set(g, size, number); ktrack_guard_set(g, note, NULL); ktrack_guard_set(g, note, "a");', ""),
    (BOTH, TRACK, 'ktrack_guard(e, "x", text);', "e: the track name of a guard is a literal or KTRACK_STATIC(text)"),
    (BOTH, TRACK, 'ktrack_guard(e, "x", tag);', "e: the track name of a guard is a literal"),
    (BOTH, TRACK, 'ktrack_guard_printf(e, ("x"), number ? "a" : text);', "e: the track name of a guard is a literal"),
    (BOTH, TRACK, 'ktrack_guard(e, "x", "a"); ktrack_guard(e, "x", KTRACK_STATIC(text)); ktrack_guard_copy(e, text, text);', ""),
    (BOTH, TRACK, 'ktrack_begin(e, text, text); ktrack_end(e, KTRACK_STATIC(text)); ktrack_instant(e, "x", "a");', ""),
    (BOTH, KINDS, 'ktrack_begin(e, "x", mac, tag, &number); ktrack_end(e, NULL, "abcd", NULL); ktrack_guard(e, "x", mac, tag, mac);', ""),
    (BOTH, PAIR, 'ktrack_guard(e, text, number, text); ktrack_guard_printf(e, ("%d", number), 1, "a"); ktrack_begin(e, NULL, 1, NULL);', ""),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(double, size), KTRACK_FIELD(float, part)); KTRACK_COUNTER(c, float);", 'ktrack_guard(e, "x", 0.5, 0.25f); ktrack_sample(c, 0.5f);', ""),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(long double, size));", "", "size is not of an integer type, double or float: long double"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE(double, size));", "", "scope_size is not of an integer type: double"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_ENUM(float, size, { 1, \"a\" }));", "", "size is not of an integer type: float"),
    (BOTH, "KTRACK_COUNTER(e, long double);", "", "e: the counter is not of an integer type, double or float: long double"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(void *, at));", "", "at is not of an integer type, double or float: void *"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE(char *, at));", "", "scope_at is not of an integer type: char *"),
    (BOTH, "#include <linux/types.h>\nKTRACK_SLICE(e, KTRACK_FIELD(__be32, ip));", "", "ip would have the wrong byte order: __be32"),
    (BOTH, "#include <linux/types.h>\nKTRACK_SLICE(e, KTRACK_SCOPE(__le16, unit));", "", "scope_unit would have the wrong byte order: __le16"),
    (BOTH, "#include <linux/types.h>\nKTRACK_COUNTER(e, __be64);", "", "e would have the wrong byte order: __be64"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_RESULT(a), KTRACK_RESULT(b));", "", "e: has more than one KTRACK_RESULT()"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE_GLOBAL, KTRACK_ASYNC(id));", "", "e: KTRACK_SCOPE_GLOBAL excludes other scopes and KTRACK_ASYNC()"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE(int, a), KTRACK_SCOPE_GLOBAL);", "", "e: KTRACK_SCOPE_GLOBAL excludes other scopes"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_SCOPE_GLOBAL, KTRACK_TRACK_NAME, KTRACK_FLOW(a), KTRACK_RESULT(b));", "", ""),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_RESULT(a));", "", "e: a counter has no KTRACK_ASYNC(), KTRACK_FLOW() or KTRACK_RESULT()"),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_FIELD(int, b), KTRACK_FLOW(a));", "", "e: a counter has no KTRACK_ASYNC()"),
    (BOTH, "KTRACK_COUNTER(e, int, KTRACK_ASYNC(a));", "", "e: a counter has no KTRACK_ASYNC()"),
    (BOTH, "KTRACK_COUNTER(e, KTRACK_SCOPE_GLOBAL);", "", "e: the type of a counter follows its name"),
    (("C11, gcc", "C23, gcc"), "KTRACK_SLICE(e, KTRACK_FIELD(int, a), KTRACK_FEILD(int, b));", "", "e: no attribute: KTRACK_FEILD(int, b)"),
    (BOTH, PLAIN, 'ktrack_begin_printf(e, "%d", 1);', "a format and its arguments are in parentheses"),
    (BOTH, PLAIN, "ktrack_begin(e);", ("requires 3 arguments, but only 1 given", "too few arguments provided", "requires at least 3 arguments")),
    (("C11, gcc", "C23, gcc"), PLAIN + " " + PLAIN, "", ("redefinition of", "redeclaration of")),
    (BOTH, '#undef KTRACK_SYSTEM\n#define KTRACK_SYSTEM "m"\n' + PLAIN, "", "pasting"),
    (BOTH, f"KTRACK_SLICE(e, {ELEVEN});", "", "e: ten attributes at most"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(int, slice_name));", "", "slice_name is a field of every record"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_TEXT(track_name));", "", "track_name is a field of every record"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_BYTES(all, 65));", "", "all: KTRACK_BYTES() has 1 to 64 bytes"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_TEXT_N(tag, 0));", "", "tag: KTRACK_TEXT_N() without bytes"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(int, a), KTRACK_FIELD(int, a));", "", "a_"),
    (BOTH, "KTRACK_SLICE(e, KTRACK_RESULT(errno), KTRACK_FIELD(int, class), KTRACK_FIELD(int, name), KTRACK_FIELD(int, values));", 'ktrack_guard_named(g, e, "x", 1, 2, 3); ktrack_guard_set(g, errno, -1);', ""),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(uint8_t, small));", 'ktrack_instant(e, "x", 100000);', ("overflow", "implicit conversion")),
    (BOTH, "KTRACK_SLICE(e, KTRACK_FIELD(uint8_t, small)); KTRACK_COUNTER(c, uint64_t);", 'ktrack_instant(e, "x", 100000 + number); ktrack_sample(c, -1); ktrack_sample(c, UINT64_MAX - 1);', ""),
    (BOTH, PLAIN, 'if (number) ktrack_guard(e, "x"); else number = 1;', ("e_ktrack_", "expected expression", "__ktrack_guard_")),
    (BOTH, PLAIN, 'if (number) ktrack_guard(e, "x"); ktrack_instant(e, "y");', ("e_ktrack_", "expected expression", "__ktrack_guard_")),
    (BOTH, PLAIN, 'if (number) goto out; ktrack_guard(e, "x"); out: number = 1;', ("jump skips variable", "cannot jump from this goto", "jump to label")),
    (BOTH, PLAIN, 'switch (number) { case 0:; ktrack_guard(e, "x"); break; default: number = 1; }', ("switch jumps over variable", "cannot jump from switch", "jump to case label")),
    (BOTH, PLAIN, 'if (number) goto out; { ktrack_guard(e, "x"); } out: number = 1;', ""),
    (BOTH, PLAIN, 'ktrack_guard(e, "a"); ktrack_guard(e, "b");', ""),
    (BOTH, PLAIN, 'if (number) ktrack_begin(e, "a"); else ktrack_end(e);', ""),
    (CXX, "enum class Op { Read }; KTRACK_SLICE(e, KTRACK_FIELD(Op, op), KTRACK_ENUM(Op, kind, { Op::Read, \"read\" }));", 'ktrack_instant(e, "x", Op::Read, Op::Read);', ""),
    (CXX, "namespace n { KTRACK_SLICE(e); KTRACK_COUNTER(c, int); }", 'ktrack_guard(n::e, "x"); ktrack_begin(n::e, "x"); ktrack_end(n::e); ktrack_sample(n::c, 1);', ""),
    (CXX, "enum class Op { Read }; KTRACK_SLICE(e, KTRACK_FIELD(::Op, op)); namespace n { KTRACK_SLICE(s); struct C { void f() { ktrack_guard(s, \"x\"); } }; }", 'ktrack_guard(e, "x", Op::Read); ktrack_instant(e, "x", [] { return Op::Read; }());', ""),
    (C, "KTRACK_SLICE(e); inline void g(void); inline void g(void) { ktrack_instant(e, \"x\"); } extern inline void g(void);", "g();", ""),
    (("C++11, g++", "C++17, clang++"), "KTRACK_SLICE(e); constexpr int g(int a) { ktrack_instant(e, \"x\"); return a; }", "g(number);", "constexpr"),
    (("C++20, g++",), "KTRACK_SLICE(e); constexpr int g(int a) { ktrack_instant(e, \"x\"); return a; }", "g(number);", ""),
    (CXX, "enum class Op { Read }; KTRACK_SLICE(e, KTRACK_FIELD(Op, op));", 'ktrack_instant(e, "x", 5);', "e_wants_a_number_as_op"),
    (CXX, "namespace n { KTRACK_SLICE(e, KTRACK_FIELD(int, a)); }", 'ktrack_end(n::e, "x");', "e_wants_a_number_as_a"),
    (CXX, "namespace n { KTRACK_SLICE(e, KTRACK_FIELD(int, a)); }", 'ktrack_guard(n::e, "x");', "e_has_no_value_for_a"),
    (CXX, "#include <string>\n" + PAIR, 'std::string s("a"); ktrack_guard(e, s, 1, s + s); ktrack_begin_printf(e, ("%s", s.c_str()), 1, s);', ""),
    (CXX, TRACK, 'ktrack_guard(e, "x", std::string("a"));', "std"),
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


def problem(done, wanted, name):
    """Why the compiler's answer is not right; nothing if it is."""
    first = re.search(r"^.*(?:error|warning): .*$", done.stderr, re.MULTILINE)
    if wanted == "":
        return done.stderr.strip()
    if not first:
        return "compiled"
    nr_lines = done.stderr.count("\n")
    if nr_lines > (CLANG_LINES_MAX if "clang" in name else LINES_MAX):
        return f"{nr_lines} lines"
    texts = wanted if isinstance(wanted, tuple) else (wanted,)
    return "" if any(text.lower() in first[0].lower() for text in texts) else first[0]


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as threads:
        headers = {}
        for name, header, done in prepare(folder):
            headers[name] = header
            tap.ok(done.returncode == 0 and not done.stderr, f"the header alone: {name}", done.stderr)
        for number, (where, declaration, body, wanted) in enumerate(ROWS):
            source = Path(folder) / f"{number}.c"
            source.write_text(f"{declaration}\n{VALUES}\nvoid f(void);\nvoid f(void) {{ (void)mac; (void)tag; (void)text; (void)number; {body} }}\n")
            answers = {name: threads.submit(compiled, COMPILERS[name], headers[name], source) for name in where}
            problems = [f"{name}: {found}" for name, answer in answers.items() if (found := problem(answer.result(), wanted, name))]
            tap.nothing(problems, f"{'refused' if wanted else 'right'}: {declaration.splitlines()[-1]} {body}")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
