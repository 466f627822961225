"""bench/run since: is a planted fault found sooner with --since?

Commits are made by this script: an operator of a random line of the code under test is changed, in a git repository of its sources. The program
is built, and each seed searches twice, with --since and without. Tests to the fault are those of all properties up to the first failure, in the
order of the program. A commit counts if either way finds it with some seed; a fault that is not found counts as the limit. The statistics: the
geometric mean of the ratios, by commit (geometric mean over its seeds), with a bootstrap interval over commits. Also measured: a commit of
documentation alone, and the share of tests that properties get which a change concerns, in a program of twenty.

Mutants are drawn by --draw. Draw 1 was used while this was written; draw 42 of csv is for the claim."""
import argparse, json, math, os, random, re, shutil, subprocess, sys, time

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
OUT = os.path.join(BUILD, "bench", "since")
SOURCES = os.path.join(BUILD, "programs", "src")
HERE = os.path.join("bench", "mutate")
# Per program: the Debian source package, its files, the file that is changed, and the properties.
PROGRAMS = {
    "cjson": ("cjson-unpatched", ["cJSON.c", "cJSON.h"], "cJSON.c", "cjson.c"),
    "sds": ("hiredis", ["sds.c", "sds.h", "sdsalloc.h", "fmacros.h", "hiredis.h", "alloc.h", "win32.h"], "sds.c", "sds.c"),
    "csv": ("libcsv", ["libcsv.c", "csv.h"], "libcsv.c", "csv.c"),
}
SWAPS = [("<=", "<"), ("<", "<="), (">=", ">"), (">", ">="), ("==", "!="), ("!=", "=="), ("&&", "||"), ("||", "&&"), ("+ 1", "+ 2"), ("- 1", "- 0"),
         ("++", "--"), ("+=", "-="), ("= 0", "= 1"), ("return 0", "return 1"), ("1;", "0;")]


