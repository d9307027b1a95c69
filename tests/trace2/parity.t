#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: libtrace2 writes the bytes that git writes for the same messages, in all targets."""

import os
import signal
import socket
import sys
import tempfile
import threading
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import process  # noqa: E402
from tap import tested  # noqa: E402
from driver import (  # noqa: E402
    TARGETS, clean_environment, difference, events_of, parents_of, run, script_of, drive,
)

BRIEF = {"GIT_TRACE2_BRIEF": "1", "GIT_TRACE2_PERF_BRIEF": "true", "GIT_TRACE2_EVENT_BRIEF": "yes"}
FOLDED = {"GIT_TRACE2_CONFIG_PARAMS": "CORE.*,alias.*,user.name,odd.*", "GIT_TRACE2_ENV_VARS": " TZ,HOME , NOPE"}
PARENT = {"GIT_TRACE2_PARENT_SID": 'weird "sid"/b', "GIT_TRACE2_PARENT_NAME": "make/test"}

# What is run, the kinds of events that it must bring with it, and the environment.
SCENARIOS = (
    ("git version", "version start cmd_name exit atexit", {}),
    ("git version", "version atexit", BRIEF),
    ("git version", "cmd_name", PARENT),
    ("git version", "cmd_name", {**PARENT, **BRIEF}),
    ("git status", "cmd_ancestry def_repo region_enter region_leave data", {}),
    ("git status", "region_enter data", BRIEF),
    ("git status --short -uall", "cmd_name def_param", FOLDED),
    ("git checkout -q -B other", "cmd_mode", {}),
    ("git -c alias.short=log\\ -1\\ --oneline short", "alias def_repo", {}),
    ("git -c alias.talk=!echo\\ hi talk", "alias child_start child_exit", {}),
    ("git -c alias.loop=loop loop", "error exit", {}),
    ("git checkout nope", "error exit", {}),
    ("git checkout nope", "error exit", BRIEF),
    ("git not-a-command", "cmd_name exit", {}),
    ("git log --nope", "error exit", {}),
    ("git outside", "child_start child_exit exit", {}),
    ("git commit -q --allow-empty -m hooked", "child_start child_exit", {}),
    ("git log -1 --grep=it's\\ a! --author=\\ä\\[x] --since=1.week --format=%H\\|%s\\ '' -- a+b,c:d@e=f_g^h", "start", {}),
    ("git commit-graph write --reachable --changed-paths", "data_json data", {}),
    ("git log --oneline -- file", "data_json", {}),
    ("git clone -q --no-local . OUT/clone", "child_start child_exit", {}),
    ("git gc -q", "child_start child_exit region_enter", {}),
    ("git fetch -q . main:fetched", "child_start", {}),
    ("git stash", "child_start exit", {}),
    ("git -C .. shell -c git-upload-pack\\ '/nowhere'", "exec", {}),
    ("git --exec-path=/nowhere not-a-command", "cmd_name", {}),
)


def words_of(command, folder):
    """The words of a scenario: blanks and quotes are escaped with backslashes."""
    words = [word.replace("\0", " ") for word in command.replace("\\ ", "\0").split(" ")]
    return [w.replace("OUT", str(folder)).replace("\\", "").replace("''", "") for w in words]


def git(folder, *words):
    """Runs git without tracing, to make something."""
    process.run(["git", *words], cwd=folder, env=clean_environment(), check=True, capture_output=True)


def repository_make(folder):
    """A repository with some history, a hook, a command of its own and odd settings."""
    repository = folder / "repo dir"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    for number in range(3):
        (repository / "file").write_text(f"{number}\n")
        git(repository, "add", ".")
        git(repository, "commit", "-q", "-m", str(number))
    hook = repository / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexit 0\n")
    hook.chmod(0o755)
    (folder / "git-outside").write_text("#!/bin/sh\nexit 3\n")
    (folder / "git-outside").chmod(0o755)
    git(repository, "config", "odd.quote", "a \"b\" 'c'")
    git(repository, "config", "odd.empty", "")
    (repository / "file").write_text("changed\n")
    return repository


def judge_process(events, streams, environment):
    """Differences between the output of a git process and of the driver."""
    variables = {**environment, **parents_of(events)}
    for name in ("GIT_TRACE2_CONFIG_PARAMS", "GIT_TRACE2_ENV_VARS"):
        variables.pop(name, None)
    driven, done = drive(script_of(events), events[0], variables)
    if done.stderr:
        yield done.stderr.decode()
    for target, want in streams.items():
        found = difference(driven[target], want)
        if found:
            yield f"{target}: {found}"


def with_places(events, plain):
    """A brief stream has no source locations; they are not compared."""
    return events if not plain else [{**event, "file": event.get("file", "x.c")} for event in events]


