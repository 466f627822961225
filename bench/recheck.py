"""All verdicts of bench/run papers once more, from the rows, without a line of papers.py or verdict.py:

    python3 bench/recheck.py [FILE] [SIZE]     FILE: bench/results/papers.jsonl, SIZE: quick

Prints `ID: verdict, budget, seeds` for each entry. Written for comparison: other names, other formulas, the claims stated again. A test compares the two programs."""
import functools
import json
import math
import re
import sys
from collections import Counter
from statistics import mean, median

NEVER, FILTERS = math.inf, ("cho", "rnd", "par", "cov")


def p_and_side(a, b):
    """Mann and Whitney: counts doubled U over all divisions of the tied groups between the samples."""
    if not a or not b:
        return 1.0, 0
    sizes, n, m = Counter(a + b), len(a), len(b)
    u2 = sum(2 * (x > y) + (x == y) for x in a for y in b)
    if n * m > 900 and len(sizes) > 24:
        spread = n * m / 12 * (n + m + 1 - sum(t**3 - t for t in sizes.values()) / ((n + m) * (n + m - 1)))
        z = max(0, abs(u2 / 2 - n * m / 2) - 0.5) / math.sqrt(spread)
        return math.erfc(z / math.sqrt(2)), u2 - n * m
    states, seen = {(0, 0): 1}, 0
    for value in sorted(sizes):
        after, t = Counter(), sizes[value]
        for (k, u), ways in states.items():
            for j in range(max(0, t - (m - (seen - k))), min(t, n - k) + 1):
                after[k + j, u + j * (2 * (seen - k) + t - j)] += ways * math.comb(t, j)
        states, seen = after, seen + t
    far = sum(w for (_, u), w in states.items() if abs(u - n * m) >= abs(u2 - n * m))
    return far / math.comb(n + m, n), u2 - n * m


def larger(a, b, times=1):
    return ("test",) + p_and_side(a, [times * y for y in b])


def beyond(a, number):
    up, down = sum(x > number for x in a), sum(x < number for x in a)
    p = sum(math.comb(up + down, k) for k in range(up + down + 1) if abs(2 * k - up - down) >= abs(up - down)) / 2 ** (up + down)
    return "test", p, up - down


@functools.lru_cache(maxsize=None)
def ways(n, m, u):
    """Of dividing n + m ranks so that U is u."""
    if u < 0 or n == 0 or m == 0:
        return int(u == 0)
    return ways(n - 1, m, u - m) + ways(n, m - 1, u)


def within(a, b, margin):
    """Whether the 95 % interval of the shift lies inside of the margin (True), outside (False), or across."""
    differences, tail, cut = sorted(x - y for x in a for y in b), 0, 0
    while 2 * (tail + ways(len(a), len(b), cut)) <= 0.05 * math.comb(len(a) + len(b), len(a)):
        tail, cut = tail + ways(len(a), len(b), cut), cut + 1
    low, high = (differences[cut - 1], differences[-cut]) if cut else (-NEVER, NEVER)
    return "known", True if low >= -margin and high <= margin else False if low > margin or high < -margin else None


def verdict(groups):
    tests = sorted(c[1] for _, cs in groups for c in cs if c[0] == "test")
    adjusted, least = {}, 0
    for i, p in enumerate(tests):
        least = max(least, min(1, p * (len(tests) - i)))
        adjusted[p] = min(adjusted.get(p, 1), least)
    outcome = lambda c: c[1] if c[0] == "known" else None if adjusted[c[1]] >= 0.05 else c[2] > 0
    said = []
    for need, cs in groups:
        yes, no = (sum(outcome(c) is word for c in cs) for word in (True, False))
        said.append(True if cs and yes >= need else False if cs and len(cs) - no < need else None)
    return "not reproduced" if False in said else "reproduced" if said and all(said) else "not decided"


# ---- Rows

PROGRAM, BUG = r"programs --guide %s --only xsd,relaxng,lua-load,lua,mujs,wasm .*", r"programs --bugs --guide %s --only D1,D2,D3,D5,D6,D7,.*"
BEHIND = ("D1", "D2", "D3", "D5", "D14")  # semantic faults
ARMS = {}  # by entry: (short name, pattern of the command without the size)


def arms(ids, pattern, *names):
    for one in ids.split():
        ARMS.setdefault(one, []).extend((name.split("=")[0], pattern % name.split("=")[-1]) for name in names)