def run(command, where=None, seconds=300):
    try:
        return subprocess.run(command, cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def git(where, *arguments):
    done = run(["git", "-c", "user.name=x", "-c", "user.email=x", *arguments], where)
    if done is None or done.returncode:
        sys.exit(f"bench/run since: git {arguments[0]}: {done and done.stderr}")


def build(where, files):
    """Builds ./test of the repository; returns whether that worked."""
    sources = [f for f in files if f.endswith(".c")] + ["props.c"]
    done = run([os.path.join(BUILD, "sonde"), "cc", "--sonde-cc=gcc", "-std=gnu11", "-O1", "-g", "-w", "-I.", *sources, "-o", "test"], where)
    return done is not None and done.returncode == 0


def repository(name):
    """Makes the repository of a program, with one commit; returns its path and files, or None."""
    package, files, _, properties = PROGRAMS[name]
    unpatched = ["--unpatched"] if package.endswith("-unpatched") else [] # Debian's fixes of cJSON break one of the properties
    done = run(["sh", "bench/programs/get", package.removesuffix("-unpatched"), SOURCES, *unpatched])
    if done is None or done.returncode:
        print(f"bench/run since: {name} is left out: {done and done.stderr.strip()}", file=sys.stderr)
        return None, None
    where = os.path.join(OUT, name)
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    files = [f for f in files if os.path.exists(os.path.join(SOURCES, package, f))]
    for f in files:
        shutil.copy(os.path.join(SOURCES, package, f), where)
    shutil.copy(os.path.join(HERE, properties), os.path.join(where, "props.c"))
    open(os.path.join(where, ".gitignore"), "w").write("test\n.sonde\n")
    git(where, "init", "-q", ".")
    git(where, "add", "-A")
    git(where, "commit", "-qm", "base")
    return where, files


def mutants(text, rng):
    """Yields changed texts, each with one operator of one line replaced."""
    lines = text.split("\n")
    places = []
    for i, line in enumerate(lines):
        code = line.split("/*")[0].split("//")[0]
        if not line.startswith((" ", "\t")) or '"' in code or code.strip().startswith(("#", "*")):
            continue
        places += [(i, m.start(), old, new) for old, new in SWAPS for m in re.finditer(r"(?<![-+<>=!&|])" + re.escape(old) + r"(?![-+<>=&|])", code)]
    rng.shuffle(places)
    for i, at, old, new in places:
        changed = lines[i][:at] + new + lines[i][at + len(old):]
        yield i + 1, changed.strip(), "\n".join(lines[:i] + [changed] + lines[i + 1:])


def search(where, seed, limit, more):
    """Returns the tests of all properties up to the first failure (None: not found), and the tests of all."""
    done = run(["./test", "--no-store", "--report", "json", "--seed", str(seed), "--tests", str(limit), "--max-discards", "20", "--no-shrink", "--fail-fast",
                "--timeout", "0.3", *more], where)
    n = 0
    for line in (done.stdout if done else "").splitlines():
        row = json.loads(line)
        if "property" not in row:
            continue
        if row["failures"]:
            return n + row["failures"][0]["tests_to_failure"], n + row["tests"]
        n += row["tests"]
    return None, n


def mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def commits(options):
    """Measures the planted faults, and prints a row for each."""
    rows = []
    for name in options.programs.split(","):
        where, files = repository(name)
        if where is None:
            continue
        path = os.path.join(where, PROGRAMS[name][2])
        rng, kept = random.Random(f"{name} {options.draw}"), 0
        original = open(path, errors="surrogateescape").read()
        if not build(where, files):
            sys.exit(f"bench/run since: {name} does not build")
        if any(search(where, s, options.tests, [])[0] for s in range(1, options.seeds + 1)):
            print(f"{name}: a property fails without a fault; left out", file=sys.stderr)
            continue
        for line, code, text in mutants(original, rng):
            if kept == options.commits:
                break
            open(path, "w", errors="surrogateescape").write(text)
            if not build(where, files):
                continue
            git(where, "commit", "-qam", f"{name}:{line}")
            found = [(search(where, s, options.tests, []), search(where, s, options.tests, ["--since", "HEAD~1"])) for s in range(1, options.seeds + 1)]
            git(where, "reset", "-q", "--hard", "HEAD~1")
            if not any(a[0] or b[0] for a, b in found):
                continue
            kept += 1
            plain, since = mean([a[0] or a[1] or 1 for a, _ in found]), mean([b[0] or max(a[1], b[1], 1) for a, b in found])
            missed = (sum(a[0] is None for a, _ in found), sum(b[0] is None for _, b in found))
            rows.append((name, line, plain, since, missed))
            print(f"{name}:{line}\t{plain:.0f}\t{since:.0f}\t{since / plain:.2f}\tnot found {missed[0]} {missed[1]} of {options.seeds}\t{code}", flush=True)
        open(path, "w", errors="surrogateescape").write(original)
    return rows


def interval(ratios):
    rng = random.Random(1)
    means = sorted(mean([rng.choice(ratios) for _ in ratios]) for _ in range(10000))
    return means[250], means[9750]


def concerned(options):
    """A program of twenty properties, each with a function: how many of the tests go to the one whose function has changed, and how long a commit of documentation takes."""
    where = os.path.join(OUT, "twenty")
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    functions = "".join(f"int f{i}(int x)\n{{\n    if (x > {100 + i})\n        return x - {i};\n    return x;\n}}\n" for i in range(20))
    heads = "".join(f"int f{i}(int x);\n" for i in range(20))
    properties = "".join(f'SONDE_PROPERTY(p{i}) {{ int x = sonde_int(t, "x", 0, 1000000); sonde_check(t, f{i}(x) <= x); }}\n' for i in range(20))
    open(os.path.join(where, "f.c"), "w").write(functions)
    open(os.path.join(where, "props.c"), "w").write(f"#include <sonde.h>\n{heads}{properties}SONDE_MAIN()\n")
    open(os.path.join(where, ".gitignore"), "w").write("test\n.sonde\n")
    git(where, "init", "-q", ".")
    git(where, "add", "-A")
    git(where, "commit", "-qm", "base")
    open(os.path.join(where, "README.md"), "w").write("Words.\n")
    git(where, "add", "-A")
    git(where, "commit", "-qm", "documentation")
    build(where, ["f.c"])
    start = time.time()
    done = run(["./test", "--since", "HEAD~1", "--no-store"], where)
    print(f"documentation alone: {time.time() - start:.2f} s, status {done.returncode}")
    shares = []
    for i in range(20):
        text = functions.replace(f"return x - {i};", f"return x - {i} - 0;")
        open(os.path.join(where, "f.c"), "w").write(text)
        build(where, ["f.c"])
        done = run(["./test", "--since", "HEAD", "--no-store", "--total-time", "3", "--report", "json"], where)
        seconds = {row["property"]: row["tests"] for row in map(json.loads, done.stdout.splitlines()) if "property" in row}
        shares.append(seconds[f"p{i}"] / sum(seconds.values()))
        if not options.all_twenty and i == 4:
            break
    print(f"share of the tests of the property concerned: least {min(shares):.2f}, mean {sum(shares) / len(shares):.2f}, of {len(shares)} commits")


KNOWN = r"""#include <sonde.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static unsigned rnd(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned z = (unsigned)now.tv_nsec * 2654435761u;
    z = (z ^ z >> 15) * 2246822519u;
    return z >> 8;
}
static void crash(int is) { if (is) *(volatile int *)0 = 1; }
#ifndef HEAD
#define HEAD 0
#endif
"""


def known_program():
    """Writes 210 properties, of which at least 200 fail: 100 in the base, 50 only in the head; 60 are flaky or depend on earlier cases."""
    properties = []
    for i in range(210):
        j = i - 150
        if i < 150:
            body = [f"sonde_check(t, x < {500 + i});", f"sonde_check_eq(t, x > {300 + i}, 0);", f"crash(x > {400 + i});",
                    f'if (x > {200 + i}) sonde_fail(t, "too large");'][i % 4]
            kind, body = ("new", f"if (HEAD) {{ {body} }}") if i % 3 == 0 else ("known", body)
        else:
            kind = "unsure"
            if j < 20:  # fails with a probability of 0.2 to 0.9
                body = f"sonde_check(t, x < 300 || rnd() % 10 >= {[2, 3, 5, 7, 9][j % 5]});"
            elif j < 30:
                body = f"sonde_check(t, x < 300 || (uintptr_t)malloc(10) / 4096 % 4 != {j % 4});"
            elif j < 40:
                body = f"static int n; n += x > 10; sonde_check(t, n < {10 + j});"
            elif j < 45:
                body = f"sonde_check(t, x < 300 || getpid() % 3 != {j % 3});"
            elif j >= 50:  # fails 19 times in 20
                body = "sonde_check(t, x < 300 || rnd() % 20 == 0);"
            else:
                body = f"static int last; int was = last; last = x; sonde_check(t, !(was > 500 && x > {j * 10}));"
        properties.append(f'SONDE_PROPERTY(p{i:03d}_{kind}) {{ int x = sonde_int(t, "x", 0, 1000); {body} }}\n')
    return KNOWN + "".join(properties) + "SONDE_MAIN()\n"


def known(options):
    """Replays 200 failures in a base, and counts those that are called known."""
    where = os.path.join(OUT, "known")
    os.makedirs(where, exist_ok=True)
    open(os.path.join(where, "t.c"), "w").write(known_program())
    for name, flags in (("base", []), ("head", ["-DHEAD=1"])):
        run([os.path.join(BUILD, "sonde"), "cc", "-O0", "-w", *flags, "t.c", "-o", name], where)
    done = run(["./head", "--known-in", "base", "--no-store", "--seed", str(options.seed), "--tests", "300", "--report", "json"], where, 3600)
    counts = {}
    for row in map(json.loads, done.stdout.splitlines()):
        for f in row["failures"]:
            key = (row["property"].split("_")[1], f["in_base"])
            counts[key] = counts.get(key, 0) + 1
            if key[1] == "known" and key[0] != "known":
                print(f"wrong: {row['property']}")
    for (kind, called), n in sorted(counts.items()):
        print(f"failures that are {kind}: {n} called {called}")
    print(f"wrong `known`: {sum(n for (kind, called), n in counts.items() if called == 'known' and kind != 'known')}")


def main():
    parser = argparse.ArgumentParser(prog="bench/run since", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default="cjson,sds,csv")
    parser.add_argument("--commits", type=int, default=10, help="per program (10)")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tests", type=int, default=5000, help="limit per property (5000)")
    parser.add_argument("--draw", type=int, default=42, help="which mutants (42)")
    parser.add_argument("--no-commits", action="store_true")
    parser.add_argument("--known", action="store_true", help="200 failures by --known-in, and nothing else")
    parser.add_argument("--seed", type=int, default=1, help="of --known (1)")
    parser.add_argument("--all-twenty", action="store_true", help="a commit in each of the twenty, not in five")
    options = parser.parse_args()
    os.makedirs(OUT, exist_ok=True)
    if options.known:
        return known(options)
    concerned(options)
    rows = [] if options.no_commits else commits(options)
    if rows:
        ratios = [since / plain for _, _, plain, since, _ in rows]
        low, high = interval(ratios)
        print(f"{len(rows)} commits: tests to the fault with --since / without: {mean(ratios):.2f} (95 %: {low:.2f} to {high:.2f}), "
              f"less in {sum(r < 1 for r in ratios)}, more in {sum(r > 1 for r in ratios)}")


main()
