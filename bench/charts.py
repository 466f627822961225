"""Charts of bench/run papers: one for each entry, as SVG inside of the page, which fetches nothing and runs nothing.

A figure over time is a chart per program: the mean of the seeds as a line, its 95 % interval as a band, a ring at the mean end of the seeds of the
thesis. All others are dots: the median with its interval by order statistics (at least 95 % with six seeds or more, below that the range), a
triangle at the border where the median is "never", a cross at the paper's number."""
import html
import math
import statistics

COLOURS = ["#4269d0", "#e8852e", "#3f9b53", "#c2438b", "#7d5fb2", "#8a6d4b"]
STYLE = "svg text{font:11px sans-serif;fill:#333}svg .title{font-weight:bold}svg .axis{stroke:#999}svg .grid{stroke:#e4e4e4}"
STEPS = 30  # points of a course


def text(x, y, words, anchor="start", kind=""):
    return "<text x=%.1f y=%.1f text-anchor=%s%s>%s</text>" % (x, y, anchor, " class=" + kind if kind else "", html.escape(words))


def line(x1, y1, x2, y2, kind):
    return "<line x1=%.1f y1=%.1f x2=%.1f y2=%.1f class=%s />" % (x1, y1, x2, y2, kind)


def svg(width, height, parts):
    return "<svg width=%d height=%d viewBox='0 0 %d %d' role=img>%s</svg>" % (width, height, width, height, "".join(parts))


def short(x):
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= unit:
            return "%g%s" % (float("%.2g" % (x / unit)), name)
    return "%g" % float("%.2g" % x)


