"""The tables and figures of the papers, each by one command: bench/run papers [ID...].

An entry is a view over the rows of a suite: which suite, with which guides, beside the numbers that the paper prints. Nothing is
measured here that bench/run SUITE does not measure. Rows are appended to bench/results/papers.jsonl with the commit that made
them; --continue runs only what is missing there, so that a large entry can be run in several sittings. Tables are made from
what is recorded, in the size that was asked for (--full is the paper's); fewer than ten seeds are called preliminary."""
import argparse
import html
import json
import math
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "results", "papers.jsonl")
PAGE = os.path.join(HERE, "results", "papers.html")
ENOUGH = 10  # seeds, below which a result is preliminary


# ---- Statistics, as in lib/stats.c: ranks, since costs are skewed and those of searches that found nothing are only known to be large


def ranks(a, b):
    """Two-sided p of Mann and Whitney by the normal approximation (ties, continuity), and A12: the chance that a > b."""
    if not a or not b:
        return None, None
    u = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    n, m = len(a), len(b)
    everything = a + b
    ties = sum(everything.count(v) ** 3 - everything.count(v) for v in set(everything))
    total = n + m
    variance = n * m / 12 * (total + 1 - ties / (total * (total - 1))) if total > 1 else 0
    if variance <= 0:
        return 1.0, u / (n * m)
    z = max(0.0, abs(u - n * m / 2) - 0.5) / math.sqrt(variance)
    return math.erfc(z / math.sqrt(2)), u / (n * m)


def summarise(values):
    """Mean, standard deviation and median; None where nothing is finite."""
    finite = [v for v in values if v < math.inf]
    mean = statistics.fmean(finite) if len(finite) == len(values) and finite else None
    deviation = statistics.stdev(finite) if mean is not None and len(finite) > 1 else None
    return mean, deviation, statistics.median(values)


# ---- What is measured of a row


def field(name):
    return lambda row: float(row.get(name, 0))


def larger_than_five(row):
    return float(sum(row.get("size_%d" % k, 0) for k in range(6, 12)))


def tests_to_failure(row):
    return float(row["tests_to_failure"]) if row.get("found") else math.inf


def found(row):
    return 1.0 if row.get("found") else 0.0


def per_second(row):
    return row["tests"] / row["cpu_s"] if row.get("cpu_s", 0) >= 0.05 else None  # shorter ones say nothing


# ---- Verdicts: what the rows say of the claim. `data` has lists of values by (row, arm).


def values_of(data, arm):
    return [v for (_, a), vs in data.items() if a == arm for v in vs]


def judge_fig4(data):
    mean = {arm: statistics.fmean(values_of(data, arm)) for arm in ("Random", "Sequence", "Tree", "Tree L/R")}
    times = mean["Tree L/R"] / mean["Random"]
    more = 100 * (mean["Tree L/R"] / mean["Sequence"] - 1)
    in_order = mean["Random"] < mean["Tree"] < mean["Sequence"] < mean["Tree L/R"]
    word = "reproduced" if in_order and times >= 9 else "not reproduced"
    return word, "Tree L/R makes %.1f times the unique valid trees of Random (paper: 10) and %.0f %% more than Sequence (paper: 36)" % (
        times, more)


def judge_fig5(data):
    mean = {arm: statistics.fmean(values_of(data, arm)) for arm in ("Sequence", "Tree", "Tree L/R")}
    ratio = [mean["Tree L/R"] / max(1, mean[arm]) for arm in ("Sequence", "Tree")]
    text = "Tree L/R makes %.1f times the trees of more than five nodes of Sequence and %.0f times those of Tree" % tuple(ratio)
    if min(ratio) >= 10:
        return "reproduced", text
    if min(ratio) > 1:
        return "differs because", text + "; the paper says orders of magnitude, and Sequence is nearer than that in our runs"
    return "not reproduced", text


