"""The tables and figures of the papers, each by one command: bench/run papers [ID...].

An entry is a view over the rows of a suite: which suite, with which guides, beside the numbers that the paper prints. Nothing is
measured here that bench/run SUITE does not measure. Rows are appended to bench/results/papers.jsonl with the commit that made
them; --continue runs only what this commit has not recorded there, so that a large entry can be run in several sittings. What the rows
say of a claim is decided by one rule for all entries (verdict.py), and its size and seeds are part of the word. A row whose
search found nothing counts as longer than any that did. Real programs are those of bench/run programs: C programs of the same kind,
where the papers have Java programs, so their numbers stand beside ours only where a ratio or an order can be compared."""
import argparse
import concurrent.futures
import html
import json
import math
import os
import statistics
import subprocess
import sys
import threading

import charts
import verdict
from verdict import Group, above, over

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "results", "papers.jsonl")
PAGE = os.path.join(HERE, "results", "papers.html")
SIZES = ("quick", "paper")


def summarise(values):
    """Mean, standard deviation and median; None where nothing is finite."""
    finite = [v for v in values if v < math.inf]
    mean = statistics.fmean(finite) if len(finite) == len(values) and finite else None
    deviation = statistics.stdev(finite) if mean is not None and len(finite) > 1 else None
    return mean, deviation, statistics.median(values)


# Student's t for 95 % by degrees of freedom; beyond, the normal distribution.
STUDENT = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09]


def interval(deviation, n):
    """Half of the width of a 95 % interval of the mean."""
    if deviation is None or n < 2:
        return None
    return (STUDENT[n - 2] if n - 2 < len(STUDENT) else 1.96) * deviation / math.sqrt(n)


# ---- What is measured of a row


def field(name):
    return lambda row: float(row.get(name, 0))


def tests_to_failure(row):
    return float(row["tests_to_failure"]) if row.get("found") else math.inf


def found(row):
    """1 or 0; None of a calculation that was not made."""
    return None if row.get("found") is None else float(row["found"])


def zest_seconds_to_failure(row):
    """As the thesis counts: from the start of Zest. Its PAR finds closure_0 after 0.07 minutes, and needs 2.6 to make and select seeds."""
    return float(row["cpu_s"] - row.get("seeds_made_s", 0)) if row.get("found") else math.inf


def seconds_to_failure(row):
    return float(row["cpu_s"]) if row.get("found") else math.inf


def share_of_diverse(row):
    return 100 * row["diverse_valid"] / row["tests"] if row["tests"] else 0.0


def of_runs_with_a_valid_input(measure):
    """RLCheck*: runs that never had a valid input say nothing of what comes after one."""
    return lambda row: measure(row) if row["valid"] else None


def semantic_percent(row):
    return 100 * row["sem_all"] / row["sem_edges"] if row["sem_edges"] else None


def microseconds(row):
    return 1e6 * row["cpu_s"] / row["tests"] if row["tests"] and row["cpu_s"] >= 0.5 else None


def seed_seconds(row):
    return row.get("seeds_made_s")


# ---- Claims: which comparisons must hold


class View:
    """The rows of an entry, of the seeds that all judged arms have."""

    def __init__(self, entry, by_arm, seeds, size):
        self.entry, self.by_arm, self.seeds, self.size = entry, by_arm, seeds, size
        self.data = entry.derive(by_arm) if entry.derive else self.measured()
        self.judged = {a.name for a in entry.arms_of(size) if a.is_judged}
        self.rows = sorted({row for row, _ in self.data}, key=lambda r: (len(r), r))

    def measured(self):
        data = {}
        for arm in self.entry.arms_of(self.size):
            for (row, _), line in sorted(self.by_arm[arm.name].items()):
                value = (arm.measure or self.entry.measure)(line)
                if value is not None:
                    data.setdefault(("all" if self.entry.pool else row, arm.name), []).append(value)
        return data

    def of(self, row, arm):
        return self.data.get((row, arm), [])

    def per_seed(self, arm, fold):
        """One value for each seed, of all its rows."""
        return [fold([line for (_, s), line in self.by_arm[arm].items() if s == seed]) for seed in self.seeds]

    def tests(self):
        return self.entry.number("--tests", self.size)

    def reached(self):
        """Rows on which some judged arm has more than nothing in half of the runs. Where none has a valid input there is nothing to compare."""
        return [row for row in self.rows if any(statistics.median(values) > 0 for (r, a), values in self.data.items() if r == row and a in self.judged)]

    def on_each(self, a, b, times=1, rows=None):
        """That arm `a` is above arm `b`, on each row."""
        return [above(row, self.of(row, a), self.of(row, b), times) for row in (self.rows if rows is None else rows)]


def claim_fig4(v):
    of = lambda arm: v.of("all", arm)
    return [Group("four times the unique valid trees of Random", 3, [above(arm, of(arm), of("Random"), 4) for arm in ("Sequence", "Tree", "Tree L/R")]),
            Group("Tree L/R has more than the other two", 2, [above(arm, of("Tree L/R"), of(arm)) for arm in ("Sequence", "Tree")])]


SIZES_OF_TREES = range(6, 12)


def by_nodes(rows_by_arm):
    data = {}
    for arm, lines in rows_by_arm.items():
        for _, line in sorted(lines.items()):
            for k in SIZES_OF_TREES:
                data.setdefault(("%d nodes" % k, arm), []).append(float(line.get("size_%d" % k, 0)))
    return data


def claim_fig5(v):
    """Of sizes that the authors' program reaches with Tree L/R in every trial."""
    def against_all(sizes, times):
        return [above("%s, %d nodes" % (arm, k), v.of("%d nodes" % k, "Tree L/R"), v.of("%d nodes" % k, arm), times)
                for k in sizes for arm in ("Random", "Sequence", "Tree")]
    more, many = against_all(range(6, 10), 1), against_all(range(8, 10), 10)
    return [Group("Tree L/R makes more trees of 6 to 9 nodes than each other abstraction", len(more), more),
            Group("ten times as many from 8 nodes on", len(many), many)]


def claim_most(what, rivals, times=1):
    """RLCheck is ahead of each rival on all programs but one at most; where there is a factor, ahead on all, and by it on all but one."""
    def claim(v):
        rows = v.reached()
        most = max(1, len(rows) - 1)
        groups = [Group("RLCheck's %s is above %s's" % (what, rival), len(rows) if times > 1 else most, v.on_each("RLCheck", rival, rows=rows)) for rival in rivals]
        if times > 1:
            groups += [Group("%g times %s's" % (times, rival), most, v.on_each("RLCheck", rival, times, rows)) for rival in rivals]
        return groups
    return claim


def claim_nobody_is_best(arms):
    """Each is beaten by another one somewhere."""
    def claim(v):
        return [Group("%s is beaten somewhere" % arm, 1, [above("%s by %s" % (row, rival), v.of(row, rival), v.of(row, arm))
                                                          for row in v.reached() for rival in arms if rival != arm]) for arm in arms]
    return claim


def claim_on_all(better, *others):
    return lambda v: [Group("%s is above %s" % (better, worse), len(v.reached()), v.on_each(better, worse, rows=v.reached())) for worse in others]


AT_ONCE = 0.1  # seconds: of a fault that all find within them, who was first is chance


