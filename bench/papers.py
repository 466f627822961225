"""The tables and figures of the papers, each by one command: bench/run papers [ID...].

An entry is a view over the rows of a suite: which suite, with which guides, beside the numbers that the paper prints. Nothing is
measured here that bench/run SUITE does not measure. Rows are appended to bench/results/papers.jsonl with the commit that made
them; --continue runs only what is missing there, so that a large entry can be run in several sittings. Tables are made from
what is recorded, in the size that was asked for (--full is the paper's); fewer than ten seeds are called preliminary. A row whose
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


def can_decide(a, b, level, is_share=False):
    """Whether so few values could show a difference at this level if all of one were above all of the other; of a share they are 0 or 1."""
    p, _ = ranks([1] * len(a), [0] * len(b)) if is_share else ranks(list(range(len(a))), [-1 - x for x in range(len(b))])
    return p is not None and p < level


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


def larger_than_five(row):
    return float(sum(row.get("size_%d" % k, 0) for k in range(6, 12)))


def tests_to_failure(row):
    return float(row["tests_to_failure"]) if row.get("found") else math.inf


def found(row):
    return 1.0 if row.get("found") else 0.0


def per_second(row):
    return row["tests"] / row["cpu_s"] if row.get("cpu_s", 0) >= 0.05 else None  # shorter ones say nothing


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
    return "not reproduced", text + "; the paper says orders of magnitude%s" % (", which holds against Tree alone" if ratio[1] >= 10 else "")


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
    text = "`target` finds %d of %d bugs in more trials than independent draws, %d in fewer (the paper: 7 and 1, JUMP*A)" % (wins, n, losses)
    if wins >= 7 and losses <= 1:
        return "reproduced", text
    return "differs because" if wins > losses else "not reproduced", text + "; our generator finds some of them more often by itself"


def judge_assume(data):
    rows = sorted({row for row, _ in data})
    gain = [100 * (statistics.fmean(data[row, "target"]) - statistics.fmean(data[row, "uniform"])) for row in rows
            if (row, "target") in data and (row, "uniform") in data]
    same = [row for row in rows if statistics.fmean(data.get((row, "target"), [0])) <= statistics.fmean(data.get((row, "uniform"), [0]))]
    text = ("the accept rate rises with %d of %d functions, by %.1f points in the median and %.1f on average (paper: 30 of 30, 19.29 and 13.06 %%), "
            "by %.1f at least") % (len(gain) - len(same), len(gain), statistics.median(gain), statistics.fmean(gain), min(gain))
    if min(gain) <= -1 or statistics.median(gain) < 13:
        return "not reproduced", text
    full = all(statistics.fmean(data[row, "uniform"]) > 0.99 for row in same)
    return ("reproduced" if full else "differs because"), text + ("; %s accepts everything anyway" % ", ".join(same) if same and full else
                                                                 "; %s does not" % ", ".join(same) if same else "")


def geometric(data, arm):
    rows = sorted({row for row, a in data if a == arm})
    medians = [statistics.median(data[row, arm]) for row in rows]
    known = [m for m in medians if m < math.inf]
    return len(known), len(rows), statistics.geometric_mean(known) if known else math.inf


def judge_ifc(table, rates):
    """FuzzChick between the others: and as good as the paper's, whose seconds are tests by its own tests per second."""
    def judge(data, tests):
        text = []
        number = {}
        for arm in ("QuickChick: uniform, naive", "QcCrowbar: crowbar, naive", "FuzzChick: cgpt-classic, copy", "hand-written: uniform, smart"):
            known, n, mean = geometric(data, arm)
            number[arm.split(":")[0]] = known
            text.append("%s finds %d of %d faults%s" % (arm, known, n, " (geometric mean of %s tests)" % format(round(mean), ",") if known else ""))
        theirs = sum(fuzz * rates[2] <= tests for _, fuzz, _ in table.values())
        others = max(number["QuickChick"], number["QcCrowbar"])
        text = "within %s tests, in half of the runs or more, %s; the paper's FuzzChick finds %d within as many" % (format(tests, ","), "; ".join(text), theirs)
        if theirs < 3 and number["FuzzChick"] <= others:
            return "not decided", text
        good = others < number["FuzzChick"] <= number["hand-written"] and number["FuzzChick"] >= 0.8 * theirs
        return "reproduced" if good else "not reproduced", text
    return judge


def order_of(arm):
    """Of how many programs an arm has the highest median, and on how many it is above another arm."""
    def judge(data, others):
        rows = sorted({row for row, _ in data})
        median = {key: statistics.median(values) for key, values in data.items() if values}
        return [[row for row in rows if (row, arm) in median and median[row, arm] > median.get((row, other), -math.inf)] for other in others]
    return judge


def judge_rlcheck(what, factor=1):
    def judge(data):
        zest, quick = order_of("RLCheck")(data, ["Zest", "QuickCheck"])
        n = len({row for row, _ in data})
        text = "RLCheck's %s is above Zest's on %d of %d programs%s, and above QuickCheck's on %d%s" % (
            what, len(zest), n, named(zest), len(quick), named(quick))
        ahead = min(len(zest), len(quick)) >= n - 1
        if ahead and factor > 1:
            times = ratios(data, "RLCheck", ["Zest", "QuickCheck"])
            text += "; times the better of the two: " + ", ".join("%s %.1f" % pair for pair in times)
            ahead = sum(t >= factor for _, t in times) >= n - 1
            if not ahead:
                return "differs because", text + "; the order is the paper's, the factors are smaller (orders of magnitude there)"
        return ("reproduced" if ahead else "not reproduced"), text
    return judge


