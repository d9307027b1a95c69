# SPDX-License-Identifier: GPL-2.0-only
"""Damage of files: what disks, copies and people do to bytes, and lies about the structure of a trace.dat."""

import re
import struct

PAGE = 4096
MARK = b"flyrecord\0"
BUFFER, CPU_COUNT = 3, 8
SECTION_HEAD = 16


def flip_bit(random, data):
    """One bit."""
    at = random.randrange(len(data))
    data[at] ^= 1 << random.randrange(8)


def set_byte(random, data):
    """One byte."""
    data[random.randrange(len(data))] = random.randrange(256)


def fill(random, data, size, value):
    """A block in the place of which a disk has something else."""
    at = random.randrange(max(len(data) // size, 1)) * size
    data[at : at + size] = bytes([value]) * len(data[at : at + size])


def zero_sector(random, data):
    """A sector of zeros."""
    fill(random, data, 512, 0)


def zero_page(random, data):
    """A page of zeros."""
    fill(random, data, PAGE, 0)


def fill_sector(random, data):
    """An erased sector of flash memory."""
    fill(random, data, 512, 255)


def noise(random, data):
    """Some bytes that belong to something else."""
    at, size = random.randrange(len(data)), random.randrange(1, 64)
    data[at : at + size] = random.randbytes(len(data[at : at + size]))


def cut(random, data):
    """The file ends early."""
    del data[random.randrange(len(data)) :]


def cut_pages(random, data):
    """The file ends early, at a page."""
    del data[random.randrange(len(data) // PAGE + 1) * PAGE :]


def swap(random, data, size):
    """Two blocks in each other's place."""
    a, b = (random.randrange(max(len(data) // size, 1)) * size for _ in range(2))
    first, second = data[a : a + size], data[b : b + size]
    if len(first) == len(second):
        data[a : a + size], data[b : b + size] = second, first


def swap_pages(random, data):
    """Two pages in each other's place."""
    swap(random, data, PAGE)


def swap_sectors(random, data):
    """Two sectors in each other's place."""
    swap(random, data, 512)


def copy_page(random, data):
    """A page that was written to the place of another one."""
    a, b = (random.randrange(max(len(data) // PAGE, 1)) * PAGE for _ in range(2))
    block = data[a : a + PAGE]
    data[b : b + len(block)] = block


def shift(random, data):
    """Bytes are missing, or too many."""
    at, size = random.randrange(len(data)), random.choice((1, 2, 4, 8, 512, PAGE))
    if random.random() < 0.5:
        del data[at : at + size]
    else:
        data[at:at] = bytes(size)


def append(random, data):
    """Something follows the file."""
    data += random.choice((b"\0" * random.randrange(1, PAGE), random.randbytes(100)))


ANY = (
    flip_bit, set_byte, zero_sector, zero_page, fill_sector, noise, cut, cut_pages, swap_pages, swap_sectors, copy_page, shift,
    append,
)


def options_of(data):
    """Number, offset of the data, and size of each option of a little-endian file that is not compressed."""
    if MARK in data:
        at = data.index(b"options  \0") + 10
    else:
        first = data.index(b"\0", data.index(b"\0", 18) + 1) + 1
        at = struct.unpack_from("<Q", data, first)[0] + SECTION_HEAD
    while at:
        number, size = struct.unpack_from("<HI", data, at)
        if number:
            yield number, at + 6, size
            at += 6 + size
        else:
            # In version 7 the last option is the offset of the next section of options.
            following = 0 if MARK in data else struct.unpack_from("<Q", data, at + 6)[0]
            at = following and following + SECTION_HEAD


def areas_of(data):
    """Offsets of the offset and the size of each CPU's area in the first buffer; only of areas with records."""
    if MARK in data:
        table = data.index(MARK) + len(MARK)
        cpus = struct.unpack_from("<I", data, data.index(b"options  \0") - 4)[0]
        places = [table + 16 * cpu for cpu in range(cpus)]
    else:
        at = next(at for number, at, _ in options_of(data) if number == BUFFER)
        at = data.index(b"\0", data.index(b"\0", at + 8) + 1) + 1
        cpus = struct.unpack_from("<I", data, at + 4)[0]
        places = [at + 12 + 20 * cpu for cpu in range(cpus)]
    return [place for place in places if struct.unpack_from("<Q", data, place + 8)[0]]


def option_ends_early(random, data):
    """An option of a known kind states a smaller or larger size."""
    options = [(at, size) for number, at, size in options_of(data) if number == BUFFER or size > 16]
    at, size = random.choice(options)
    struct.pack_into("<I", data, at - 4, random.choice((size + 1 << 20, size - random.randrange(1, size) if size > 1 else 0)))


def area_size(random, data):
    """The size of a CPU's area is no multiple of that of sub-buffers."""
    place = random.choice(areas_of(data))
    size = struct.unpack_from("<Q", data, place + 8)[0]
    struct.pack_into("<Q", data, place + 8, size - random.randrange(1, PAGE))


def area_overlap(random, data):
    """A CPU's area overlaps something else, or is longer than the file."""
    place = random.choice(areas_of(data))
    offset, size = struct.unpack_from("<QQ", data, place)
    if random.random() < 0.5:
        struct.pack_into("<Q", data, place, offset - PAGE * random.randrange(1, 1 + offset // PAGE))
    else:
        struct.pack_into("<Q", data, place + 8, size + PAGE * random.randrange(1, 100))


def cpu_count(random, data):
    """The number of CPUs is another one than that of the areas."""
    if MARK in data:
        at = data.index(b"options  \0") - 4
    else:
        at = next(at for number, at, _ in options_of(data) if number == CPU_COUNT)
    count = struct.unpack_from("<I", data, at)[0]
    struct.pack_into("<I", data, at, random.choice([n for n in (0, 1, count - 1, 70000, 1 << 31) if 0 <= n != count]))


def unknown_id(random, data):
    """The id of a format that has records is another one."""
    found = random.choice(list(re.finditer(rb"\nID: (\d)(\d*)\n", data)))
    data[found.start(1)] = ord(random.choice([c for c in "123456789" if ord(c) != found.group(1)[0]]))


def text_with_nul(random, data):
    """A NUL within the text of a format."""
    begins = [found.start() for found in re.finditer(rb"name: \w+\nID: ", data)]
    begin = random.choice(begins)
    end = data.index(b"print fmt", begin)
    data[random.randrange(begin, end)] = 0


LISTED = (option_ends_early, area_size, area_overlap, cpu_count, unknown_id, text_with_nul)