def telling_faults(v):
    """Faults that a judged arm finds in half of the runs, and not all of them at once."""
    of = lambda row: [statistics.median(values) for (r, a), values in v.data.items() if r == row and a in v.judged and values]
    return [row for row in v.rows if of(row) and min(of(row)) < math.inf and max(of(row)) >= AT_ONCE]


def claim_first(arm, rival, share):
    """An arm finds so large a share of the faults sooner than a rival."""
    def claim(v):
        rows = telling_faults(v)
        return [Group("%s is sooner than %s" % (arm, rival), max(1, math.ceil(share * len(rows))), v.on_each(rival, arm, rows=rows))]
    return claim


def claim_eeni(tool):
    def claim(v):
        count = lambda arm: v.per_seed(arm, lambda lines: sum(bool(line.get("found")) for line in lines if line["row"] in EENI))
        to_gain = [row for row in v.rows if 0 < statistics.fmean(v.of(row, "uniform") or [0]) < 1]
        return [Group("more of the 14 bugs in a trial of each", 1, [above("bugs", count(tool), count("uniform"))]),
                Group("each bug that independent draws find in some trials is found in more of them, but for one", max(1, len(to_gain) - 1),
                      v.on_each(tool, "uniform", rows=to_gain))]
    return claim


def claim_assume(tool):
    def claim(v):
        rows = [row for row in v.rows if statistics.median(v.of(row, "uniform") or [1]) < 0.99]  # others have nothing to gain
        return [Group("the accept rate of functions rises", len(rows), v.on_each(tool, "uniform", rows=rows))]
    return claim


def claim_yaml(v):
    return [Group("at most twice libFuzzer's tests", 1, [above("libFuzzer's tests by those of targeting:", v.of("D6", "libFuzzer"), v.of("D6", "targeting by coverage"), 0.5)])]


SLIPCOVER = 7.77 / 20.8  # of the time of a test, table 5


def claim_cost(v):
    return [Group("recording coverage takes %.0f %% of the time of a test or more" % (100 * SLIPCOVER), len(v.rows), v.on_each("recorded", "without", 1 / (1 - SLIPCOVER)))]


def claim_check(v):
    values = v.of(v.rows[0], "CHO") if v.rows else []
    return [Group("as printed", 1, [verdict.calculated("similarities of 0.78 and 0.67, the third sequence is selected", values[0] == 1 if values else None)])]


FILTERS = ["CHO", "RND", "PAR", "COV"]


def claim_seeds_help(v):
    rows = v.reached()
    against = lambda times: [above("%s on %s" % (arm, row), v.of(row, arm), v.of(row, "Zest"), times) for row in rows for arm in FILTERS]
    return [Group("Zest with seeds covers more, in three of eight pairs of filter and program", max(1, round(6 / 16 * 4 * len(rows))), against(1)),
            Group("and in none 5 % less", 4 * len(rows), against(0.95))]


def catch_up(rows_by_arm):
    """Kummer's table 2: what seeds cover, when they have been run, and when Zest without them is there."""
    data = {}
    zest = rows_by_arm.get("Zest", {})
    for name in FILTERS:
        for (program, seed), row in sorted(rows_by_arm.get(name, {}).items()):
            if "seeds_sem_valid" not in row:
                continue
            data.setdefault((program + ", seed coverage", name), []).append(row["seeds_sem_valid"])
            data.setdefault((program + ", seeds run", name), []).append(row["seeds_end_s"] - row["seeds_made_s"])
            data.setdefault((program + ", seeds made and run", name), []).append(row["seeds_end_s"])
            series = zest.get((program, seed), {}).get("series", [])
            there = [point[0] for point in series if point[6] >= row["seeds_sem_valid"]]
            if series:
                data.setdefault((program + ", Zest is there", name), []).append(there[0] if there else math.inf)
    return data


def claim_catch_up(v):
    ending = ", seeds run"
    programs = [row[: -len(ending)] for row in v.rows if row.endswith(ending)]
    parts = []
    for program in programs:
        for arm in FILTERS:
            covered = v.of(program + ", seed coverage", arm)
            if covered and statistics.median(covered) > 0:  # else there is nothing to catch up with
                parts.append(above("%s on %s" % (arm, program), v.of(program + ", Zest is there", arm), v.of(program + ending, arm)))
    return [Group("running the seeds is sooner at their coverage than Zest alone", len(parts), parts)]


def claim_reliable(v):
    count = lambda arm: v.per_seed(arm, lambda lines: sum(bool(line.get("found")) for line in lines))
    return [Group("the number of faults that a run of each finds is Zest's, within half a fault", 4, [verdict.same(arm, count(arm), count("Zest"), 0.5) for arm in FILTERS])]


def claim_sooner(v):
    median = lambda row: statistics.median(v.of(row, "Zest") or [math.inf])
    rows = [row for row in telling_faults(v) if median(row) < math.inf]
    parts = [above("%s, %s" % (row, arm), v.of(row, "Zest"), v.of(row, arm)) for row in rows for arm in FILTERS]
    return [Group("a filter is sooner than Zest to faults that Zest finds in half of the runs", len(parts), parts)]


def claim_seed_cost(v):
    def mean(arm):
        values = v.per_seed(arm, lambda lines: [line["seeds_made_s"] for line in lines if "seeds_made_s" in line])
        return [statistics.fmean(of_seed) for of_seed in values if of_seed]
    return [Group("making and selecting takes twice as long as with COV", 3, [above(arm, mean(arm), mean("COV"), 2) for arm in FILTERS if arm != "COV"])]


QUICK_ARM, FUZZ_ARM, AFL_ARM, CROWBAR_ARM = "QuickChick: uniform, naive", "FuzzChick: cgpt-classic, copy", "QcCrowbar: AFL++, naive", "QcCrowbar: emulated, naive"


def claim_ifc(table, rate):
    """FuzzChick between the others, and as good as the paper's, whose seconds are tests by its own tests per second."""
    def claim(v):
        tests, enough = v.tests(), len(table) / 4
        known = [str(fault) for fault, (_, fuzz, _) in table.items() if fuzz * rate <= tests]
        count = lambda arm, faults=None: v.per_seed(arm, lambda lines: sum(bool(line.get("found")) for line in lines if faults is None or line["row"] in faults))
        fuzz, hand = count(FUZZ_ARM), count("hand-written: uniform, smart")
        groups = [Group("FuzzChick finds more faults than %s" % arm.split(",")[0], 1, [above("faults", fuzz, count(arm))])
                  for arm in (QUICK_ARM, AFL_ARM, CROWBAR_ARM) if arm in v.judged]
        groups.append(Group("hand-written generators find more than FuzzChick", 1, [above("faults", hand, fuzz)]))
        told = "of the %d faults that the paper's FuzzChick finds within %s tests, four fifths" % (len(known), format(tests, ","))
        if len(known) < enough:
            return groups + [Group(told + ": too few to tell, of %d" % len(table), 1, [])]
        return groups + [Group(told, 1, [over("found", count(FUZZ_ARM, known), 0.8 * len(known))])]
    return claim


