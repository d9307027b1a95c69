#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: ktrack stream records programs: what they emitted is what is exported and lost, whatever they do."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from programs import KTRACK, SOURCES, Recorder, build, children_of, exported, fired, has_events, helper_of, kill_all, lost, own_programs, own_socket, read_events, read_plain, reader_of, stream  # noqa: E402
from process import processes, wait_for  # noqa: E402
from tap import tested  # noqa: E402

KILLS = 20
READER_KILLS = 3
EXECUTIONS = 60
INNER_MAX = 20
# More than ktrack keeps waiting.
SILENT = 100
# Ten more than ktrack records of one process.
MEMFDS = 266
# Two more than are named.
REFUSED = 12


def account(tap, text, output, events, has_lost):
    """Fired = exported + lost."""
    number, is_unknown = lost(events)
    is_even = fired(output) == exported(events) + number and not is_unknown
    tap.ok(is_even and fired(output) > 0, f"{text}: fired = exported + lost", fired(output), exported(events), number, is_unknown)
    tap.ok((number > 0) == has_lost, f"{text}: {'something' if has_lost else 'nothing'} is lost", number)


def check_ten(tap, folder):
    """Ten programs at once, of every kind, with four threads each."""
    kinds = {
        "shared": (("gcc",), ()), "static": (("gcc",), ("-static",)), "stripped": (("gcc",), ("-s",)),
        "cxx": (("g++", "-x", "c++", "-std=c++11"), ()), "clang": (("clang",), ()),
    }
    programs = [build(folder, f"load-{name}", *kind) for name, kind in kinds.items()]
    script = "; ".join(f"{program} 4 2000 5000 &" for program in programs * 2).replace("&;", "&") + " wait"
    output, events, messages = stream(["sh", "-c", script])
    account(tap, "ten programs", output, events, has_lost=False)
    tracks = {event["value"]["tgid"] for event in events if event["event"] == "data_json" and "tgid" in event["value"]}
    tap.ok(len(tracks) == 10, "each has tracks of its own", sorted(tracks), messages)
    times = [event["t_abs"] for event in events if event["event"] in ("region_enter", "region_leave")]
    tap.ok(times == sorted(times), "all are in time order")


def check_life(tap, load):
    """Short threads, children, and programs that execute others."""
    for text, options in (("short threads", ["threads"]), ("a child", ["fork"]), ("exec", ["exec"]), ("all together", ["threads", "fork", "exec"])):
        output, events, _ = stream([load, "4", "3000", "2000", *options])
        account(tap, text, output, events, has_lost=False)


def counted(line):
    """The slices that a line of stat --live counts; 0 if it is a line of the program."""
    return sum(row["count"] for row in json.loads(line)["slices"] if row["tracepoint"] == "prog:prog_one") if line.startswith("{") else 0


def check_stat(tap, load):
    """ktrack stat --live counts the slices of programs, live and at the end. The program's second half waits for a count."""
    command = [KTRACK, "stat", "--live", "--json", "--interval=100ms", "--programs", "--", load, "2", "3000", "2000", "halves"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    live = next((count for count in map(counted, process.stdout) if count > 0), 0)
    output, messages = process.communicate("\n")
    counts = [live, *map(counted, (line for line in output.splitlines() if line.startswith("{")))]
    tap.ok(2 * counts[-1] == fired(output) > 0, "stat --live: fired = counted", counts, fired(output), messages)
    tap.ok(0 < live < counts[-1], "stat --live: while the program runs", counts)


def check_full(tap, load):
    """Rings that fill between two readings, in each mode."""
    for mode in ("streaming", "circular"):
        output, events, messages = stream([load, "4", "200000", "0"], f"--mode={mode}")
        account(tap, f"full rings, {mode}", output, events, has_lost=True)
        tap.ok("lost" in messages and "too small" not in messages, f"full rings, {mode}: the loss is reported", messages)
    output, events, _ = stream([load, "8", "20000", "3000"], "--mode=circular", "-b", "64")
    account(tap, "circular, little memory", output, events, has_lost=True)
    suspects = [event for event in events if event.get("suspect")]
    tap.ok(all(event["event"] == "region_leave" for event in suspects), "slices that a loss may affect are marked")


def check_no_calls(tap, load, folder):
    """No system call between the first and the last record."""
    trace = Path(folder) / "strace"
    stream(["strace", "-f", "-o", trace, load, "1", "20000", "0", "marks"])
    lines = trace.read_text().splitlines()
    begin, end = (next(i for i, line in enumerate(lines) if f'write(2, "{mark}' in line) for mark in ("begin", "end"))
    tap.nothing(lines[begin + 1 : end], "no system call while a program emits 40,000 records")


def check_user(tap, load, folder):
    """Neither root nor tracefs is needed for a user's own programs."""
    if os.geteuid() != 0:
        tap.skip("without root", "not run by root")
        return
    environment = {name: value for name, value in os.environ.items() if name != "KTRACK_USER_SOCKET"}
    with tempfile.TemporaryDirectory() as home:
        os.chmod(home, 0o777)
        program = Path(home) / "load"
        program.write_bytes(load.read_bytes())
        program.chmod(0o755)
        ktrack = Path(home) / "ktrack"
        ktrack.write_bytes(KTRACK.read_bytes())
        ktrack.chmod(0o755)
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ktrack, "stream", own_programs(home), f"--event={home}/out", "--", program, "4", "2000", "2000"]
        done = subprocess.run(words, capture_output=True, text=True, env={**environment, "TMPDIR": home}, check=False)
        events = read_events(f"{home}/out")
        account(tap, "without root", done.stdout, events, has_lost=False)
        tap.nothing(sorted(path.name for path in Path(home).glob("ktrack-*")), "its socket is removed")


