"""One page over all suites: bench/run page [FILE] (bench/results/index.html).

Nothing is measured here. The page has what is recorded already: the tables of RESULTS.md, those of results/*.md, the entries of
the papers (results/papers.jsonl) and the courses over time (results/*.svg). It is one file that fetches nothing, in the style of
the pages of --report html (src/report/page/page.css). Texts are escaped before anything becomes markup."""
import argparse
import glob
import html
import os
import re
import sys

import papers

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
STYLE = """
#app>section{padding:16px 20px;margin:0 0 18px;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow-x:auto}
#app h1{margin:20px 0 8px}#app h2{margin:0 0 10px}#app h3{margin:20px 0 6px}#app p,#app li{max-width:80em}
#app table{border-collapse:collapse;margin:10px 0;width:auto}#app td,#app th{padding:2px 10px;border-bottom:1px solid var(--line);text-align:right}
#app td:first-child,#app th:first-child{text-align:left}#app pre{overflow-x:auto;padding:8px;background:var(--soft);border-radius:7px}
.contents a{margin-right:14px;white-space:nowrap}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:12px}
.plots svg{width:100%;height:auto;border-radius:7px}
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# ---- Markdown, as far as the pages of results use it


def inline(text):
    """Code first, since nothing in it means anything; links lead to files beside RESULTS.md, one folder up from the page."""
    kept = []

    def keep(markup):
        kept.append(markup)
        return "\0%d\0" % (len(kept) - 1)

    def link(m):
        to = m.group(2)
        there = to if re.match(r"https?:|#", to) else "../" + to
        return keep('<a href="%s">' % html.escape(there)) + m.group(1) + keep("</a>")

    text = re.sub(r"`([^`]+)`", lambda m: keep("<code>%s</code>" % html.escape(m.group(1))), text.replace("\0", ""))
    text = html.escape(re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, text), quote=False)
    text = re.sub(r"\*\*(\S[^*]*)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"(?<![\w*])\*(\S[^*]*)\*(?!\w)", r"<i>\1</i>", text)
    return re.sub("\0(\\d+)\0", lambda m: kept[int(m.group(1))], text)


def cells(line):
    return [c.strip() for c in line.strip().strip("|").split("|")]


def table(lines):
    head, rows = cells(lines[0]), [cells(line) for line in lines[2:]]
    out = ["<table><tr>%s</tr>" % "".join("<th>%s</th>" % inline(c) for c in head)]
    out += ["<tr>%s</tr>" % "".join("<td>%s</td>" % inline(c) for c in row) for row in rows]
    return "\n".join(out) + "</table>"


def items(lines):
    """Lines that do not begin an item go on with the one before."""
    texts = []
    for line in lines:
        if line.startswith("- "):
            texts.append(line[2:])
        else:
            texts[-1] += " " + line.strip()
    return "<ul>%s</ul>" % "".join("<li>%s</li>" % inline(t) for t in texts)


def block(lines):
    if lines[0].startswith("|") and len(lines) > 1:
        return table(lines)
    if lines[0].startswith("- "):
        return items(lines)
    if all(line.startswith("    ") for line in lines):
        return "<pre>%s</pre>" % html.escape("\n".join(line[4:] for line in lines))
    return "<p>%s</p>" % inline(" ".join(line.strip() for line in lines))


def markdown(text):
    """Headings below the second level, tables, lists, code, paragraphs. A table needs no empty line before it."""
    out, held, fence = [], [], None

    def flush():
        if held:
            out.append(block(held))
            held.clear()

    for line in text.splitlines():
        if line.startswith("```"):
            flush()
            if fence is not None:
                out.append("<pre>%s</pre>" % html.escape("\n".join(fence)))
            fence = [] if fence is None else None
        elif fence is not None:
            fence.append(line)
        elif line.startswith("#"):
            flush()
            out.append("<h3>%s</h3>" % inline(line.lstrip("# ")))
        elif not line.strip():
            flush()
        else:
            if held and line.startswith("|") != held[0].startswith("|"):
                flush()
            held.append(line)
    flush()
    return "\n".join(out)


# ---- Parts


def sections(text):
    """(title, body) of each heading of the second level; what stands before the first has the title ''."""
    parts = re.split(r"^## (.*)$", text, flags=re.M)
    return [("", re.sub(r"^# .*$", "", parts[0], count=1, flags=re.M))] + list(zip(parts[1::2], parts[2::2]))


def plots(suite):
    """Each is made by the suite itself (lib/plot.c) and has nothing that could run or fetch."""
    files = sorted(glob.glob(os.path.join(RESULTS, suite + "-*.svg")))
    texts = [read(f) for f in files]
    for f, text in zip(files, texts):
        if re.search(r"<script|<foreignObject|\bon\w+=|href", text, re.I):
            sys.exit("bench/run page: %s has more than lines and texts; make it again with bench/run %s" % (f, suite))
    texts = [re.sub(r'width="(\d+)" height="(\d+)"', r'viewBox="0 0 \1 \2"', t, count=1) for t in texts]
    return '<h3>Over time</h3><div class="plots">%s</div>' % "\n".join(texts) if texts else ""


def of_papers():
    rows = papers.load(papers.RECORD)
    out = []
    for entry in papers.ENTRIES:
        word, text, lines, _ = papers.describe(entry, rows, "quick")
        out.append("<h3>%s</h3><p><b>Claim:</b> %s.</p><p><b>%s:</b> %s</p>" % tuple(
            inline(t) for t in (entry.source, entry.claim, word, text)))
        if lines:
            out.append("<p>%s. %s</p><table><tr>%s</tr>" % (
                inline(entry.unit), inline(entry.remark), "".join("<th>%s</th>" % html.escape(h) for h in papers.HEAD)))
            out += ["<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(c) for c in line) for line in lines]
            out.append("</table>")
    return "\n".join(out)


def page():
    parts = sections(read(os.path.join(HERE, "RESULTS.md")))
    more = {"papers": of_papers()}
    for path in sorted(glob.glob(os.path.join(RESULTS, "*.md"))):
        more[os.path.basename(path)[:-3]] = markdown(re.sub(r"^# .*$", "", read(path), count=1, flags=re.M))
    name = lambda title: re.sub(r"\W+", "-", title.lower()).strip("-")
    body = ['<h1>Results of all suites</h1>', markdown(parts[0][1]),
            '<p class="contents">%s</p>' % " ".join('<a href="#%s">%s</a>' % (name(t), inline(t)) for t, _ in parts[1:])]
    for title, text in parts[1:]:
        suite = name(title)
        body.append('<section id="%s"><h2>%s</h2>%s%s%s</section>' % (
            suite, inline(title), markdown(text), more.pop(suite, ""), plots(suite)))
    for suite, text in more.items():
        body.append('<section id="%s"><h2>%s</h2>%s</section>' % (suite, html.escape(suite), text))
    style = read(os.path.join(HERE, "..", "src", "report", "page", "page.css")) + STYLE
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'
            "<title>Results of all suites · sonde</title>\n<style>%s</style></head>\n"
            '<body><div id="app">\n%s\n<footer>Made by <code>bench/run page</code> from what is recorded in bench/.</footer></div></body></html>\n'
            % (style, "\n".join(body)))


def main():
    parser = argparse.ArgumentParser(prog="bench/run page", description="Writes one page over all suites, from what is recorded.")
    parser.add_argument("file", nargs="?", default=os.path.join(RESULTS, "index.html"), metavar="FILE", help="bench/results/index.html")
    path = parser.parse_args().file
    try:
        with open(path, "w", encoding="utf-8") as out:
            out.write(page())
    except OSError as e:
        sys.exit("bench/run page: %s: %s" % (e.filename or path, e.strerror))


if __name__ == "__main__":
    main()
