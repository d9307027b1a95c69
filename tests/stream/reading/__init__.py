# SPDX-License-Identifier: GPL-2.0-only
"""The strict reader of EVENT streams as ktrack writes them, one idea per module.

It accepts the event format 4 of git's technical/api-trace2, "The Event Format Target": one JSON object (RFC 8259, UTF-8) a line, with
the events, keys and order of keys of that page. Beyond it, a stream has what ktrack-outputs(7) documents: keys of ktrack's own behind
git's, identities of tracks, losses, summaries and counters. It accepts nothing else: of JSON's spellings only trace2's (line.py), of
events and keys only those of the table (schema.py), and what a stream reports about itself has to agree with its records.

Other readers of EVENT take its events (read_events()); tests that make ktrack export something, however damaged, take all of its
rules (check_lines()): golden, outputs, trace2, damage/oracle.t, fuzz/fuzz.t, and the tests in virtual machines.
"""