def ratios(data, arm, others):
    """By program: how many times the better of the others an arm has, in the median."""
    rows = sorted({row for row, _ in data})
    median = {key: statistics.median(values) for key, values in data.items() if values}
    return [(row, median[row, arm] / max(1, max(median.get((row, other), 0) for other in others))) for row in rows if (row, arm) in median]


def named(rows):
    return " (%s)" % ", ".join(rows) if rows else ""


def judge_fig8(data):
    rows = sorted({row for row, _ in data})
    median = {key: statistics.median(values) for key, values in data.items() if values}
    best = {row: max(("RLCheck", "QuickCheck", "Zest"), key=lambda arm: median.get((row, arm), -1)) for row in rows}
    text = "most branches by valid inputs: " + ", ".join("%s on %s" % (best[row], row) for row in rows)
    return ("reproduced" if len(set(best.values())) > 1 else "not reproduced"), text


def judge_greybox(data):
    ahead = order_of("black-box")(data, ["greybox"])[0]
    n = len({row for row, _ in data})
    text = "black-box RLCheck is above the greybox one on %d of %d programs%s" % (len(ahead), n, named(ahead))
    return ("reproduced" if len(ahead) == n else "not reproduced"), text


def judge_zest(data):
    rows = sorted({row for row, _ in data})
    mean = {key: statistics.fmean(values) for key, values in data.items() if values}
    gain = {row: mean[row, "Zest"] / max(mean.get((row, arm), 0) for arm in ("AFL", "QuickCheck")) for row in rows if (row, "Zest") in mean}
    text = "Zest against the better of AFL and QuickCheck: " + ", ".join("%s %.2f times" % (row, gain[row]) for row in rows if row in gain)
    wins = sum(g > 1 for g in gain.values())
    return ("reproduced" if wins == len(gain) else "not reproduced"), text + " (paper: 1.03 to 2.81)"


def judge_syntax(data):
    ahead = order_of("AFL")(data, ["Zest"])[0]
    n = len({row for row, _ in data})
    return ("reproduced" if len(ahead) == n else "not reproduced"), "AFL is above Zest on %d of %d programs%s" % (len(ahead), n, named(ahead))


AT_ONCE = 0.1  # seconds: of a fault that all find within them, who was first is chance


def split_at_once(data, rows):
    """Faults that say who is sooner, and those that everybody finds at once."""
    easy = [row for row in rows if all(statistics.median(values) < AT_ONCE for (r, _), values in data.items() if r == row)]
    return [row for row in rows if row not in easy], "; all find %s at once" % " and ".join(easy) if easy else ""


def judge_first(arm, others, at_least):
    """Who finds faults soonest: over faults that anybody found."""
    def judge(data):
        rows = sorted({row for row, _ in data})
        median = {key: statistics.median(values) for key, values in data.items() if values}
        known, easy = split_at_once(data, [row for row in rows if any(median.get((row, a), math.inf) < math.inf for a in [arm] + others)])
        first = [row for row in known if all(median.get((row, arm), math.inf) <= median.get((row, o), math.inf) for o in others)]
        text = "%s is soonest to %d of the %d faults that are found in half of the runs, and not at once%s" % (arm, len(first), len(known), named(first)) + easy
        if not known:
            return "not decided", text
        return ("reproduced" if len(first) >= at_least * len(known) else "not reproduced"), text
    return judge


FILTERS = ["CHO", "RND", "PAR", "COV"]


def judge_fig5_of_kummer(data):
    rows = sorted({row for row, _ in data})
    text, best, beaten = [], {}, []
    clear = {True: [], False: []}  # above Zest, below
    for row in rows:
        zest = data.get((row, "Zest"), [])
        compared = {arm: ranks(data[row, arm], zest) for arm in FILTERS if data.get((row, arm)) and zest}
        for arm, (p, a12) in compared.items():
            if p < 0.01:
                clear[a12 > 0.5].append("%s on %s" % (arm, row))
        best[row] = max(compared, key=lambda arm: statistics.fmean(data[row, arm]))
        rivals = [arm for arm in compared if arm != best[row] and ranks(data[row, best[row]], data[row, arm])[0] < 0.01]
        beaten.append("%s on %s%s" % (best[row], row, " (p < 0.01 against %s)" % ", ".join(rivals) if rivals else ""))
        text.append("%s %s" % (row, ", ".join("%s %.2g, %.2f" % ((arm,) + pair) for arm, pair in compared.items())))
    text = "p and A12 against Zest: %s. With p < 0.01 above Zest: %s; below: %s. Best filter: %s" % (
        "; ".join(text), ", ".join(clear[True]) or "none", ", ".join(clear[False]) or "none", ", ".join(beaten))
    text += ". The thesis: above are all four on Closure, CHO and RND on Maven, CHO, RND and COV by little on Rhino, none on Ant; PAR is the best filter on Closure"
    if not all(can_decide(data[row, "CHO"], data[row, "Zest"], 0.01) for row in rows):
        return "not decided", text + "; so few seeds cannot show p < 0.01"
    because = []
    if clear[False]:
        because.append("seeds can be worse than none")
    if len(rows) > 1 and len(set(best.values())) == 1:
        because.append("one filter is best on all programs")
    if clear[True] and because:
        return "differs because", text + "; seeds help, as there, but here %s" % " and ".join(because)
    return ("reproduced" if clear[True] else "not reproduced"), text