def claim_speed(*order_):
    """Tests per second fall in this order; of all rows of a seed together, since short ones say nothing."""
    def claim(v):
        order = [arm if arm in v.judged else CROWBAR_ARM for arm in order_]
        rate = lambda arm: v.per_seed(arm, lambda lines: sum(line["tests"] for line in lines) / max(1e-3, sum(line["cpu_s"] for line in lines)))
        return [Group("%s is quicker than %s" % (a.split(":")[0], b.split(":")[0]), 1, [above("tests per second", rate(a), rate(b))]) for a, b in zip(order, order[1:])]
    return claim


def per_second(rows_by_arm):
    data = {}
    for arm, lines in rows_by_arm.items():
        for seed in sorted({s for _, s in lines}):
            of_seed = [line for (_, s), line in lines.items() if s == seed]
            data.setdefault(("all", arm), []).append(sum(line["tests"] for line in of_seed) / max(1e-3, sum(line["cpu_s"] for line in of_seed)))
    return data


# ---- The entries

# Tests of PyTorch, Caffe2, pandas and FBGEMM with assumes over numbers. The paper names its repositories' kind, not its functions.
FUNCTIONS = ("conv2d_transpose,conv2d,nnpack_convolution,depth_concat,space_to_batch,same_pad_image,conv_layout,conv_transpose_layout,"
             "conv_transpose_separate,pooling_separate,pooling_3d,dnnlowp_conv,quantized_max_pool1d,pandas_range_difference,pandas_tick_equality,"
             "fbgemm_nbit_quantize,fbgemm_index_select,fbgemm_tbe_forward,quantized_max_pool2d,quantized_max_pool2d_first,quantized_max_pool2d_cudnn,"
             "quantized_conv_api,quantized_conv_api_groups,conv_gradients,im2col_layout,group_convolution,conv_transpose_group,conv_separate_gradients,"
             "dnnlowp_acc16,dnnlowp_prepacked")
THIRTY = ("The paper prints the summary alone, and does not name its functions: these are 30 tests of PyTorch, Caffe2, pandas and FBGEMM of the kind that it "
          "describes, rebuilt in C.")

QUICKCHICK, CROWBAR, FUZZCHICK, HAND = 81905.3, 16510.5, 25192.7, 69634.2  # tests per second, figure 5
REGISTER = (3906.6, 96.0, 4991.2, 7660.2)  # the same of the register machine, figure 7
HOUR = math.inf
FIG8 = {  # seconds: QuickChick, FuzzChick, hand-written
    1: (66.3, 2.5, 0.000), 2: (273.2, 3.0, 0.001), 3: (492.1, 3.0, 0.001), 4: (HOUR, 149.9, 0.003), 5: (HOUR, 3.8, 0.001),
    6: (2452.7, 2.0, 0.001), 7: (1.1, 0.7, 0.001), 8: (3.3, 0.5, 0.000), 9: (HOUR, 2283.0, 0.003), 10: (HOUR, HOUR, 0.003),
    11: (HOUR, 153.4, 0.000), 12: (351.4, 388.5, 0.002), 13: (HOUR, 414.3, 0.001), 14: (349.4, 1.341, 0.000), 15: (HOUR, 382.8, 0.002),
    16: (HOUR, 2.9, 0.002), 17: (HOUR, 3.2, 0.003), 18: (HOUR, 1055.6, 0.010), 19: (HOUR, 19.2, 0.003), 20: (HOUR, 2.5, 0.001)}
EENI = {"ADD*": (100, 74), "PUSH*": (100, 100), "LOAD*": (92, 4), "STORE*A": (49, 0), "STORE*B": (100, 100), "STORE*C": (100, 100),
        "JUMP*A": (22, 29), "JUMP*B": (1, 0), "STORE*D": (0, 0), "STORE*E": (2, 1), "CALL*A-1": (5, 0), "CALL*A-2": (57, 26),
        "RETURN*A": (0, 0), "POP*": (0, 0)}


CROWBAR_FIG8 = {7: 3380.5, 8: 717.0}  # the others: not within an hour
FIG9 = {  # seconds: QuickChick, FuzzChick, hand-written; QcCrowbar: none within eight hours
    1: (HOUR, 36.8, 0.056), 2: (HOUR, 351.6, 0.292), 3: (HOUR, 5969.6, 0.154), 4: (HOUR, HOUR, 0.452), 5: (HOUR, 17361.6, 0.017),
    6: (HOUR, 407.7, 0.015), 7: (HOUR, 939.1, 0.052), 8: (HOUR, 653.1, 0.057), 9: (HOUR, HOUR, 0.073), 10: (HOUR, 2320.2, 0.083),
    11: (HOUR, 137.6, 0.009), 12: (HOUR, 112.9, 0.613), 13: (HOUR, 482.4, 0.658), 14: (208.0, 9.5, 0.157), 15: (HOUR, 30.8, 0.326),
    16: (HOUR, 1174.4, 0.080), 17: (HOUR, 115.3, 0.141), 18: (HOUR, 31.1, 0.312), 19: (HOUR, 141.1, 0.073), 20: (HOUR, 46.5, 0.047),
    21: (HOUR, 84.7, 0.087), 22: (12781.9, 40.4, 0.072), 23: (12902.6, 41.5, 0.137), 24: (12822.7, 29.0, 0.021), 25: (4275.6, 29.3, 0.006),
    26: (HOUR, 50.3, 0.002), 27: (HOUR, 61.6, 0.002), 28: (HOUR, 9976.1, 0.094), 29: (HOUR, 53.1, 0.223), 30: (HOUR, HOUR, 0.159),
    31: (HOUR, HOUR, 0.214), 32: (HOUR, 8497.9, 0.365), 33: (HOUR, 30749.3, 0.129)}


def paper_ifc(table, crowbar, rates=(1, 1, 1, 1)):
    """Seconds to a failure as printed; times tests per second they are tests, on which machines and languages have no bearing."""
    numbers = {}
    for fault, (quick, fuzz, hand) in table.items():
        numbers[str(fault), QUICK_ARM] = quick * rates[0]
        numbers[str(fault), AFL_ARM] = numbers[str(fault), CROWBAR_ARM] = crowbar.get(fault, math.inf) * rates[1]
        numbers[str(fault), FUZZ_ARM] = fuzz * rates[2]
        numbers[str(fault), "hand-written: uniform, smart"] = hand * rates[3]
    return numbers


def paper_eeni():
    numbers = {}
    for bug, (theirs, hypothesis) in EENI.items():
        numbers[bug, TOOL] = theirs / 100
        numbers[bug, "uniform"] = hypothesis / 100
    return numbers


class Arm:
    def __init__(self, name, suite, options, measure=None):
        self.name, self.suite, self.options, self.measure = name, suite, options, measure
        self.is_judged, self.sizes = True, SIZES


def beside(one):
    """An arm that the claim does not speak of: it is run with --beside, shown where there are rows, and never looked at by a verdict."""
    one.is_judged = False
    return one


def quick_only(one):
    """An arm that would take hours in the papers' size."""
    one.sizes = ("quick",)
    return one