class Scale:
    """From values to pixels. A logarithmic one puts zero at its start."""

    def __init__(self, values, start, end, logarithmic):
        finite = [v for v in values if v < math.inf]
        positive = [v for v in finite if v > 0] or [1]
        self.logarithmic = logarithmic
        self.low, self.high = (min(positive) / 2, max(positive) * 2) if logarithmic else (min([0] + finite), max(finite + [0]) or 1)
        self.start, self.end = start, end

    def at(self, value):
        value = min(max(value, self.low), self.high)
        share = math.log(value / self.low) / math.log(self.high / self.low) if self.logarithmic else (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            return [10.0**k for k in powers if k % max(1, len(powers) // 5) == 0]
        step = 10 ** math.floor(math.log10((self.high - self.low) or 1))
        step = next(s for s in (step / 5, step / 2, step, 2 * step) if (self.high - self.low) / s <= 6)
        return [k * step for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def legend(names, y, width):
    """Names with their colours in lines from y on; returns the parts and the y below."""
    parts, x = [], 8
    for i, name in enumerate(names):
        if x + 20 + 6.2 * len(name) > width and x > 8:
            x, y = 8, y + 15
        parts.append("<rect x=%.1f y=%.1f width=10 height=10 fill='%s' />" % (x, y - 9, COLOURS[i % len(COLOURS)]))
        parts.append(text(x + 14, y, name))
        x += 28 + 6.2 * len(name)
    return parts, y + 12


# ---- Courses over time


def value_at(row, course, time):
    """The last point that is not later; nothing was reached before the first."""
    points = [p for p in row["series"] if p[0] <= time]
    return course(points[-1], row) if points else 0.0


def mean_and_half(values, student):
    mean = statistics.fmean(values)
    half = student(statistics.stdev(values), len(values)) if len(values) > 1 else 0
    return mean, half


def arm_course(lines, course, end, student):
    """(time, mean, half of the interval)."""
    usable = [row for row in lines if row.get("series")]
    times = [end * k / STEPS for k in range(1, STEPS + 1)]
    return [(time,) + mean_and_half([value_at(row, course, time) for row in usable], student) for time in times] if usable else []


def course_chart(title, courses, ends, logarithmic):
    """`courses` by arm; `ends` has (arm's index, time) of the end of seeds."""
    width, top, bottom, left = 330, 22, 190, 46
    values = [m + s * h for points in courses for _, m, h in points for s in (-1, 1) if m + s * h > 0]
    x = Scale([p[0] for points in courses for p in points], left, width - 8, False)
    y = Scale([v for v in values if not logarithmic or v >= 0.5] or [1], bottom, top, logarithmic)
    parts = [text(left, 14, title, kind="title")]
    for tick in y.ticks():
        parts += [line(left, y.at(tick), width - 8, y.at(tick), "grid"), text(left - 4, y.at(tick) + 4, short(tick), "end")]
    for tick in x.ticks():
        parts.append(text(x.at(tick), bottom + 14, "%g s" % tick, "middle"))
    for i, points in enumerate(courses):
        if not points:
            continue
        colour = COLOURS[i % len(COLOURS)]
        band = ["%.1f,%.1f" % (x.at(t), y.at(m + h)) for t, m, h in points] + ["%.1f,%.1f" % (x.at(t), y.at(m - h)) for t, m, h in reversed(points)]
        parts.append("<polygon points='%s' fill='%s' fill-opacity=0.15 />" % (" ".join(band), colour))
        parts.append("<polyline points='%s' fill=none stroke='%s' stroke-width=1.6 />" % (" ".join("%.1f,%.1f" % (x.at(t), y.at(m)) for t, m, _ in points), colour))
    for i, time in ends:
        near = min(courses[i], key=lambda p: abs(p[0] - time)) if courses[i] else None
        if near:
            parts.append("<circle cx=%.1f cy=%.1f r=4 fill=white stroke='%s' stroke-width=2 />" % (x.at(time), y.at(near[1]), COLOURS[i % len(COLOURS)]))
    parts += [line(left, top, left, bottom, "axis"), line(left, bottom, width - 8, bottom, "axis")]
    return svg(width, bottom + 20, parts)


def courses_of(entry, view, student):
    names = [a.name for a in entry.arms]
    parts, height = legend(names, 12, 660)
    out = [svg(660, height, parts), "<br>"]
    for row in view.rows:
        lines = [[line_ for (r, _), line_ in sorted(view.by_arm[name].items()) if r == row] for name in names]
        end = max([one.get("seconds", one.get("cpu_s", 0)) for of_arm in lines for one in of_arm] + [1e-3])
        courses = [arm_course(of_arm, entry.course, end, student) for of_arm in lines]
        ends = [(i, statistics.fmean(one["seeds_end_s"] for one in of_arm)) for i, of_arm in enumerate(lines) if of_arm and all("seeds_end_s" in one for one in of_arm)]
        out.append(course_chart(row, courses, ends, entry.logarithmic))
    return "\n".join(out)


# ---- Dots


def median_interval(values):
    """By order statistics: the k-th from each end, where that is at least 95 %."""
    ordered, n, k, tail = sorted(values), len(values), 0, 0.0
    while k < n // 2 and 2 * (tail + math.comb(n, k) / 2**n) <= 0.05:
        tail += math.comb(n, k) / 2**n
        k += 1
    k = max(k - 1, 0)
    return ordered[k], ordered[n - 1 - k]


def dot(x, y, values, scale, colour):
    median, (low, high) = statistics.median(values), median_interval(values)
    edge = scale.end
    parts = ["<line x1=%.1f y1=%.1f x2=%.1f y2=%.1f stroke='%s' />" % (scale.at(low) if low < math.inf else edge, y, scale.at(high) if high < math.inf else edge, y, colour)]
    if median == math.inf:
        parts.append("<path d='M%.1f %.1fl7 4l-7 4z' fill='%s' />" % (edge, y - 4, colour))
    else:
        parts.append("<circle cx=%.1f cy=%.1f r=3 fill='%s' />" % (scale.at(median), y, colour))
    return parts


def dots_of(entry, view):
    names = [a.name for a in entry.arms]
    width, left = 660, 12 + max([6.2 * len(row) for row in view.rows] + [30])
    numbers = [v for values in view.data.values() for v in values] + [v for (row, _), v in entry.paper.items() if row in view.rows and v is not None]
    scale = Scale(numbers, left, width - 20, entry.logarithmic)
    parts, top = legend(names, 12, width)
    y = top + 6
    body = []
    for row in view.rows:
        body.append(text(left - 6, y + 4 * len(names) + 1, row, "end"))
        for i, name in enumerate(names):
            values, theirs = view.of(row, name), entry.paper.get((row, name))
            colour = COLOURS[i % len(COLOURS)]
            if values:
                body += dot(left, y, values, scale, colour)
            if theirs is not None and theirs < math.inf:
                x = scale.at(theirs)
                body.append("<path d='M%.1f %.1fl6 6m0-6l-6 6' stroke='%s' fill=none />" % (x - 3, y - 3, colour))
            y += 8
        body.append(line(left, y, width - 10, y, "grid"))
        y += 8
    for tick in scale.ticks():
        parts += [line(scale.at(tick), top, scale.at(tick), y, "grid"), text(scale.at(tick), y + 12, short(tick), "middle")]
    return svg(width, y + 18, parts + body)


def of(entry, view, student):
    """The chart of an entry; `student` is half of the width of a 95 % interval, by deviation and number."""
    return courses_of(entry, view, student) if entry.course else dots_of(entry, view)