def judge_catch_up(data):
    ending = ", seeds run"
    pairs = [(row[: -len(ending)], arm) for row, arm in data if row.endswith(ending)]

    def sooner(what):
        return [(p, a) for p, a in pairs if statistics.fmean(data[p + what, a]) < statistics.median(data.get((p + ", Zest is there", a), [math.inf]))]

    empty = [pair for pair in pairs if statistics.median(data[pair[0] + ", seed coverage", pair[1]]) == 0]
    run, made = sooner(ending), sooner(", seeds made and run")
    text = "running seeds reaches their coverage sooner than Zest alone does in %d of %d pairs of program and filter (the thesis: 16 of 16), making and running them in %d" % (
        len(run), len(pairs), len(made))
    if empty:
        text += "; in %d pairs no seed is valid in half of the runs, so there is nothing to catch up with" % len(empty)
    if len(run) == len(pairs):
        return "reproduced", text
    if set(run) | set(empty) == set(pairs):
        return "differs because", text
    return "not reproduced", text


def judge_seed_cost(data):
    mean = {arm: statistics.fmean(values_of(data, arm)) for arm in FILTERS if values_of(data, arm)}
    text = "seconds until seeds are made and selected, mean of the programs: " + ", ".join("%s %.2f" % (arm, mean[arm]) for arm in FILTERS if arm in mean)
    text += " (the thesis: 1.02 minutes with COV, of which RLCheck has one, and 2.19 to 5.01 with the others)"
    if all(mean[arm] >= 2 * mean["COV"] for arm in FILTERS if arm != "COV"):
        return "reproduced", text
    return "differs because", text + "; selecting costs next to nothing here beside making the inputs, whichever filter it is"


def judge_reliable(data):
    rows = sorted({row for row, _ in data})
    share = {key: statistics.fmean(values) for key, values in data.items()}
    pairs = [(row, arm) for row in rows for arm in FILTERS if (row, arm) in data and (row, "Zest") in data]
    clear = [pair for pair in pairs if ranks(data[pair], data[pair[0], "Zest"])[0] < 0.01]
    text = ", ".join("%s: Zest %.0f %%, filters %s" % (row, 100 * share.get((row, "Zest"), 0), "/".join(
        "%.0f" % (100 * share.get((row, arm), 0)) for arm in FILTERS)) for row in rows)
    text += " (CHO/RND/PAR/COV); differences with p < 0.01: %d of %d (the thesis: none; of all failures of Rhino Zest finds more than PAR)" % (len(clear), len(pairs))
    if not all(can_decide(data[pair], data[pair[0], "Zest"], 0.01, True) for pair in pairs):
        return "not decided", text + "; so few seeds cannot show one"
    return ("reproduced" if not clear else "not reproduced"), text


def judge_sooner(data):
    rows, easy = split_at_once(data, [row for row in sorted({row for row, _ in data}) if statistics.median(data.get((row, "Zest"), [math.inf])) < math.inf])
    pairs = [(row, arm) for row in rows for arm in FILTERS if (row, arm) in data]
    sooner = [pair for pair in pairs if statistics.median(data[pair]) < statistics.median(data[pair[0], "Zest"])]
    clear = [pair for pair in sooner if ranks(data[pair], data[pair[0], "Zest"])[0] < 0.01]
    text = ("a filter is sooner than Zest in %d of %d pairs of a filter and a fault that Zest finds in half of the runs%s, with p < 0.01 in %d "
            "(the thesis, faults that all find: 20 of 20, 16 of them with p < 0.01)") % (len(sooner), len(pairs), named(rows), len(clear)) + easy
    if not pairs:
        return "not decided", text
    return ("reproduced" if len(sooner) == len(pairs) else "not reproduced"), text


def judge_yaml(data):
    ours, theirs = (statistics.median(values_of(data, arm)) for arm in ("targeting by coverage", "libFuzzer"))
    if ours == math.inf:
        return "not reproduced", "targeting by coverage finds the fault in less than half of the runs"
    factor = ours / theirs if theirs < math.inf else 0
    text = "targeting by coverage needs %s tests in the median, libFuzzer %s: %.2f times as many (paper: 27,830 and 35,050, 0.79 times; in time 1.44)" % (
        number(ours), number(theirs), factor)
    return ("reproduced" if factor <= 2 else "not reproduced"), text


def judge_cost(data):
    median = {key: statistics.median(values) for key, values in data.items() if values}
    rows = sorted({row for row, _ in data})
    share = {row: 100 * (1 - median[row, "without"] / median[row, "recorded"]) for row in rows if (row, "without") in median and (row, "recorded") in median}
    text = "of the time of a test, recording coverage takes " + ", ".join("%s %.0f %%" % (row, share[row]) for row in rows if row in share)
    return "differs because", text + " (paper: Slipcover 37 %, coverage.py 56 %); the code here is compiled, with counters that the compiler put in"