class Entry:
    def __init__(self, name, source, claim, **more):
        self.name, self.source, self.claim = name, source, claim
        self.arms = more["arms"]
        self.measure, self.unit = more.get("measure"), more.get("unit", "")
        self.paper, self.claims = more.get("paper", {}), more["claims"]
        self.sizes = {"quick": more.get("quick", ([], 10)), "paper": more.get("full", ([], 10))}  # options of all arms, and seeds
        self.pool = more.get("pool", False)  # rows are one
        self.derive = more.get("derive")  # values by (row, arm) of all rows of all arms, where a measure of one row is not enough
        self.rows = more.get("rows")  # others are left out
        self.course = more.get("course")  # of a point of a series: what the figure shows over time
        self.logarithmic = more.get("logarithmic", False)
        self.remark = more.get("remark", "")
        self.mttf = more.get("mttf")  # the paper's seconds to a failure by (row, arm), where it prints means of them

    def arms_of(self, size):
        return [a for a in self.arms if size in a.sizes]

    def options(self, size):
        return self.sizes[size][0]

    def seeds(self, size):
        return self.sizes[size][1]

    def number(self, option, size):
        options = self.options(size)
        return int(options[options.index(option) + 1]) if option in options else 0

    def budget(self, size):
        """What a run was given, in words."""
        for option, unit in (("--seconds", " s"), ("--tests", " tests")):
            if self.number(option, size):
                return format(self.number(option, size), ",") + unit
        return ""

    def command(self, size="quick"):
        return "bench/run papers %s%s" % (self.name, "" if size == "quick" else " --size " + size)


BST = [Arm("Random", "bst", ["--guide", "uniform", "--only", "bst"]), Arm("Sequence", "bst", ["--guide", "rl-classic", "--only", "bst"]),
       Arm("Tree", "bst", ["--guide", "rl-classic", "--only", "bst-tree"]), Arm("Tree L/R", "bst", ["--guide", "rl-classic", "--only", "bst-states"]),
       Arm("rl, no state given", "bst", ["--guide", "rl", "--only", "bst"])]
# Unique valid trees by nodes, six to eleven: the authors' program (a01ba36), means of ten trials of 100,000.
AUTHORS = {"Random": [1.4, 0, 0, 0, 0, 0],
           "Sequence": [1198.7, 85.2, 3.3, 0, 0, 0],
           "Tree": [97.2, 5.5, 0.1, 0, 0, 0],
           "Tree L/R": [2283.7, 978, 256.3, 33.3, 2.7, 0]}


def ifc(suite):
    return [Arm(QUICK_ARM, suite, ["--guide", "uniform"]), quick_only(Arm(AFL_ARM, suite, ["--guide", "afl"])), Arm(CROWBAR_ARM, suite, ["--guide", "crowbar"]),
            Arm(FUZZ_ARM, suite, ["--guide", "cgpt-classic", "--copy"]), beside(Arm("cgpt, copy", suite, ["--guide", "cgpt", "--copy"])),
            Arm("hand-written: uniform, smart", suite, ["--guide", "uniform", "--smart"])]


# As in the papers, two generators with two validities each: XML for XML Schema and for RelaxNG (Maven, Ant), Lua that loads and Lua that
# runs to its end (Rhino, Closure); JavaScript and bytecode besides. Independent draws are valid in 0.05, 0, 26, 6.4, 9.9 and 5.8 % of cases.
SUBJECTS = ["--only", "xsd,relaxng,lua-load,lua,mujs,wasm"]


def arm(name, guide, measure=None):
    return Arm(name, "programs", ["--guide", guide] + SUBJECTS, measure)


def bugs(name, guide, only):
    return Arm(name, "programs", ["--bugs", "--guide", guide, "--only", only])


def seconds(n, seeds=10):
    return ["--seconds", str(n)], seeds


def tests(n, seeds=10):
    return ["--tests", str(n)], seeds


RLCHECK, QUICKCHECK, ZEST = arm("RLCheck", "rl-classic-black"), arm("QuickCheck", "uniform-black"), arm("Zest", "zest-bytes")
OURS = beside(arm("rl", "rl-black"))
THESIS = [ZEST] + [arm(name, "thesis-" + name.lower()) for name in FILTERS]
BUGS = "D1,D2,D3,D5,D6,D7,D8,D9,D10,D11,D12,D13,D14"  # D4 needs a jq that has it
SEMANTIC_BUGS = {"D1", "D2", "D3", "D5", "D14"}  # bench/programs/bugs.c; the others are in code that reads or writes a text
THESIS_BUGS = [bugs("Zest", "zest-bytes", BUGS)] + [bugs(name, "thesis-" + name.lower(), BUGS) for name in FILTERS]
IN_KIND = ("The programs are in C, where the paper has Java programs: XML Schema and RelaxNG (libxml2; of independent draws 0.05 and 0 % are valid), Lua that "
           "loads (26 %) and Lua that runs to its end (6.4 %), JavaScript that compiles (mujs, 9.9 %), WebAssembly (wabt, 5.8 %). A program on which no arm has a valid input in half of the runs is not judged.")

# The papers' hours by the number of runs in them. The thesis has 150,000 runs of Zest in an hour and 70,000 of RLCheck in a minute
# (Rhino); programs here run about 8,000 inputs a second under Zest and 9,000 or more under RLCheck. So RLCheck's five minutes are 40 s
# here, Zest's three hours 60 s, the thesis's hour 20 s.
IN_RLCHECK, IN_ZEST, IN_THESIS = seconds(40, 10), seconds(60, 20), seconds(20, 20)
# The points of a series: seconds, runs, valid, unique valid, diverse valid, semantic edges by all, by valid inputs.
DIVERSE = lambda point, row: point[4]
SHARE = lambda point, row: 100 * point[4] / point[1] if point[1] else 0
BY_VALID = lambda point, row: point[6]
PERCENT = lambda point, row: 100 * point[5] / row["sem_edges"] if row.get("sem_edges") else 0
BOTH_CROWBARS = ("QcCrowbar is AFL++ itself, from 1 KB of random bytes that answer the generator's draws; its time is that of all its processes. The emulation (the guide `crowbar`) runs in this process, "
                 "and takes its place in the larger size, where AFL++ would need hours.")
TOOL = "target-classic"  # of the tables of targeted testing: section 6.2 as printed

