"""bench/run first: the first 100, 1,000 and 10,000 cases beside what people use.

Subjects: the zoo's, one fault each (--zoo A-B: of these numbers those whose fault a random input meets with a chance between 10^-2 and 10^-5, and whose calibration is done), and --mutants mutants of
bench/run kills, of its open set, by turns from each library. The same C is searched by four arms:

  sonde            compiled by clang without instrumentation
  sonde-cc         compiled by `sonde cc`
  hypothesis       Debian's python3-hypothesis: it answers the draws of the C function through callbacks (first/arm.py); integers by st.integers, strings by st.text, lists by the loop of st.lists
  libfuzzer-bytes  clang's libFuzzer; its bytes answer the draws

A case is a run of the property, valid or discarded. A row has found (the case that met the fault; null: none of the first --tests) and size: the draws of the counterexample as it is reported (a list's
length and a number count 1 each). Strings and bytes count 2 under Hypothesis and up to 3 in sonde, so sizes of subjects that draw them must not be compared between the two. libFuzzer does not shrink; it
has no size, and neither has a crash under Hypothesis, which ends the process."""
import argparse, json, os, re, statistics, subprocess, sys, tempfile

import kills, mutate

HERE = os.path.join("bench", "first")
OUT = os.path.join(mutate.BUILD, "bench", "first")
LIBRARY = os.path.join(mutate.BUILD, "libsonde.a")
ARMS = ("sonde", "sonde-cc", "hypothesis", "libfuzzer-bytes")
AT = (100, 1000, 10000)
CLANG = ["clang", *mutate.FLAGS]


def has_hypothesis(python):
    return os.path.exists(python) and subprocess.run([python, "-c", "import hypothesis"], stderr=subprocess.DEVNULL).returncode == 0


# Debian's packages are for Debian's python3, which need not be the one that runs this.
PYTHON = next((p for p in (sys.executable, "/usr/bin/python3") if has_hypothesis(p)), None)


# ---- Subjects: {arm: path}


def build(stem, sources, flags, shared):
    """Builds a subject for all arms. `sources` are compiled anew for each, with `flags`; `shared` are objects without instrumentation."""
    ways = {"sonde": [CLANG + ["-Iinclude"], ["main.c"], [LIBRARY, "-lm", "-lpthread"]],
            "sonde-cc": [mutate.compiler("clang"), ["main.c"], []],
            "hypothesis": [CLANG + ["-shared", "-fPIC", "-I" + HERE + "/stub"], ["callbacks.c"], []],
            "libfuzzer-bytes": [CLANG + ["-fsanitize=fuzzer", "-Iinclude", "-DFIRST_BYTES"], ["main.c"], [LIBRARY, "-lm", "-lpthread"]]}
    paths = {}
    for arm, (compiler, more, libraries) in ways.items():
        paths[arm] = f"{stem}-{arm}" + (".so" if arm == "hypothesis" else "")
        if kills.is_newer(paths[arm], LIBRARY) and all(kills.is_newer(paths[arm], s) for s in sources):
            continue
        kills.must([*compiler, *flags, "-Ibench", *sources, *[os.path.join(HERE, f) for f in more], *shared, *libraries, "-o", paths[arm]])
    return paths


def zoo(numbers, most):
    """Yields (name, paths) of subjects of the zoo."""
    for number in numbers:
        if most == 0:
            return
        text = mutate.run([os.path.join(mutate.BUILD, "bench", "zoo"), "--subject", str(number), "--one-bug"]).stdout
        p = re.search(r"fault 0: ([0-9.e-]+) \(counted\)", text)
        if not p or not 1e-5 <= float(p.group(1)) <= 1e-2:
            continue
        source = os.path.join(OUT, f"zoo-{number}.c")
        if not os.path.exists(source) or open(source).read() != text:
            with open(source, "w") as out:
                out.write(text)
        most -= 1
        yield f"zoo-{number}", build(source[:-2], [source], [f"-Dsubject_{number}=first_property"], [])


def mutants(n):
    """Yields (name, paths) of open mutants of bench/run kills, by turns from each library."""
    if n == 0:
        return
    by_subject = [[m for m in kills.listed([s]) if not kills.is_held(m)] for s in kills.SUBJECTS]
    for m in [m for turn in range(n) for ms in by_subject for m in ms[turn:turn + 1]][:n]:
        prepared = kills.prepare(m.subject)
        if prepared is None:
            continue
        source, options, objects = prepared
        stem = os.path.join(OUT, f"{m.subject}-{kills.name_of(m)}")
        copy = os.path.join(os.path.dirname(source), f"sonde_first_{os.getpid()}.c")
        others = [s for s in mutate.subject(m.subject)[0][1:]]
        shared = [objects["sonde"][0]]
        if not all(os.path.exists(f"{stem}-{arm}" + (".so" if arm == "hypothesis" else "")) for arm in ARMS):
            with open(copy, "w", errors="surrogateescape") as out:
                out.write(mutate.changed(open(source, errors="surrogateescape").read(), m._asdict()))
            paths = build(stem, [copy, os.path.join(kills.HERE, m.subject + ".c"), *others], ["-fPIC", "-DKILLS_FUNCTION=first_property", *options], shared)
            os.remove(copy)
        else:
            paths = {arm: f"{stem}-{arm}" + (".so" if arm == "hypothesis" else "") for arm in ARMS}
        yield f"{m.subject}:{kills.name_of(m)}", paths


# ---- Searches


