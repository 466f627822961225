"""bench/run factorial: which of the ideas of the five papers still pays when the others are there?

`auto` is searched with every subset of five parts, on subjects of the zoo (canaries), with the same subjects and seeds:

  rl       the guide that learns what is valid (RLCheck)
  cgpt     the guide that mutates by structure, led by coverage (FuzzChick)
  target   the guide that climbs utilities and distances of assumes (targeted testing)
  zest     the guide that mutates sequences of choices, led by coverage of valid inputs (Zest); `auto` has it only in this experiment
  seeds    cgpt and zest also mutate inputs that other guides made (Kummer's thesis); without it only inputs that they made themselves

`random` and `enumerate` always take part. A set without cgpt and zest is the same search with and without seeds, and is run once.

The worth of a set is the geometric mean of the tests to a fault: over the faults and seeds of a subject, then over subjects. A fault that was not
met counts with all tests of its search. Printed are, as factors of tests saved (above 1 is good): the Shapley value of each part (its mean gain over
all orders in which the parts can be added; the five multiply to the ratio of none to all), the gain of a part alone, and the gain of a part when the other four are
there. Intervals are 95 %, by 2,000 bootstrap resamples of subjects.

Rows of the searches are kept in build/zoo/factorial (--continue uses them). --write FILE writes one line per subject and seed, --table FILE prints the table
of such a file again."""
import argparse, json, math, os, random, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

PARTS = ("rl", "cgpt", "target", "zest", "seeds")
SETS = range(1 << len(PARTS))
RESAMPLES = 2000


def bit(part):
    return 1 << PARTS.index(part)


MUTATORS = bit("cgpt") | bit("zest")
DEFAULT = bit("rl") | bit("cgpt") | bit("target") | bit("seeds")


def name_of(subset):
    return "+".join(p for p in PARTS if subset & bit(p)) or "none"


def canonical(subset):
    """The set whose search is the same: seeds mean nothing where no guide mutates."""
    return subset if subset & MUTATORS else subset & ~bit("seeds")


def zoo(options, *more):
    command = [os.path.join(os.environ.get("BUILD", "build"), "bench", "zoo"), "--guide", "auto", "--tests", str(options.tests), "--seconds", "0", "--folder",
               options.folder, "--json", *(["--claim", str(options.claim)] if options.claim else ["--subjects", options.subjects]), *more]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"bench/run factorial: {done.stderr}")
    return done.stderr


def path_of(options, subset):
    return os.path.join(options.folder, "factorial", f"{subset:02d}.jsonl")


def search(options, subset, seed):
    knobs = ",".join(f"{p}={int(bool(subset & bit(p)))}" for p in PARTS)
    return zoo(options, "--seeds", f"{seed}-{seed}", "--guide-options", knobs, "--record", path_of(options, subset), "--continue")


def run(options):
    """Searches all sets with the first seed, then with the next, so that a run that was ended has whole seeds."""
    os.makedirs(os.path.join(options.folder, "factorial"), exist_ok=True)
    sets = [s for s in SETS if canonical(s) == s]
    if not options.continues:
        for s in sets:
            if os.path.exists(path_of(options, s)):
                os.remove(path_of(options, s))
    print(zoo(options, "--make"), end="", file=sys.stderr)
    first, last = (int(x) for x in options.seeds.split("-"))
    with ThreadPoolExecutor(options.jobs) as pool:
        for seed in range(first, last + 1):
            list(pool.map(lambda s: search(options, s, seed), sets))
            print(f"factorial: seed {seed} is done", file=sys.stderr)


def rows_of(options):
    """Returns {(subject, seed): {set: (sum of log tests, faults met, faults, cpu)}}, of subjects and seeds that all sets have."""
    table, library = {}, None
    for s in (s for s in SETS if canonical(s) == s):
        for line in open(path_of(options, s)):
            r = json.loads(line)
            if r["limit"] != options.tests or library not in (None, r["library"]):
                continue
            library = r["library"]
            logs = [math.log(first or r["tests"] if first or r["stopped"] != "exhausted" else r["limit"]) for first in r["first"]]
            table.setdefault((int(r["row"]), r["seed"]), {})[s] = (sum(logs), sum(f > 0 for f in r["first"]), len(logs), r["cpu_s"])
    n = sum(canonical(s) == s for s in SETS)
    return {key: value for key, value in table.items() if len(value) == n}


def write(table, options):
    """One line per subject and seed; the processor time of each set is in the first line."""
    cpu = [round(sum(row[canonical(s)][3] for row in table.values()), 1) for s in SETS]
    head = {"suite": "factorial", "parts": PARTS, "tests": options.tests, "numbers": f"--claim {options.claim}" if options.claim else f"--subjects {options.subjects}",
            "seeds": options.seeds, "commit": os.environ.get("ZOO_COMMIT", "")[:12], "cpu_s": cpu,
            "lines": "subject, seed, faults; for sets 0 to 31 (bits in the order of parts) the geometric mean of tests; the faults that each met, as digits"}
    with open(options.write, "w") as out:
        out.write(json.dumps(head) + "\n")
        for (subject, seed), row in sorted(table.items()):
            sets = [row[canonical(s)] for s in SETS]
            means = [float(f"{math.exp(x[0] / x[2]):.3g}") for x in sets]
            line = [subject, seed, sets[0][2], [int(m) if m == int(m) else m for m in means], "".join(str(x[1]) for x in sets)]
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


def read(path):
    with open(path) as lines:
        head = json.loads(next(lines))
        return head, [json.loads(line) for line in lines]