ENTRIES = [
    Entry("rlcheck-fig4", "RLCheck, figure 4", "Whatever the state abstraction, RLCheck makes many more unique valid trees than random draws; Tree L/R makes the most",
          arms=BST, measure=field("unique_valid"), unit="unique valid trees of 100,000", claims=claim_fig4, pool=True,
          paper={("all", "Random"): 828, ("all", "Sequence"): 6864, ("all", "Tree"): 4211, ("all", "Tree L/R"): 9454},
          remark="The paper has a chart and no numbers: the column has means of ten trials of the authors' program (docs/errata.md). Many more: four times as many."),
    Entry("rlcheck-fig5", "RLCheck, figure 5", "Tree L/R makes more unique valid trees of each size above five than the other abstractions, from eight nodes on by orders of magnitude",
          arms=BST, derive=by_nodes, unit="unique valid trees of a size", claims=claim_fig5, logarithmic=True,
          paper={("%d nodes" % k, name): value for name, values in AUTHORS.items() for k, value in zip(SIZES_OF_TREES, values)},
          remark="The column of the paper has the authors' program, run here (docs/errata.md). The paper says orders of magnitude of all sizes above five, where its program has 1.9 times as many as Sequence at six nodes. Sizes that it reaches in no trial are not judged."),
    Entry("rlcheck-fig6", "RLCheck, figure 6", "Of RLCheck's inputs a larger share is diverse and valid than of Zest's and QuickCheck's, on all programs but one at most",
          arms=[RLCHECK, QUICKCHECK, ZEST, arm("RLCheck*", "rl-classic-black", of_runs_with_a_valid_input(share_of_diverse)), OURS],
          measure=share_of_diverse, unit="percent of all inputs that are valid and have a trace that no valid input before had", course=SHARE, quick=seconds(3), full=IN_RLCHECK,
          claims=claim_most("share of diverse valid inputs", ["Zest", "QuickCheck"]),
          remark=IN_KIND + " RLCheck* has the runs that made a valid input. RLCheck, QuickCheck and rl run without instrumentation and are measured by replay."),
    Entry("rlcheck-fig7", "RLCheck, figure 7", "RLCheck makes more diverse valid inputs than Zest and QuickCheck, by orders of magnitude on all programs but one (Rhino: 1.4 times)",
          arms=[RLCHECK, QUICKCHECK, ZEST, OURS], measure=field("diverse_valid"), unit="valid inputs with different traces", course=DIVERSE, logarithmic=True,
          claims=claim_most("number of diverse valid inputs", ["Zest", "QuickCheck"], 10), quick=seconds(3), full=IN_RLCHECK, remark=IN_KIND),
    Entry("rlcheck-fig8", "RLCheck, figure 8", "No technique covers the most branches by valid inputs on all programs",
          arms=[RLCHECK, QUICKCHECK, ZEST, OURS], measure=field("sem_valid"), unit="semantic edges covered by valid inputs", course=BY_VALID,
          claims=claim_nobody_is_best(["RLCheck", "QuickCheck", "Zest"]), quick=seconds(3), full=IN_RLCHECK, remark=IN_KIND),
    Entry("rlcheck-fig9", "RLCheck, figure 9", "Branches as a characteristic slow RLCheck down: the black-box one makes more diverse valid inputs on all programs",
          arms=[arm("black-box", "rl-classic-black"), arm("greybox", "rl-classic-branches")], measure=field("diverse_valid"), course=DIVERSE, logarithmic=True,
          unit="valid inputs with different traces", claims=claim_on_all("black-box", "greybox"), quick=seconds(3), full=IN_RLCHECK, remark=IN_KIND),
    Entry("rlcheck-fig10", "RLCheck, figure 10", "and covers more branches by valid inputs",
          arms=[arm("black-box", "rl-classic-black"), arm("greybox", "rl-classic-branches")], measure=field("sem_valid"), course=BY_VALID,
          unit="semantic edges covered by valid inputs", claims=claim_on_all("black-box", "greybox"), quick=seconds(3), full=IN_RLCHECK, remark=IN_KIND),
    Entry("rlcheck-table1", "RLCheck, table 1", "RLCheck finds faults sooner than Zest where it makes many more diverse valid inputs: half of them or more",
          arms=[bugs("RLCheck", "rl-classic-black", BUGS), beside(bugs("QuickCheck", "uniform-black", BUGS)), bugs("Zest", "zest-bytes", BUGS)], measure=seconds_to_failure,
          unit="seconds of processor time to the fault", claims=claim_first("RLCheck", "Zest", 0.5), quick=seconds(3), full=IN_RLCHECK, logarithmic=True,
          remark="Thirteen faults of C programs (bench/programs/bugs.c), where the paper has six of Java programs; RLCheck and QuickCheck search in code without instrumentation. Faults that all judged arms find within 0.1 s, or that none of them finds in half of the runs, say nothing and are left out."),
    Entry("zest-fig4", "Zest, figure 4", "Zest covers 1.03 to 2.81 times the semantic branches of the better of AFL and QuickCheck",
          arms=[ZEST, arm("QuickCheck", "uniform"), arm("AFL", "afl-text"), beside(arm("zest", "zest"))], measure=semantic_percent, course=PERCENT,
          unit="percent of the edges of semantic files that any input covered", claims=claim_on_all("Zest", "AFL", "QuickCheck"), quick=seconds(3), full=IN_ZEST,
          remark=IN_KIND + " AFL++ has one valid seed and a dictionary, as in the paper, and is ended when it and the program have used their processor time."),
    Entry("zest-syntax", "Zest, section 6", "AFL covers more of the syntax stage (1.1 to 1.6 times), so the two complement each other",
          arms=[ZEST, arm("AFL", "afl-text")], measure=field("syn_all"), unit="edges outside the semantic files", claims=claim_on_all("AFL", "Zest"),
          quick=seconds(3), full=IN_ZEST, remark=IN_KIND),
    Entry("zest-table2", "Zest, table 2", "Zest finds semantic faults soonest: eight of ten",
          arms=[bugs("Zest", "zest-bytes", BUGS), bugs("QuickCheck", "uniform", BUGS), beside(bugs("zest", "zest", BUGS))], measure=seconds_to_failure, rows=SEMANTIC_BUGS,
          unit="seconds of processor time to the fault", claims=claim_first("Zest", "QuickCheck", 0.8), quick=seconds(3), full=IN_ZEST, logarithmic=True,
          remark="The five of thirteen faults that lie behind the code that reads and writes texts (bench/programs/bugs.c). `n` with `never` in the median is the reliability below one half. Faults that all judged arms find within 0.1 s, or that none of them finds in half of the runs, say nothing and are left out."),
    Entry("targeted-table2", "Targeted testing, tables 1 and 2, figure 6", "Every bug that Hypothesis finds is found by targeting the weights of executed "
          "instructions, more often (the paper's own table has one exception, JUMP*A)",
          arms=[Arm(name, "ifc-eeni", ["--guide", name]) for name in (TOOL, "uniform", "hill", "anneal", "target")], rows=set(EENI),
          measure=found, unit="share of trials of 10,000 tests that find the bug", paper=paper_eeni(), claims=claim_eeni(TOOL), full=([], 100),
          remark="The paper's columns: its own tool, and Hypothesis without targets. Our generator finds some of the bugs more often by itself."),
    Entry("targeted-table3", "Targeted testing, figure 7 and table 3", "Distances of preconditions raise the accept rate of every function",
          arms=[Arm(TOOL + ", automatic", "assume", ["--sonde-cc", "--guide", TOOL, "--only", FUNCTIONS]), Arm("uniform", "assume", ["--guide", "uniform", "--only", FUNCTIONS]),
                Arm(TOOL + ", by hand", "assume", ["--guide", TOOL, "--only", FUNCTIONS]), Arm("target, automatic", "assume", ["--sonde-cc", "--guide", "target", "--only", FUNCTIONS]),
                Arm("target, by hand", "assume", ["--guide", "target", "--only", FUNCTIONS])],
          measure=field("accept"), unit="share of inputs accepted", claims=claim_assume(TOOL + ", automatic"), remark=THIRTY +
          " Automatic: plain conditions, compiled by sonde cc; by hand: relations that the property names." + " Of functions that accept 99 % by themselves nothing is asked."),
    Entry("targeted-table4", "Targeted testing, table 4", "Coverage as the state of generalised targeting comes near to a fuzzer made for it on a YAML parser: twice its tests at most",
          arms=[bugs("targeting by coverage", "classic-coverage", "D6"), bugs("libFuzzer", "libfuzzer-text", "D6")] +
          [beside(bugs(name, guide, "D6")) for name, guide in (("auto", "auto"), ("target by coverage", "target-coverage"), ("QuickCheck", "uniform"))], measure=tests_to_failure, unit="tests to the fault", claims=claim_yaml, logarithmic=True, quick=seconds(20),
          full=seconds(60, 100), paper={("D6", "targeting by coverage"): 27830, ("D6", "libFuzzer"): 35050},
          remark="libyaml 0.2.5 in the place of PyYAML, libFuzzer in that of Atheris; ASCII texts of up to 64 characters, no seed, no dictionary. The fault is real: it reads !%2C and writes !, ."),
    Entry("targeted-table5", "Targeted testing, table 5", "Recording coverage takes a good part of the time of a test: 37 % with the quicker of two ways",
          arms=[Arm("without", "programs", ["--guide", "cost-plain", "--only", "yaml,lua,xsd"]), beside(Arm("counted", "programs", ["--guide", "cost-counters", "--only", "yaml,lua,xsd"])),
                Arm("recorded", "programs", ["--guide", "cost-observed", "--only", "yaml,lua,xsd"])], measure=microseconds,
          unit="microseconds of processor time for a test", claims=claim_cost, quick=seconds(3), full=seconds(30),
          remark="The same inputs in code without instrumentation, in instrumented code that nobody looks at, and with coverage as a state. That a quicker way to record pays, the other half of the paper's claim, has no arm: counters of compiled code cannot be taken out."),
    Entry("kummer-table1", "Kummer, table 1", "CHO selects the sequence that differs more in its transitions", arms=[Arm("CHO", "check", ["filter_test", "choice_sequences_of_the_thesis"])],
          measure=found, unit="1: as printed", claims=claim_check, quick=([], 1), full=([], 1), remark="A calculation: one run is all there is."),
    Entry("kummer-fig5", "Kummer, figure 5", "With seeds Zest covers more by valid inputs at the end on some programs, and on none less",
          arms=THESIS, measure=field("sem_valid"), unit="semantic edges covered by valid inputs", claims=claim_seeds_help, course=BY_VALID, quick=seconds(3), full=IN_THESIS,
          remark=IN_KIND + " The thesis finds an advantage of all four filters on Closure and of CHO and RND on Maven: six pairs of 16. Less: by more than 5 %. A ring marks the end of seeds."),
    Entry("kummer-table2", "Kummer, table 2", "Seeds reach their coverage sooner than Zest alone does", arms=THESIS, derive=catch_up,
          unit="semantic edges by valid seeds; seconds of processor time that running the seeds took (making and running them), and until Zest alone covers as much",
          claims=claim_catch_up, logarithmic=True, quick=seconds(3), full=IN_THESIS, remark=IN_KIND + " Where seeds cover nothing in half of the runs, there is nothing to catch up with."),
    Entry("kummer-table3", "Kummer, table 3", "Failures are found as reliably with seeds as without", arms=THESIS_BUGS, measure=found,
          unit="share of runs that find the fault", claims=claim_reliable, quick=seconds(3), full=IN_THESIS, remark="Faults of C programs (bench/programs/bugs.c)."),
    Entry("kummer-table4", "Kummer, table 4", "and sooner", arms=THESIS_BUGS, measure=zest_seconds_to_failure, logarithmic=True,
          unit="seconds of processor time to the fault", claims=claim_sooner, quick=seconds(3), full=IN_THESIS,
          remark="Faults of C programs (bench/programs/bugs.c). Faults that all find within 0.1 s are left out."),
    Entry("kummer-table5", "Kummer, table 5", "Making and filtering seeds takes twice as long with CHO, RND and PAR as with COV, which filters while they are made", arms=THESIS[1:], measure=seed_seconds,
          unit="seconds of processor time until seeds are made and selected", claims=claim_seed_cost, quick=seconds(3), full=IN_THESIS,
          remark=IN_KIND + " The thesis: 1.02 minutes with COV, of which RLCheck has one, and 2.19 to 5.01 with the others."),
    Entry("fuzzchick-fig8", "FuzzChick, figures 4 and 8", "FuzzChick lies between derived and hand-written generators: it finds most faults that random draws and AFL on bits miss",
          arms=ifc("ifc-stack"), measure=tests_to_failure, unit="tests to the fault", paper=paper_ifc(FIG8, CROWBAR_FIG8, (QUICKCHICK, CROWBAR, FUZZCHICK, HAND)),
          mttf=paper_ifc(FIG8, CROWBAR_FIG8), claims=claim_ifc(FIG8, FUZZCHICK), quick=tests(100000), full=tests(2000000, 5), logarithmic=True,
          remark="The paper's seconds are converted by its tests per second (figure 5); its hour is 90 million tests of FuzzChick, more than the larger size has. " + BOTH_CROWBARS),
    Entry("fuzzchick-fig5", "FuzzChick, figure 5", "Derived generators make the most tests per second, mutation fewer, AFL on bits the fewest", arms=ifc("ifc-stack")[:5], derive=per_second, unit="tests per second",
          claims=claim_speed(QUICK_ARM, FUZZ_ARM, AFL_ARM), quick=tests(100000), full=tests(2000000, 5),
          paper={("all", QUICK_ARM): QUICKCHICK, ("all", AFL_ARM): CROWBAR, ("all", FUZZ_ARM): FUZZCHICK},
          remark="Compiled C on another machine: the order is judged. Hand-written generators find faults before there is anything to measure. " + BOTH_CROWBARS),
    Entry("fuzzchick-fig9", "FuzzChick, figures 6 and 9", "The same on the register machine: hand-written generators find all 33 faults at once, FuzzChick most, the others hardly any",
          arms=ifc("ifc-register"), measure=tests_to_failure, unit="tests to the fault", paper=paper_ifc(FIG9, {}, REGISTER), mttf=paper_ifc(FIG9, {}), claims=claim_ifc(FIG9, REGISTER[2]),
          quick=tests(100000), full=tests(2000000, 5), logarithmic=True,
          remark="The paper's seconds are converted by its tests per second (figure 7); its eight hours are 144 million tests of FuzzChick. " + BOTH_CROWBARS),
    Entry("fuzzchick-fig7", "FuzzChick, figure 7", "On the register machine mutation makes the most tests per second, derived generators fewer, AFL on bits by far the fewest", arms=ifc("ifc-register")[:5],
          derive=per_second, unit="tests per second", claims=claim_speed(FUZZ_ARM, QUICK_ARM, AFL_ARM),
          quick=tests(100000), full=tests(2000000, 5),
          paper={("all", QUICK_ARM): REGISTER[0], ("all", AFL_ARM): REGISTER[1], ("all", FUZZ_ARM): REGISTER[2]},
          remark="Compiled C on another machine: the order is judged. " + BOTH_CROWBARS),
]