arms("rlcheck-fig4 rlcheck-fig5", r"bst --guide %s", "random=uniform --only bst", "seq=rl-classic --only bst", "tree=rl-classic --only bst-tree", "lr=rl-classic --only bst-states", "rl=rl --only bst")
arms("rlcheck-fig6 rlcheck-fig7 rlcheck-fig8", PROGRAM, "rl=rl-classic-black", "quick=uniform-black", "zest=zest-bytes")
arms("rlcheck-fig9 rlcheck-fig10", PROGRAM, "black=rl-classic-black", "grey=rl-classic-branches")
arms("rlcheck-table1", BUG, "rl=rl-classic-black", "zest=zest-bytes")
arms("zest-fig4", PROGRAM, "zest=zest-bytes", "quick=uniform", "afl=afl-text")
arms("zest-syntax", PROGRAM, "zest=zest-bytes", "afl=afl-text")
arms("zest-table2", BUG, "zest=zest-bytes", "quick=uniform")
arms("targeted-table2", "ifc-eeni --guide %s", "tool=target-classic", "uniform")
arms("targeted-table3", "assume %s --only .*", "tool=--sonde-cc --guide target-classic", "uniform=--guide uniform")
arms("targeted-table4", "programs --bugs --guide %s --only D6.*", "tool=classic-coverage", "fuzzer=libfuzzer-text")
arms("targeted-table5", "programs --guide %s --only yaml.*", "without=cost-plain", "recorded=cost-observed")
arms("kummer-table1", "check filter_test %s", "cho=choice_sequences_of_the_thesis")
arms("kummer-fig5 kummer-table2 kummer-table5", PROGRAM, *(f + "=thesis-" + f for f in FILTERS))
arms("kummer-fig5 kummer-table2", PROGRAM, "zest=zest-bytes")
arms("kummer-table3 kummer-table4", BUG, "zest=zest-bytes", *(f + "=thesis-" + f for f in FILTERS))
for MACHINE, IDS in (("stack", "fuzzchick-fig8 fuzzchick-fig5"), ("register", "fuzzchick-fig9 fuzzchick-fig7")):
    arms(IDS, "ifc-" + MACHINE + " --guide %s --tests .*", "quick=uniform", "afl", "crowbar", "fuzz=cgpt-classic --copy")
    arms(IDS.split()[0], "ifc-" + MACHINE + " --guide %s --tests .*", "hand=uniform --smart")


class Rows:
    """Of an entry: the commit whose rows have the most seeds of all arms that claims speak of, else all commits. The larger size is without AFL++ on the machines."""

    def __init__(self, entry, rows):
        of = {name: [r for r in rows if re.fullmatch(pattern, r["key"][0])] for name, pattern in ARMS[entry]}
        if entry.startswith("fuzzchick") and any(r["key"][1] == "paper" for r in rows):
            del of["afl"]
        mine = {id(r) for rs in of.values() for r in rs}
        commits = list(dict.fromkeys(r["commit"] for r in rows if id(r) in mine))
        seeds = lambda c: set.intersection(*({r["seed"] for r in rs if c in (None, r["commit"])} for rs in of.values()))
        best = max([c for c in reversed(commits) if seeds(c)] or [None], key=lambda c: len(seeds(c)))
        self.seeds = sorted(seeds(best))
        keep = lambda r: best in (None, r["commit"]) and r["seed"] in self.seeds and r["row"] != "RETURN*B" and (entry != "zest-table2" or r["row"] in BEHIND)
        self.arm = {name: {(r["row"], r["seed"]): r for r in rs if keep(r)} for name, rs in of.items()}
        self.subjects = sorted({row for rs in self.arm.values() for row, _ in rs})
        self.command = next(iter(next(iter(self.arm.values())).values()))["key"][0] if self.seeds else ""

    def get(self, name, measure, row=None):
        values = [measure(r) for (subject, _), r in sorted(self.arm[name].items()) if row in (None, subject)]
        return [v for v in values if v is not None]

    def each_seed(self, name, fold):
        return [fold([r for (_, s), r in self.arm[name].items() if s == seed]) for seed in self.seeds]


# ---- Claims

CLAIMS = {}


def claims(*ids):
    return lambda f: [CLAIMS.__setitem__(one, f) for one in ids]


value = lambda name: lambda r: r.get(name, 0)
seconds = lambda r: r["cpu_s"] - r.get("seeds_made_s", 0) if r.get("found") else NEVER
n_found = lambda rs: sum(1 for r in rs if r.get("found"))


def reached(q, measure):
    """Where not all arms have nothing."""
    return [row for row in q.subjects if any(median(q.get(a, measure, row) or [0]) > 0 for a in q.arm)]


def everywhere(q, a, b, measure, times=1, rows=None):
    return [larger(q.get(a, measure, row), q.get(b, measure, row), times) for row in (q.subjects if rows is None else rows)]


