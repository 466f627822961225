"""bench/run roadblocks: does the search get past conditions of the code under test?

Subjects are in bench/roadblocks: small functions with a bug behind a condition that no assume or check names. They are compiled by `sonde cc -O1` with
each compiler, as a user's code is. libFuzzer has the same functions, on bytes that are the values (bench/roadblocks/bytes.c), with its default
options and with its value profile. Files: twelve.c, ten.c (of the design), kinds.c (other kinds), later.c (written when the search was
finished; developed on since), last.c (written after that; developed on
since), unseen.c (not used for
development).

A row is one search, to the bug or to --tests tests: subject, set (its file), compiler, arm, seed, tests, found, tests_to_failure, cpu_s. The tables count a subject as found
if every seed found it; the median is over all searches of an arm, the lower of two, where one that found nothing counts as longer than any that did.

--witnesses runs the input of bench/roadblocks/witnesses.txt for each subject instead: it must reach the bug."""
import argparse, glob, json, os, resource, statistics, subprocess, sys

HERE = os.path.join("bench", "roadblocks")
BUILD = os.environ.get("BUILD", "build")
OUT = os.path.join(BUILD, "bench", "roadblocks")
SETS = ("twelve", "ten", "kinds", "later", "last", "unseen")
FUZZERS = {"libfuzzer": [], "libfuzzer-value-profile": ["-use_value_profile=1"]}
WORST = float("inf")