def by_row(data, better, worse, is_better):
    rows = sorted({row for row, _ in data})
    wins = losses = 0
    for row in rows:
        a, b = data.get((row, better), []), data.get((row, worse), [])
        if not a or not b:
            continue
        x, y = statistics.fmean(a) if math.inf not in a else math.inf, statistics.fmean(b) if math.inf not in b else math.inf
        wins += is_better(x, y)
        losses += is_better(y, x)
    return wins, losses, len(rows)


def judge_eeni(data):
    wins, losses, n = by_row(data, "target", "uniform", lambda x, y: x > y)
    text = "`target` finds %d of %d bugs in more trials than independent draws, %d in fewer" % (wins, n, losses)
    if losses == 0 and wins:
        return "reproduced", text
    return "differs because" if wins > losses else "not reproduced", text + "; our generator finds some of them more often by itself"


def judge_assume(data):
    rows = sorted({row for row, _ in data})
    gain = [100 * (statistics.fmean(data[row, "target"]) - statistics.fmean(data[row, "uniform"])) for row in rows
            if (row, "target") in data and (row, "uniform") in data]
    word = "reproduced" if min(gain) > -1 and statistics.median(gain) >= 13 else "not reproduced"
    return word, ("the accept rate rises by %.1f points in the median and %.1f on average of %d functions (paper: 19.29 and 13.06 %% of 30), "
                  "by %.1f at least") % (statistics.median(gain), statistics.fmean(gain), len(gain), min(gain))


def geometric(data, arm):
    rows = sorted({row for row, a in data if a == arm})
    medians = [statistics.median(data[row, arm]) for row in rows]
    known = [m for m in medians if m < math.inf]
    return len(known), len(rows), statistics.geometric_mean(known) if known else math.inf


def judge_ifc(data):
    text = []
    number = {}
    for arm in ("QuickChick: uniform, naive", "FuzzChick: cgpt-classic, copy", "hand-written: uniform, smart"):
        known, n, mean = geometric(data, arm)
        number[arm] = known
        text.append("%s finds %d of %d faults%s" % (arm, known, n, " (geometric mean of %s tests)" % format(round(mean), ",") if known else ""))
    middle = number["QuickChick: uniform, naive"] <= number["FuzzChick: cgpt-classic, copy"] <= number["hand-written: uniform, smart"]
    return "reproduced" if middle else "not reproduced", "in half of the runs or more, " + "; ".join(text)


def judge_speed(data):
    rate = {arm: statistics.median(values_of(data, arm)) for arm in sorted({a for _, a in data})}
    return "differs because", "C is compiled and another machine: " + ", ".join("%s %s/s" % (a, format(round(v), ",")) for a, v in rate.items())


# ---- The entries

QUICKCHICK, FUZZCHICK, HAND = 81905.3, 25192.7, 69634.2  # tests per second, figure 5
HOUR = math.inf
FIG8 = {  # seconds: QuickChick, FuzzChick, hand-written
    1: (66.3, 2.5, 0.000), 2: (273.2, 3.0, 0.001), 3: (492.1, 3.0, 0.001), 4: (HOUR, 149.9, 0.003), 5: (HOUR, 3.8, 0.001),
    6: (2452.7, 2.0, 0.001), 7: (1.1, 0.7, 0.001), 8: (3.3, 0.5, 0.000), 9: (HOUR, 2283.0, 0.003), 10: (HOUR, HOUR, 0.003),
    11: (HOUR, 153.4, 0.000), 12: (351.4, 388.5, 0.002), 13: (HOUR, 414.3, 0.001), 14: (349.4, 1.341, 0.000), 15: (HOUR, 382.8, 0.002),
    16: (HOUR, 2.9, 0.002), 17: (HOUR, 3.2, 0.003), 18: (HOUR, 1055.6, 0.010), 19: (HOUR, 19.2, 0.003), 20: (HOUR, 2.5, 0.001)}