def check_scenario(tap, scenario, folder, repository):
    """Every process of a git command, against the driver."""
    command, kinds, environment = scenario
    path = f"{folder}:{os.environ['PATH']}"
    streams, _ = run(words_of(command, folder), folder=repository, environment={"PATH": path, **environment})
    troubles = []
    found = set()
    for name, stream in streams["event"].items():
        events = events_of(stream)
        found.update(event["event"] for event in events)
        own = {target: texts.get(name, "") for target, texts in streams.items()}
        events = with_places(events, "GIT_TRACE2_EVENT_BRIEF" in environment)
        troubles += judge_process(events, own, environment)
    troubles += [f"git wrote no {kind}" for kind in kinds.split() if kind not in found]
    what = f"{command}, {len(streams['event'])} processes" + (" with " + " ".join(environment) if environment else "")
    tap.nothing(troubles, what, most=3)


def check_nesting(tap, repository):
    """The filter of regions: what git leaves out at a limit, the driver leaves out."""
    calm = {"GIT_OPTIONAL_LOCKS": "0"}  # status writes the index, or not, as it sees fit
    whole, _ = run(["git", "status"], folder=repository, environment=calm)
    events = events_of("".join(whole["event"].values()))
    depth = max(event.get("nesting", 0) for event in events)
    for limit in ("", "0", "1", "2", "3", "junk"):
        variables = {"GIT_TRACE2_EVENT_NESTING": limit}
        want, _ = run(["git", "status"], folder=repository, environment={**calm, **variables})
        got, _ = drive(script_of(events), events[0], variables)
        found = [difference(got[target], "".join(want[target].values())) for target in want]
        tap.nothing([one for one in found if one], f"regions down to '{limit}' of {depth}")


def check_pipe(tap, repository):
    """SIGPIPE ends git, and also the driver."""
    reading, writing = os.pipe()
    os.close(reading)
    streams, done = run(["git", "log", "-p"], folder=repository, stdout=writing)
    os.close(writing)
    events = events_of("".join(streams["event"].values()))
    driven, driven_done = drive(script_of(events), events[0])
    tap.ok(
        (done.returncode, driven_done.returncode) == (-signal.SIGPIPE, -signal.SIGPIPE)
        and events[-1]["event"] == "signal",
        "SIGPIPE ends both",
        done, driven_done, events[-1],
    )
    found = [difference(driven[target], "".join(streams[target].values())) for target in streams]
    tap.nothing([one for one in found if one], "SIGPIPE: the same last words")


def check_full_folder(tap, repository):
    """A folder that is full gets a sentinel from both, and then nothing."""
    for name, words, text in (("git", ["git", "version"], ""), ("libtrace2", None, "start\tx.c\t1\tx\n")):
        with tempfile.TemporaryDirectory() as folder:
            variables = {"GIT_TRACE2_EVENT": folder, "GIT_TRACE2_MAX_FILES": "4", "GIT_TRACE2_DST_DEBUG": "1"}
            last = None
            for _ in range(5):
                last = run(words, folder=repository, environment=variables)[1] if words else drive(text, None, variables)[1]
            names = sorted(os.listdir(folder))
            stream = (Path(folder) / "git-trace2-discard").read_text().splitlines()
            warning = f"warning: trace2: not opening GIT_TRACE2_EVENT trace file due to too many files in target directory {folder}\n"
            tap.ok(
                len(names) == 3 and '"too_many_files"' in stream[1] and '"atexit"' in stream[-1]
                and last.stderr.decode() == warning,
                f"{name}: a full folder", names, stream, last.stderr,
            )


class Listener:
    """A socket that keeps what it receives, each datagram or connection by itself."""

    def __init__(self, kind, path):
        self.path = str(path)
        self.kind = kind
        self.parts = []
        self.socket = socket.socket(socket.AF_UNIX, kind)
        self.socket.bind(self.path)
        if kind == socket.SOCK_STREAM:
            self.socket.listen()
        self.thread = threading.Thread(target=self.receive)
        self.thread.start()

    def receive(self):
        """Until an empty part comes, which is the test's own."""
        while True:
            part = self.receive_datagram() if self.kind == socket.SOCK_DGRAM else self.receive_connection()
            if not part:
                return
            self.parts.append(part.decode())

    def receive_datagram(self):
        """One message."""
        return self.socket.recv(1 << 20)

    def receive_connection(self):
        """All of one connection."""
        connection, _ = self.socket.accept()
        with connection, connection.makefile("rb") as stream:
            return stream.read()

    def close(self):
        """What was received."""
        with socket.socket(socket.AF_UNIX, self.kind) as last:
            last.connect(self.path)
            if self.kind == socket.SOCK_DGRAM:
                last.send(b"")
        self.thread.join()
        self.socket.close()
        os.unlink(self.path)
        return self.parts


