"""The rule by which bench/run papers judges a claim of a paper.

A claim is a list of groups; a group is a list of comparisons, of which a number must hold. A comparison holds, is contradicted, or is
open:

- `above`: one sample is larger than another (times a factor). The direction is A12 (Vargha and Delaney), the test Mann and Whitney's,
  two-sided and exact: the distribution of the rank sum over all ways to divide the values between the arms. Equal values share their
  average rank, and searches that found nothing are equal to each other and larger than all others. Beyond EXACT pairs with many different
  values, the normal approximation with corrections for ties and for continuity.
- `over`: one sample is above a number; the sign test.
- `same`: two samples differ by less than a margin, by the interval of Hodges and Lehmann for the shift. The interval must lie inside of the
  margin to hold, outside of it to be contradicted.
- `calculated`: something that is computed, not sampled. It is as it is.

All p of an entry are corrected together by Holm's method; below LEVEL a comparison counts. A group holds if enough of its
comparisons hold, and is contradicted if too many are contradicted for that. An entry is *reproduced* if all of its groups hold, *not reproduced* if one is
contradicted, else *not decided*. bench/recheck.py computes the same from the rows by other code."""
import collections
import functools
import math
import statistics

LEVEL = 0.05
EXACT = 900  # pairs of values, up to which the distribution is computed: 30 seeds of two arms
FEW = 24  # different values, with which it is cheap for any number of pairs

Comparison = collections.namedtuple("Comparison", "kind label a b number")
Group = collections.namedtuple("Group", "title need comparisons")


def above(label, a, b, times=1):
    return Comparison("above", label, a, b, times)


def over(label, a, number):
    return Comparison("over", label, a, [], number)


def same(label, a, b, margin):
    return Comparison("same", label, a, b, margin)


def calculated(label, result):
    return Comparison("calculated", label, result, [], None)


# ---- Statistics


@functools.lru_cache(maxsize=4096)
def rank_sums(groups, n):
    """How many ways there are to draw n of the values for each (doubled) sum of their ranks; `groups` has the numbers of equal values."""
    ways, before = [{0: 1}] + [{} for _ in range(n)], 0
    for size in groups:
        rank = 2 * before + size + 1
        for k in range(n, 0, -1):
            for taken in range(1, min(size, k) + 1):
                weight = math.comb(size, taken)
                for total, count in ways[k - taken].items():
                    ways[k][total + taken * rank] = ways[k].get(total + taken * rank, 0) + count * weight
        before += size
    return ways[n]


def mann_whitney(a, b):
    """Two-sided p, and A12: the chance that a value of `a` is above one of `b`."""
    if not a or not b:
        return 1.0, 0.5
    n, m = len(a), len(b)
    counts = collections.Counter(a) + collections.Counter(b)
    groups = tuple(counts[v] for v in sorted(counts))
    u = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    if n * m > EXACT and len(groups) > FEW:
        return normal_p(u, n, m, groups), u / (n * m)
    ways = rank_sums(groups, n)
    middle = n * (n + m + 1)
    away = abs(round(2 * u) + n * (n + 1) - middle)
    return sum(c for s, c in ways.items() if abs(s - middle) >= away) / math.comb(n + m, n), u / (n * m)


def normal_p(u, n, m, groups):
    total = n + m
    variance = n * m / 12 * (total + 1 - sum(t**3 - t for t in groups) / (total * (total - 1)))
    away = abs(u - n * m / 2) - 0.5
    return math.erfc(away / math.sqrt(2 * variance)) if variance > 0 and away > 0 else 1.0


def sign_test(values, number):
    """Two-sided p of as many values above a number as below it, and the share above."""
    larger, smaller = sum(v > number for v in values), sum(v < number for v in values)
    n = larger + smaller
    if n == 0:
        return 1.0, 0.5
    tail = sum(math.comb(n, k) for k in range(min(larger, smaller) + 1)) / 2**n
    return min(1.0, 2 * tail), larger / n


def shift(a, b):
    """Hodges and Lehmann: the median of the differences of pairs, and its 95 % interval."""
    differences = sorted(x - y for x in a for y in b)
    ways = rank_sums((1,) * (len(a) + len(b)), len(a))
    everything, seen, cut = sum(ways.values()), 0, 0
    for total in sorted(ways):  # so many of the extreme differences may be left out on each side
        seen += ways[total]
        if 2 * seen > LEVEL * everything:
            break
        cut += 1
    inner = (differences[cut - 1], differences[-cut]) if cut else (-math.inf, math.inf)
    return statistics.median(differences), inner