def judge_check(data):
    good = all(v == 1 for values in data.values() for v in values)
    return ("reproduced" if good else "not reproduced"), "similarities of 0.78 and 0.67, so the third sequence is selected"


def judge_speed(data):
    rate = {arm: statistics.median(values_of(data, arm)) for arm in sorted({a for _, a in data})}
    return "differs because", "C is compiled and another machine: " + ", ".join("%s %s/s" % (a, format(round(v), ",")) for a, v in rate.items())


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


def paper_ifc(table, rates, crowbar):
    """Seconds to a failure times tests per second: tests, on which machines and languages have no bearing."""
    numbers = {}
    for fault, (quick, fuzz, hand) in table.items():
        numbers[str(fault), "QuickChick: uniform, naive"] = quick * rates[0]
        numbers[str(fault), "QcCrowbar: crowbar, naive"] = crowbar.get(fault, math.inf) * rates[1]
        numbers[str(fault), "FuzzChick: cgpt-classic, copy"] = fuzz * rates[2]
        numbers[str(fault), "hand-written: uniform, smart"] = hand * rates[3]
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
        self.arms = [tuple(arm) + (None,) * (4 - len(arm)) for arm in more.get("arms", [])]  # (name, suite, options, measure of its own)
        self.measure, self.unit = more.get("measure"), more.get("unit", "")
        self.paper, self.judge = more.get("paper", {}), more.get("judge")
        self.seeds, self.full_seeds = more.get("seeds", 3), more.get("full_seeds", 10)
        self.full = more.get("full", [])  # options of all arms, besides
        self.quick = more.get("quick", [])
        self.minutes, self.full_minutes = more.get("minutes", 0), more.get("full_minutes", 0)
        self.pool = more.get("pool", False)  # rows are one
        self.derive = more.get("derive")  # values by (row, arm) of all rows of all arms, where a measure of one row is not enough
        self.by_tests = more.get("by_tests", False)  # the judge is told how many tests there were
        self.remark = more.get("remark", "")

    def options(self, is_full):
        return self.full if is_full else self.quick

    def budget(self, is_full):
        """What a run was given, in words."""
        options = self.options(is_full)
        for option, unit in (("--seconds", "seconds of processor time"), ("--tests", "tests")):
            if option in options:
                return " of %s %s" % (format(int(options[options.index(option) + 1]), ","), unit)
        return ""


BST = [("Random", "bst", ["--guide", "uniform", "--only", "bst"]), ("Sequence", "bst", ["--guide", "rl-classic", "--only", "bst"]),
       ("Tree", "bst", ["--guide", "rl-classic", "--only", "bst-tree"]), ("Tree L/R", "bst", ["--guide", "rl-classic", "--only", "bst-states"]),
       ("rl, no state given", "bst", ["--guide", "rl", "--only", "bst"])]


def ifc(suite):
    return [("QuickChick: uniform, naive", suite, ["--guide", "uniform"]), ("QcCrowbar: crowbar, naive", suite, ["--guide", "crowbar"]),
            ("FuzzChick: cgpt-classic, copy", suite, ["--guide", "cgpt-classic", "--copy"]), ("cgpt, copy", suite, ["--guide", "cgpt", "--copy"]),
            ("hand-written: uniform, smart", suite, ["--guide", "uniform", "--smart"])]


FOUR = ["--only", "xsd,lua,sql,wasm"]


def arm(name, guide, measure=None):
    return name, "programs", ["--guide", guide] + FOUR, measure


def bugs(name, guide, only):
    return name, "programs", ["--bugs", "--guide", guide, "--only", only]


RLCHECK, QUICKCHECK, ZEST = arm("RLCheck", "rl-classic-black"), arm("QuickCheck", "uniform-black"), arm("Zest", "zest-bytes")
OURS = arm("rl", "rl-black")
SECONDS = {"quick": ["--seconds", "3"], "seeds": 3, "full_seeds": 10}
THESIS = [ZEST] + [arm(name, "thesis-" + name.lower()) for name in FILTERS]
BUGS = "D1,D2,D3,D5,D6"  # D4 needs a jq that has it
IN_KIND = "The programs are in C, where the paper has Java programs: xsd (libxml2), lua, sql (SQLite), wasm (wabt)."


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


def seed_seconds(row):
    return row.get("seeds_made_s")