def received(kind, word, folder, action):
    """What all three targets send while something runs with the environment that names them."""
    listeners = {target: Listener(kind, folder / target) for target in TARGETS.values()}
    variables = {f"GIT_TRACE2{suffix}": f"af_unix:{word}{folder / target}" for suffix, target in TARGETS.items()}
    try:
        action(variables)
    finally:
        parts = {target: listener.close() for target, listener in listeners.items()}
    return parts


def check_sockets(tap, folder, repository):
    """Streams and datagrams: the same bytes in the same pieces."""
    calm = {"GIT_OPTIONAL_LOCKS": "0"}
    for kind, name in ((socket.SOCK_STREAM, "stream:"), (socket.SOCK_DGRAM, "dgram:")):
        for word in (name, ""):
            want = received(kind, word, folder, lambda names: run(["git", "status"], folder=repository, environment={**calm, **names}))
            events = events_of("".join(want["event"]))
            got = received(kind, word, folder, lambda names: drive(script_of(events), events[0], names))
            troubles = [difference("".join(got[target]), "".join(want[target])) for target in want]
            troubles += [f"{target}: {len(got[target])} pieces, git has {len(want[target])}" for target in want
                         if len(got[target]) != len(want[target])]
            pieces = "connection" if kind == socket.SOCK_STREAM else "datagrams"
            tap.nothing([one for one in troubles if one], f"af_unix:{word or ' untyped,'} {pieces} with {len(events)} events")


def sentinels(folder, action):
    """What all three targets write, each into a folder that is full."""
    variables = {"GIT_TRACE2_MAX_FILES": "3"}
    for suffix, target in TARGETS.items():
        (folder / target).mkdir()
        (folder / target / "there").write_text("")
        variables[f"GIT_TRACE2{suffix}"] = str(folder / target)
    action(variables)
    return {target: (folder / target / "git-trace2-discard").read_text() for target in TARGETS.values()}


def check_too_many_files(tap, repository):
    """What goes into the sentinels, too_many_files among it."""
    with tempfile.TemporaryDirectory() as name:
        want = sentinels(Path(name), lambda names: run(["git", "version"], folder=repository, environment=names))
    events = events_of(want["event"])
    with tempfile.TemporaryDirectory() as name:
        got = sentinels(Path(name), lambda names: drive(script_of(events), events[0], names))
    troubles = [difference(got[target], want[target]) for target in want]
    troubles += ["git wrote no too_many_files"] if events[1]["event"] != "too_many_files" else []
    tap.nothing([one for one in troubles if one], "too_many_files, and all that follows it")


def check_warnings(tap):
    """What is said of targets that cannot be, in git's words."""
    for value in ("yes", "12", "./x", "/nowhere/x", "af_unix:", "af_unix:x", "af_unix:/nowhere", "af_unix:dgram:/nowhere", "9", "0", "false", "FALSE", ""):
        for debug in ("0", "1", "true"):
            variables = {"GIT_TRACE2": "0", "GIT_TRACE2_PERF": "0", "GIT_TRACE2_EVENT": value, "GIT_TRACE2_DST_DEBUG": debug}
            _, git_done = run(["git", "version"], environment=variables)
            _, own_done = drive("start\tx.c\t1\tx\n", None, variables)
            if not tap.ok(
                own_done.stderr == git_done.stderr and own_done.returncode == git_done.returncode == 0,
                f"'{value}' with debugging '{debug}'", f"libtrace2 {own_done.stderr}", f"git       {git_done.stderr}",
            ):
                return


# Files that git reads without complaint.
FILES = (
    "[a]\n\tb = c\n",
    "[a]b=c\n[d] e = f # g\n",
    "[A]\nB = C\n[a.B]\nc=d\n[a \"B\"]\nc=d\n[a \"b \\\" \\\\ \\x\"]\ny=z\n",
    "[a]\nb = \"c d\"  e  ; f\nb=#c\nb = c#d\nb = \"c#d;e\"\nb =\nb = \"\"\nb\nb = \" c \" \n",
    "[a]\nb = c\\n\\t\\b\\\\\\\"d\nb = \"\\\"c\\\"\"\n",
    "[a]\nb = c \\\n  d\nb = \"c\\\nd\"\nb = \\\n\\\nc\n",
    "\ufeff[a]\r\n b = c \r\n\r\n; d\r\n # e\r\nb=d\r\n",
    "[a]\nb = c",
    f"[a]\nb = {'c' * 5000}\nd = \"{'e ' * 300}\"\n{'f' * 150} = g\n# {'x' * 300} b = c\n[d]\n  e = f\n",
    "[a-1]\nb-2=c:d=e\n",
    "[a \"b]c;d#e\"] f = g\n[h]\ni = \"j # k\" ; l\n",
    f"[a]\nb=c\n[x \"{'y' * 300}\"]\nb = d\n{'b' * 300} = e\n",
    "",
)
# A line that git dies of is left out, with a warning that counts its lines; the rest is read.
BROKEN = (
    ("[a]\nb = \"c\nd = e\n", ["a.d=e"], 2),
    ("[a]\nb = \\x\nd = e\n", ["a.d=e"], 2),
    ("[a]\nb c\nd = e\n", ["a.d=e"], 2),
    ("b = c\n[a]\nd = e\n", ["a.d=e"], 1),
    ("[a]\nb = c\n[a b]\nb = d\n", ["a.b=c"], 3),
    ("[a]\nb = c\n[a\nb = d\n", ["a.b=c"], 3),
    ("[a]\nb = c\n[a \"b\nb = d\n", ["a.b=c"], 3),
    ("[a]\n1 = c\nd = e\n", ["a.d=e"], 2),
)


