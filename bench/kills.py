"""bench/run kills: which guide kills most mutants of real C code in the same processor time?

Subjects are the libraries of bench/run mutate (one more than a codec: a red-black tree), each with one property of bench/kills, which compares the library with a mutant to the library without: so any
mutant that changes what a caller sees can be killed. bench/kills/mutants.txt names the mutants; those with a `held` in the first column were chosen by their hash, and are for claims (--held). Each
mutant is compiled alone, by `sonde cc` and for libFuzzer, both with clang.

A search ends with a failed check or a crash, or after --budget seconds of processor time of all its processes, its start included. Hangs are no kills. Arms: guides, `libfuzzer` (mutators of
adapters/sonde_fuzz.h) and `libfuzzer-bytes` (its own mutators, on bytes that answer the draws).

Rows: suite, row (the mutant), set, guide, seed, budget, found, tests_to_failure (guides only), cpu_s. The table counts searches that all arms have. p: exact paired permutation over mutants (signs of the
differences of searches that killed, or of the logarithms of processor time) against the first arm, corrected by Holm.

--choose writes the list anew. Candidates are mutants that `--mutate` kills, in an order that hashes decide. Kept are those that no search of `uniform` with seeds 1001 to 1003 kills within 1,000 cases, and that
`cgpt` or `random` kills with seed 1000 in --budget seconds. So mutants that only another arm can kill are missing."""
import argparse, collections, hashlib, json, math, os, signal, statistics, subprocess, sys

import mutate
from verdict import holm

HERE = os.path.join("bench", "kills")
LIST = os.path.join(HERE, "mutants.txt")
OUT = os.path.join(mutate.BUILD, "bench", "kills")
SUBJECTS = ("base64", "cjson", "csv", "sds", "tree")
GUIDES = ("auto", "uniform", "random", "rl", "cgpt", "target")
FUZZERS = {"libfuzzer": "STRUCTURE", "libfuzzer-bytes": "BYTES"}
EASY = 1000  # cases within which `uniform` must not kill a mutant of the list
Mutant = collections.namedtuple("Mutant", "subject line column before after")


def fail(message):
    sys.exit(f"bench/run kills: {message}")


def must(command):
    done = mutate.run(command)
    if done.returncode:
        fail(f"{' '.join(command)}:\n{done.stderr[-2000:]}")
    return done.stdout


# ---- Programs


def clang(*flags):
    return ["clang", *mutate.FLAGS, "-Iinclude", "-Iadapters", "-Ibench", *flags]


def prepare(subject):
    """Returns the file that mutants change, the other files and the options of a subject; None if its source cannot be had. Makes the objects that all mutants share."""
    sources, options = mutate.subject(subject)
    if sources is None:
        return None
    os.makedirs(OUT, exist_ok=True)
    options = [*options, "-I" + mutate.HERE]
    if subject == "tree":  # its code comes from macros: expanded, so that there are lines to change
        text = must(["gcc", "-E", "-P", *options, sources[0]])
        sources = [os.path.join(OUT, "tree_expanded.c")]
        with open(sources[0], "w") as out:
            out.write(mutate.run(["clang-format", "--style={BasedOnStyle: LLVM, ColumnLimit: 120}"], input=text).stdout or text)
    stem, property_file = os.path.join(OUT, subject), os.path.join(HERE, subject + ".c")
    original = stem + "-original.o"
    must(clang(*options, "-c", sources[0], "-o", original))
    names = [line.split()[-1] for line in must(["nm", "-g", "--defined-only", original]).splitlines()]
    with open(stem + ".names", "w") as out:
        out.writelines(f"{name} original_{name}\n" for name in names)
    must(["objcopy", "--redefine-syms=" + stem + ".names", original])
    tool = [*mutate.compiler("clang"), *options, "-Ibench"]
    objects = {"sonde": [original]}
    for i, source in enumerate([property_file, *sources[1:]]):
        objects["sonde"].append(f"{stem}-{i}.o")
        must([*tool, "-c", source, "-o", objects["sonde"][-1]])
    for arm, way in FUZZERS.items():
        objects[arm] = [original]
        for i, source in enumerate([property_file, *sources[1:]]):
            objects[arm].append(f"{stem}-{arm}-{i}.o")
            must(clang("-fsanitize=fuzzer-no-link", "-DKILLS_" + way, *options, "-c", source, "-o", objects[arm][-1]))
    return sources[0], options, objects


