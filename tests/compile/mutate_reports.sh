#!/bin/sh
# Reports of --mutate (JSON, SARIF, a page), --since with a real repository, and the file of equivalent mutants.
# Stages: gcc
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' out err 2>/dev/null | cut -c 1-300 | head -n 40; fi; }
run() { "$@" >out 2>err </dev/null; status=$?; }
command -v git >/dev/null || { echo "git is not installed"; exit 77; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
unset GIT_DIR CI GITHUB_ACTIONS

mkdir -p repo/src repo/build && cd repo && git init -q . || exit 1
cat >src/clamp.c <<'EOF'
#include "clamp.h"

void say(const char *text);

int clamp(int x, int lo, int hi)
{
    if (x < lo) return lo;
    if (x > hi) return hi;
    return x;
}

int twice(int x)
{
    say("</td></pre><script>alert(\"&amp;\")</script>");
    return x + x;
}
EOF
echo 'int clamp(int x, int lo, int hi); int twice(int x);' >src/clamp.h
cat >test.c <<'EOF'
#include <sonde.h>
#include "src/clamp.h"
void say(const char *text);
void say(const char *text) { (void)text; }
SONDE_PROPERTY(clamps)
{
    int x = sonde_int(t, "x", -100, 100), y = clamp(x, 0, 10);
    sonde_observe(t, "y", y);
    sonde_check(t, y <= 10);
}
SONDE_PROPERTY(doubles)
{
    int x = sonde_int(t, "x", 0, 50);
    sonde_check_eq(t, twice(x), 2 * x);
}
SONDE_MAIN()
EOF
printf 'build\n.sonde\n' >.gitignore
git add . && git commit -qm one
# Compiled in another directory, so that the compiler knows the source as ../src/clamp.c.
cd build || exit 1
build() { "$BUILD/sonde" cc --mutants -g ../test.c ../src/clamp.c -o test >out 2>err </dev/null || report 1 "the program is built"; }
build

run ./test --mutate --no-store --json --report sarif:s.sarif --report html:page.html
[ $status = 0 ] && python3 - >>err 2>&1 <<'EOF'
import json
from html.parser import HTMLParser
objects = [json.loads(line) for line in open("out")]
by = lambda key: [o for o in objects if next(iter(o)) == key]
files, mutants, total = by("file"), by("mutant"), by("run")
fates = ["killed", "survived", "never_reached", "not_tried", "not_confirmed", "not_judged"]
assert len(files) == 1 and len(total) == 1 and {o["property"] for o in by("property")} == {"clamps", "doubles"}
assert [o["mutant"] for o in mutants] == list(range(1, total[0]["mutants"] + 1))
for fate in fates:
    assert files[0][fate] == total[0][fate] == sum(o["fate"] == fate for o in mutants), fate
assert sum(files[0][fate] for fate in fates) == files[0]["mutants"] == total[0]["all"]
survivors = [o for o in mutants if o["rank"]]
assert sorted(o["rank"] for o in survivors) == list(range(1, len(survivors) + 1)) and len(survivors) == files[0]["survived"]
first = min(survivors, key=lambda o: o["rank"])
assert first["effect"] == "observed" and first["function"] == "clamp" and first["token"].startswith("s1:x="), first
assert sum(o["kills"] for o in by("property")) == total[0]["killed"]
call = [o for o in mutants if o["kind"] == "no_call"]
assert len(call) == 1 and call[0]["before"].startswith('say("</td></pre><script>') and call[0]["after"] == ""

sarif = json.load(open("s.sarif"))["runs"][0]
lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in sarif["results"]]
assert len(lines) == len(set(lines)) > 1, lines            # one per statement
assert all(r["level"] == "note" and r["ruleId"] == "survivor" for r in sarif["results"])
assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in sarif["results"]} == {"src/clamp.c"}

class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.tags = [], set(), set()
    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.ids.update(v for k, v in attributes if k == "id")
        if tag not in ("meta", "br"): self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page()
page.feed(open("page.html").read())
assert not page.open and "script" not in page.tags and page.ids == {"m%d" % o["mutant"] for o in survivors}
EOF
report $? "JSON, SARIF and the page agree, and code in them does no harm"