EENI = {"ADD*": (100, 74), "PUSH*": (100, 100), "LOAD*": (92, 4), "STORE*A": (49, 0), "STORE*B": (100, 100), "STORE*C": (100, 100),
        "JUMP*A": (22, 29), "JUMP*B": (1, 0), "STORE*D": (0, 0), "STORE*E": (2, 1), "CALL*A-1": (5, 0), "CALL*A-2": (57, 26),
        "RETURN*A": (0, 0), "POP*": (0, 0)}


def paper_ifc():
    numbers = {}
    for fault, (quick, fuzz, hand) in FIG8.items():
        numbers[str(fault), "QuickChick: uniform, naive"] = quick * QUICKCHICK
        numbers[str(fault), "FuzzChick: cgpt-classic, copy"] = fuzz * FUZZCHICK
        numbers[str(fault), "hand-written: uniform, smart"] = hand * HAND
    return numbers


def paper_eeni():
    numbers = {}
    for bug, (theirs, hypothesis) in EENI.items():
        numbers[bug, "target"] = theirs / 100
        numbers[bug, "uniform"] = hypothesis / 100
    return numbers


class Entry:
    def __init__(self, name, source, claim, **more):
        self.name, self.source, self.claim = name, source, claim
        self.arms = more.get("arms", [])  # (name, suite, options)
        self.measure, self.unit = more.get("measure"), more.get("unit", "")
        self.paper, self.judge = more.get("paper", {}), more.get("judge")
        self.seeds, self.full_seeds = more.get("seeds", 3), more.get("full_seeds", 10)
        self.full = more.get("full", [])  # options of all arms, besides
        self.quick = more.get("quick", [])
        self.minutes, self.full_minutes = more.get("minutes", 0), more.get("full_minutes", 0)
        self.why_not = more.get("why_not")  # it cannot be run by this command yet
        self.pool = more.get("pool", False)  # rows are one
        self.command = more.get("command")  # of the suite itself, where this one does not run it
        self.remark = more.get("remark", "")


BST = [("Random", "bst", ["--guide", "uniform", "--only", "bst"]), ("Sequence", "bst", ["--guide", "rl-classic", "--only", "bst"]),
       ("Tree", "bst", ["--guide", "rl-classic", "--only", "bst-tree"]), ("Tree L/R", "bst", ["--guide", "rl-classic", "--only", "bst-states"]),
       ("rl, no state given", "bst", ["--guide", "rl", "--only", "bst"])]
IFC = [("QuickChick: uniform, naive", "ifc-stack", ["--guide", "uniform"]), ("FuzzChick: cgpt-classic, copy", "ifc-stack", ["--guide", "cgpt-classic", "--copy"]),
       ("cgpt, copy", "ifc-stack", ["--guide", "cgpt", "--copy"]), ("hand-written: uniform, smart", "ifc-stack", ["--guide", "uniform", "--smart"])]
PROGRAMS = "needs the sources of the programs (network) and hours; the suite makes the rows, this view is not written yet"


def missing(name, source, claim, why, command=None, minutes=0):
    return Entry(name, source, claim, why_not=why, command=command, full_minutes=minutes)