def is_newer(path, than):
    return os.path.exists(path) and os.path.getmtime(path) >= os.path.getmtime(than)


def build(m, prepared):
    """Builds a mutant for each engine; returns {engine: path}, or None if it does not compile. Without a mutant (before None): the subject as it is."""
    source, options, objects = prepared
    stem = os.path.join(OUT, f"{m.subject}-{name_of(m)}")
    paths = {engine: f"{stem}-{engine}" for engine in objects}
    if all(is_newer(p, os.path.join(mutate.BUILD, "libsonde.a")) for p in paths.values()):
        return paths
    text = open(source, errors="surrogateescape").read()
    if m.before is not None:
        text = mutate.changed(text, m._asdict())
    if text is None:
        return None
    copy = os.path.join(os.path.dirname(source), f"sonde_kills_{os.getpid()}.c")
    with open(copy, "w", errors="surrogateescape") as out:
        out.write(text)
    commands = [[*mutate.compiler("clang"), *options, "-c", copy, "-o", stem + ".o"], [*mutate.compiler("clang"), stem + ".o", *objects["sonde"], "-o", paths["sonde"]],
                clang("-fsanitize=fuzzer-no-link", *options, "-c", copy, "-o", stem + ".o")]
    commands += [clang("-fsanitize=fuzzer", stem + ".o", *objects[arm], os.path.join(mutate.BUILD, "libsonde.a"), "-lm", "-lpthread", "-o", paths[arm]) for arm in FUZZERS]
    built = all(mutate.run(command).returncode == 0 for command in commands)
    os.remove(copy)
    return paths if built else None


# ---- Searches