# ---- Rows

# What decides a row. Judging and pages do not.
SOURCES = ["src", "include", "addons", "bench", ":(exclude)bench/*.py", ":(exclude)bench/*.md", ":(exclude)bench/results"]


def commit():
    """The last commit that changed what is measured; with a plus sign where files differ from it."""
    git = lambda *words: subprocess.run(["git", "-C", os.path.dirname(HERE)] + list(words), capture_output=True, text=True, check=False).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *SOURCES)
    return (git("log", "-1", "--format=%h", "--", *SOURCES) or "unknown") + ("+" if changed else "")


def load(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if line.strip()]


def key_of(suite, options, size, seed):
    return "%s %s" % (suite, " ".join(options)), size, seed


APPENDING = threading.Lock()


def run_check(arguments, seed):
    """A calculation that a unit test makes: one row. `found` is whether it holds, null where the test did not say."""
    test, name = arguments[:2]
    build = os.environ.get("BUILD", "build")
    program = os.path.join(build, "tests", "unit", test)
    subprocess.run(["make", "-s", "--no-print-directory", "BUILD=" + build, program], cwd=os.path.dirname(HERE), check=True, stdout=subprocess.DEVNULL)
    got = subprocess.run([program], cwd=os.path.dirname(HERE), capture_output=True, text=True, check=False)
    lines = [line for line in (got.stdout + got.stderr).splitlines() if name in line]
    said = any("OK" in line for line in lines), any("FAILED" in line for line in lines)
    return [{"suite": "check", "row": name, "seed": seed, "found": None if said[0] == said[1] else said[0]}]


