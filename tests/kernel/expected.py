# SPDX-License-Identifier: GPL-2.0-only
"""What the modules outside of ktrack's tree write, record by record."""

# What the guest prints: evaluations while untraced, and while traced.
OUTPUT = ["outside 0 23", "disabled 0"]

CALLS = """\
outside_work: B slice_name=plain
outside_work: I slice_name=point
outside_work: E slice_name=
outside_sleep: B slice_name=alike
outside_sleep: E slice_name=
outside_io: B slice_name=read scope_slot=4 result=0
outside_io: E slice_name= scope_slot=5 result=-5
outside_depth: counter_value=18446744073709551615 scope_queue=-32768
outside_free: counter_value=7 scope_queue=32767
outside_balance: counter_value=-9223372036854775808
outside_most: I slice_name=most scope_id=255 track_name=track a=-128 b=65535 c=-32768 \
d=4294967295 e=-9223372036854775808 f=18446744073709551615 g=text h=1
outside_space: counter_value=18446744073709551615 scope_cpu=1
outside_types: I slice_name=greatest scope_sector=18446744073709551615 \
address=18446744073709551615 bits=18446744073709551615 change=9223372036854775807 \
position=9223372036854775807 pid=2147483647 state=1 letter=122
outside_types: I slice_name=least scope_sector=0 address=0 bits=0 change=-9223372036854775808 \
position=-9223372036854775808 pid=-2147483648 state=-1 letter=97
outside_io: B slice_name=write 11 of disk scope_slot=9 result=0
outside_io: I slice_name=50% scope_slot=9 result=0
outside_io: E slice_name= scope_slot=9 result=512
outside_most: B slice_name=many 1 scope_id=1 track_name=many a=1 b=1 c=1 d=1 e=1 f=1 g=many h=1
outside_most: I slice_name=1 many scope_id=1 track_name=many a=1 b=1 c=1 d=1 e=1 f=1 g=many h=1
outside_io: B slice_name=bound scope_slot=3 result=0
outside_work: B slice_name=inner
outside_sleep: B slice_name=inner 15
outside_sleep: E slice_name=
outside_work: E slice_name=
outside_io: E slice_name= scope_slot=3 result=-11
outside_io: B slice_name=bound 18 scope_slot=6 result=0
outside_io: E slice_name= scope_slot=6 result=-5
"""

ATTRIBUTES = """\
outside_request: B slice_name=read scope_queue=2 scope_request=0x11 outside_flow=0x22 error=0 op=read flags=sync|discard
outside_request: I slice_name=retry scope_queue=2 scope_request=0x11 outside_flow=0x1234 error=0 op=write flags=
outside_request: E slice_name= scope_queue=2 scope_request=0x11 outside_flow=0x22 error=-5 op=0x3 flags=discard
outside_async: B slice_name=wait 1 scope_id=0x1234
outside_async: E slice_name= scope_id=0x1234
outside_pending: B slice_name=wait scope_id=0xffffffffffffffff
outside_pending: E slice_name= scope_id=0xffffffffffffffff
outside_global: B slice_name=all scope_global=0 track_name=track
outside_global: E slice_name= scope_global=0 track_name=track
outside_key: B slice_name=key scope_tgid=1 scope_lane=-2 scope_cpu=1
outside_state: counter_value=9 scope_global=0 state=off
outside_state: counter_value=9 scope_global=0 state=on
outside_key: E slice_name= scope_tgid=1 scope_lane=-2 scope_cpu=1
outside_request: B slice_name=set scope_queue=1 scope_request=0x1 outside_flow=0x0 error=0 op=write flags=sync
outside_request: B slice_name=unset scope_queue=1 scope_request=0x2 outside_flow=0x0 error=0 op=write flags=sync
outside_request: E slice_name= scope_queue=1 scope_request=0x2 outside_flow=0x0 error=0 op=write flags=sync
outside_request: E slice_name= scope_queue=1 scope_request=0x1 outside_flow=0x0 error=-5 op=write flags=sync
outside_text: B slice_name=copy track_name=copied note=kept
outside_text: B slice_name=null track_name=(null) note=kept
outside_text: E slice_name= track_name=(null) note=
outside_text: E slice_name= track_name=copied note=set
outside_raw: B slice_name=bytes mac=0242ac110002 tag=full at=0000000000000000
outside_raw: I slice_name=none mac=000000000000 tag=ab at=0000000000000000
outside_raw: E slice_name= mac=0242ac110002 tag= at=0000000000000000
"""