def search(path, arm, seed, tests):
    """Returns the case that met the fault (None: none) and the draws of the counterexample (None: not known)."""
    if arm.startswith("sonde"):
        command = [path, "--seed", str(seed), "--runs", str(tests), "--tests", "0", "--time", "0", "--max-discards", "0", "--no-store", "--fail-fast", "--json"]
        done = mutate.run(command)
        if done.returncode not in (0, 1):
            sys.exit(f"bench/run first: {' '.join(command)} ended with status {done.returncode}:\n{done.stderr[-1000:]}")
        failures = json.loads(done.stdout)["failures"]
        return (failures[0]["tests_to_failure"], failures[0]["size"]) if failures else (None, None)
    with tempfile.NamedTemporaryFile() as count:
        count.write(bytes(8) if arm == "libfuzzer-bytes" else b" " * 20)
        count.flush()
        if arm == "libfuzzer-bytes":
            status = mutate.run([path, f"-seed={seed}", f"-runs={tests}", "-exact_artifact_path=/dev/null", "-verbosity=0"], env={**os.environ, "FIRST_COUNT": count.name}).returncode
            cases = int.from_bytes(open(count.name, "rb").read(8), sys.byteorder)
            if cases == 0:
                sys.exit(f"bench/run first: {path} ran no case")
            return (min(cases, tests), None) if status else (None, None)
        done = subprocess.run(["sh", "-c", 'exec "$@" 3<>"$0"', count.name, PYTHON, os.path.join(HERE, "arm.py"), path, str(seed), str(tests)],
                              env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": os.path.join(OUT, "hypothesis")}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode == 0:
            result = json.loads(done.stdout)
            return result["found"], result["size"]
        if done.returncode > 0:
            sys.exit(f"bench/run first: hypothesis on {path}: {done.stderr[-1000:]}")
        cases = int(open(count.name).read())
        return cases, None  # a crash


def rows(options):
    done = {(r["row"], r["arm"], r["seed"]) for r in kills.recorded(options.record)} if options.resume else set()
    os.makedirs(OUT, exist_ok=True)
    subjects = [*zoo(options.zoo, options.most), *mutants(options.mutants)]
    for seed in options.seeds:
        for name, paths in subjects:
            for arm in options.arms:
                if (name, arm, seed) in done:
                    continue
                before = mutate.cpu_seconds()
                found, size = search(paths[arm], arm, seed, options.tests)
                yield {"suite": "first", "row": name, "arm": arm, "seed": seed, "limit": options.tests, "found": found, "size": size, "cpu_s": round(mutate.cpu_seconds() - before, 3)}


def shown(found, runs):
    return f"{found} of {runs}"


def table(all_rows):
    """By kind of subject. Only seeds that all arms have, so that the columns are of the same searches."""
    arms = list(dict.fromkeys(r["arm"] for r in all_rows))
    have = {arm: {(r["row"], r["seed"]) for r in all_rows if r["arm"] == arm} for arm in arms}
    both = set.intersection(*have.values())
    for title, is_zoo in (("zoo", True), ("mutants", False)):
        some = [r for r in all_rows if (r["row"], r["seed"]) in both and r["row"].startswith("zoo-") == is_zoo]
        if not some:
            continue
        subjects, seeds = {r["row"] for r in some}, {r["seed"] for r in some}
        print(f"{title}: {len(subjects)} subjects, {len(seeds)} seeds\n")
        print("| arm | " + " | ".join(f"found in {n:,}" for n in AT) + " | median draws of its counterexamples | of those that the first arm found, too: smaller / same / larger than its | CPU s |\n|---|---|---|---|---|---|---|")
        mine = {(r["row"], r["seed"]): r for r in some if r["arm"] == arms[0]}
        for arm in arms:
            own = [r for r in some if r["arm"] == arm]
            cells = [shown(sum(r["found"] is not None and r["found"] <= n for r in own), len(own)) for n in AT]
            sizes = [r["size"] for r in own if r["size"] is not None]
            pairs = [(r["size"], mine[r["row"], r["seed"]]["size"]) for r in own if r["size"] is not None and mine[r["row"], r["seed"]]["size"] is not None]
            compared = f"{sum(a < b for a, b in pairs)} / {sum(a == b for a, b in pairs)} / {sum(a > b for a, b in pairs)}" if pairs and arm != arms[0] else "-"
            print(f"| {arm} | " + " | ".join(cells) + f" | {statistics.median(sizes) if sizes else '-'} | {compared} | {sum(r['cpu_s'] for r in own):.0f} |")
        print()


def main():
    parser = argparse.ArgumentParser(prog="bench/run first", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--zoo", type=kills.numbers, default=kills.numbers("501-600"), metavar="A-B", help="(501-600)")
    parser.add_argument("--most", type=int, default=24, metavar="N", help="at most so many of the zoo (24)")
    parser.add_argument("--mutants", type=int, default=10, metavar="N", help="(10)")
    parser.add_argument("--arms", type=lambda text: text.split(","), default=list(ARMS), metavar="ARM,...", help=f"({','.join(ARMS)})")
    parser.add_argument("--seeds", type=kills.numbers, default=kills.numbers("1-10"), metavar="A-B", help="(1-10)")
    parser.add_argument("--tests", type=int, default=10000, metavar="N", help="cases of a search (10000)")
    parser.add_argument("--json", action="store_true", help="one object per row")
    parser.add_argument("--record", metavar="FILE", help="append the rows to this file")
    parser.add_argument("--continue", dest="resume", action="store_true", help="run only what --record does not have")
    parser.add_argument("--table", metavar="FILE", help="print the table of recorded rows; measures nothing")
    options = parser.parse_args()
    if options.table:
        return table(kills.recorded(options.table))
    if "hypothesis" in options.arms and not PYTHON:
        print("bench/run first: hypothesis is left out: there is no python3-hypothesis", file=sys.stderr)
        options.arms.remove("hypothesis")
    mutate.take(rows(options), options, table, kills.recorded(options.record) if options.resume else [])


if __name__ == "__main__":
    sys.exit(main())