def cpu_of(pid):
    """Returns the processor time of a process and its descendants so far."""
    ticks, pids = 0, [pid]
    while pids:
        one = pids.pop()
        try:
            fields = open(f"/proc/{one}/stat").read().rsplit(")", 1)[1].split()
            pids += [int(p) for p in open(f"/proc/{one}/task/{one}/children").read().split()]
        except (OSError, IndexError):
            continue
        ticks += sum(int(x) for x in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def bounded(command, budget):
    """Runs a command until its processes have used the budget. Returns its status (None: it was ended), output and processor time."""
    before = mutate.cpu_seconds()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    while True:
        try:
            out = p.communicate(timeout=0.05)[0]
            break
        except subprocess.TimeoutExpired:
            if cpu_of(p.pid) >= budget:
                os.killpg(p.pid, signal.SIGKILL)
                p.communicate()
                return None, b"", budget
    cpu = mutate.cpu_seconds() - before
    return (p.returncode if cpu <= budget else None), out, min(cpu, budget)


def search(paths, arm, seed, budget, tests=0):
    """Returns whether the mutant was killed, after how many tests (None: not counted), and the processor time."""
    if arm in FUZZERS:
        status, _, cpu = bounded([paths[arm], f"-seed={seed}", "-runs=-1", "-exact_artifact_path=/dev/null", "-verbosity=0", "-timeout=100000", "-rss_limit_mb=0"], budget)
        return status not in (None, 0), None, cpu
    command = [paths["sonde"], "--guide", arm, "--seed", str(seed), "--runs", str(tests), "--tests", "0", "--time", "0", "--max-discards", "0", "--timeout", "0", "--wall-timeout", "0", "--no-store",
               "--no-shrink", "--fail-fast", "--json"]
    status, out, cpu = bounded(command, budget)
    if status not in (None, 0, 1):
        fail(f"{' '.join(command)} ended with status {status}")
    failures = json.loads(out)["failures"] if status == 1 else []
    return bool(failures), failures[0]["tests_to_failure"] if failures else None, cpu


# ---- The list of mutants


def name_of(m):
    """A name that says which mutant it is; its digits also decide what is held out."""
    return f"{m.line}-" + hashlib.sha256("\t".join(map(str, m)).encode()).hexdigest()[:8]


def is_held(m):
    return int(name_of(m)[-8:], 16) % 3 == 0


def listed(only):
    rows = [line.rstrip("\n").split("\t") for line in open(LIST) if not line.startswith("#")]
    return [Mutant(r[1], int(r[2]), int(r[3]), r[4], r[5]) for r in rows if r[1] in only]


def candidates(subject, prepared):
    """Returns the mutants of a subject that can be compiled alone and that `--mutate` kills, in an order that hashes decide; and a program in which `--mutant N` chooses one."""
    source, options, objects = prepared
    path = os.path.join(OUT, subject + "-all")
    if not is_newer(path + ".json", os.path.join(mutate.BUILD, "libsonde.a")) or not os.path.getsize(path + ".json"):
        must([*mutate.compiler("clang"), "--mutants", *options, "-c", source, "-o", path + ".o"])
        must([*mutate.compiler("clang"), path + ".o", *objects["sonde"], "-o", path])
        mutate.run([path, "--mutate", "--no-store", "--tests", "1000", "--time", "300", "--report", "json:" + path + ".json"])
    rows = [json.loads(line) for line in open(path + ".json")]
    rows = [r for r in rows if "mutant" in r and r["column"] and not r["macro"] and os.path.samefile(r["file"], source)]
    found = [(r["mutant"], Mutant(subject, r["line"], r["column"], " ".join(r["before"].split()), " ".join((r["after"] or "").split()))) for r in rows if r["fate"] == "killed"]
    return path, sorted(found, key=lambda pair: name_of(pair[1])[-8:])


def is_killed(path, number, more, budget):
    """Does a search of the program with all mutants kill this one? A hang counts: no hard mutant is one that is slow."""
    command = [path, "--mutant", str(number), *more, "--tests", "0", "--time", "0", "--max-discards", "0", "--timeout", "0.3", "--no-store", "--no-shrink", "--fail-fast", "--json"]
    return bounded(command, budget)[0] not in (None, 0)


def is_hard(m, number, path, prepared, budget):
    """Hard: no search of `uniform` kills it within EASY cases. Not impossible: `cgpt` or `random` kills it; `auto` has no say in it."""
    if any(is_killed(path, number, ["--guide", "uniform", "--seed", str(seed), "--runs", str(EASY)], 10) for seed in (1001, 1002, 1003)):
        return False
    return any(is_killed(path, number, ["--guide", guide, "--seed", "1000", "--runs", "0"], budget) for guide in ("cgpt", "random")) and build(m, prepared) is not None


def choose(options):
    kept = listed([s for s in SUBJECTS if s not in options.only]) if os.path.exists(LIST) else []
    for subject in options.only:
        prepared, n, tried = prepare(subject), 0, 0
        if prepared is None:
            continue
        path, all_mutants = candidates(subject, prepared)
        for number, m in all_mutants[:options.look]:
            if n == options.choose:
                break
            tried += 1
            if is_hard(m, number, path, prepared, options.budget):
                n += 1
                kept.append(m)
                print(f"{subject}: {n} of {tried}: {m}", file=sys.stderr, flush=True)
        print(f"{subject}: {n} kept, {tried} looked at, of {len(all_mutants)}", file=sys.stderr, flush=True)
        with open(LIST, "w") as out:
            out.write("# set\tsubject\tline\tcolumn\tbefore\tafter\n")
            out.writelines("\t".join(["held" if is_held(m) else "open", *map(str, m)]) + "\n" for m in kept)


# ---- Rows and tables


def rows(options):
    done = {(r["row"], r["guide"], r["seed"], r["budget"]) for r in recorded(options.record)} if options.resume else set()
    for subject in options.only:
        prepared = prepare(subject)
        if prepared is None:
            continue
        sound = build(Mutant(subject, 0, 0, None, None), prepared)
        for arm in options.guide:
            if search(sound, arm, 1, options.budget)[0]:
                fail(f"{subject}: {arm} fails without a mutant")
        for m in listed([subject]):
            if is_held(m) != options.held and not options.both:
                continue
            paths = build(m, prepared)
            if paths is None:
                fail(f"{m} is not in the source any more")
            for arm in options.guide:
                for seed in options.seeds:
                    key = (f"{subject}:{name_of(m)}", arm, seed, options.budget)
                    if key in done:
                        continue
                    found, tests, cpu = search(paths, arm, seed, options.budget)
                    yield {"suite": "kills", "row": key[0], "set": "held" if is_held(m) else "open", "guide": arm, "seed": seed, "budget": options.budget, "found": found,
                           "tests_to_failure": tests, "cpu_s": round(cpu, 3)}


def recorded(path):
    return [json.loads(line) for line in open(path)] if path and os.path.exists(path) else []


def paired(a, b):
    """Exact two-sided p: signs of the differences by mutant, all 2^n ways. `a` and `b` have the searches that killed each mutant."""
    differences = [abs(a[m] - b[m]) for m in a]
    ways = {0: 1}
    for d in differences:
        more = collections.Counter()
        for total, n in ways.items():
            more[total + d] += n
            more[total - d] += n
        ways = more
    away = abs(sum(a[m] - b[m] for m in a))
    return sum(n for total, n in ways.items() if abs(total) >= away) / 2 ** len(differences)


def logs_of(rows, field):
    """Returns {mutant: sum of the logarithms of a field, in thousandths}. A search that found nothing counts with what it had."""
    sums = collections.Counter()
    for r in rows:
        sums[r["row"]] += round(1000 * math.log(max(r[field], 0.001)))
    return sums


def table(all_rows):
    arms = list(dict.fromkeys(r["guide"] for r in all_rows))
    of = {arm: [r for r in all_rows if r["guide"] == arm] for arm in arms}
    have = set.intersection(*({(r["row"], r["seed"]) for r in of[arm]} for arm in arms))
    of = {arm: [r for r in of[arm] if (r["row"], r["seed"]) in have] for arm in arms}
    mutants, seeds = {row for row, _ in have}, {seed for _, seed in have}
    kills = {arm: collections.Counter({m: sum(r["found"] for r in of[arm] if r["row"] == m) for m in mutants}) for arm in arms}
    cpu = {arm: logs_of(of[arm], "cpu_s") for arm in arms}
    p_kills, p_cpu = (dict(zip(arms[1:], holm([paired(x[arms[0]], x[arm]) for arm in arms[1:]]))) for x in (kills, cpu))
    print(f"{len(mutants)} mutants ({', '.join(sorted({r['set'] for r in all_rows}))}), {len(seeds)} seeds, {all_rows[0]['budget']:g} s of processor time\n")
    print(f"| arm | searches that killed | mutants killed by every seed | p against {arms[0]} | CPU s until killed, geometric mean | p | tests until killed, geometric mean of searches that killed |\n|---|---|---|---|---|---|---|")
    for arm in arms:
        every = sum(kills[arm][m] == sum(row == m for row, _ in have) for m in mutants)
        tests = [math.log(r["tests_to_failure"]) for r in of[arm] if r["tests_to_failure"]]
        mean = math.exp(sum(cpu[arm].values()) / 1000 / len(of[arm]))
        cells = [arm, f"{sum(kills[arm].values())} of {len(of[arm])}", every, f"{p_kills[arm]:.3f}" if arm in p_kills else "-", f"{mean:.3f}", f"{p_cpu[arm]:.3f}" if arm in p_cpu else "-",
                 f"{math.exp(statistics.mean(tests)):,.0f}" if tests else "-"]
        print("| " + " | ".join(map(str, cells)) + " |")


def numbers(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(prog="bench/run kills", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SUBJECTS), metavar="SUBJECT,...", help=f"({','.join(SUBJECTS)})")
    parser.add_argument("--guide", type=lambda text: text.split(","), default=[*GUIDES, *FUZZERS], metavar="ARM,...", help=f"({','.join([*GUIDES, *FUZZERS])})")
    parser.add_argument("--seeds", type=numbers, default=numbers("1-10"), metavar="A-B", help="(1-10)")
    parser.add_argument("--budget", type=float, default=1.0, metavar="S", help="seconds of processor time of a search (1)")
    parser.add_argument("--held", action="store_true", help="only the mutants that are held out for claims, instead of the others")
    parser.add_argument("--both", action="store_true", help="all mutants")
    parser.add_argument("--json", action="store_true", help="one object per row")
    parser.add_argument("--record", metavar="FILE", help="append the rows to this file")
    parser.add_argument("--continue", dest="resume", action="store_true", help="run only what --record does not have")
    parser.add_argument("--table", metavar="FILE", help="print the table of recorded rows; measures nothing")
    parser.add_argument("--choose", type=int, metavar="N", help="choose N mutants of each subject (--only) and write the list")
    parser.add_argument("--look", type=int, default=400, metavar="N", help="with --choose: look at so many of each subject (400)")
    options = parser.parse_args()
    unknown = [s for s in options.only if s not in SUBJECTS]
    if unknown:
        fail(f"there is no subject '{unknown[0]}'; there are: {', '.join(SUBJECTS)}")
    if options.table:
        return table(recorded(options.table))
    if options.choose:
        return choose(options)
    mutate.take(rows(options), options, table, recorded(options.record) if options.resume else [])


if __name__ == "__main__":
    sys.exit(main())