# The lines of a format that mark attributes: C type, name, size and sign, in the record's order; and its table of texts.
FIELDS = {
    "outside_request": [
        ("ktrack_scope_u16", "scope_queue", 2, False),
        ("ktrack_async_id", "scope_request", 8, False),
        ("ktrack_flow_id", "outside_flow", 8, False),
        ("ktrack_result", "error", 8, True),
        ("enum outside_op", "op", 4, False),
        ("u8", "flags", 1, False),
    ],
    "outside_async": [("ktrack_async_id", "scope_id", 8, False)],
    "outside_pending": [("ktrack_async_id", "scope_id", 8, False)],
    "outside_global": [("ktrack_scope_global", "scope_global", 1, False), ("__data_loc char[]", "track_name", 4, None)],
    "outside_key": [
        ("ktrack_scope_s32", "scope_tgid", 4, True),
        ("ktrack_scope_s32", "scope_lane", 4, True),
        ("ktrack_scope_s32", "scope_cpu", 4, True),
    ],
    "outside_state": [("ktrack_scope_global", "scope_global", 1, False), ("int", "state", 4, True)],
    "outside_io": [("u32", "scope_slot", 4, False), ("s32", "result", 4, True)],
}
TEXTS = {
    "outside_request": ('REC->op, { 0, "read" }, { 7, "write" })', 'REC->flags, "|", { 1, "sync" }, { 4, "discard" })'),
    "outside_state": ('REC->state, { -1, "off" }, { 1, "on" })',),
}

# How long a name may be, and the hard ones as outside_names.c makes them: letters, rest.
MAX_BYTES = 127
NAMES = (
    (0, b""),
    (126, b"b"),
    (126, b"bc"),
    (299, b""),
    (125, "é".encode()),
    (126, "é".encode()),
    (124, "€".encode()),
    (125, "€".encode()),
    (126, "€".encode()),
    (123, "🐧".encode()),
    (124, "🐧".encode()),
    (125, "🐧".encode()),
    (126, "🐧".encode()),
    (122, b"\x80" * 8),
)


def cut(name):
    """A name as a record has it: at most so many bytes, and no character in part where it is UTF-8."""
    try:
        name.decode()
    except UnicodeDecodeError:
        return name[:MAX_BYTES]
    while len(name) > MAX_BYTES:
        name = name.decode()[:-1].encode()
    return name


def name_lines():
    """Every hard name by all ways to write one, with the same as track name and as field."""
    for one in [b"(null)", *(cut(b"a" * letters + rest) for letters, rest in NAMES)]:
        text = one.decode(errors="replace")
        for letter, name in (("I", text), ("I", text), ("B", text), ("E", "")):
            yield f"outside_text: {letter} slice_name={name} track_name={text} note={text}"


BORROWED = """\
ktrack_slice: B slice_name=thread
ktrack_slice_track: B slice_name=thread 1 track_name=track
ktrack_slice_tgid: I slice_name=process scope_tgid=1
ktrack_slice_tgid_track: I slice_name=process scope_tgid=1 track_name=track
ktrack_slice_cpu: I slice_name=cpu scope_cpu=0
ktrack_slice_cpu_track: I slice_name=cpu scope_cpu=0 track_name=track
ktrack_slice_scope_track: I slice_name=scope scope_id=-9223372036854775808 track_name=track
ktrack_slice_track: E slice_name= track_name=track
ktrack_slice: E slice_name=
ktrack_counter: counter_value=-1
ktrack_counter_track: counter_value=-2 track_name=track
ktrack_counter_tgid: counter_value=-3 scope_tgid=1
ktrack_counter_tgid_track: counter_value=-4 scope_tgid=1 track_name=track
ktrack_counter_cpu: counter_value=-5 scope_cpu=0
ktrack_counter_cpu_track: counter_value=-6 scope_cpu=0 track_name=track
ktrack_counter_scope_track: counter_value=-9223372036854775808 scope_id=9223372036854775807 \
track_name=track
"""


def filtered(event, *words):
    """The records of a tracepoint that have all these words."""
    lines = [line for line in CALLS.splitlines() if line.startswith(f"{event}: ")]
    return [line for line in lines if all(word in line for word in words)]


RECORDS = {
    "outside": [*CALLS.splitlines(), *ATTRIBUTES.splitlines(), *name_lines()],
    "ends": filtered("outside_io", ": E ", "result=-"),
    "slots": filtered("outside_io", "scope_slot=3"),
    "names": filtered("outside_work", "slice_name=p"),
    "borrower": BORROWED.splitlines(),
}