def check_parameters(tap, folder):
    """The lists of parameters, asked for in git's order, stand where git writes them, and as often."""
    home = folder / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[one]\n\ta = 1\n[alias]\n\tother = version\n")
    variables = {"HOME": str(home), "GIT_TRACE2_CONFIG_PARAMS": "one.*", "GIT_TRACE2_ENV_VARS": "TZ"}
    words = ("cmd_name", "list_config", "list_env_vars")
    script = "".join(f"{word}\tx.c\t1\tversion\n" for word in words)
    want, _ = run(["git", "version"], folder=folder, environment=variables)
    got, done = drive(script, None, variables, ["/nowhere", home / ".gitconfig"])
    listed = [
        [event.get("param", event.get("name")) for event in events_of(stream) if event["event"] in ("cmd_name", "def_param")]
        for stream in ("".join(want["event"].values()), got["event"])
    ]
    tap.ok(listed[0] == listed[1] == ["version", "one.a", "TZ"] and not done.stderr, "parameters are listed once, as git does", *listed, done)


def reported_by_driver(path):
    """The driver's output in a file, and its warnings."""
    variables = {"GIT_TRACE2_CONFIG_PARAMS": "*", "GIT_TRACE2_DST_DEBUG": "1"}
    driven, done = drive("cmd_name\tx.c\t1\tm\n", None, variables, ["/nowhere", path])
    events = [event for event in events_of(driven["event"]) if event["event"] == "def_param"]
    return [event["param"] + (f"={event['value']}" if "value" in event else "") for event in events], done.stderr.decode()


def check_files(tap, folder):
    """Files of settings hold what git finds in them."""
    path = folder / "settings"
    troubles = []
    for text in FILES:
        path.write_bytes(text.encode())
        done = process.run(["git", "config", "-f", path, "--list", "-z"], env=clean_environment(), capture_output=True)
        want = [entry.replace("\n", "=", 1) for entry in done.stdout.decode().split("\0")[:-1]]
        got, said = reported_by_driver(path)
        if (got, said, done.returncode) != (want, "", 0):
            troubles.append(f"{text[:200]!r}\n  libtrace2 {got} {said}\n  git       {want} {done.stderr}")
    tap.nothing(troubles, "files of settings are read as git reads them")
    troubles = []
    for text, want, line in BROKEN:
        path.write_text(text)
        got, said = reported_by_driver(path)
        if got != want or not said.startswith(f"warning: trace2: {path}:{line}: ") or said.count("\n") != 1:
            troubles.append(f"{text[:200]!r}: {got} {said}")
    tap.nothing(troubles, "lines that cannot be read are left out with a warning")


def check_truths(tap):
    """What is a truth, and which."""
    troubles = []
    for value in ("true", "False", "YES", "no", "On", "off", "1", "0", "-1", "010", "0x10", "1k", "1K", "2g", "1g", "-1g", "-3g",
                  "2147483647", "2147483648", "-2147483649", "0g", "3g", " 1", "1 ", "+1", "1kk", "1.5", "k", "x", ""):
        variables = {"GIT_TRACE2_EVENT_BRIEF": value}
        want, _ = run(["git", "version"], environment=variables)
        got, _ = drive("start\tx.c\t1\tx\n", None, variables)
        is_brief = ['"file"' not in text for text in (got["event"], "".join(want["event"].values()))]
        if is_brief[0] != is_brief[1]:
            troubles.append(f"'{value}': libtrace2 {is_brief[0]}, git {is_brief[1]}")
    tap.nothing(troubles, "truths are git's")


@tested
def main(tap):
    """All scenarios in one repository, in their order."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository = repository_make(folder)
        for scenario in SCENARIOS:
            check_scenario(tap, scenario, folder, repository)
        check_nesting(tap, repository)
        check_pipe(tap, repository)
        check_full_folder(tap, repository)
        check_too_many_files(tap, repository)
        check_sockets(tap, folder, repository)
        check_parameters(tap, folder)
        check_files(tap, folder)
    check_truths(tap)
    check_warnings(tap)