def worth(rows, subjects):
    """Returns for each set minus the mean of the log tests over the given subjects (a list, in which a subject may occur several times)."""
    return [-sum(rows[s][k] for s in subjects) / len(subjects) for k in SETS]


def shapley(v, part):
    others = [p for p in range(len(PARTS)) if p != part]
    total = 0
    for size in range(len(PARTS)):
        weight = math.factorial(size) * math.factorial(len(PARTS) - 1 - size) / math.factorial(len(PARTS))
        for chosen in combinations(others, size):
            s = sum(1 << p for p in chosen)
            total += weight * (v[s | 1 << part] - v[s])
    return total


def measures(v):
    """The numbers of the table, in its order: Shapley, alone, beside the others, beside the parts of the default; then the ratios of three sets."""
    out, everything = [], len(SETS) - 1
    for part in range(len(PARTS)):
        mine = 1 << part
        out += [shapley(v, part), v[mine] - v[0], v[everything] - v[everything & ~mine], v[DEFAULT | mine] - v[DEFAULT & ~mine]]
    return out + [v[everything] - v[0], v[DEFAULT] - v[0], v[DEFAULT] - v[everything]]


def intervals(rows, subjects):
    rng = random.Random(1)
    draws = [measures(worth(rows, rng.choices(subjects, k=len(subjects)))) for _ in range(RESAMPLES)]
    columns = [sorted(c) for c in zip(*draws)]
    return [(c[round(0.025 * (RESAMPLES - 1))], c[round(0.975 * (RESAMPLES - 1))]) for c in columns]


def regret(lines):
    """The best set is chosen by one seed and judged by the others; returns how many times its tests the default takes."""
    seeds = sorted({line[1] for line in lines})
    if len(seeds) < 2:
        return None
    sums = []
    for seed in seeds:
        chosen = {}, {}
        for line in lines:
            for k in SETS:
                chosen[line[1] != seed].setdefault(k, []).append(math.log(line[3][k]))
        best = min(SETS, key=lambda k: sum(chosen[0][k]))
        sums.append((seed, name_of(best), sum(chosen[1][DEFAULT]) / len(chosen[1][DEFAULT]) - sum(chosen[1][best]) / len(chosen[1][best])))
    return sums


def show(head, lines):
    per_subject = {}
    for line in lines:
        per_subject.setdefault(line[0], []).append([math.log(x) for x in line[3]])
    rows = {s: [sum(x) / len(x) for x in zip(*logs)] for s, logs in per_subject.items()}
    subjects = sorted(rows)
    if not subjects:
        sys.exit("bench/run factorial: there are no rows that all sets have")
    v = worth(rows, subjects)
    values, bounds = measures(v), intervals(rows, subjects)
    cells = [f"{math.exp(x):.2f} ({math.exp(lo):.2f} .. {math.exp(hi):.2f})" for x, (lo, hi) in zip(values, bounds)]
    faults = sum({line[0]: line[2] for line in lines}.values())
    print(f"{len(subjects)} subjects with {faults} faults, {len(lines)} searches for each set, {head['tests']} tests; commit {head['commit'] or 'unknown'}\n")
    print("| part | Shapley | alone | beside the other four | beside the others of `auto` |\n|---|---|---|---|---|")
    for i, part in enumerate(PARTS):
        print("| " + " | ".join([f"`{part}`"] + cells[4 * i:4 * i + 4]) + " |")
    print(f"\nAll five against none: {cells[20]}; `auto` as it is (without zest) against none: {cells[21]}; against all five: {cells[22]}.")
    for seed, best, by in regret(lines) or []:
        print(f"Best by seed {seed}: {best}; by the other seeds `auto` takes {math.exp(by):.2f} times its tests.")
    print("\n| set | tests | faults met | CPU s |\n|---|---|---|---|")
    all_faults = sum(line[2] for line in lines)
    for k in sorted(SETS, key=lambda k: -v[k]):
        mark = " (`auto`)" if k == DEFAULT else ""
        print(f"| {name_of(k)}{mark} | {math.exp(-v[k]):.0f} | {100 * sum(int(line[4][k]) for line in lines) / all_faults:.1f} % | {head['cpu_s'][k]:.1f} |")


def main():
    parser = argparse.ArgumentParser(prog="bench/run factorial", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claim", type=int, metavar="N", help="N held-out numbers, which the commit decides")
    parser.add_argument("--subjects", default="1-40", metavar="A-B", help="numbers for development (1-40)")
    parser.add_argument("--tests", type=int, default=10000, help="of each search (10000)")
    parser.add_argument("--seeds", default="1-2", metavar="A-B", help="(1-2)")
    parser.add_argument("--jobs", type=int, default=2, help="searches side by side (2)")
    parser.add_argument("--folder", default=os.path.join(os.environ.get("BUILD", "build"), "zoo"), metavar="DIR", help="where subjects and rows are kept (build/zoo)")
    parser.add_argument("--continue", dest="continues", action="store_true", help="keep what is recorded, run what is missing")
    parser.add_argument("--write", metavar="FILE", help="the searches, one line per subject and seed")
    parser.add_argument("--table", metavar="FILE", help="print the table of such a file, and end")
    options = parser.parse_args()
    if options.table:
        return show(*read(options.table))
    run(options)
    options.write = options.write or os.path.join(options.folder, "factorial", "all.jsonl")
    write(rows_of(options), options)
    show(*read(options.write))


if __name__ == "__main__":
    main()
