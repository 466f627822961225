#!/bin/sh
# bench/run page: one page over all suites, with every section, table and plot that is recorded; nothing in it runs or fetches.
# Stages: gcc
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out | head -n 20; fi; }

"$SRC/bench/run" page "$PWD/page.html" >out 2>&1
report $? "the page is made"
python3 - "$SRC/bench" page.html >out 2>&1 <<'END'
import glob, html.parser, re, sys

VOID = {"meta", "line", "rect", "polyline", "polygon", "path", "circle", "br"}

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.count, self.titles, self.bad = [], {}, [], []
    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in VOID: self.open.append(tag)
        for name, value in attrs:
            fetches = name in ("src", "srcset", "action", "data", "poster") or (name == "href" and tag != "a")
            if fetches or name.startswith("on"): self.bad.append((tag, name, value))
        if tag in ("script", "link", "iframe", "object", "embed", "base", "form", "img"): self.bad.append(tag)
    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID: self.open.pop()
    def handle_endtag(self, tag):
        if tag in VOID: return
        last = self.open.pop()
        assert last == tag, f"<{last}> is closed by </{tag}> at {self.getpos()}"
    def handle_data(self, data):
        if self.open and self.open[-1] == "h2": self.titles.append(data)

text, p = open(sys.argv[2], encoding="utf-8").read(), Page()
p.feed(text)
assert not p.open, p.open
assert not p.bad, p.bad
assert not re.search(r"url\(|@import", text), "the style fetches something"
bench = sys.argv[1]
results = open(bench + "/RESULTS.md", encoding="utf-8").read()
sections = re.findall(r"^## (.*)$", results, re.M)
assert len(p.titles) >= len(sections) and set(sections) <= set(p.titles), set(sections) - set(p.titles)
rules = sum(len(re.findall(r"^\|-", open(f, encoding="utf-8").read(), re.M)) for f in [bench + "/RESULTS.md"] + glob.glob(bench + "/results/*.md"))
assert p.count["table"] >= rules > 0, (p.count["table"], rules)
assert p.count["svg"] == len(glob.glob(bench + "/results/*.svg")) > 0, p.count["svg"]
END
report $? "it has every section, table and plot; nothing in it runs or fetches"
python3 - "$SRC/bench" >out 2>&1 <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import page
assert page.inline("a <b> & `<c>` *d* **e**") == "a &lt;b&gt; &amp; <code>&lt;c&gt;</code> <i>d</i> <b>e</b>", page.inline("a <b> & `<c>` *d* **e**")
assert page.inline('[x<](y"z)') == '<a href="../y&quot;z">x&lt;</a>', page.inline('[x<](y"z)')
assert page.markdown("p\n| a | b |\n|---|---|\n| 1 | <2 |\n- x\n  y\n") .count("<td>") == 2
assert page.markdown("```\n<x>\n```") == "<pre>&lt;x&gt;</pre>"
END
report $? "texts never become markup"
"$SRC/bench/run" page /nonexistent/page.html >out 2>&1
[ $? = 1 ] && grep -q '^bench/run page: /nonexistent/page.html: ' out
report $? "a file that cannot be written is said"
echo "1..$n"
