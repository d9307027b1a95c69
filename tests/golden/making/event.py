# SPDX-License-Identifier: GPL-2.0-only
"""Tracepoints: their formats, written or captured, and the bytes of their records."""

import re
import struct

from making.words import Trouble, Word, read_number

# C type: (size, is it signed); of long and pointers the size is the kernel's.
TYPES = {
    "char": (1, 0),
    "signed char": (1, 1),
    "unsigned char": (1, 0),
    "bool": (1, 0),
    "short": (2, 1),
    "unsigned short": (2, 0),
    "int": (4, 1),
    "unsigned int": (4, 0),
    "pid_t": (4, 1),
    "long": (None, 1),
    "unsigned long": (None, 0),
    "long long": (8, 1),
    "double": (8, 1),
    "float": (4, 1),
    "unsigned long long": (8, 0),
}
TYPES.update(
    (f"{'us'[sign]}{bits}", (bits // 8, sign)) for bits in (8, 16, 32, 64) for sign in (0, 1)
)
# The types by which ktrack's macros mark fields.
TYPES.update({f"ktrack_scope_{kind}": TYPES[kind] for kind in ("s32", "u8", "u16", "u32", "u64")})
TYPES.update(ktrack_scope_global=TYPES["u8"], ktrack_async_id=TYPES["u64"], ktrack_flow_id=TYPES["u64"], ktrack_result=TYPES["s64"])
SHORT_TYPES = {"string": "__data_loc char[]", "rel_string": "__rel_loc char[]"}
COMMON = (
    ("unsigned short", "common_type", 0, 2, 0),
    ("unsigned char", "common_flags", 2, 1, 0),
    ("unsigned char", "common_preempt_count", 3, 1, 0),
    ("int", "common_pid", 4, 4, 1),
)
COMMON_SIZE = 8

DECLARATION = re.compile(r"(.+?)\s*\b(\w+)(?:\[(\d*)\])?")
ATTRIBUTE = re.compile(r"\s+(?:@(\d+)|(size|signed)=(\d+))$")
LINE = re.compile(r"\tfield:(.+);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);")
PLACE = re.compile(rb"@(\d+):(\d+)")


class Field:
    """One field: where it is, and how a value becomes its bytes."""

    def __init__(self, kind, name, count, offset, size, is_signed):
        self.kind, self.name, self.count = kind, name, count
        self.offset, self.size, self.is_signed = offset, size, is_signed
        self.is_dynamic = kind.startswith(("__data_loc", "__rel_loc"))
        self.is_relative = kind.startswith("__rel_loc")
        is_aggregate = kind.startswith(("struct ", "union ")) and not kind.endswith("*")
        self.is_array = count is not None or self.is_dynamic or is_aggregate
        self.is_text = self.is_array and "char" in kind and "unsigned" not in kind
        self.is_floating = kind in ("double", "float")

    def declaration(self):
        """As C has it."""
        return f"{self.kind} {self.name}" + ("" if self.count is None else f"[{self.count}]")

    def line(self):
        """As a format file has it."""
        numbers = f"offset:{self.offset};\tsize:{self.size};\tsigned:{self.is_signed};"
        return f"\tfield:{self.declaration()};\t{numbers}\n"

    def print_format(self):
        """(conversion, argument) of a print format; None where the field has no simple one."""
        if not self.is_array:
            return ("%lld", f"(s64)REC->{self.name}") if self.size in (1, 2, 4, 8) else None
        if not self.is_text:
            return None
        get = "__get_rel_str" if self.is_relative else "__get_str"
        return "%s", f"{get}({self.name})" if self.is_dynamic else f"REC->{self.name}"

    def bytes_of(self, word):
        """What an array holds: a text with its NUL, or bytes."""
        if self.is_text:
            return word.text
        try:
            return bytes.fromhex(str(word))
        except ValueError:
            raise Trouble(f"{self.name}: {word} is no row of hexadecimal bytes") from None

    def fixed_bytes(self, word, order):
        """The value of a field that lies in the record itself."""
        if self.is_array:
            data = self.bytes_of(word)
            if len(data) > self.size:
                raise Trouble(
                    f"{self.name}: {word} has {len(data)} bytes, there is space for {self.size}"
                )
            return data.ljust(self.size, b"\0")
        if self.is_floating:
            return struct.pack(("<" if order == "little" else ">") + self.kind[0], float(str(word)))
        number, bits = read_number(word), 8 * self.size
        if not -(1 << bits - 1) <= number < 1 << bits:
            raise Trouble(f"{self.name}: {word} does not fit into {self.size} bytes")
        return (number & (1 << bits) - 1).to_bytes(self.size, order)


def split_attributes(text):
    """A field's text without its attributes, and these: offset, size, signed."""
    attributes = {}
    while found := ATTRIBUTE.search(text):
        attributes[found[2] or "offset"] = int(found[1] or found[3])
        text = text[: found.start()]
    return text.strip(), attributes


def size_of(kind, count, long_size):
    """(size, alignment, is it signed) of a declared type; None where it is not known."""
    if kind.startswith(("__data_loc", "__rel_loc")):
        return 4, 4, 0
    if kind.endswith("*"):
        return long_size, long_size, 0
    if kind not in TYPES:
        return None
    size, is_signed = TYPES[kind]
    size = size or long_size
    return size * int(count or 1), size, is_signed


def read_field(text, offset, long_size):
    """A field of a short format, not before the offset."""
    text, attributes = split_attributes(text)
    found = DECLARATION.fullmatch(text)
    if not found:
        raise Trouble(f"{text!r} declares no field")
    kind, name, count = found.groups()
    kind = SHORT_TYPES.get(kind, kind)
    sizes = size_of(kind, count, long_size)
    if not sizes and "size" not in attributes:
        raise Trouble(f"the size of {kind} is not known; say size=N")
    size, alignment, is_signed = sizes or (attributes["size"], 1, 0)
    offset = attributes.get("offset", -(-offset // alignment) * alignment)
    size = attributes.get("size", size)
    return Field(kind, name, count, offset, size, attributes.get("signed", is_signed))


def read_line(line):
    """A field of a captured format, None where the line has none."""
    found = LINE.match(line)
    if not found:
        return None
    kind, name, count = DECLARATION.fullmatch(found[1]).groups()
    return Field(kind, name, count, *(int(found[number]) for number in (2, 3, 4)))


class Event:
    """A tracepoint."""

    def __init__(self, system, name, number, fields, text=None):
        self.system, self.name, self.number, self.fields = system, name, number, fields
        self.by_name = {field.name: field for field in fields}
        self.size = max([field.offset + field.size for field in fields], default=COMMON_SIZE)
        self.text = text or self.format()

    def format(self):
        """The text of a format file."""
        common = "".join(Field(kind, name, None, *rest).line() for kind, name, *rest in COMMON)
        fields = "".join(field.line() for field in self.fields)
        pairs = [(field.name, field.print_format()) for field in self.fields]
        pairs = [(name, pair) for name, pair in pairs if pair]
        shown = " ".join(f"{name}={pair[0]}" for name, pair in pairs)
        shown = ", ".join([f'"{shown}"', *(pair[1] for _, pair in pairs)])
        head = f"name: {self.name}\nID: {self.number}\nformat:\n"
        return f"{head}{common}\n{fields}\nprint fmt: {shown}\n".encode()

    def set_print_format(self, text):
        """Another print format than that of format()."""
        self.text = self.text.partition(b"print fmt: ")[0] + b"print fmt: " + text + b"\n"

    def pair(self, words):
        """(field, word) of a record's words: first by place, then by name."""
        named = False
        for number, word in enumerate(words):
            field = self.by_name.get(word.name)
            named = named or field is not None
            if field is None and named:
                raise Trouble(f"{word} stands behind a value with a name")
            if field is None and number >= len(self.fields):
                raise Trouble(f"{self.name} has no more than {len(self.fields)} fields")
            if field is None and word.name is not None:
                word = Word(word.name.encode() + b"=" + word.text, word.is_quoted)
            yield (field or self.fields[number]), word

    def record(self, tid, words, order):
        """The bytes of a record; fields without a word are zero or empty. A word common_flags=N may be among them."""
        data = bytearray(self.size)
        flags = [int(word.text, 0) for word in words if word.name == "common_flags"]
        words = [word for word in words if word.name != "common_flags"]
        data[2] = flags[-1] if flags else 0
        data[0:2] = self.number.to_bytes(2, order)
        data[4:8] = (tid & 0xFFFFFFFF).to_bytes(4, order)
        given = {field.name: word for field, word in self.pair(words)}
        for field in self.fields:
            word = given.get(field.name)
            if field.is_dynamic:
                self.put_dynamic(data, field, word or Word(b""), order)
            elif word:
                data[field.offset : field.offset + field.size] = field.fixed_bytes(word, order)
        return bytes(data)

    @staticmethod
    def put_dynamic(data, field, word, order):
        """Data behind the fixed fields, and its place; or a place as the script says it."""
        found = None if word.is_quoted else PLACE.fullmatch(word.text)
        if found:
            offset, size = int(found[1]), int(found[2])
        else:
            content = field.bytes_of(word) + (b"\0" if field.is_text else b"")
            offset, size = len(data), len(content)
            data += content
            offset -= field.offset + field.size if field.is_relative else 0
        if offset > 0xFFFF or size > 0xFFFF:
            raise Trouble(f"{field.name}: {size} bytes at {offset} have no place in 16 bits each")
        place = (size << 16 | offset).to_bytes(4, order)
        data[field.offset : field.offset + 4] = place


def read_short(text, long_size):
    """An event of `SYSTEM:NAME ID FIELD; FIELD...`."""
    found = re.fullmatch(r"(\S+):(\S+)\s+(\d+)\s*(.*)", text, re.DOTALL)
    if not found or int(found[3]) > 0xFFFF:
        raise Trouble("write: event SYSTEM:NAME ID FIELD; FIELD...")
    fields, end = [], COMMON_SIZE
    for part in filter(str.strip, found[4].split(";")):
        fields.append(read_field(part.strip(), end, long_size))
        end = max(end, fields[-1].offset + fields[-1].size)
    return Event(found[1], found[2], int(found[3]), fields)


def read_captured(path):
    """An event of a format file SYSTEM/EVENT."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Trouble(f"{path}: {error.strerror}") from None
    text = data.decode()
    fields = [field for field in map(read_line, text.splitlines()) if field]
    head = re.match(r"name: (\S+)\nID: (\d+)\n", text)
    if not head:
        raise Trouble(f"{path} is no format")
    fields = [field for field in fields if not field.name.startswith("common_")]
    return Event(path.parent.name, head[1], int(head[2]), fields, data)
