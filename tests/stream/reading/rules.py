# SPDX-License-Identifier: GPL-2.0-only
"""The register of rules: each is a function that looks at one event and the state before it."""

END = "(end of the stream)"
ANY = "(any event)"

SENTENCES = {}
RULES_OF_KIND = {}


def rule(name, *kinds):
    """Registers a function as the rule NAME for the given kinds of event.

    It is called with the session as it was before the event, and the event (None at END), and
    returns what is wrong, or None. Its docstring is the rule in one sentence.
    """

    def register(check):
        SENTENCES.setdefault(name, check.__doc__)
        for kind in kinds:
            RULES_OF_KIND.setdefault(kind, []).append((name, check))
        return check

    return register


def broken_rules(session, event):
    """Yields (rule, message) for each rule that an event breaks; event is None at the end."""
    kind = event.kind if event else END
    for name, check in RULES_OF_KIND.get(kind, ()):
        message = check(session, event)
        if message:
            yield name, message
    for name, check in RULES_OF_KIND.get(ANY, ()) if event else ():
        message = check(session, event)
        if message:
            yield name, message


def nanoseconds(time_ns):
    """A time as the stream spells it, for messages."""
    sign = "-" if time_ns < 0 else ""
    return f"{sign}{abs(time_ns) // 10**9}.{abs(time_ns) % 10**9:09d}"