@claims("rlcheck-fig4")
def _(q):
    n = {a: q.get(a, value("unique_valid")) for a in q.arm}
    return [(3, [larger(n[a], n["random"], 4) for a in ("seq", "tree", "lr")]), (2, [larger(n["lr"], n[a]) for a in ("seq", "tree")])]


@claims("rlcheck-fig5")
def _(q):
    parts = lambda sizes, times: [larger(q.get("lr", value("size_%d" % k)), q.get(a, value("size_%d" % k)), times) for k in sizes for a in ("random", "seq", "tree")]
    return [(12, parts((6, 7, 8, 9), 1)), (6, parts((8, 9), 10))]


@claims("rlcheck-fig6")
def _(q):
    share = lambda r: 100 * r["diverse_valid"] / r["tests"] if r["tests"] else 0
    rows = reached(q, share)
    return [(max(1, len(rows) - 1), everywhere(q, "rl", b, share, rows=rows)) for b in ("zest", "quick")]


@claims("rlcheck-fig7")
def _(q):
    n, rivals = value("diverse_valid"), ("zest", "quick")
    rows = reached(q, n)
    return [(len(rows), everywhere(q, "rl", b, n, rows=rows)) for b in rivals] + [(max(1, len(rows) - 1), everywhere(q, "rl", b, n, 10, rows)) for b in rivals]


@claims("rlcheck-fig8")
def _(q):
    three, rows = ("rl", "quick", "zest"), reached(q, value("sem_valid"))
    return [(1, [c for b in three if b != a for c in everywhere(q, b, a, value("sem_valid"), rows=rows)]) for a in three]


@claims("rlcheck-fig9")
def _(q):
    rows = reached(q, value("diverse_valid"))
    return [(len(rows), everywhere(q, "black", "grey", value("diverse_valid"), rows=rows))]


@claims("rlcheck-fig10")
def _(q):
    rows = reached(q, value("sem_valid"))
    return [(len(rows), everywhere(q, "black", "grey", value("sem_valid"), rows=rows))]


def telling(q):
    middle = lambda row: [median(q.get(a, seconds, row)) for a in q.arm if q.get(a, seconds, row)]
    return [row for row in q.subjects if min(middle(row)) < NEVER and max(middle(row)) >= 0.1]


