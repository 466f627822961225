#!/usr/bin/env python3
"""bench/run grammars [PART...]: what is claimed of sonde_grammar (docs/grammars.md), each part with a table.

    sentences   10^5 strings of each grammar in examples/grammars, given to real parsers (tests/compile/grammars.sh)
    files       files that people wrote, imported by those grammars: do they come out byte by byte?
    cost        instructions per draw, beside hand-written draws (callgrind)
    shrink      ten planted bugs of parsers: does the search end at the least input that fails?
    mistakes    bad and large grammars: message, status, time

Against the hand-written generators of bench/programs: bench/run programs --only sql,lua,xsd --arms auto,auto-grammar.
Options: --seeds A-B (shrink; 11-15), --files FOLDER (files; see get_files there), --strings N (sentences; 100000)."""
import os
import re
import subprocess
import sys
import time

BUILD = os.environ.get("BUILD", "build")
FOLDER = os.path.join(BUILD, "bench", "grammars")
GRAMMARS = "examples/grammars"
CC = os.environ.get("CC", "cc")


def run(words, **settings):
    """Returns the status and the output of a command."""
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False,
                          env=dict(os.environ, **{k: str(v) for k, v in settings.items()}))
    return done.returncode, done.stdout + done.stderr


def compiled(source, name, *more):
    """Compiles a program with the library. Returns its path."""
    program = os.path.join(FOLDER, name)
    status, out = run([CC, "-O2", "-g", "-Iinclude", "-Isrc", "-Ibench", *more, source, f"{BUILD}/libsonde.a", "-lm", "-lpthread",
                       "-o", program])
    if status:
        sys.exit(f"bench/run grammars: {source} does not compile:\n{out}")
    return program


# ---- Sentences

def sentences(strings="100000", **_):
    """Prints what tests/compile/grammars.sh says."""
    where = os.path.join(FOLDER, "sentences")
    os.makedirs(where, exist_ok=True)
    done = subprocess.run(["sh", os.path.abspath("tests/compile/grammars.sh")], cwd=where, check=False,
                          env=dict(os.environ, BUILD=os.path.abspath(BUILD), SRC=os.path.abspath("."), SONDE_GRAMMAR_STRINGS=strings))
    return done.returncode


# ---- Shrinking

# The least input that fails: the fewest characters, and of those the simplest (docs/grammars.md), worked out by hand.
BUGS = [("nesting", "json", "[[[[]]]]"),
        ("empty object in array", "json", "[{}]"),
        ("upper hex", "json", '"\\uaaaA"'),
        ("blank after comma", "json", "[0, 0]"),
        ("escaped backslash", "json", '"\\\\"'),
        ("after a nested array", "json", '{"":[],"":0}'),
        ("colon in user", "uri", "//:@"),
        ("colon in host", "uri", "//[::]"),
        ("digit in scheme", "uri", "a0:"),
        ("empty query", "uri", "?")]


def unescaped(shown):
    return re.sub(r"\\(x..|.)", lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x" else {"n": "\n", "t": "\t"}.get(m[1], m[1]), shown)


def shrink(seeds="11-15", **_):
    program = compiled("bench/grammars/bugs.c", "bugs")
    first, last = (int(n) for n in seeds.split("-"))
    n_minimal = n_bugs = 0
    print("| bug | least input | minimal | tests to failure | calls of shrinking | others |\n|---|---|---|---|---|---|")
    for bug, grammar, least in BUGS:
        minimal, tests, calls, others = 0, [], [], []
        for seed in range(first, last + 1):
            _, out = run([program, "--filter", {"json": "json_is_read", "uri": "uri_is_split"}[grammar], "--no-store", "--seed", str(seed),
                          "--tests", "200000", "--time", "0"], BUG=bug, GRAMMAR=f"{GRAMMARS}/{grammar}.abnf")
            shown = re.search(r'^ +text = "(.*)"$', out, re.M)
            found = unescaped(shown[1]) if shown else "(not found)"
            minimal += found == least
            numbers = re.search(r"[Ff]ound (?:in|at|by) test ([\d,]+)", out), re.search(r"([\d,]+) (?:calls|runs|tries)", out)
            tests.append(int(numbers[0][1].replace(",", "")) if numbers[0] else 0)
            calls.append(int(numbers[1][1].replace(",", "")) if numbers[1] else 0)
            if found != least:
                others.append(found)
        n = last - first + 1
        n_minimal += minimal
        n_bugs += minimal == n
        print(f"| {bug} | `{least}` | {minimal} of {n} | {sorted(tests)[n // 2]} | {sorted(calls)[n // 2]} | {' '.join(others)} |")
    print(f"minimal with every seed: {n_bugs} of {len(BUGS)} bugs; runs that ended minimal: {n_minimal} of {len(BUGS) * (last - first + 1)}")
    return 0


PARTS = {"sentences": sentences, "shrink": shrink}


def main():
    options, parts, words = {}, [], sys.argv[1:]
    while words:
        word = words.pop(0)
        if word.startswith("--") and words:
            options[word[2:]] = words.pop(0)
        elif word in PARTS:
            parts.append(word)
        else:
            sys.exit(f"bench/run grammars: no part '{word}'\n{__doc__}")
    os.makedirs(FOLDER, exist_ok=True)
    return max(PARTS[part](**options) for part in parts or PARTS)


if __name__ == "__main__":
    sys.exit(main())