def holm(ps):
    """Corrected for as many tests as there are."""
    order, least, corrected = sorted(range(len(ps)), key=lambda i: ps[i]), 0.0, [1.0] * len(ps)
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[i]))
        corrected[i] = least
    return corrected


# ---- The rule


def scaled(values, times):
    return [v * times for v in values] if times != 1 else list(values)


def result_without_test(c):
    """True, False, None: of comparisons that need no p."""
    if c.kind == "calculated":
        return c.a
    _, (low, high) = shift(c.a, c.b) if c.a and c.b else (0, (-math.inf, math.inf))
    if -c.number <= low and high <= c.number:
        return True
    return False if low > c.number or high < -c.number else None


def test_of(c):
    return sign_test(c.a, c.number) if c.kind == "over" else mann_whitney(c.a, scaled(c.b, c.number))


def results(groups):
    """For each comparison of each group (result, corrected p); p is None where there is no test."""
    tested = [c for g in groups for c in g.comparisons if c.kind in ("above", "over")]
    tests = [test_of(c) for c in tested]
    corrected = iter([(p, effect) for p, (_, effect) in zip(holm([p for p, _ in tests]), tests)])
    found = []
    for g in groups:
        of_group = []
        for c in g.comparisons:
            p, effect = next(corrected) if c.kind in ("above", "over") else (None, None)
            of_group.append((result_without_test(c) if p is None else effect > 0.5 if p < LEVEL else None, p))
        found.append(of_group)
    return found


def group_result(need, outcomes):
    if not outcomes:
        return None
    if outcomes.count(True) >= need:
        return True
    return False if len(outcomes) - outcomes.count(False) < need else None


def decide(groups):
    """The word, and a sentence for each group."""
    found = results(groups)
    outcomes = [group_result(g.need, [r for r, _ in of_group]) for g, of_group in zip(groups, found)]
    if not outcomes or any(outcome is False for outcome in outcomes):
        word = "not reproduced" if outcomes else "not decided"
    else:
        word = "reproduced" if all(outcomes) else "not decided"
    return word, "; ".join(tell(*one) for one in zip(groups, found, outcomes))


MOST_TOLD = 8  # comparisons of a group that are told one by one; of larger groups those that do not hold are named


def tell(group, found, outcome):
    if not group.comparisons:
        return "%s: nothing to compare" % group.title
    outcomes = [r for r, _ in found]
    told = [(c, r) for c, r in zip(group.comparisons, found) if len(outcomes) <= MOST_TOLD or r[0] is False]
    words = {True: "holds", False: "contradicted", None: "open"}
    text = "%s: %s (%d of %d hold, %d needed%s%s)" % (
        group.title, words[outcome], outcomes.count(True), len(outcomes), group.need,
        ", %d contradicted" % outcomes.count(False) if False in outcomes else "", ", %d open" % outcomes.count(None) if None in outcomes else "")
    unsettled = [c.label for c, (outcome_, _) in zip(group.comparisons, found) if outcome_ is None]
    if len(outcomes) > MOST_TOLD and 0 < len(unsettled) <= 2 * MOST_TOLD:
        text += ", open are " + "; ".join(unsettled)
    return text + (": " + ", ".join(tell_one(c, r) for c, r in told) if told else "")


def tell_one(c, result):
    outcome, p = result
    mark = {True: "", False: " contradicted", None: " open"}[outcome]
    if c.kind == "calculated":
        return c.label + mark
    if c.kind == "same":
        if not c.a or not c.b:
            return c.label + mark
        middle, (low, high) = shift(c.a, c.b)
        return "%s differs by %.2g [%.2g, %.2g]%s" % (c.label, middle, low, high, mark)
    if c.kind == "over":
        return "%s %.4g (p %.2g)%s" % (c.label, statistics.median(c.a) if c.a else math.nan, p, mark)
    return "%s%s (p %.2g)%s" % (c.label, times(c.a, c.b), p, mark)


def times(a, b):
    """The ratio of the medians, in words."""
    if not a or not b:
        return ""
    x, y = statistics.median(a), statistics.median(b)
    if x == y:
        return " level"
    if x == math.inf or y == 0:
        return " beyond all"
    return " %.3g times" % (x / y if y < math.inf else 0)