run ./test --mutate --no-store --report json --report sarif
[ $status = 2 ] && grep -q 'two reports cannot share standard output' err
report $? "two reports do not share a stream"
run ./test --mutate --no-store --report junit:x
[ $status = 2 ] && grep -q 'only terminal, json, sarif and html are possible' err
report $? "other kinds are refused"
run ./test --mutate --no-store --report json:/nowhere/x
[ $status = 2 ] && grep -q "cannot write '/nowhere/x'" err
report $? "a file that cannot be written is noticed before the run"

# ---- --since

run ./test --mutate --no-store --since HEAD
[ $status = 0 ] && grep -q '^0 of [0-9]* mutants are on lines that changed since HEAD$' out
report $? "without a change there is nothing to judge"
sed -i 's/return x + x;/return x \* 2;/' ../src/clamp.c
build
git -C .. commit -qam two
run ./test --mutate --no-store --since HEAD~1 --verbose
[ $status = 0 ] && grep -Eq '^[1-9] of 1?[0-9] mutants are on lines that changed since HEAD~1$' out && ! grep -q ' in clamp' out
report $? "only mutants on changed lines are judged"
run ./test --mutate --no-store --since HEAD~1 --json
[ "$(grep -o '"line": [0-9]*, "column"' out | sort -u)" = '"line": 15, "column"' ] && grep -q '"since": "HEAD~1"' out
report $? "JSON has only these"
here=$PWD
(cd / && "$here/test" --mutate --no-store --since HEAD~1) >out 2>err </dev/null && grep -Eq '^[1-9] of [0-9]+ mutants are on lines' out
report $? "the repository is found from the source, wherever the program is run"
run ./test --mutate --no-store --since gone
[ $status = 2 ] && grep -q 'test: --since: git does not know the commit "gone"' err && [ ! -s out ]
report $? "an unknown commit is an error"
run ./test --mutate --no-store --since --matrix
[ $status = 2 ]
report $? "an option is not a commit"
run ./test --no-store --since HEAD
[ $status = 0 ] && grep -q '^Changed lines: 0 ' out && grep -q 'no code of this program has changed since HEAD' err && ! grep -q 'mutants' out
report $? "without --mutate no mutant is judged, and properties are searched near the change"

# ---- Equivalent mutants

run ./test --mutate --no-store --json
number=$(sed -n 's/^{"mutant": \([0-9]*\),.*"before": "x > hi", "after": "x >= hi".*/\1/p' out)
run ./test --equivalent "$number: x is hi then"
[ $status = 0 ] && grep -qxF 'src/clamp.c: clamp: `x > hi` -> `x >= hi`: x is hi then' ../sonde.equivalent
report $? "a judgement is written at the root of the repository"
run ./test --equivalent "$number: again"
[ $status = 2 ] && grep -q 'has a line for it' err
report $? "but not twice"
cp ../sonde.equivalent saved
printf '# a NUL: \000\n# the last line\n' >>../sonde.equivalent
run ./test --equivalent "1: only to add a line"
[ $status = 0 ] && grep -qa '^# the last line$' ../sonde.equivalent && tail -n 1 ../sonde.equivalent | grep -q 'only to add a line$'
report $? "the other lines of the file stay, whatever bytes they have"
mv saved ../sonde.equivalent
for wrong in 0:x 999:x x "$number" "$number:" "$number x"; do
    run ./test --equivalent "$wrong"
    [ $status = 2 ] && grep -q 'give a mutant from 1 to' err || break
