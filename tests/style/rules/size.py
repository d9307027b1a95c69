# SPDX-License-Identifier: GPL-2.0-only
"""Length of functions and files, and names of functions."""

import ast
import re

LONGEST_FUNCTION = 70
LONGEST_FILE = 1500
WIDEST_LINE = 100
SOURCES = ("c", "python", "shell")
C_NAME = re.compile(r"(\w+)\s*\(")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
SHELL_BEGIN = re.compile(r"(?:function )?([\w-]+) ?\(\) ?\{$")


def c_functions(file):
    """Yields (name, line, length) of a C file, by the braces in the first column."""
    lines = file.code().splitlines()
    start = None
    for number, line in enumerate(lines, 1):
        if line.startswith("{") and number > 1 and lines[number - 2].rstrip().endswith(")"):
            start = number
        elif line.startswith("}") and start:
            yield c_name(lines, start), start, number - start + 1
            start = None


def c_name(lines, start):
    """The name before a function's opening brace."""
    place = start - 2
    while place > 0 and lines[place][:1] in ("\t", " ", ")"):
        place -= 1
    match = C_NAME.search(ATTRIBUTE.sub("", lines[place]))
    return match.group(1) if match else "?"


def python_functions(file):
    """Yields (name, line, length) of a Python file."""
    try:
        nodes = list(ast.walk(ast.parse(file.text)))
    except SyntaxError as error:
        raise ValueError(f"{file.name}:{error.lineno}: {error.msg}") from None
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def shell_functions(file):
    """Yields (name, line, length) of a shell script, by the closing brace in the first column."""
    begin = None
    for number, line in enumerate(file.lines, 1):
        match = SHELL_BEGIN.match(line)
        if match:
            begin = (match.group(1), number)
        elif line.startswith("}") and begin:
            yield *begin, number - begin[1] + 1
            begin = None


FUNCTIONS_OF = {"c": c_functions, "python": python_functions, "shell": shell_functions}


def functions_of(tree, language):
    """All functions of a language: [(length, name, file, line)]."""
    found = []
    for file in tree.of(language):
        for name, line, length in FUNCTIONS_OF[language](file):
            found.append((length, name, file.name, line))
    return found


def check_functions(tree):
    """No function is longer than 70 lines"""
    for language in SOURCES:
        for length, name, file, line in functions_of(tree, language):
            if length > LONGEST_FUNCTION:
                yield f"{file}:{line}: {name} has {length} lines"


def check_files(tree):
    """No source file has more than 1,500 lines"""
    for file in tree.of(*SOURCES, "make"):
        # Lists of mutants are tables.
        if len(file.lines) > LONGEST_FILE and not file.is_below("tests/mutants.d"):
            yield f"{file.name}: {len(file.lines)} lines"


def check_names(tree):
    """Function names are unique in userspace/, static ones included"""
    found = {}
    for file in tree.of("c"):
        if file.is_below("userspace"):
            for name, line, _ in c_functions(file):
                # A macro that defines functions has upper case letters.
                if name.islower():
                    found.setdefault(name, []).append(f"{file.name}:{line}")
    yield from (f"{name}: {' '.join(places)}" for name, places in sorted(found.items()) if len(places) > 1)


def middle(values, share):
    """The value below which this share of the sorted values lies."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def describe_functions(tree):
    """Yields what is worth knowing about lengths and widths, a remark per language."""
    for language in SOURCES:
        found = functions_of(tree, language)
        if not found:
            continue
        lengths = [length for length, *_ in found]
        longest, name, file, _ = max(found)
        wide = sum(
            len(line.expandtabs(8)) > WIDEST_LINE for one in tree.of(language) for line in one.lines
        )
        yield (
            f"{language}: {len(found)} functions, median {middle(lengths, 0.5)} lines, "
            f"90th percentile {middle(lengths, 0.9)}, longest {longest} ({name}, {file}); "
            f"{wide} lines wider than {WIDEST_LINE}"
        )


CHECKS = (check_functions, check_files, check_names)
REMARKS = (describe_functions,)