ENTRIES = [
    Entry("rlcheck-fig4", "RLCheck, figure 4", "Whatever the state abstraction, RLCheck makes many more unique valid trees than random draws; Tree L/R makes the most",
          arms=BST, measure=field("unique_valid"), unit="unique valid trees of 100,000", judge=judge_fig4, pool=True, seeds=10, minutes=1, full_minutes=1,
          paper={("all", "Random"): 840, ("all", "Sequence"): 6717, ("all", "Tree"): 4220, ("all", "Tree L/R"): 9346},
          remark="The paper has a chart and no numbers: the column is a run of the authors' program."),
    Entry("rlcheck-fig5", "RLCheck, figure 5", "Tree L/R makes orders of magnitude more unique valid trees of more than five nodes than the other abstractions",
          arms=BST, measure=larger_than_five, unit="unique valid trees of 6 to 11 nodes", judge=judge_fig5, pool=True, seeds=10, minutes=1, full_minutes=1),
    missing("rlcheck-fig6", "RLCheck, figures 6 to 8", "Of RLCheck's inputs a larger share is diverse and valid, and there are more of them, than of Zest and QuickCheck; "
            "Zest covers more branches", PROGRAMS, "bench/run programs --guide uniform,zest-bytes,rl-classic --seconds 300 --seeds 1-10", 600),
    missing("rlcheck-fig9", "RLCheck, figures 9 and 10", "Coverage as a characteristic slows RLCheck down and gains little", PROGRAMS),
    missing("rlcheck-table1", "RLCheck, table 1", "RLCheck finds bugs sooner than Zest where it finds them", PROGRAMS,
            "bench/run programs --bugs --guide rl-classic,uniform,zest-bytes --seeds 1-10", 300),
    missing("zest-fig4", "Zest, figure 4", "Zest covers 1.03 to 2.81 times the semantic branches of the best of AFL and QuickCheck", PROGRAMS,
            "bench/run programs --full --seconds 10800 --seeds 1-20", 30000),
    missing("zest-table2", "Zest, table 2", "Zest finds semantic bugs reliably and soonest", PROGRAMS, "bench/run programs --bugs --guide zest-bytes,uniform", 300),
    Entry("targeted-table2", "Targeted testing, tables 1 and 2, figure 6", "Every bug that Hypothesis finds is found by targeting the weights of executed "
          "instructions, more often", arms=[("target", "ifc-eeni", ["--guide", "target"]), ("uniform", "ifc-eeni", ["--guide", "uniform"])],
          measure=found, unit="share of trials of 10,000 tests that find the bug", paper=paper_eeni(), judge=judge_eeni, seeds=5, full_seeds=100,
          minutes=2, full_minutes=20, remark="The paper's columns: its own tool, and Hypothesis without targets."),
    Entry("targeted-table3", "Targeted testing, figure 7 and table 3", "Distances of preconditions raise the accept rate of every function",
          arms=[("target", "assume", ["--guide", "target"]), ("uniform", "assume", ["--guide", "uniform"])], measure=field("accept"),
          unit="share of inputs accepted", judge=judge_assume, seeds=3, full_seeds=10, minutes=2, full_minutes=6,
          remark="18 of the paper's 30 functions and 3 lists; the paper prints the summary alone."),
    missing("targeted-table4", "Targeted testing, table 4", "Coverage as a state of targeted testing finds the bug of a YAML parser 1.44 times slower than a fuzzer",
            "there is no YAML parser among the subjects yet"),
    missing("targeted-table5", "Targeted testing, table 5", "What recording coverage costs", "bench/run throughput has it for our subjects", "bench/run throughput"),
    missing("kummer-table1", "Kummer, table 1", "CHO selects the sequence that differs more in its transitions", "tests/unit/filter_test.c has it: choice_sequences_of_the_thesis"),
    missing("kummer-table2", "Kummer, figure 5 and table 2", "Seeds reach their coverage sooner than Zest alone does", PROGRAMS, "bench/run seeds", 10),
    missing("kummer-table3", "Kummer, tables 3 and 4", "Failures are found more reliably and sooner with seeds", PROGRAMS, "bench/run programs --bugs --guide seeded,zest", 300),
    missing("kummer-table5", "Kummer, table 5", "What making and filtering seeds costs", "bench/run filter has the filters' part", "bench/run filter", 1),
    Entry("fuzzchick-fig8", "FuzzChick, figures 4 and 8", "FuzzChick lies between derived and hand-written generators: it finds most faults that random draws miss",
          arms=IFC, measure=tests_to_failure, unit="tests to the fault", paper=paper_ifc(), judge=judge_ifc, seeds=3, quick=["--tests", "100000"],
          full=["--tests", "10000000"], full_seeds=5, minutes=3, full_minutes=600,
          remark="The paper's seconds are converted by its tests per second (figure 5). QcCrowbar's column is not here."),
    Entry("fuzzchick-fig5", "FuzzChick, figure 5", "Tests per second: derived generators, mutation, AFL on bits", arms=IFC[:3], measure=per_second, unit="tests per second",
          pool=True, judge=judge_speed, seeds=3, quick=["--tests", "100000"], full=["--tests", "10000000"], full_seeds=5, minutes=3, full_minutes=600,
          paper={("all", "QuickChick: uniform, naive"): QUICKCHICK, ("all", "FuzzChick: cgpt-classic, copy"): FUZZCHICK}, remark="Hand-written generators find faults before there is anything to measure."),
    missing("fuzzchick-fig9", "FuzzChick, figures 6, 7 and 9", "The same on the register machine", "the suite makes the rows, this view is not written yet",
            "bench/run ifc-register --copy --guide uniform,cgpt-classic,cgpt", 600),
]