def run_one(suite, arguments, seed):
    """The rows of one command; None if it went wrong, which the command has said."""
    if suite == "check":
        return run_check(arguments, seed)
    command = [os.path.join(HERE, "run"), suite, "--json", "--seeds", "%d-%d" % (seed, seed)] + arguments
    print(" ".join(["bench/run"] + command[1:]), file=sys.stderr)
    got = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in got.stdout.splitlines()] if got.returncode == 0 else None


def plan(entries, options, done):
    """What is to be run: (suite, arguments, seed, key), each once. Programs first, as they say most, and the register machine, which takes longest, last;
    seed by seed, so that all arms have as many when a run is ended."""
    wanted = []
    for entry in entries:
        more = entry.options(options.size)
        for seed in range(1, (options.seeds or entry.seeds(options.size)) + 1):
            if seed > entry.seeds(options.size) == 1:
                continue  # a calculation
            for a in entry.arms_of(options.size):
                key = key_of(a.suite, a.options + more, options.size, seed)
                if key not in done and (a.is_judged or options.beside):
                    wanted.append((a.suite, a.options + more, seed, key))
                    done.add(key)
    rank = {"programs": 0, "ifc-register": 2}
    return sorted(wanted, key=lambda one: (rank.get(one[0], 1), one[2]))


def thin(row):
    """Twenty points over time are enough to see a course; all of them are kept of Zest, which others are held against."""
    if "series" in row and row.get("guide") != "zest-bytes":
        row["series"] = row["series"][2::3]
    return row


def missing(entries, options, path):
    stamp = commit()
    done = {tuple(row["key"]) for row in load(path) if row["commit"] == stamp} if options.go_on else set()
    return plan(entries, options, done)


def run(wanted, options, path):
    """Runs what is asked for and appends the rows, each when it is there. Arms that entries share are run once."""
    stamp = commit()

    def go(one):
        suite, arguments, seed, key = one
        rows = run_one(suite, arguments, seed)
        if rows is None:
            return "%s %s" % (suite, " ".join(arguments))
        with APPENDING, open(path, "a", encoding="utf-8") as f:
            for row in rows:
                row["key"], row["commit"] = list(key), stamp
                f.write(json.dumps(thin(row), sort_keys=True) + "\n")
        return None

    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        wrong = [what for what in pool.map(go, wanted) if what]
    if wrong:
        sys.exit("bench/run papers: this went wrong: %s" % "; ".join(wrong))


def common(entry, by_arm):
    """Seeds of all arms that are judged."""
    return sorted(set.intersection(*({seed for _, seed in by_arm[a.name]} for a in entry.arms if a.is_judged and a.name in by_arm)))


def view(entry, rows, size):
    """The rows of one commit, that which has the most seeds of all arms (of equal ones the last); if no commit has all arms, the last row of each.
    Returns the view and the commits."""
    keys = {a.name: key_of(a.suite, a.options + entry.options(size), size, 0)[:2] for a in entry.arms_of(size)}
    of_entry = [row for row in rows if tuple(row["key"][:2]) in keys.values() and (not entry.rows or row["row"] in entry.rows)]

    def by_arm(lines):
        return {name: {(line["row"], line["seed"]): line for line in lines if tuple(line["key"][:2]) == key} for name, key in keys.items()}

    best, commits = by_arm(of_entry), sorted({row["commit"] for row in of_entry})
    most = 0
    for one in dict.fromkeys(row["commit"] for row in of_entry):
        of_commit = by_arm([row for row in of_entry if row["commit"] == one])
        if len(common(entry, of_commit)) >= max(1, most):
            best, commits, most = of_commit, [one], len(common(entry, of_commit))
    seeds = common(entry, best)
    best = {name: {key: line for key, line in lines.items() if key[1] in seeds} for name, lines in best.items()}
    return View(entry, best, seeds, size), commits


# ---- How long it takes


def known_seconds(rows):
    """Of commands without size and seed: processor time of a seed, by the budget it had."""
    total = {}
    for row in rows:
        total.setdefault((row["key"][0], row["key"][2], row["commit"]), []).append(row.get("cpu_s", 0))
    by_command = {}
    for (command, _, _), times in total.items():
        by_command.setdefault(command, []).append(sum(times))
    return {command: statistics.fmean(times) for command, times in by_command.items()}


def estimate(wanted, known):
    """Minutes of processor time, and how many commands nothing is known of. A search in code without instrumentation is done again to be counted."""
    total, unknown = 0.0, 0
    for suite, arguments, _, key in wanted:
        seconds_ = known.get(key[0])
        if seconds_ is None and "--seconds" in arguments:
            rows = len(arguments[arguments.index("--only") + 1].split(","))
            seconds_ = rows * float(arguments[arguments.index("--seconds") + 1])
        if seconds_ is None and "--tests" in arguments:
            at = arguments.index("--tests") + 1
            shorter = [(int(c.rsplit(" ", 1)[1]), s) for c, s in known.items() if c.startswith("%s %s" % (suite, " ".join(arguments[:at])))]
            seconds_ = shorter[0][1] * int(arguments[at]) / shorter[0][0] if shorter else None
        unknown += seconds_ is None
        total += (seconds_ or 0) * (2 if "-black" in key[0] else 1)
    return total / 60, unknown


def tell_estimate(entries, options, known):
    wanted = missing(entries, options, options.record)
    minutes, unknown = estimate(wanted, known)
    print("%d commands, about %.0f minutes of processor time%s" % (len(wanted), minutes, ", %d of unknown length besides" % unknown if unknown else ""))


# ---- Reports


def number(x):
    if x is None:
        return "-"
    if x == math.inf:
        return "never"
    return "%.2f" % x if abs(x) < 10 else format(round(x), ",")


def count(values):
    """How many there are, and of a search how many found something, where some did not."""
    finite = sum(v < math.inf for v in values)
    return str(len(values)) if finite == len(values) else "%d of %d" % (finite, len(values))


HEAD = ["row", "arm", "paper", "median", "mean", "sd", "95 %", "n", "p", "A12"]
MTTF = ["paper, s", "MTTF, s"]


def head(entry):
    return HEAD + (MTTF if entry.mttf else [])