@claims("rlcheck-table1")
def _(q):
    rows = telling(q)
    return [(max(1, -(-len(rows) // 2)), everywhere(q, "zest", "rl", seconds, rows=rows))]


@claims("zest-fig4")
def _(q):
    percent = lambda r: r["sem_all"] / r["sem_edges"] if r["sem_edges"] else None
    rows = reached(q, percent)
    return [(len(rows), everywhere(q, "zest", b, percent, rows=rows)) for b in ("afl", "quick")]


@claims("zest-syntax")
def _(q):
    rows = reached(q, value("syn_all"))
    return [(len(rows), everywhere(q, "afl", "zest", value("syn_all"), rows=rows))]


@claims("zest-table2")
def _(q):
    rows = telling(q)
    return [(max(1, -(-4 * len(rows) // 5)), everywhere(q, "quick", "zest", seconds, rows=rows))]


@claims("targeted-table2")
def _(q):
    hit = lambda r: float(bool(r.get("found")))
    rows = [row for row in q.subjects if 0 < mean(q.get("uniform", hit, row) or [0]) < 1]
    return [(1, [larger(q.each_seed("tool", n_found), q.each_seed("uniform", n_found))]), (max(1, len(rows) - 1), everywhere(q, "tool", "uniform", hit, rows=rows))]


@claims("targeted-table3")
def _(q):
    rows = [row for row in q.subjects if median(q.get("uniform", value("accept"), row) or [1]) < 0.99]
    return [(len(rows), everywhere(q, "tool", "uniform", value("accept"), rows=rows))]


@claims("targeted-table4")
def _(q):
    tests = lambda r: r["tests_to_failure"] if r.get("found") else NEVER
    return [(1, [larger(q.get("fuzzer", tests), q.get("tool", tests), 0.5)])]


@claims("targeted-table5")
def _(q):
    cost = lambda r: r["cpu_s"] / r["tests"] if r["tests"] and r["cpu_s"] >= 0.5 else None
    return [(len(q.subjects), everywhere(q, "recorded", "without", cost, 1 / (1 - 7.77 / 20.8)))]


@claims("kummer-table1")
def _(q):
    return [(1, [("known", r["found"]) for r in list(q.arm["cho"].values())[:1]])]


@claims("kummer-fig5")
def _(q):
    rows = reached(q, value("sem_valid"))
    parts = lambda times: [c for f in FILTERS for c in everywhere(q, f, "zest", value("sem_valid"), times, rows)]
    return [(max(1, round(1.5 * len(rows))), parts(1)), (4 * len(rows), parts(0.95))]


@claims("kummer-table2")
def _(q):
    parts = []
    for row in q.subjects:
        for f in FILTERS:
            seeded = [r for (subject, _), r in sorted(q.arm[f].items()) if subject == row and "seeds_sem_valid" in r]
            course = {seed: r.get("series", []) for (subject, seed), r in q.arm["zest"].items() if subject == row}
            there = [min([p[0] for p in course[r["seed"]] if p[6] >= r["seeds_sem_valid"]] + [NEVER]) for r in seeded if course.get(r["seed"])]
            if seeded and median(r["seeds_sem_valid"] for r in seeded) > 0:
                parts.append(larger(there, [r["seeds_end_s"] - r["seeds_made_s"] for r in seeded]))
    return [(len(parts), parts)]


@claims("kummer-table3")
def _(q):
    return [(4, [within(q.each_seed(f, n_found), q.each_seed("zest", n_found), 0.5) for f in FILTERS])]


@claims("kummer-table4")
def _(q):
    rows = [row for row in telling(q) if median(q.get("zest", seconds, row) or [NEVER]) < NEVER]
    parts = [c for f in FILTERS for c in everywhere(q, "zest", f, seconds, rows=rows)]
    return [(len(parts), parts)]


@claims("kummer-table5")
def _(q):
    cost = lambda f: [mean(made) for made in q.each_seed(f, lambda rs: [r["seeds_made_s"] for r in rs if "seeds_made_s" in r]) if made]
    return [(3, [larger(cost(f), cost("cov"), 2) for f in FILTERS[:3]])]


def machine(rate, times_of_paper):
    def claim(q):
        limit = int(q.command.split()[-1])
        known = {str(i) for i, s in times_of_paper.items() if s * rate <= limit}
        n = {a: q.each_seed(a, n_found) for a in q.arm}
        theirs = q.each_seed("fuzz", lambda rs: n_found([r for r in rs if r["row"] in known]))
        groups = [(1, [larger(n["fuzz"], n[a])]) for a in ("quick", "afl", "crowbar") if a in n] + [(1, [larger(n["hand"], n["fuzz"])])]
        return groups + [(1, [beyond(theirs, 0.8 * len(known))] if len(known) >= len(times_of_paper) / 4 else [])]
    return claim


# Seconds of FuzzChick to each fault, figures 8 and 9; those that it did not find are left out, and count as faults.
FIG8 = "2.5 3 3 149.9 3.8 2 .7 .5 2283 inf 153.4 388.5 414.3 1.341 382.8 2.9 3.2 1055.6 19.2 2.5"
FIG9 = ("36.8 351.6 5969.6 inf 17361.6 407.7 939.1 653.1 inf 2320.2 137.6 112.9 482.4 9.5 30.8 1174.4 115.3 31.1 141.1 46.5 84.7 40.4 41.5 29 29.3 50.3 61.6 "
        "9976.1 53.1 inf inf 8497.9 30749.3")
CLAIMS["fuzzchick-fig8"] = machine(25192.7, dict(enumerate(map(float, FIG8.split()), 1)))
CLAIMS["fuzzchick-fig9"] = machine(4991.2, dict(enumerate(map(float, FIG9.split()), 1)))
speed = lambda rs: sum(r["tests"] for r in rs) / max(0.001, sum(r["cpu_s"] for r in rs))
falling = lambda q, *order: [(1, [larger(q.each_seed(a, speed), q.each_seed(b, speed))]) for a, b in zip(order, order[1:])]
slowest = lambda q: "afl" if "afl" in q.arm else "crowbar"
CLAIMS["fuzzchick-fig5"] = lambda q: falling(q, "quick", "fuzz", slowest(q))
CLAIMS["fuzzchick-fig7"] = lambda q: falling(q, "fuzz", "quick", slowest(q))


def main():
    path, size = (sys.argv[1:] + ["bench/results/papers.jsonl", "quick"][len(sys.argv) - 1:])[:2]
    with open(path, encoding="utf-8") as f:
        rows = [r for r in map(json.loads, f) if r["key"][1] == size]
    for entry in ARMS:
        q = Rows(entry, rows)
        budget = re.search(r"--(seconds|tests) (\d+)", q.command)
        words = [verdict(CLAIMS[entry](q))] if q.seeds else ["not run"]
        words += [format(int(budget[2]), ",") + {"seconds": " s", "tests": " tests"}[budget[1]]] if budget else []
        print("%s: %s" % (entry, ", ".join(words + (["%d seed%s" % (len(q.seeds), "s"[len(q.seeds) == 1:])] if q.seeds else []))))


if __name__ == "__main__":
    main()
