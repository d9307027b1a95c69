#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: a small recording keeps few of the kernel's symbols, and trace-cmd and ktrack name all addresses as by all symbols."""

import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "cli")]

import process  # noqa: E402
from making.layout import Writer6  # noqa: E402
from spools import fill  # noqa: E402
from tap import tested  # noqa: E402

ROUNDS = 12
TEXT, MODULES = 0xFFFFFFFF81000000, 0xFFFFFFFFC0200000
HEAD = """version 6
clock none
writer "ktrack 0.2.0 thread 1"
format ../formats/6.12/ftrace/function
format ../formats/6.12/ftrace/funcgraph_entry
format ../formats/6.12/ftrace/funcgraph_exit
format ../formats/6.12/ftrace/kernel_stack
event ftrace:bprint 6 unsigned long ip; const char *fmt; u32 buf[4]
event demo:call 3000 u8 kind; u64 function @9; u64 other @19
print demo:call "%pS %ps", (void *)REC->function, (void *)REC->other
constant 0xffffffff82f00010 "%ps and %pS\\n"
task 7 worker
"""


def make_symbols(chance):
    """(address, type, name, module) in the order of the kernel: code, aliases, data, values that are no addresses, modules."""
    yield 0x1000, "A", "cpu_variable", ""
    address = TEXT
    yield address, "T", "_text", ""
    for number in range(chance.choice([30, 500, 4000])):
        address += chance.choice([0, 0, 1, 16, 16, 16, 64, 64, 4096, 2 << 20])
        # Data is apart from code, as in a kernel.
        address += number == 300
        yield address, "d" if 300 <= number < 350 else chance.choice("tTW"), f"k{number}", ""
    for module in ("one", "two"):
        address = MODULES + (module == "two") * (1 << 20)
        for number in range(40):
            address += chance.choice([0, 16, 16, 256])
            yield address, "t" if number < 30 else "d", f"{module}{number}", module
        yield address, "d", "$d", module


def make_record(chance, time, addresses, others):
    """A line of a script, with some of the addresses, and some that are none of a symbol."""

    def pick():
        # Of a symbol itself, behind it, or before it; of none at all.
        return chance.choice([chance.choice(addresses) + chance.choice([0, 0, 4, 15, -1]), chance.choice(others)])

    def some():
        return pick() if chance.random() < 0.1 else chance.choice(addresses) + chance.choice([0, 0, 0, 1, 20, -1])

    kind = chance.choice(["function", "funcgraph_entry", "funcgraph_exit", "kernel_stack", "bprint", "call"])
    if kind == "kernel_stack":
        frames = b"".join((some() % 2**64).to_bytes(8, "little") for _ in range(8))
        values = f"size=8 caller={frames.hex()}"
    elif kind == "bprint":
        words = b"".join((some() % 2**64).to_bytes(8, "little") for _ in range(2))
        values = f"{some():#x} 0xffffffff82f00010 {words.hex()}"
    elif kind == "call":
        values = f"1 {some():#x} {some():#x}"
    elif kind == "function":
        values = f"{some():#x} {some():#x}"
    else:
        values = f"func={some():#x} depth=0"
    return f"{time}us 7@{time % 2} {kind} {values}\n"


def make_script(chance):
    """A script with random symbols and records, which refer to few of them."""
    symbols = list(make_symbols(chance))
    addresses = [symbol[0] for symbol in symbols if symbol[1] not in "A"]
    used = chance.sample(addresses, min(len(addresses), chance.choice([3, 20, 60, 100])))
    lines = [f"symbol {address:#018x} {kind} {name} {module}\n" for address, kind, name, module in symbols]
    others = [0, 1, TEXT - 16, 2**63, *chance.choice([[], [2**64 - 1]])]
    lines += [make_record(chance, time, used, others) for time in range(100)]
    # libtraceevent names no address behind the last symbol that it has: the next one is needed.
    lines.append(f"200us 7@0 call 1 {addresses[-3] + 1:#x} 0\n")
    return (HEAD + "".join(lines)).encode(), len(symbols)


def symbols_of(path):
    """The lines of symbols in a file."""
    data = path.read_bytes()
    # They are the only lines of this kind.
    begin = data.find(b"ffffffff81000000 T _text\n")
    end = data.find(b"0xffffffff82f00010 :", begin)
    return data[begin : end - 4].splitlines()


def shown(words, path):
    """What a command prints of a file."""
    done = process.run([*words, path.name], cwd=path.parent, capture_output=True, check=False)
    return done.returncode, done.stdout


def check_round(tap, folder, number):
    """One recording, with all symbols and as it is recorded."""
    folder.mkdir()
    script, nr_symbols = make_script(random.Random(number))
    parts = folder / "small" / "x.dat.spool"
    parts.mkdir(parents=True, mode=0o700)
    trace = fill(parts, script)
    small, full = folder / "small" / "x.dat", folder / "full" / "x.dat"
    full.parent.mkdir()
    with open(full, "wb") as out:
        Writer6(out, trace).write()
    done = process.run([PROJECT / "build/ktrack", "recover", small], capture_output=True, text=True, check=False)
    kept = symbols_of(small)
    tap.ok((done.returncode, done.stderr) == (0, ""), f"round {number}: the recording is written", done)
    is_small = len(kept) <= nr_symbols / (4 if nr_symbols > 1000 else 1)
    tap.ok(is_small, f"it has {len(kept)} of {nr_symbols} symbols", kept[:20])
    whole = symbols_of(full)
    tap.nothing(sorted(set(kept) - set(whole)), "each line is one of the kernel's")
    for what, words in (
        ("trace-cmd report", ["trace-cmd", "report"]),
        ("trace-cmd report of raw stacks and offsets", ["trace-cmd", "report", "-O", "stacktrace", "-O", "offset"]),
        ("ktrack export", [PROJECT / "build/ktrack", "export", "-q", "--sid=golden", "--wall-clock=0"]),
    ):
        want, got = shown(words, full), shown(words, small)
        differ = [pair for pair in zip(want[1].splitlines(), got[1].splitlines()) if pair[0] != pair[1]]
        tap.ok(want == got and want[1].count(b"\n") > 100, f"round {number}: {what} is the same", want[0], got[0], differ[:5])


@tested
def main(tap):
    """All checks."""
    with tempfile.TemporaryDirectory(prefix="ktrack-symbols.") as name:
        for number in range(ROUNDS):
            check_round(tap, Path(name) / f"round{number}", number)