def mean_time(entry, v, name, arm):
    """The mean time to a failure as FuzzChick's paper prints it, theirs and ours. A run that found nothing counts with its time, and the mean is a lower bound."""
    runs = [line for (row, _), line in v.by_arm[arm].items() if row == name]
    shown = lambda seconds_: "-" if seconds_ is None else number(seconds_) if seconds_ >= 100 else "%.3g" % seconds_
    mean = statistics.fmean(line["cpu_s"] for line in runs) if any(line.get("found") for line in runs) else math.inf
    bound = "> " if mean < math.inf and not all(line.get("found") for line in runs) else ""
    return [shown(entry.mttf.get((name, arm))), bound + shown(mean)]


def table(entry, v):
    lines = []
    for name in v.rows:
        first = v.of(name, entry.arms[0].name)
        for a in entry.arms_of(v.size):
            values = v.of(name, a.name)
            if not values:
                continue
            mean, deviation, median = summarise(values)
            p, a12 = verdict.mann_whitney(values, first) if first and a is not entry.arms[0] else (None, None)
            half = interval(deviation, len(values))
            lines.append([name, a.name, number(entry.paper.get((name, a.name))), number(median), number(mean), number(deviation),
                          "-" if half is None else "\u00b1" + number(half), count(values), "-" if p is None else "%.2g" % p, "-" if a12 is None else "%.2f" % a12] + (mean_time(entry, v, name, a.name) if entry.mttf else []))
    return lines


def judge(entry, v):
    """The word, with size and seeds, and what it rests on."""
    if not v.seeds:
        return "not run", ""
    word, text = verdict.decide(entry.claims(v))
    size = [entry.budget(v.size), "%d seed%s" % (len(v.seeds), "" if len(v.seeds) == 1 else "s")]
    return ", ".join([word] + [part for part in size if part]), text


def describe(entry, rows, size):
    """What there is to say of an entry: verdict, sentence, table, view."""
    v, commits = view(entry, rows, size)
    word, text = judge(entry, v)
    if word == "not run":
        return word, entry.command(size), [], v
    return word, "%s. Commit %s." % (text, ", ".join(commits)), table(entry, v), v


RULE = ("p (Mann and Whitney, exact, two-sided) and A12 in the table compare an arm with the first of its entry, uncorrected. Verdicts count a comparison with p < 0.05 after "
        "Holm's correction over all comparisons of the entry; bench/verdict.py has the rule, and bench/recheck.py computes all verdicts by other code.")


def show(entry, rows, size):
    word, text, lines, _ = describe(entry, rows, size)
    print("%s: %s\n  claim: %s.\n  %s: %s" % (entry.name, entry.source, entry.claim, word, text))
    if lines:
        print("  %s. p and A12 compare with the first arm. %s" % (entry.unit, entry.remark))
        lines = [head(entry)] + lines
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        for line in lines:
            print("  " + "  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))))
    print()


def section(entry, word, text, lines, v):
    out = ["<p><b>%s:</b> %s</p>" % (html.escape(word), html.escape(text))]
    if lines:
        out += ["<p>%s. %s</p>" % (html.escape(entry.unit), html.escape(entry.remark)), charts.of(entry, v, interval)]
        out.append("<table><tr>%s</tr>" % "".join("<th>%s" % h for h in head(entry)))
        out.extend("<tr>%s</tr>" % "".join("<td>%s" % html.escape(c) for c in line) for line in lines)
        out.append("</table>")
    return out


def write_page(path, rows, size):
    out = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>The papers, rerun</title>",
           "<style>body{font:15px sans-serif;max-width:70em;margin:2em auto;padding:0 1em}code{white-space:nowrap}table{border-collapse:collapse}"
           "td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right}td:nth-child(-n+2),th:nth-child(-n+2),.words td,.words th{text-align:left}"
           "svg{max-width:100%%;height:auto;margin:4px 8px 4px 0}%s</style>" % charts.STYLE,
           "<h1>The papers, rerun</h1><p>Made by <code>bench/run papers --html</code> from recorded rows. %s</p>" % html.escape(RULE)]
    described = [(entry,) + describe(entry, rows, size) for entry in ENTRIES]
    out.append("<table class=words><tr><th>entry<th>of<th>command<th>word</tr>")
    out.extend("<tr><td><a href=#%s>%s</a><td>%s<td><code>%s</code><td>%s</tr>" % (e.name, e.name, html.escape(e.source), e.command(size), html.escape(word))
               for e, word, _, _, _ in described)
    out.append("</table>")
    for entry, word, text, lines, v in described:
        out.append("<h2 id=%s>%s</h2><p><code>%s</code></p><p><b>Claim:</b> %s.</p>" % (entry.name, html.escape(entry.source), entry.command(size), html.escape(entry.claim)))
        out.extend(section(entry, word, text, lines, v))
        larger = describe(entry, rows, "paper") if size == "quick" and entry.options("paper") else ("not run",)
        if larger[0] != "not run":
            out.append("<h3>Larger</h3><p><code>%s</code></p>" % entry.command("paper"))
            out.extend(section(entry, *larger))
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def list_entries(options, known):
    for e in ENTRIES:
        minutes, _ = estimate(plan([e], options, set()), known)
        print("%-16s %s: %d seeds%s, %.1f minutes" % (e.name, e.command(options.size), options.seeds or e.seeds(options.size),
                                                     " of " + e.budget(options.size) if e.budget(options.size) else "", minutes))


def main():
    parser = argparse.ArgumentParser(prog="bench/run papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", nargs="*", help="entries to run; none: show what is recorded")
    parser.add_argument("--all", action="store_true", help="run all entries")
    parser.add_argument("--size", choices=SIZES, default="quick", help="paper: the papers' numbers of runs and of repetitions")
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds 1 to N (quick: 10)")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="run only what this commit has not recorded yet")
    parser.add_argument("--beside", action="store_true", help="also arms that no claim speaks of: guides of sonde, for comparison")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many commands side by side (1)")
    parser.add_argument("--list", action="store_true", help="print id, command and minutes of each entry")
    parser.add_argument("--estimate", action="store_true", help="run nothing, print how long it would take")
    parser.add_argument("--html", nargs="?", const=PAGE, metavar="FILE", help="write a page of all entries (bench/results/papers.html)")
    parser.add_argument("--record", default=RECORD, metavar="FILE", help="where rows are (bench/results/papers.jsonl)")
    options = parser.parse_args()
    known = {e.name: e for e in ENTRIES}
    unknown = [name for name in options.id if name not in known]
    if unknown:
        parser.error("there is no entry '%s'; --list prints them" % unknown[0])
    if options.seeds is not None and options.seeds < 1:
        parser.error("--seeds %d: there is no run without a seed" % options.seeds)
    if options.list or options.estimate:
        seconds_ = known_seconds(load(RECORD))
        return list_entries(options, seconds_) if options.list else tell_estimate(ENTRIES if options.all else [known[name] for name in options.id], options, seconds_)
    run(missing(ENTRIES if options.all else [known[name] for name in options.id], options, options.record), options, options.record)
    rows = load(options.record)
    for entry in [known[name] for name in options.id] or ENTRIES:
        show(entry, rows, options.size)
    if options.html:
        write_page(options.html, rows, options.size)
    return None


if __name__ == "__main__":
    main()