ENTRIES = [
    Entry("rlcheck-fig4", "RLCheck, figure 4", "Whatever the state abstraction, RLCheck makes many more unique valid trees than random draws; Tree L/R makes the most",
          arms=BST, measure=field("unique_valid"), unit="unique valid trees of 100,000", judge=judge_fig4, pool=True, seeds=10, minutes=1, full_minutes=1,
          paper={("all", "Random"): 840, ("all", "Sequence"): 6717, ("all", "Tree"): 4220, ("all", "Tree L/R"): 9346},
          remark="The paper has a chart and no numbers: the column is a run of the authors' program."),
    Entry("rlcheck-fig5", "RLCheck, figure 5", "Tree L/R makes orders of magnitude more unique valid trees of more than five nodes than the other abstractions",
          arms=BST, measure=larger_than_five, unit="unique valid trees of 6 to 11 nodes", judge=judge_fig5, pool=True, seeds=10, minutes=1, full_minutes=1),
    Entry("rlcheck-fig6", "RLCheck, figure 6", "Of RLCheck's inputs a larger share is diverse and valid than of Zest's and QuickCheck's",
          arms=[RLCHECK, QUICKCHECK, ZEST, arm("RLCheck*", "rl-classic-black", of_runs_with_a_valid_input(share_of_diverse)), OURS],
          measure=share_of_diverse, unit="percent of all inputs that are valid and have a trace of their own, at the end", judge=judge_rlcheck("share of diverse valid inputs"),
          full=["--seconds", "300"], minutes=5, full_minutes=1000, **SECONDS,
          remark=IN_KIND + " RLCheck* has the runs that made a valid input. RLCheck, QuickCheck and rl run without instrumentation and are measured by replay. The series over time are in the rows."),
    Entry("rlcheck-fig7", "RLCheck, figure 7", "RLCheck makes orders of magnitude more diverse valid inputs than Zest and QuickCheck, but where validity is easy (Rhino: 1.4 times)",
          arms=[RLCHECK, QUICKCHECK, ZEST, OURS], measure=field("diverse_valid"), unit="valid inputs with different traces",
          judge=judge_rlcheck("number of diverse valid inputs", 10), full=["--seconds", "300"], minutes=5, full_minutes=1000, **SECONDS, remark=IN_KIND),
    Entry("rlcheck-fig8", "RLCheck, figure 8", "No technique covers the most branches by valid inputs on all programs",
          arms=[RLCHECK, QUICKCHECK, ZEST, OURS], measure=field("sem_valid"), unit="semantic edges covered by valid inputs", judge=judge_fig8,
          full=["--seconds", "300"], minutes=5, full_minutes=1000, **SECONDS, remark=IN_KIND),
    Entry("rlcheck-fig9", "RLCheck, figure 9", "Branches as a characteristic slow RLCheck down: the black-box one makes more diverse valid inputs on all programs",
          arms=[arm("black-box", "rl-classic-black"), arm("greybox", "rl-classic-branches")], measure=field("diverse_valid"),
          unit="valid inputs with different traces", judge=judge_greybox, full=["--seconds", "300"], minutes=5, full_minutes=700, **SECONDS, remark=IN_KIND),
    Entry("rlcheck-fig10", "RLCheck, figure 10", "and covers more branches by valid inputs",
          arms=[arm("black-box", "rl-classic-black"), arm("greybox", "rl-classic-branches")], measure=field("sem_valid"),
          unit="semantic edges covered by valid inputs", judge=judge_greybox, full=["--seconds", "300"], minutes=5, full_minutes=700, **SECONDS, remark=IN_KIND),
    Entry("rlcheck-table1", "RLCheck, table 1", "RLCheck finds faults sooner than Zest where it makes many more diverse valid inputs",
          arms=[bugs("RLCheck", "rl-classic", BUGS), bugs("QuickCheck", "uniform", BUGS), bugs("Zest", "zest-bytes", BUGS)], measure=seconds_to_failure,
          unit="seconds of processor time to the fault", judge=judge_first("RLCheck", ["Zest"], 0.5), quick=["--seconds", "10"],
          full=["--seconds", "300"], seeds=3, full_seeds=10, minutes=5, full_minutes=450,
          remark="Five faults of C programs (bench/programs/bugs.c), where the paper has six of Java programs; all arms in instrumented code."),
    Entry("zest-fig4", "Zest, figure 4", "Zest covers 1.03 to 2.81 times the semantic branches of the better of AFL and QuickCheck",
          arms=[ZEST, arm("QuickCheck", "uniform"), arm("AFL", "afl-text"), arm("zest", "zest")], measure=semantic_percent,
          unit="percent of the edges of semantic files that any input covered", judge=judge_zest, full=["--seconds", "10800"], quick=["--seconds", "3"], seeds=3,
          full_seeds=20, minutes=6, full_minutes=58000, remark=IN_KIND + " AFL++ has one valid seed and a dictionary, as in the paper, and is ended when it and the program have used their processor time."),
    Entry("zest-syntax", "Zest, section 6", "AFL covers more of the syntax stage (1.1 to 1.6 times), so the two complement each other",
          arms=[ZEST, arm("AFL", "afl-text")], measure=field("syn_all"), unit="edges outside the semantic files", judge=judge_syntax,
          full=["--seconds", "10800"], quick=["--seconds", "3"], seeds=3, full_seeds=20, minutes=4, full_minutes=29000, remark=IN_KIND),
    Entry("zest-table2", "Zest, table 2", "Zest finds semantic faults soonest, and reliably",
          arms=[bugs("Zest", "zest-bytes", BUGS), bugs("QuickCheck", "uniform", BUGS), bugs("zest", "zest", BUGS)], measure=seconds_to_failure,
          unit="seconds of processor time to the fault", judge=judge_first("Zest", ["QuickCheck"], 0.8), quick=["--seconds", "10"],
          full=["--seconds", "10800"], seeds=3, full_seeds=20, minutes=5, full_minutes=30000,
          remark="All five faults lie behind the parser (bench/programs/bugs.c). `n` with `never` in the median is the reliability below one half."),
    Entry("targeted-table2", "Targeted testing, tables 1 and 2, figure 6", "Every bug that Hypothesis finds is found by targeting the weights of executed "
          "instructions, more often (the paper's own table has one exception, JUMP*A)", arms=[("target", "ifc-eeni", ["--guide", "target"]), ("uniform", "ifc-eeni", ["--guide", "uniform"])],
          measure=found, unit="share of trials of 10,000 tests that find the bug", paper=paper_eeni(), judge=judge_eeni, seeds=5, full_seeds=100,
          minutes=2, full_minutes=20, remark="The paper's columns: its own tool, and Hypothesis without targets."),
    Entry("targeted-table3", "Targeted testing, figure 7 and table 3", "Distances of preconditions raise the accept rate of every function",
          arms=[("target", "assume", ["--guide", "target", "--only", FUNCTIONS]), ("uniform", "assume", ["--guide", "uniform", "--only", FUNCTIONS])], measure=field("accept"),
          unit="share of inputs accepted", judge=judge_assume, seeds=3, full_seeds=10, minutes=3, full_minutes=9, remark=THIRTY),
    Entry("targeted-table4", "Targeted testing, table 4", "Coverage as the state of generalised targeting comes near to a fuzzer made for it on a YAML parser",
          arms=[bugs("targeting by coverage", "target-coverage", "D6"), bugs("libFuzzer", "libfuzzer-text", "D6"), bugs("auto", "auto", "D6"),
                bugs("QuickCheck", "uniform", "D6")], measure=tests_to_failure, unit="tests to the fault", judge=judge_yaml, quick=["--seconds", "20"],
          full=["--seconds", "600"], seeds=5, full_seeds=100, minutes=9, full_minutes=2000,
          paper={("D6", "targeting by coverage"): 27830, ("D6", "libFuzzer"): 35050},
          remark="libyaml 0.2.5 in the place of PyYAML, libFuzzer in that of Atheris; ASCII texts of up to 64 characters, no seed, no dictionary. The fault is real: it reads !%2C and writes !, ."),
    Entry("targeted-table5", "Targeted testing, table 5", "What recording coverage costs, and that a quicker way to do it pays",
          arms=[("without", "programs", ["--guide", "cost-plain", "--only", "yaml,lua,xsd"]), ("counted", "programs", ["--guide", "cost-counters", "--only", "yaml,lua,xsd"]),
                ("recorded", "programs", ["--guide", "cost-observed", "--only", "yaml,lua,xsd"])], measure=microseconds,
          unit="microseconds of processor time for a test", judge=judge_cost, full=["--seconds", "30"], minutes=3, full_minutes=45, **SECONDS,
          remark="The same inputs in code without instrumentation, in instrumented code that nobody looks at, and with coverage as a state."),
    Entry("kummer-table1", "Kummer, table 1", "CHO selects the sequence that differs more in its transitions", arms=[("CHO", "check", ["filter_test", "choice_sequences_of_the_thesis"])],
          measure=found, unit="1: as printed", judge=judge_check, seeds=1, full_seeds=1, minutes=1, full_minutes=1, remark="A calculation: one run is all there is."),
    Entry("kummer-fig5", "Kummer, figure 5", "With seeds Zest covers more by valid inputs at the end on some programs, and no filter is best on all",
          arms=THESIS, measure=field("sem_valid"), unit="semantic edges covered by valid inputs", judge=judge_fig5_of_kummer, full=["--seconds", "3600"],
          quick=["--seconds", "3"], seeds=3, full_seeds=20, minutes=8, full_minutes=24000, remark=IN_KIND + " The end of seeds is in the rows."),
    Entry("kummer-table2", "Kummer, table 2", "Seeds reach their coverage sooner than Zest alone does", arms=THESIS, derive=catch_up, measure=field("sem_valid"),
          unit="semantic edges by valid seeds; seconds of processor time that running the seeds took (making and running them), and until Zest alone covers as much", judge=judge_catch_up,
          full=["--seconds", "3600"], quick=["--seconds", "3"], seeds=3, full_seeds=20, minutes=8, full_minutes=24000, remark=IN_KIND),
    Entry("kummer-table3", "Kummer, table 3", "Failures are found as reliably with seeds as without",
          arms=[bugs("Zest", "zest-bytes", BUGS)] + [bugs(name, "thesis-" + name.lower(), BUGS) for name in FILTERS], measure=found,
          unit="share of runs that find the fault", judge=lambda data: judge_reliable(data), quick=["--seconds", "10"], full=["--seconds", "3600"], seeds=3,
          full_seeds=20, minutes=8, full_minutes=18000, remark="Faults of C programs (bench/programs/bugs.c)."),
    Entry("kummer-table4", "Kummer, table 4", "and sooner",
          arms=[bugs("Zest", "zest-bytes", BUGS)] + [bugs(name, "thesis-" + name.lower(), BUGS) for name in FILTERS], measure=seconds_to_failure,
          unit="seconds of processor time to the fault", judge=lambda data: judge_sooner(data), quick=["--seconds", "10"], full=["--seconds", "3600"], seeds=3,
          full_seeds=20, minutes=8, full_minutes=18000, remark="Faults of C programs (bench/programs/bugs.c)."),
    Entry("kummer-table5", "Kummer, table 5", "What making and filtering seeds costs: COV next to nothing, the others more than making them", arms=THESIS[1:], measure=seed_seconds,
          unit="seconds of processor time until seeds are made and selected", judge=judge_seed_cost, full=["--seconds", "3600"], quick=["--seconds", "3"],
          seeds=3, full_seeds=20, minutes=8, full_minutes=19000, remark=IN_KIND + " 200 inputs are made for each second of the budget."),
    Entry("fuzzchick-fig8", "FuzzChick, figures 4 and 8", "FuzzChick lies between derived and hand-written generators: it finds most faults that random draws and AFL on bits miss",
          arms=ifc("ifc-stack"), measure=tests_to_failure, unit="tests to the fault", paper=paper_ifc(FIG8, (QUICKCHICK, CROWBAR, FUZZCHICK, HAND), CROWBAR_FIG8),
          judge=judge_ifc(FIG8, (QUICKCHICK, CROWBAR, FUZZCHICK, HAND)), by_tests=True, seeds=3, quick=["--tests", "100000"], full=["--tests", "10000000"], full_seeds=5, minutes=4, full_minutes=700,
          remark="The paper's seconds are converted by its tests per second (figure 5)."),
    Entry("fuzzchick-fig5", "FuzzChick, figure 5", "Tests per second: derived generators, AFL on bits, mutation", arms=ifc("ifc-stack")[:4], measure=per_second, unit="tests per second",
          pool=True, judge=judge_speed, seeds=3, quick=["--tests", "100000"], full=["--tests", "10000000"], full_seeds=5, minutes=4, full_minutes=700,
          paper={("all", "QuickChick: uniform, naive"): QUICKCHICK, ("all", "QcCrowbar: crowbar, naive"): CROWBAR, ("all", "FuzzChick: cgpt-classic, copy"): FUZZCHICK},
          remark="Hand-written generators find faults before there is anything to measure."),
    Entry("fuzzchick-fig9", "FuzzChick, figures 6 and 9", "The same on the register machine: hand-written generators find all 33 faults at once, FuzzChick most, the others hardly any",
          arms=ifc("ifc-register"), measure=tests_to_failure, unit="tests to the fault", paper=paper_ifc(FIG9, REGISTER, {}), judge=judge_ifc(FIG9, REGISTER), by_tests=True, seeds=1,
          quick=["--tests", "100000"], full=["--tests", "20000000"], full_seeds=5, minutes=3, full_minutes=20000,
          remark="The paper's seconds are converted by its tests per second (figure 7)."),
    Entry("fuzzchick-fig7", "FuzzChick, figure 7", "Tests per second on the register machine", arms=ifc("ifc-register")[:4], measure=per_second, unit="tests per second",
          pool=True, judge=judge_speed, seeds=1, quick=["--tests", "100000"], full=["--tests", "20000000"], full_seeds=5, minutes=3, full_minutes=20000,
          paper={("all", "QuickChick: uniform, naive"): REGISTER[0], ("all", "QcCrowbar: crowbar, naive"): REGISTER[1], ("all", "FuzzChick: cgpt-classic, copy"): REGISTER[2]}),
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


APPENDING = threading.Lock()


def run_check(arguments, seed):
    """A calculation that a unit test makes: one row, found if it holds."""
    test, name = arguments[:2]
    build = os.environ.get("BUILD", "build")
    program = os.path.join(build, "tests", "unit", test)
    subprocess.run(["make", "-s", "--no-print-directory", "BUILD=" + build, program], cwd=os.path.dirname(HERE), check=True, stdout=subprocess.DEVNULL)
    got = subprocess.run([program], cwd=os.path.dirname(HERE), capture_output=True, text=True, check=False)
    good = any(name in line and "OK" in line for line in (got.stdout + got.stderr).splitlines())
    return [{"suite": "check", "row": name, "seed": seed, "found": good}]


def run_one(suite, arguments, seed):
    """The rows of one command; None if it went wrong, which the command has said."""
    if suite == "check":
        return run_check(arguments, seed)
    command = [os.path.join(HERE, "run"), suite, "--json", "--seeds", "%d-%d" % (seed, seed)] + arguments
    print(" ".join(["bench/run"] + command[1:]), file=sys.stderr)
    got = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return [json.loads(line) for line in got.stdout.splitlines()] if got.returncode == 0 else None


def plan(entry, options, done):
    """What is to be run: (suite, arguments, seed, key), each once."""
    size, more = "full" if options.full else "quick", entry.options(options.full)
    seeds = options.seeds or (entry.full_seeds if options.full else entry.seeds)
    wanted = []
    for seed in range(1, seeds + 1):
        for _, suite, own, _ in entry.arms:
            key = key_of(suite, own + more, size, seed)
            if key not in done:
                wanted.append((suite, own + more, seed, key))
                done.add(key)
    return wanted


def thin(row):
    """Twenty points over time are enough to see a course; all of them are kept of Zest, which others are held against."""
    if "series" in row and row.get("guide") != "zest-bytes":
        row["series"] = row["series"][2::3]
    return row


def run(entries, options, path):
    """Runs what is asked for, seed by seed and arm by arm, and appends the rows, each when it is there. Arms that entries share are
    run once."""
    done = {tuple(row["key"]) for row in load(path)} if options.go_on else set()
    wanted = [one for entry in entries for one in plan(entry, options, done)]
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


def newest(entry, rows, full):
    """Rows by arm, and of an arm by (row, seed). Of rows that were run again the last count."""
    size, more = "full" if full else "quick", entry.options(full)
    found_rows = {}
    for name, suite, own, _ in entry.arms:
        key = key_of(suite, own + more, size, 0)[:2]
        found_rows[name] = {(row["row"], row["seed"]): row for row in rows if tuple(row["key"][:2]) == key}
    return found_rows


def collect(entry, rows, full):
    """Values by (row, arm), and the commits and seeds they are from."""
    by_arm = newest(entry, rows, full)
    everything = [row for rows_of_arm in by_arm.values() for row in rows_of_arm.values()]
    commits = sorted({row["commit"] for row in everything})
    seeds = sorted(set.intersection(*({seed for _, seed in rows_of_arm} for rows_of_arm in by_arm.values())))  # that all arms have
    if entry.derive:
        return entry.derive(by_arm), commits, seeds
    data = {}
    for name, _, _, own in entry.arms:
        for (row_name, _), row in sorted(by_arm[name].items()):
            value = (own or entry.measure)(row)
            if value is not None:
                data.setdefault(("all" if entry.pool else row_name, name), []).append(value)
    return data, commits, seeds


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


def table(entry, data):
    lines = []
    names = sorted({row for row, _ in data}, key=lambda r: (len(r), r))
    for name in names:
        first = data.get((name, entry.arms[0][0]), [])
        for arm, _, _, _ in entry.arms:
            values = data.get((name, arm), [])
            if not values:
                continue
            mean, deviation, median = summarise(values)
            p, a12 = ranks(values, first) if arm != entry.arms[0][0] else (None, None)
            half = interval(deviation, len(values))
            lines.append([name, arm, number(entry.paper.get((name, arm))), number(median), number(mean), number(deviation),
                          "-" if half is None else "\u00b1" + number(half), count(values), "-" if p is None else "%.2g" % p, "-" if a12 is None else "%.2f" % a12])
    return lines


def describe(entry, rows, full):
    """What there is to say of an entry: verdict, sentence, table."""
    data, commits, seeds = collect(entry, rows, full)
    needed = {arm for arm, _, _, _ in entry.arms} - ({"Zest"} if entry.derive else set())
    if not needed <= {arm for _, arm in data}:
        return "not run", "bench/run papers %s%s" % (entry.name, " --full" if full else ""), []
    options = entry.options(full)
    word, text = entry.judge(data, int(options[options.index("--tests") + 1])) if entry.by_tests else entry.judge(data)
    if len(seeds) == 1 < entry.full_seeds:
        word = "not decided"
    if len(seeds) < min(ENOUGH, entry.full_seeds):
        word += ", preliminary"
    return word, "%s. %d seed%s%s, commit %s." % (text, len(seeds), "" if len(seeds) == 1 else "s", entry.budget(full), ", ".join(commits)), table(entry, data)


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
           "<style>body{font:15px sans-serif;max-width:70em;margin:2em auto;padding:0 1em}code{white-space:nowrap}table{border-collapse:collapse}"
           "td,th{padding:2px 8px;border-bottom:1px solid #ddd;text-align:right}td:nth-child(-n+2),th:nth-child(-n+2),.words td,.words th{text-align:left}</style>",
           "<h1>The papers, rerun</h1><p>Made by <code>bench/run papers --html</code> from recorded rows. p (Mann and Whitney, two-sided) "
           "and A12 compare an arm with the first of its entry.</p>"]
    described = [(entry,) + describe(entry, rows, full) for entry in ENTRIES]
    out.append("<table class=words><tr><th>entry<th>of<th>command<th>word</tr>")
    out.extend("<tr><td><a href=#%s>%s</a><td>%s<td><code>bench/run papers %s</code><td>%s</tr>" % (e.name, e.name, html.escape(e.source), e.name, html.escape(word))
               for e, word, _, _ in described)
    out.append("</table>")
    for entry, word, text, lines in described:
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
        print("%-16s bench/run papers %s %d (--full: %d)" % (e.name, e.name, e.minutes, e.full_minutes))


