# SPDX-License-Identifier: GPL-2.0-only
"""One CPU's ring buffer: sub-buffers as the kernel fills them."""

from tempfile import SpooledTemporaryFile

from making.words import Trouble

SMALL_MAX = 112
DELTA_BITS = 27
DELTA_LIMIT = 1 << DELTA_BITS
PADDING, EXTEND = 29, 30
GAP, GAP_COUNTED = 1 << 31, 1 << 30
IN_MEMORY_SIZE = 1 << 22


class Layout:
    """How the kernel that wrote lays out numbers and sub-buffers."""

    def __init__(self, order="little", long_size=8, page_size=4096):
        self.order, self.long_size, self.page_size = order, long_size, page_size
        self.header_size = 8 + long_size

    def head(self, kind, delta):
        """The first word of an entry: a bit field, whose order is that of the bytes."""
        word = delta << 5 | kind if self.order == "little" else kind << DELTA_BITS | delta
        return word.to_bytes(4, self.order)

    def word(self, number):
        """32 bits."""
        return number.to_bytes(4, self.order)

    def entry(self, record):
        """(kind, bytes behind the head) of a record."""
        padded = record + bytes(-len(record) % 4)
        if len(padded) <= SMALL_MAX and padded:
            return len(padded) // 4, padded
        return 0, self.word(len(padded) + 4) + padded


class Ring:
    """The sub-buffers of a CPU, written one after the other."""

    def __init__(self, layout):
        self.layout = layout
        self.pages = SpooledTemporaryFile(IN_MEMORY_SIZE)
        self.size = 0
        self.page = None
        self.page_time = self.time = 0
        self.space = 0
        self.gap = None
        self.has_gap = False

    def lose(self, count):
        """Records were lost before the next one; None for an unknown number of them."""
        self.end_page()
        self.gap, self.has_gap = count, True

    def end_page(self):
        """What comes next begins a sub-buffer."""
        if self.page is None:
            return
        layout, commit = self.layout, len(self.page)
        if self.has_gap:
            commit |= GAP | (0 if self.gap is None else GAP_COUNTED)
            if self.gap is not None:
                self.page += self.gap.to_bytes(layout.long_size, layout.order)
        header = self.page_time.to_bytes(8, layout.order) + commit.to_bytes(
            layout.long_size, layout.order
        )
        self.pages.write((header + self.page).ljust(layout.page_size, b"\0"))
        self.size += layout.page_size
        self.page, self.has_gap, self.gap = None, False, None

    def begin_page(self, time_ns, size):
        """A sub-buffer whose first entry has this size."""
        layout = self.layout
        self.end_page()
        self.page, self.page_time, self.time = bytearray(), time_ns, time_ns
        self.space = layout.page_size - layout.header_size
        if self.gap is not None:
            self.space -= layout.long_size
        if size > self.space:
            raise Trouble(f"an entry of {size} bytes, and there is space for {self.space}")

    def put(self, time_ns, kind, content):
        """An entry, in a new sub-buffer where it does not fit into this one."""
        delta = time_ns - self.time
        if delta < 0:
            raise Trouble(f"older by {-delta} ns than the entry before it on its CPU")
        size = 4 + len(content)
        needed = size if delta < DELTA_LIMIT else size + 8
        if self.page is None or len(self.page) + needed > self.space:
            self.begin_page(time_ns, size)
            delta = 0
        if delta >= DELTA_LIMIT:
            self.page += self.layout.head(EXTEND, delta & DELTA_LIMIT - 1)
            self.page += self.layout.word(delta >> DELTA_BITS)
            delta = 0
        self.page += self.layout.head(kind, delta)
        self.page += content
        self.time = time_ns

    def discard(self, time_ns, kind, content):
        """An entry that was given up: all that is left of its head is its size and its time."""
        if kind:
            content = self.layout.word(len(content)) + content[4:]
        if self.page is None or len(self.page) + 12 + len(content) > self.space:
            self.begin_page(time_ns - 1, 4 + len(content))
        if time_ns == self.time:
            raise Trouble("a discarded entry needs a time of its own")
        self.put(time_ns, PADDING, content)

    def finish(self):
        """Ends the last sub-buffer; a gap must have a record behind it."""
        self.end_page()
        if self.has_gap:
            raise Trouble("no record follows what was lost; say it by stats")
        self.pages.seek(0)