def fail(message):
    sys.exit(f"bench/run roadblocks: {message}")


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def must(command):
    done = run(command)
    if done.returncode:
        fail(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


def sources():
    return [os.path.join(HERE, name + ".c") for name in SETS if os.path.exists(os.path.join(HERE, name + ".c"))]


def is_newer(target, of):
    return os.path.exists(target) and all(os.path.getmtime(target) >= os.path.getmtime(f) for f in of)


def program(compiler):
    """Builds the test program of a compiler if something has changed; returns its path."""
    path, tool = os.path.join(OUT, compiler), os.path.join(BUILD, "sonde")
    files = sources() + [os.path.join(HERE, "main.c")]
    if not is_newer(path, files + glob.glob(os.path.join(HERE, "*.h")) + [tool, os.path.join(BUILD, "libsonde.a")]):
        os.makedirs(OUT, exist_ok=True)
        must([tool, "cc", f"--sonde-cc={compiler}", "-std=c11", "-O1", *files, "-lm", "-o", path])
    return path


def target():
    """Builds the target of libFuzzer; returns None where clang has no libFuzzer."""
    path, files = os.path.join(OUT, "libfuzzer"), sources() + [os.path.join(HERE, "bytes.c")]
    if is_newer(path, files + glob.glob(os.path.join(HERE, "*.h"))):
        return path
    os.makedirs(OUT, exist_ok=True)
    done = run(["clang", "-fsanitize=fuzzer", "-std=c11", "-O1", "-Iinclude", *files, "-lm", "-o", path])
    if done.returncode:
        print(f"bench/run roadblocks: libFuzzer is left out: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return path


def subjects(path):
    """Returns {subject: file without its suffix}, in the order of the files."""
    named = set(must([path, "--list"]).split())
    found = {}
    for source in sources():
        for line in open(source):
            if line.startswith("SONDE_PROPERTY("):
                found[line.split("(")[1].rstrip(")\n")] = os.path.basename(source)[:-2]
    if named != set(found):
        fail(f"{path} has other subjects than its sources: {named ^ set(found)}")
    return found


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def search(options, path, subject, arm, seed):
    """One search by sonde; the arm is a guide."""
    command = [path, "--filter", subject, "--seed", str(seed), "--runs", str(options.tests), "--tests", "0", "--time", "0", "--max-discards", "0", "--guide", arm,
               "--no-store", "--fail-fast", "--no-shrink", "--json"]
    done = run(command + (["--guide-options", options.guide_options] if options.guide_options else []))
    if done.returncode not in (0, 1):
        fail(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")
    result = json.loads(done.stdout)
    first = result["failures"][0]["tests_to_failure"] if result["failures"] else None
    return result["tests"], first


def fuzz(options, path, subject, arm, seed):
    """One search by libFuzzer."""
    command = [path, f"-seed={seed}", f"-runs={options.tests}", "-exact_artifact_path=/dev/null", "-verbosity=0", *FUZZERS[arm]]
    done = run(command, env={**os.environ, "ROADBLOCK": subject})
    first = int(done.stdout) if done.stdout.strip() else None
    if done.returncode != (first is not None):
        fail(f"ROADBLOCK={subject} {' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")
    return first or options.tests, first


def rows(options):
    """Runs what is asked for; yields a row as each search ends. Seeds are the inner loop, so that a subject is whole when a run is ended."""
    programs = {c: program(c) for c in options.compilers}
    arms = [(c, a) for a in options.arms if a not in FUZZERS for c in options.compilers]
    at = target() if any(a in FUZZERS for a in options.arms) else None
    arms += [("clang", a) for a in options.arms if a in FUZZERS and at]
    for subject, kind in subjects(next(iter(programs.values()))).items():
        if options.only and subject not in options.only and kind not in options.only:
            continue
        for compiler, arm in arms:
            for seed in options.seeds:
                before = cpu_of_children()
                tests, first = fuzz(options, at, subject, arm, seed) if arm in FUZZERS else search(options, programs[compiler], subject, arm, seed)
                row = {"suite": "roadblocks", "subject": subject, "set": kind, "compiler": compiler, "arm": arm, "seed": seed, "limit": options.tests, "tests": tests,
                       "found": first is not None, "tests_to_failure": first, "cpu_s": round(cpu_of_children() - before, 3)}
                yield row


def number(x):
    if x == WORST:
        return "-"
    return f"{x:.0f}" if x < 10000 else f"{x / 1000:.0f}k"


def tables(all_rows):
    """Prints a line per subject, then one per arm and set of subjects."""
    arms = list(dict.fromkeys((r["arm"], r["compiler"]) for r in all_rows))
    cells, kinds = {}, {}
    for r in all_rows:
        kinds[r["subject"]] = r["set"]
        cells.setdefault((r["subject"], r["arm"], r["compiler"]), []).append(r["tests_to_failure"] if r["found"] else WORST)
    print("| subject | " + " | ".join(f"{arm}, {compiler}" for arm, compiler in arms) + " |\n|---|" + "---|" * len(arms))
    for subject in kinds:
        line = []
        for arm in arms:
            found = cells.get((subject, *arm), [])
            median = statistics.median_low(found) if found else WORST
            line.append(f"{sum(x < WORST for x in found)}/{len(found)}, {number(median)}" if found else "")
        print(f"| {subject} | " + " | ".join(line) + " |")
    print("\n| arm | subjects | found at every seed | found at some seed | median tests |\n|---|---|---|---|---|")
    for arm, compiler in arms:
        for name in ("all", *dict.fromkeys(kinds.values())):
            of = [v for (s, a, c), v in cells.items() if (a, c) == (arm, compiler) and name in ("all", kinds[s])]
            every, some = sum(max(v) < WORST for v in of), sum(min(v) < WORST for v in of)
            print(f"| {arm}, {compiler} | {name} | {every} of {len(of)} | {some} | {number(statistics.median_low([x for v in of for x in v]))} |")


def witnesses(options):
    """Runs the recorded input of each subject; returns the status of the program."""
    known = dict(line.split(None, 1) for line in open(options.witnesses) if not line.startswith("#"))
    wrong = 0
    for compiler in options.compilers:
        reached = 0
        for subject in subjects(program(compiler)):
            token = known.get(subject, "").strip()
            done = run([program(compiler), "--filter", subject, "--no-store", "--no-shrink", "--json", "--replay", token]) if token else None
            is_reached = done is not None and done.returncode == 1 and json.loads(done.stdout)["failures"][0]["kind"] == "crash"
            reached += is_reached
            if not is_reached:
                wrong += 1
                print(f"not ok: {subject}, {compiler}: {'its input does not reach the bug' if token else 'there is no input'}")
        print(f"{compiler}: {reached} of {len(subjects(program(compiler)))} subjects have an input that reaches the bug")
    return 1 if wrong else 0


def main():
    names = lambda text: text.split(",")
    span = lambda text: range(int(text.split("-")[0]), int(text.split("-")[-1]) + 1)
    parser = argparse.ArgumentParser(prog="bench/run roadblocks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", type=names, default=["auto", *FUZZERS], metavar="A,...", help="guides, libfuzzer, libfuzzer-value-profile (auto and both)")
    parser.add_argument("--compilers", type=names, default=["gcc", "clang"], metavar="C,...", help="(gcc,clang)")
    parser.add_argument("--seeds", type=span, default=range(1, 11), metavar="A-B", help="(1-10)")
    parser.add_argument("--tests", type=int, default=300000, metavar="N", help="of each search (300000)")
    parser.add_argument("--only", type=names, metavar="S,...", help="these subjects, or files without their suffix")
    parser.add_argument("--guide-options", metavar="K=V,...", help="knobs of the guides")
    parser.add_argument("--json", action="store_true", help="one object per search, and nothing else")
    parser.add_argument("--tables", metavar="FILE", help="print the tables of such rows, and end")
    parser.add_argument("--witnesses", nargs="?", const=os.path.join(HERE, "witnesses.txt"), metavar="FILE", help="run the input of each subject that reaches its bug, and end")
    options = parser.parse_args()
    if options.tables:
        return tables([json.loads(line) for line in open(options.tables)])
    if options.witnesses:
        return witnesses(options)
    done = []
    for row in rows(options):
        done.append(row)
        if options.json:
            print(json.dumps(row), flush=True)
    if not done:
        fail("--only names no subject")
    return None if options.json else tables(done)


if __name__ == "__main__":
    sys.exit(main())