def thread_ids(events):
    """The ids of the tracks of threads, and those of their processes."""
    tracks = [event["value"] for event in events if event["event"] == "data_json" and "tgid" in event["value"]]
    return {track["id"] for track in tracks}, {track["tgid"] for track in tracks}


def namespace_words(tap, what):
    """How a command gets a PID namespace of its own; nothing if that is not permitted, which is reported."""
    inside = ["unshare", "--pid", "--fork"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
        tap.skip(what, "unshare is not permitted")
        return []
    return inside


def check_namespaces(tap, load, folder):
    """A program in another PID namespace has the thread ids that ktrack sees, and a ktrack there keeps its programs."""
    inside = namespace_words(tap, "another PID namespace")
    if not inside:
        return
    output, events, _ = stream([*inside, "sh", "-c", f"echo $$; {load} 3 2000 3000 & wait"])
    account(tap, "another PID namespace", output, events, has_lost=False)
    tids, tgids = thread_ids(events)
    tap.ok(output.startswith("1\n") and len(tids) == 3 and len(tgids) == 1, "each thread has its own track", sorted(tids), sorted(tgids))
    # There, the shell is the first process, and the next numbers are those of its child.
    tap.ok(min(tids | tgids) > INNER_MAX, "with a number of ktrack's namespace", sorted(tids))
    inner_event = Path(folder) / "inner.event"
    words = [*inside, "--mount-proc", KTRACK, "stream", "--programs", f"--event={inner_event}", "--", load, "1", "3000", "100000"]
    inner = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    tap.ok(wait_for(lambda: inner_event.exists() and "region_leave" in inner_event.read_text(), inner), "a ktrack there records")
    outer = Recorder(folder, "outer")
    tap.ok(outer.is_ready and exported(outer.stop()) == 0, "a ktrack outside takes nothing from it", outer.messages)
    output = inner.communicate()[0]
    account(tap, "another ktrack outside", output, read_events(inner_event), has_lost=False)


def check_clocks(tap, load):
    """A program in another time namespace, whose clock is ahead or behind, has the times of its slices on ktrack's clock."""
    inside = ["unshare", "--time"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--time"]
    if subprocess.run([*inside, "--boottime", "1000", "true"], capture_output=True, check=False).returncode != 0:
        tap.skip("another time namespace", "unshare is not permitted")
        return
    for seconds in ("100000", "-100"):
        begin_s = time.monotonic()
        output, events, _ = stream([*inside, "--boottime", seconds, load, "2", "300", "100"])
        took_s = time.monotonic() - begin_s
        account(tap, f"a clock that is {seconds} s ahead", output, events, has_lost=False)
        last_s = max(event.get("t_abs", 0) for event in events)
        tap.ok(last_s <= took_s, "its times are those of ktrack", last_s, took_s)


def check_limits(tap, load):
    """A program that must not have so much memory, or so large a file, runs without being recorded."""
    for option, kib in (("-f", 1000), ("-v", 60000)):
        done = subprocess.run(["bash", "-c", f"ulimit {option} {kib}; exec {load} 1 1 0"], capture_output=True, text=True, check=False)
        tap.ok(done.returncode == 0 and fired(done.stdout) == 2, f"a program runs below ulimit {option} {kib}", done.returncode, done.stderr)


def mappings_of(pid):
    """How often a process has mapped the memory of a program."""
    return Path(f"/proc/{pid}/maps").read_text().count("memfd:ktrack-user")


def started(program, folder, name, pause_us=10000, **variables):
    """A program that emits until it is killed, and the file in which it counts."""
    count = Path(folder) / f"{name}.count"
    count.unlink(missing_ok=True)
    return subprocess.Popen([program, "1", "1", str(pause_us), "wait"], env={**os.environ, "COUNT": str(count), **variables}, stdout=subprocess.DEVNULL), count


def number_in(count):
    """What a program has counted."""
    return int.from_bytes(count.read_bytes()[:8], "little") if count.exists() else 0


def check_replaced(tap, folder):
    """Memory that exec has replaced is released while the process goes on."""
    program = build(folder, "again", source="again.c")
    recorder = Recorder(folder, "replaced")
    process = subprocess.Popen([program, str(EXECUTIONS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    tap.ok(process.stdout.readline() == "last\n", f"a process executes {EXECUTIONS} programs")
    tap.ok(wait_for(lambda: mappings_of(reader_of(recorder)) == 1, recorder.process), "ktrack keeps the memory of the last one", mappings_of(reader_of(recorder)))
    process.communicate("\n")
    events = recorder.stop()
    missing = set(range(1, EXECUTIONS + 1)) - {event["args"]["bytes"] for event in events if event["event"] == "region_enter"}
    tap.ok(exported(events) == 2 * EXECUTIONS and lost(events) == (0, False), "all of them are recorded", exported(events), lost(events), missing, recorder.messages)


def check_running(tap, folder):
    """Programs that run already are found and chosen by name; one recorder at a time has them."""
    named, other = build(folder, "named"), build(folder, "other")
    programs = [started(program, folder, program.name)[0] for program in (named, other)]
    recorder = Recorder(folder, "first", "--programs=na*d")
    second = Recorder(folder, "second", f"--programs={folder}/other,nothing")
    third = Recorder(folder, "third")
    tap.ok(recorder.is_ready and wait_for(lambda: has_events(recorder), recorder.process), "a running program is found by name")
    tap.ok(wait_for(lambda: has_events(second), second.process), "another recorder has another one, by path")
    listed = subprocess.run([KTRACK, "list", "--programs"], capture_output=True, text=True, check=False).stdout
    tap.ok(all(re.search(rf"^ *{process.pid} .*prog:prog_one", listed, re.MULTILINE) for process in programs), "ktrack list shows both", listed)
    refused = subprocess.run([KTRACK, "record", "-e", "prog:prog_o*", "-o", Path(folder) / "none.dat", "--", "true"], capture_output=True, text=True, check=False).stderr
    if "tracefs" in refused:
        tap.skip("-e does not choose events of programs", refused.strip())
    else:
        tap.ok("'prog:prog_o*': an event of programs, no tracepoint; --programs records it, and rules (-r) name it 'program:prog:prog_one'" in refused, "-e does not choose events of programs", refused)
    # It would take them when the others end, and the programs emit until they are killed.
    tap.ok(exported(third.stop()) == 0, "a third one has neither while they are recorded")
    refused = [line for line in third.messages.splitlines() if line.endswith(": another ktrack records it, and perhaps more of the programs")]
    tap.ok(len(refused) == 1, "that is reported once", third.messages)
    for name, run, comm in (("first", recorder, named.name), ("second", second, "other")):
        events = run.stop()
        tap.ok(comms_of(events) == {comm}, f"the {name} recorder has only its own program", comms_of(events), run.messages)
    for process in programs:
        process.kill()
        process.wait()


def comms_of(events):
    """The names of the processes that have tracks."""
    return {event["value"].get("comm") for event in events if event["event"] == "data_json" and "tgid" in event["value"]}


def check_container(tap, folder):
    """A program that runs in a container is found: with its name, and the number that it has outside, not 1."""
    inside = namespace_words(tap, "a running program in another PID namespace")
    if not inside:
        return
    count = Path(folder) / "boxed.count"
    words = [*inside, "--kill-child", "--mount-proc", build(folder, "boxed"), "1", "1", "10000", "wait"]
    container = subprocess.Popen(words, env={**os.environ, "COUNT": str(count)}, stdout=subprocess.DEVNULL)
    tap.ok(wait_for(lambda: number_in(count) > 0, container), "a program runs in another PID namespace")
    recorder = Recorder(folder, "boxed", "--programs=boxed")
    tap.ok(wait_for(lambda: has_events(recorder), recorder.process), "it is found by its name")
    events = recorder.stop()
    children = set(children_of(container.pid))
    tap.ok(thread_ids(events) == (children, children) and comms_of(events) == {"boxed"}, "and has its number outside", thread_ids(events), children, recorder.messages)
    container.kill()
    container.wait()


def cleaned(**variables):
    """How many programs ktrack clean switches off."""
    done = subprocess.run([KTRACK, "clean"], env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    return sum(int(number) for number in re.findall(r"(\d+) program", done.stdout + done.stderr))


def check_apart(tap, folder):
    """A ktrack takes no running program that uses another socket, and ktrack clean switches none off."""
    variables = {"KTRACK_USER_SOCKET": f"{folder}/theirs.sock"}
    ours, theirs = build(folder, "ours"), build(folder, "theirs")
    programs = [started(ours, folder, "ours", 100000)[0], started(theirs, folder, "theirs", 100000, **variables)[0]]
    first = Recorder(folder, "ours")
    tap.ok(wait_for(lambda: has_events(first)), "a running program of the own socket is recorded")
    # It searches each second. A new search by another ktrack would find both.
    second = Recorder(folder, "again")
    tap.ok(exported(second.stop()) == 0, "that of another socket is not")
    third = Recorder(folder, "theirs", env={**os.environ, **variables})
    tap.ok(wait_for(lambda: has_events(third)), "a ktrack of that socket records it")
    kill_all(third)
    events = first.stop()
    tap.ok(comms_of(events) == {"ours"}, "each has its own", comms_of(events), first.messages)
    tap.ok(cleaned() == 0, "ktrack clean leaves it alone")
    tap.ok(cleaned(**variables) == 1, "ktrack clean of that socket switches it off")
    for process in programs:
        process.kill()
        process.wait()


def check_killed_programs(tap, load, folder):
    """A program that is killed loses nothing that it has counted."""
    recorder = Recorder(folder, "killed")
    problems, counted = [], 0
    for i in range(KILLS):
        process, count = started(load, folder, "killed")
        wait_for(lambda: number_in(count) > 100 + 37 * i)
        process.kill()
        process.wait()
        counted += number_in(count)
        if recorder.process.poll() is not None:
            problems.append("ktrack has ended")
    events = recorder.stop()
    number, is_unknown = lost(events)
    found = exported(events) + number
    tap.ok(counted <= found <= counted + KILLS and not is_unknown and not problems, f"a program is killed at {KILLS} moments: nothing that it counted is missing", counted, found, number, *problems)


def check_killed_readers(tap, load, folder):
    """The process that reads programs is killed: another one goes on, without a loss and without a record twice."""
    recorder = Recorder(folder, "readers")
    process = subprocess.Popen([load, "2", "20000", "20000"], stdout=subprocess.PIPE, text=True)
    wait_for(lambda: has_events(recorder), recorder.process)
    killed = set()
    while process.poll() is None and len(killed) < READER_KILLS:
        pid = reader_of(recorder)
        if pid and pid not in killed:
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.2)
    output = process.communicate()[0]
    events = recorder.stop()
    number, is_unknown = lost(events)
    tap.ok(killed and fired(output) == exported(events) + number and not is_unknown, f"the reader is killed {len(killed)} times: fired = exported + lost", fired(output), exported(events), number, is_unknown, recorder.messages)


def check_killed_recorder(tap, load, folder):
    """If only the recorder is killed, the program is switched off, and the next ktrack records it."""
    process, _ = started(load, folder, "left")
    recorder = Recorder(folder, "left")
    is_recorded = wait_for(lambda: has_events(recorder), recorder.process)
    helper = helper_of(recorder)
    recorder.stop(signal.SIGKILL)
    is_over = wait_for(lambda: not Path(f"/proc/{helper}").exists() or not children_of(helper))
    tap.ok(is_recorded and is_over and cleaned() == 0, "a killed ktrack leaves no program on")
    process.kill()
    process.wait()


def check_killed_recorders(tap, load, folder):
    """A program goes on when ktrack is killed; the next ktrack records it."""
    process, count = started(load, folder, "survivor")
    problems = []
    for i in range(KILLS):
        recorder = Recorder(folder, f"recorder{i}")
        if not wait_for(lambda: has_events(recorder)):
            problems.append(f"round {i}: nothing recorded")
        kill_all(recorder)
        before = number_in(count)
        if not wait_for(lambda: number_in(count) > before + 200):
            problems.append(f"round {i}: the program does not go on")
    tap.nothing(problems, f"ktrack is killed at {KILLS} moments")
    done = subprocess.run([KTRACK, "clean"], capture_output=True, text=True, check=False)
    tap.ok(re.search(r"[1-9]\d* program", done.stderr + done.stdout), "ktrack clean switches the program off", done.stdout, done.stderr)
    recorder = Recorder(folder, "after")
    tap.ok(wait_for(lambda: has_events(recorder)), "it is recorded again")
    events = recorder.stop()
    first = next(event["t_abs"] for event in events if event["event"] == "region_enter")
    tap.ok(first >= 0, "without records of an earlier recording", first)
    process.kill()
    process.wait()


def check_options(tap):
    """Options that exclude programs."""
    for words, wanted in (
        (["--programs", "--clock=mono"], "--clock=mono: programs have the clock boot; leave it out"),
        (["--programs", "-p", "1"], "-p: has no effect on programs; select tracepoints with -e or -r, or leave it out"),
        (["--programs", "--instance=x"], "--programs: not with an instance of --instance; leave out one of the two"),
    ):
        for command in ("stream", "record"):
            done = subprocess.run([KTRACK, command, *words], capture_output=True, text=True, check=False)
            tap.ok(done.returncode == 2 and wanted in done.stderr, f"{command} {' '.join(words)}", done.stderr)
    done = subprocess.run([KTRACK, "watch", "--programs"], capture_output=True, text=True, check=False)
    wanted = "ktrack: unknown option '--programs'; see 'ktrack watch --help'\n"
    tap.ok(done.returncode == 2 and done.stderr == wanted, "ktrack watch records no programs", done.stderr)


def check_slow(tap, folder):
    """A program may be preempted between its connection and its message; connections that stay silent keep nothing out."""
    program = build(folder, "slow", more=("-Wl,--wrap=sendmsg", SOURCES / "slow.c"))
    output, events, _ = stream([program, "1", "1000", "1000"])
    account(tap, "a message that comes late", output, events, has_lost=False)
    recorder = Recorder(folder, "silent")
    silent = []
    for _ in range(SILENT):
        silent.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        silent[-1].connect(os.environ["KTRACK_USER_SOCKET"])
    output = subprocess.run([folder + "/load", "1", "1000", "1000"], stdout=subprocess.PIPE, text=True, check=True).stdout
    events = recorder.stop()
    for connection in silent:
        connection.close()
    account(tap, f"{SILENT} connections that send nothing", output, events, has_lost=False)


def check_late(tap, folder):
    """A program that gave up waiting for a stopped reader is reported: its first records are missing."""
    program = build(folder, "hasty", patience="-D__KTRACK_ANSWER_MS=100")
    # Whoever continues the test's process group does not continue it.
    recorder = Recorder(folder, "late", process_group=0)
    os.kill(reader_of(recorder), signal.SIGSTOP)
    process = subprocess.run([program, "1", "100", "0"], stdout=subprocess.DEVNULL, check=False)
    os.kill(reader_of(recorder), signal.SIGCONT)
    # The helper's process for the program ends when it has told.
    wait_for(lambda: children_of(helper_of(recorder)) == [reader_of(recorder)], recorder.process)
    events = recorder.stop()
    tap.ok(process.returncode == 0 and exported(events) == 0, "a program does not wait for ever", events[-3:])
    tap.ok(" did not wait for ktrack, which was busy; its records until now are missing" in recorder.messages, "that is reported", recorder.messages)


def filled_socket():
    """Connections, as many as a socket takes that nobody accepts."""
    connections = []
    while True:
        connections.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK))
        try:
            connections[-1].connect(os.environ["KTRACK_USER_SOCKET"])
        except BlockingIOError:
            return connections


@contextmanager
def flooded(recorder):
    """As many programs have connected as can, and nobody accepts them. Yields the helper that is stopped for it."""
    helper = helper_of(recorder)
    os.kill(helper, signal.SIGSTOP)
    connections = filled_socket()
    try:
        yield helper
    finally:
        os.kill(helper, signal.SIGCONT)
        for connection in connections:
            connection.close()


def check_patient(tap, load, folder):
    """If too many connect, a program waits, and nothing that it emits is missing."""
    recorder = Recorder(folder, "patient")
    with flooded(recorder):
        patient = subprocess.Popen([load, "1", "1000", "1000"], stdout=subprocess.PIPE, text=True)
        # It sleeps while it connects. One that does not wait sleeps behind records that nobody has.
        wait_for(lambda: patient.poll() is not None or processes()[patient.pid].state == "S")
    output = patient.communicate()[0]
    events = recorder.stop()
    account(tap, "a program that waits to connect", output, events, has_lost=False)


def give_up(folder, program):
    """Starts a program that gives up because too many connect; returns (recorder, Popen), None if somebody has continued the helper."""
    recorder = Recorder(folder, "flood")
    with flooded(recorder) as helper:
        missed, count = started(program, folder, "hasty")
        wait_for(lambda: number_in(count) > 10, missed)
        if processes()[helper].state == "T":
            return recorder, missed
    missed.kill()
    missed.wait()
    recorder.stop()
    return None


def check_hasty(tap, folder):
    """If too many connect for too long, a program that gave up is reported with its number, however it is found later."""
    hasty = build(folder, "hasty", patience="-D__KTRACK_ANSWER_MS=100")
    recorder, missed = wait_for(lambda: give_up(folder, hasty))
    tap.ok(wait_for(lambda: "hasty" in str(comms_of(read_lines(recorder.event))), recorder.process), "a program that gave up is found later")
    events = recorder.stop()
    missed.kill()
    missed.wait()
    tap.ok(f"hasty ({missed.pid}): did not wait for ktrack, which was busy; its records until now are missing" in recorder.messages, "one that gave up is reported with its number", recorder.messages)
    tap.ok(lost(events)[1], "an unknown number of records is lost", lost(events))


def read_lines(path):
    """The complete lines of an EVENT file that is being written."""
    text = path.read_text()
    return read_plain(text[: text.rfind("\n") + 1])


def check_refused(tap):
    """Programs whose memory cannot be used are named, with the reason, on the last line and by ktrack doctor."""
    script = "import os, sys; open('/proc/self/comm', 'w').write('a\\x1b[2Jb'); os.memfd_create('ktrack-user'); print(flush=True); sys.stdin.read()"
    refused = [subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(REFUSED)]
    for process in refused:
        process.stdout.readline()
    _, _, messages = stream(["true"], programs="--programs=all")
    line = messages.splitlines()[-1]
    reason = r"\S+ \(\d+\): its memory is not sealed"
    wanted = rf"ktrack: {REFUSED} programs were not recorded, or only in part: ({reason}; ){{10}}and {REFUSED - 10} more"
    tap.ok(re.fullmatch(wanted, line), "the last line names programs that were refused", messages)
    done = subprocess.run([KTRACK, "doctor"], capture_output=True, text=True, check=False)
    tap.ok(re.search(r"^limited +instrumented .* cannot: .*" + reason, done.stdout, re.MULTILINE), "ktrack doctor names them, too", done.stdout)
    tap.ok("\x1b" not in messages + done.stdout and "a?[2Jb (" in done.stdout, "without what a terminal would obey", messages, done.stdout)
    for process in refused:
        process.communicate()


def check_many(tap, folder):
    """Of one process with too many memfds, as many as fit are recorded, and one line says it."""
    output, events, messages = stream([build(folder, "many", source="many.c"), str(MEMFDS)])
    wanted = rf"many \(\d+\): not recorded, as later ones may be: at most \d+ programs, \d+ of a user, and {MEMFDS - 10} of a process"
    tap.ok(len(re.findall(wanted, messages)) == 1, "too many memfds of one process are reported once", messages)
    tap.ok(exported(events) > 0, "its first memory is recorded", output)


@tested
def main(tap):
    # A shell ignores it for what it starts in the background, and so would ktrack.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        own_socket(folder)
        load = build(folder)
        check_options(tap)
        check_ten(tap, folder)
        check_life(tap, load)
        check_namespaces(tap, load, folder)
        check_clocks(tap, load)
        check_limits(tap, load)
        check_replaced(tap, folder)
        check_stat(tap, load)
        check_full(tap, load)
        check_no_calls(tap, load, folder)
        check_user(tap, load, folder)
        check_killed_programs(tap, load, folder)
        check_killed_readers(tap, load, folder)
        check_killed_recorder(tap, load, folder)
        check_killed_recorders(tap, load, folder)
        check_running(tap, folder)
        check_container(tap, folder)
        check_apart(tap, folder)
        check_slow(tap, folder)
        check_late(tap, folder)
        check_patient(tap, load, folder)
        check_hasty(tap, folder)
        check_many(tap, folder)
        check_refused(tap)