# ---- Rows


def commit():
    got = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return got.stdout.strip() or "unknown"


def load(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def key_of(suite, options, size, seed):
    return "%s %s" % (suite, " ".join(options)), size, seed


def run(entry, options, path):
    """Runs what is asked for, arm by arm and seed by seed, and appends the rows, each when it is there."""
    size = "full" if options.full else "quick"
    more = entry.full if options.full else entry.quick
    seeds = options.seeds or (entry.full_seeds if options.full else entry.seeds)
    done = {tuple(row["key"]) for row in load(path)} if options.go_on else set()
    for _, suite, own in entry.arms:
        arguments = own + more
        for seed in range(1, seeds + 1):
            key = key_of(suite, arguments, size, seed)
            if key in done:
                continue
            command = [os.path.join(HERE, "run"), suite, "--json", "--seeds", "%d-%d" % (seed, seed)] + arguments
            print(" ".join(["bench/run"] + command[1:]), file=sys.stderr)
            got = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
            if got.returncode != 0:
                sys.exit("bench/run papers: %s ended with status %d" % (suite, got.returncode))
            with open(path, "a", encoding="utf-8") as f:
                for line in got.stdout.splitlines():
                    row = json.loads(line)
                    row["key"], row["commit"] = list(key), commit()
                    f.write(json.dumps(row, sort_keys=True) + "\n")


def collect(entry, rows, full):
    """Values by (row, arm), and the commits and seeds they are from. Of rows that were run again the last count."""
    size, more = ("full", entry.full) if full else ("quick", entry.quick)
    data, commits, seeds = {}, set(), set()
    for arm, suite, own in entry.arms:
        newest = {}
        for row in rows:
            if row["key"][0] == key_of(suite, own + more, size, 0)[0] and row["key"][1] == size:
                newest[row["row"], row["seed"]] = row
        for (name, seed), row in sorted(newest.items()):
            value = entry.measure(row)
            if value is None:
                continue
            data.setdefault(("all" if entry.pool else name, arm), []).append(value)
            commits.add(row["commit"])
            seeds.add(seed)
    return data, sorted(commits), sorted(seeds)


# ---- Reports


def number(x):
    if x is None:
        return "-"
    if x == math.inf:
        return "never"
    return "%.2f" % x if abs(x) < 10 else format(round(x), ",")


HEAD = ["row", "arm", "paper", "median", "mean", "sd", "n", "p", "A12"]


def table(entry, data):
    lines = []
    names = sorted({row for row, _ in data}, key=lambda r: (len(r), r))
    for name in names:
        first = data.get((name, entry.arms[0][0]), [])
        for arm, _, _ in entry.arms:
            values = data.get((name, arm), [])
            if not values:
                continue
            mean, deviation, median = summarise(values)
            p, a12 = ranks(values, first) if arm != entry.arms[0][0] else (None, None)
            lines.append([name, arm, number(entry.paper.get((name, arm))), number(median), number(mean), number(deviation), str(len(values)),
                          "-" if p is None else "%.2g" % p, "-" if a12 is None else "%.2f" % a12])
    return lines


def describe(entry, rows, full):
    """What there is to say of an entry: verdict, sentence, table."""
    if entry.why_not:
        return "not run", entry.why_not, []
    data, commits, seeds = collect(entry, rows, full)
    if len({arm for _, arm in data}) < len(entry.arms):
        return "not run", "bench/run papers %s" % entry.name, []
    word, text = entry.judge(data)
    if len(seeds) < ENOUGH:
        word += ", preliminary"
    return word, "%s. %d seed%s, commit %s." % (text, len(seeds), "" if len(seeds) == 1 else "s", ", ".join(commits)), table(entry, data)


def show(entry, rows, full):
    word, text, lines = describe(entry, rows, full)
    print("%s: %s\n  claim: %s.\n  %s: %s" % (entry.name, entry.source, entry.claim, word, text))
    if lines:
        print("  %s. p and A12 compare with the first arm. %s" % (entry.unit, entry.remark))
        widths = [max(len(line[i]) for line in [HEAD] + lines) for i in range(len(HEAD))]
        for line in [HEAD] + lines:
            print("  " + "  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))))
    print()


def write_page(path, rows, full):
    out = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>The papers, rerun</title>",
           "<style>body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}"
           "td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right}td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}</style>",
           "<h1>The papers, rerun</h1><p>Made by <code>bench/run papers --html</code> from recorded rows. p (Mann and Whitney, two-sided) "
           "and A12 compare an arm with the first of its entry.</p>"]
    for entry in ENTRIES:
        word, text, lines = describe(entry, rows, full)
        out.append("<h2 id=%s>%s</h2><p><b>Claim:</b> %s.</p><p><b>%s:</b> %s</p>" % (
            entry.name, html.escape(entry.source), html.escape(entry.claim), html.escape(word), html.escape(text)))
        if lines:
            out.append("<p>%s. %s</p><table><tr>%s</tr>" % (html.escape(entry.unit), html.escape(entry.remark), "".join("<th>%s" % h for h in HEAD)))
            out.extend("<tr>%s</tr>" % "".join("<td>%s" % html.escape(c) for c in line) for line in lines)
            out.append("</table>")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def list_entries():
    for e in ENTRIES:
        if e.why_not:
            print("%-16s %s %s (not run: %s)" % (e.name, e.command or "-", e.full_minutes or "-", e.why_not))
        else:
            print("%-16s bench/run papers %s %d (--full: %d)" % (e.name, e.name, e.minutes, e.full_minutes))


def main():
    parser = argparse.ArgumentParser(prog="bench/run papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", nargs="*", help="entries to run; none: show what is recorded")
    parser.add_argument("--list", action="store_true", help="print id, command and minutes of each entry")
    parser.add_argument("--full", action="store_true", help="in the size of the paper")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="run only what is not recorded yet")
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds 1 to N")
    parser.add_argument("--html", nargs="?", const=PAGE, metavar="FILE", help="write a page of all entries (bench/results/papers.html)")
    parser.add_argument("--record", default=RECORD, metavar="FILE", help="where rows are (bench/results/papers.jsonl)")
    options = parser.parse_args()
    known = {e.name: e for e in ENTRIES}
    unknown = [name for name in options.id if name not in known]
    if unknown:
        parser.error("there is no entry '%s'; --list prints them" % unknown[0])
    if options.list:
        list_entries()
        return
    for name in options.id:
        if known[name].why_not:
            print("%s: not run: %s" % (name, known[name].why_not))
        else:
            run(known[name], options, options.record)
    rows = load(options.record)
    for entry in [known[name] for name in options.id] or ENTRIES:
        show(entry, rows, options.full)
    if options.html:
        write_page(options.html, rows, options.full)


if __name__ == "__main__":
    main()
