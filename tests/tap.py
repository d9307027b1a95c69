# SPDX-License-Identifier: GPL-2.0-only
"""TAP from Python: numbers the results and prints the plan; an exception ends one check, not the test."""

import functools
import inspect
import sys
import traceback


class Tap:
    """The results of one test program. Its functions whose first argument is tap are isolated from each other."""

    def __init__(self):
        self.count = 0
        self.failed = 0
        program = vars(sys.modules["__main__"])
        for name, function in list(program.items()):
            if inspect.isfunction(function) and list(inspect.signature(function).parameters)[:1] == ["tap"]:
                program[name] = self.isolated(function)

    def isolated(self, function):
        """The same function; if it raises an exception, that is one failure."""

        @functools.wraps(function)
        def run(*arguments, **more):
            try:
                return function(*arguments, **more)
            except Exception as problem:
                self.ok(False, f"{function.__name__}: {type(problem).__name__}", traceback.format_exc())
                return None

        return run

    def ok(self, is_ok, text, *details):
        """One result; details are printed on failure."""
        self.count += 1
        self.failed += not is_ok
        print(f"{'ok' if is_ok else 'not ok'} {self.count} - {text}", flush=True)
        for detail in [] if is_ok else details:
            self.comment(detail)
        return is_ok

    def nothing(self, found, text, most=20):
        """One result: ok if nothing was found; otherwise the findings are printed."""
        more = [f"and {len(found) - most} more"] if len(found) > most else []
        return self.ok(not found, text, *found[:most], *more)

    def skip(self, text, why):
        """A test that cannot run here."""
        self.count += 1
        print(f"ok {self.count} - {text} # SKIP {why}")

    def comment(self, text):
        """A comment line."""
        for line in str(text).splitlines():
            print(f"# {line}")

    def finish(self):
        """Prints the plan; returns the exit status."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def tested(check):
    """Decorates the function that makes all checks of a program, which is run, and ends the program with their status."""
    tap = Tap()
    check(tap)
    sys.exit(tap.finish())