def main():
    parser = argparse.ArgumentParser(prog="bench/run papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id", nargs="*", help="entries to run; none: show what is recorded")
    parser.add_argument("--list", action="store_true", help="print id, command and minutes of each entry")
    parser.add_argument("--full", action="store_true", help="in the size of the paper")
    parser.add_argument("--continue", dest="go_on", action="store_true", help="run only what is not recorded yet")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many commands side by side (1)")
    parser.add_argument("--all", action="store_true", help="run all entries")
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds 1 to N")
    parser.add_argument("--html", nargs="?", const=PAGE, metavar="FILE", help="write a page of all entries (bench/results/papers.html)")
    parser.add_argument("--record", default=RECORD, metavar="FILE", help="where rows are (bench/results/papers.jsonl)")
    options = parser.parse_args()
    known = {e.name: e for e in ENTRIES}
    unknown = [name for name in options.id if name not in known]
    if unknown:
        parser.error("there is no entry '%s'; --list prints them" % unknown[0])
    if options.seeds is not None and options.seeds < 1:
        parser.error("--seeds %d: there is no run without a seed" % options.seeds)
    if options.list:
        list_entries()
        return
    run(ENTRIES if options.all else [known[name] for name in options.id], options, options.record)
    rows = load(options.record)
    for entry in [known[name] for name in options.id] or ENTRIES:
        show(entry, rows, options.full)
    if options.html:
        write_page(options.html, rows, options.full)


if __name__ == "__main__":
    main()
