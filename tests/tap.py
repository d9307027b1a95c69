# SPDX-License-Identifier: GPL-2.0-only
"""TAP from Python: numbers the results, prints the plan, remembers whether all was well."""


class Tap:
    """The results of one test program."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, is_ok, what, *details):
        """One result; the details are shown where it is bad."""
        self.count += 1
        self.failed += not is_ok
        print(f"{'ok' if is_ok else 'not ok'} {self.count} - {what}")
        for detail in [] if is_ok else details:
            self.comment(detail)
        return is_ok

    def nothing(self, found, what, most=20):
        """One result that is good when nothing was found; else it shows what was."""
        more = [f"and {len(found) - most} more"] if len(found) > most else []
        return self.ok(not found, what, *found[:most], *more)

    def skip(self, what, why):
        """A result that could not be had here."""
        self.count += 1
        print(f"ok {self.count} - {what} # SKIP {why}")

    def comment(self, text):
        """A remark for people."""
        for line in str(text).splitlines():
            print(f"# {line}")

    def finish(self):
        """Prints the plan; returns the exit status."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0
