#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Test: modules are loaded and unloaded in any order at any moment; recorded modules stay loaded."""

import random
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / part) for part in ("", "vm")]

import machine  # noqa: E402
import modules  # noqa: E402
from tap import tested  # noqa: E402

NAMES = ("ktrack", "ktrack_demo", "ktrack_test", "ktrack_twin")
USERS = {"ktrack": "ktrack_demo"}
PLACES = ("top", "a", "b")
NR_ACTIONS = machine.rounds(300, 100)
SEED = 20
CHURN_ROUNDS = machine.rounds(4, 2)
OPTOUT_ROUNDS = machine.rounds(50, 20)
PARTS = ("unload.sh", "churn.sh", "optout.sh")


class Machine:
    """What must be true of the guest: modules loaded, instances, and which events are on where."""

    def __init__(self):
        self.loaded = set()
        self.places = {"top"}
        self.on = set()

    def users(self, name):
        """How many modules need this one now."""
        return int(USERS.get(name) in self.loaded)

    def is_on(self, name):
        """Whether anybody records the module."""
        return any(one == name for _, one in self.on)

    def insmod(self, name):
        """Loads a module that is not there, with all that it needs."""
        needed = [one for one, user in USERS.items() if user == name]
        if name in self.loaded or not self.loaded.issuperset(needed):
            return False
        self.loaded.add(name)
        return True

    def rmmod(self, name):
        """Unloads a module that nobody needs or records."""
        if name not in self.loaded or self.users(name) or self.is_on(name):
            return False
        self.loaded.discard(name)
        return True

    def switch(self, verb, place, name):
        """Turns events on or off that are there."""
        if name not in self.loaded or place not in self.places:
            return False
        (self.on.add if verb == "on" else self.on.discard)((place, name))
        return True

    def rmdir(self, place):
        """Removes an instance, whatever is on in it."""
        if place not in self.places:
            return False
        self.places.discard(place)
        self.on = {(one, name) for one, name in self.on if one != place}
        return True

    def mkdir(self, place):
        """Makes an instance."""
        if place in self.places:
            return False
        self.places.add(place)
        return True

    def fire(self, name):
        """Makes a module write; a twin is driven by the test module."""
        needed = {"ktrack_twin": {"ktrack_twin", "ktrack_test"}}.get(name, {name})
        return needed <= self.loaded


def choose(source, state):
    """A random action: (its words, whether it works); None where it would be senseless."""
    verb = source.choice(("insmod", "rmmod", "rmmod", "on", "off", "off", "mkdir", "rmdir", "fire"))
    name, place = source.choice(NAMES), source.choice(PLACES)
    if verb in ("on", "off"):
        return f"{verb} {place} {name}", state.switch(verb, place, name)
    if verb in ("mkdir", "rmdir"):
        return (f"{verb} {place}", getattr(state, verb)(place)) if place != "top" else None
    if verb == "fire" and not state.fire(name):
        return None
    if verb == "rmmod" and name not in state.loaded:
        return None
    return f"{verb} {name}", getattr(state, verb)(name)


def clean_up(state):
    """All actions that bring the machine back to where it began."""
    for place, name in sorted(state.on):
        yield f"off {place} {name}", state.switch("off", place, name)
    for place in sorted(state.places - {"top"}):
        yield f"rmdir {place}", state.rmdir(place)
    for name in sorted(state.loaded, reverse=True):
        yield f"rmmod {name}", state.rmmod(name)


def list_actions():
    """Random actions with what has to come of them, and the references that there must be then."""
    source, state = random.Random(SEED), Machine()
    nr_actions = 0
    while nr_actions < NR_ACTIONS:
        action = choose(source, state)
        if not action:
            continue
        nr_actions += 1
        yield action
        name = source.choice(NAMES)
        if name in state.loaded:
            yield f"references {name} {int(state.is_on(name))} {state.users(name)}", True
    yield from clean_up(state)


def write_orders(path):
    """The list of actions for the machine; returns in words what it has."""
    actions = list(list_actions())
    path.write_text("".join(f"{'ok' if works else 'no'} {action}\n" for action, works in actions))
    refused = sum(action.startswith("rmmod") and not works for action, works in actions)
    return f"{len(actions)} actions in any order, {refused} unloads refused"


def check_part(tap, what, result, name, wanted):
    """What one part said."""
    found = result.text(name).splitlines()
    tap.ok(found == wanted, what, *found[:20])


def check_kernel(tap, kernel, folder):
    """All on one kernel, in one machine after the other parts: booting takes longer than they do."""
    orders = write_orders(folder / "actions")
    optout = modules.build(kernel, folder / "optout", NAMES[:3], "-DKTRACK_NO_PIN")
    added = [folder / "actions", *(f"{path}:/optout/{path.name}" for path in optout)]
    added += [f"{machine.GUEST / part}:/parts/{part}" for part in PARTS]
    options = [word for file in added for word in ("--add", file)]
    rounds = (CHURN_ROUNDS, OPTOUT_ROUNDS)
    with machine.ran(kernel, "unloads.sh", *rounds, options=options) as result:
        machine.check_end(tap, kernel, result)
        check_part(tap, f"{kernel}: {orders}", result, "orders", [])
        churned, optedout = [f"{CHURN_ROUNDS} rounds or more"], [f"{OPTOUT_ROUNDS} rounds"]
        check_part(tap, f"{kernel}: unloaded at any moment", result, "churn", churned)
        what = f"{kernel}: without pins: unloaded while recorded"
        check_part(tap, what, result, "optout", optedout)
        what = f"{kernel}: without pins: unloaded at any moment"
        check_part(tap, what, result, "optout_churn", churned)


@tested
def main(tap):
    for kernel in machine.KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            check_kernel(tap, kernel, Path(folder))