done
[ $status = 2 ] && [ "$wrong" = "$number x" ]
report $? "a number and a reason are required"
run ./test --mutate --no-store --verbose
[ $status = 0 ] && ! grep -q "^  #$number " out && grep -q ' 1 judged equivalent by a person' out && [ ! -s err ]
report $? "it is not listed any more, but counted"
sed -i '1i\
\
/* Three lines more. */' ../src/clamp.c
build
run ./test --mutate --no-store
[ $status = 0 ] && grep -q ' 1 judged equivalent by a person' out && [ ! -s err ]
report $? "lines may move"
sed -i 's/x > hi/x > (hi)/' ../src/clamp.c
build
run ./test --mutate --no-store
[ $status = 0 ] && grep -q 'sonde.equivalent:3: stale: ' err && ! grep -q 'judged equivalent' out
report $? "if the code changes, the line is stale"
printf '%s\n' 'src/clamp.c: twice: `x * 2` -> `x / 2`: wrong' >../sonde.equivalent
run ./test --mutate --no-store
[ $status = 0 ] && grep -Eq 'sonde.equivalent:1: (stale|mutant [0-9]+ is not equivalent: it was killed)' err
report $? "a judgement that a property refutes is named"

# ---- Which mutants there are, and in which order survivors are shown

cat >rank.c <<'EOF'
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "rank.h"

#define NOTHING(x) do {} while (0)
#define SPACES " \t"

int words(const char *s)
{
    int n = 0;
    for (; *s; s++) n += !isspace((unsigned char)*s);
    if (n > 100) NOTHING(n);
    return n;
}

int is_blank(const char *s)
{
    return *s &&
           strchr(SPACES, *s) && s[1] == 0;
}

int leaks(int n)
{
    char *p = malloc(10);
    p[0] = (char)n;
    n = p[0];
    free(p);
    return n;
}

int *broken(int *p)
{
    return p + 1 > p ? p : 0;
}
EOF
echo 'int words(const char *s); int is_blank(const char *s); int leaks(int n); int *broken(int *p);' >rank.h
cat >rank_test.c <<'EOF'
#include <sonde.h>
#include "rank.h"
SONDE_PROPERTY(ranks)
{
    char *s = sonde_string_of(t, "s", "a b", 0, 3);
    int n = sonde_int(t, "n", 0, 100), m = 0;
    sonde_check(t, words(s) >= 0 && is_blank(s) >= 0);
    sonde_check_eq(t, leaks(n), n);
    sonde_check_eq(t, *broken(&m), 0);
}
SONDE_MAIN()
EOF
for cc in gcc clang; do
    "$BUILD/sonde" cc --sonde-cc=$cc --mutants -O1 rank.c rank_test.c -o rank >out 2>err </dev/null || report 1 "$cc: a program is built"
    run ./rank --mutate --no-store --json
    [ $status = 0 ] && python3 - >>err 2>&1 <<'EOF'
import json
mutants = [o for o in map(json.loads, open("out")) if "mutant" in o]
of = lambda function, fate=None: [o for o in mutants if o["function"] == function and fate in (None, o["fate"])]
changes = [(o["before"], o["after"]) for o in of("words")]
assert ("n > 100", "n <= 100") not in changes, changes                         # decides nothing
assert not [o for o in mutants if "__ctype" in o["before"] + o["after"] or "_ISspace" in o["before"]], changes
assert ("*s && strchr(SPACES, *s)", "*s || strchr(SPACES, *s)") in [(o["before"], o["after"]) for o in of("is_blank")]
leak = [o for o in of("leaks", "survived") if o["before"] == "free(p)"][0]
assert leak["effect"] == "leak" and leak["leaked"] >= 16, leak
lost = [o for o in of("leaks", "survived") if o["before"] == "10"]          # malloc(10)
assert len(lost) == 2 and {o["effect"] for o in lost} == {"lost"}, lost
crash = [o for o in of("broken", "killed") if o["kills"][0]["kind"] == "crash"]
assert crash and all(o["runs"] >= 1 for o in crash), of("broken")
shown = sorted((o for o in mutants if o["first_screen"]), key=lambda o: o["rank"])
assert 0 < len(shown) <= 10 and shown[0]["rank"] == 1 and all(o["fate"] == "survived" for o in shown)
assert leak["rank"] == 1 and min(o["rank"] for o in lost) > max(o["rank"] for o in mutants if o["effect"] in ("way", "value"))
EOF
    report $? "$cc: system macros and conditions of nothing have no mutants, a leak ranks before a value that is lost"
done
echo "1..$n"
