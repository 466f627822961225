"""bench/run mutate: would properties notice a bug? Mutants of six libraries, judged by the properties of bench/mutate.

Without an option it judges the mutants of each subject and prints a row. The other tables: --compile, what mutants cost the compiler; --alone N, whether N mutants that are
compiled alone end as they do in the program with all mutants; --jobs-agree, whether two jobs have the result of one; --planted, whether the forty bugs of tests/compile/lines are killed."""
import argparse, json, os, random, re, resource, shutil, subprocess, sys

HERE = os.path.join("bench", "mutate")
BUILD = os.environ.get("BUILD", "build")
OUT = os.path.join(BUILD, "bench", "mutate")
SOURCES = os.path.join(BUILD, "programs", "src")
LINES = os.path.join("tests", "compile", "lines")
# Per subject: the Debian source package, the code under test, and options of the compiler. `@` is the tree of the package.
SUBJECTS = {
    "cjson": ("cjson-unpatched", ["@/cJSON.c"], ["-I@"]),
    "inih": ("libinih", ["@/ini.c"], ["-I@"]),
    "tree": ("libbsd", [os.path.join(HERE, "tree_macros.c")], ["-I@/include"]),
    "base64": ("mbedtls", ["@/library/base64.c", "@/library/constant_time.c"],
               ["-I@/include", "-I@/library", "-DMBEDTLS_CONFIG_FILE=<stddef.h>", "-DMBEDTLS_BASE64_C"]),
    "csv": ("libcsv", ["@/libcsv.c"], ["-I@"]),
    "sds": ("hiredis", ["@/sds.c"], ["-I@"]),
}
FLAGS = ["-std=gnu11", "-O1", "-g", "-w"]
EFFECTS = ("observed", "leak", "way", "value", "unknown", "lost", "none")


def fail(message):
    sys.exit(f"bench/run mutate: {message}")


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", **more)


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def subject(name):
    """Gets the package of a subject; returns its sources and compiler options."""
    package, sources, options = SUBJECTS[name]
    done = run(["sh", "bench/programs/get", package.removesuffix("-unpatched"), SOURCES, *(["--unpatched"] if package.endswith("-unpatched") else [])])
    if done.returncode:
        print(f"bench/run mutate: {name} is left out: {done.stderr.strip()}", file=sys.stderr)
        return None, None
    tree = os.path.join(SOURCES, package)
    return [s.replace("@", tree) for s in sources], [o.replace("@", tree) for o in options]


def compiler(name):
    return [os.path.join(BUILD, "sonde"), "cc", f"--sonde-cc={name}", *FLAGS]


def properties(name, more):
    """Returns the files of a subject's properties; with `more`, those that close gaps as well."""
    files = [os.path.join(HERE, name + suffix + ".c") for suffix in (("", "_more") if more else ("",))]
    return [f for f in files if os.path.exists(f)]


def build(name, cc, mutants=True, sources=None, path=None, more=False):
    """Builds a subject with its properties; returns the path of the program."""
    original, options = subject(name)
    if original is None:
        return None
    os.makedirs(OUT, exist_ok=True)
    path = path or os.path.join(OUT, f"{name}-{cc}{'' if mutants else '-plain'}")
    done = run([*compiler(cc), *(["--mutants"] if mutants else []), *options, "-I" + HERE, *(sources or original),
                *properties(name, more), "-o", path])
    if done.returncode:
        raise RuntimeError(done.stderr)
    return path


def judge(path, options, jobs=1):
    """Judges the mutants of a program; returns the objects of its JSON report, its terminal report, and the seconds and processor time. With --piece in several runs."""
    report, seconds, before = path + ".json", 0, cpu_seconds()
    store = ["--store", path + ".store", "--time", str(options.piece)] if options.piece else ["--no-store"]
    command = [path, "--mutate", "--no-color", "--seed", str(options.seed), "--jobs", str(jobs), "--report", "json:" + report, *store]
    if options.tests:
        command += ["--tests", str(options.tests)]
    if options.piece:
        shutil.rmtree(path + ".store", ignore_errors=True)
    while True:
        done = run(command)
        if done.returncode not in (0, 1):
            fail(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        objects = [json.loads(line) for line in open(report)]
        total = next(o for o in objects if "run" in o)
        seconds += total["seconds"]
        if total["run"] == "whole" or not options.piece:
            total["seconds"] = seconds
            return objects, done.stdout, cpu_seconds() - before
        command = command if "--continue" in command else [*command, "--continue"]


def commit():
    return run(["git", "log", "-1", "--format=%h", "--", "src", "include", "tools", "bench/mutate"]).stdout.strip()


def judged(name, cc, options):
    """Returns the row of a subject, or None if its source cannot be had."""
    path = build(name, cc, more=options.more)
    if path is None:
        return None
    objects, text, cpu = judge(path, options)
    total = next(o for o in objects if "run" in o)
    with open(path + ".txt", "w") as out:
        out.write(text)
    shown = [int(n) for n in re.findall(r"^  #(\d+) ", text, re.M)]
    mutants = {o["mutant"]: o for o in objects if "mutant" in o}
    keys = ("mutants", "killed", "survived", "never_reached", "not_tried", "not_confirmed", "not_judged", "effects", "kills", "seconds")
    fields = ("line", "function", "macro", "before", "after", "effect")
    return {"suite": "mutate", "row": name + ("-more" if options.more else ""), "compiler": cc, "seed": options.seed, "commit": commit(), "properties": sum("refused" in o for o in objects),
            **{k: total[k] for k in keys}, "cpu": round(cpu, 2), "shown": [{"mutant": n, **{f: mutants[n][f] for f in fields}} for n in shown]}


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def costs(row):
    """Returns the last columns. Rows of runs that were ended and continued by hand have no times."""
    return f"{row['seconds']:.0f} | {row['cpu']:.0f} | {60 * row['mutants'] / row['seconds']:,.0f}" if row["seconds"] else "- | - | -"


def table(rows):
    print("| subject | properties | mutants | killed (by check / crash / hang / other) | survived (leak / another way / value / not known / value lost / no effect) | never reached | not tried | not confirmed | killed of those tried | seconds | CPU s | mutants a minute |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for r in rows:
        k, e = r["kills"], r["effects"]
        other = r["killed"] - k.get("check", 0) - k.get("crash", 0) - k.get("hang", 0)
        print(f"| {r['row']}, {r['compiler']} | {r['properties']} | {r['mutants']:,} | {r['killed']:,} ({k.get('check', 0)} / {k.get('crash', 0)} / {k.get('hang', 0)} / {other}) | "
              f"{r['survived']} ({e.get('leak', 0)} / {e.get('observed', 0) + e.get('way', 0)} / {e.get('value', 0)} / {e.get('unknown', 0)} / {e.get('lost', 0)} / {e.get('none', 0)}) | {r['never_reached']} | {r['not_tried']} | {r['not_confirmed']} | "
              f"{percent(r['killed'], r['killed'] + r['survived'])} | {costs(r)} |")


# What mutants cost the compiler.


def compile_times(names, options):
    print("| subject | compiler | CPU s, plain | with all mutants | times |")
    print("|---|---|---|---|---|")
    for name in names:
        sources, flags = subject(name)
        for cc in options.compilers if sources else []:
            best = {}
            for way in ("plain", "mutants"):
                for _ in range(3):
                    before = cpu_seconds()
                    done = run([*compiler(cc), *(["--mutants"] if way == "mutants" else []), *flags, "-I" + HERE, "-c", sources[0], "-o", os.path.join(OUT, "timed.o")])
                    if done.returncode:
                        fail(done.stderr)
                    best[way] = min(best.get(way, 1e9), cpu_seconds() - before)
            print(f"| {name} | {cc} | {best['plain']:.2f} | {best['mutants']:.2f} | {best['mutants'] / best['plain']:.1f} |", flush=True)


# Mutants compiled alone: the change is made in the source file, without `--mutants`.


def squeezed(text):
    return re.sub(r"\s+", "", text)


def changed(source, m):
    """Returns the text of a source file with one mutant's change, or None where the change cannot be found at its line and column."""
    lines = source.split("\n")
    at = sum(len(line) + 1 for line in lines[:m["line"] - 1]) + m["column"] - 1
    pattern = re.compile(r"\s*".join(re.escape(c) for c in squeezed(m["before"])))
    for start in range(at, max(0, at - 600), -1):
        found = pattern.match(source, start)
        if found and found.end() > at and not source[start].isspace():
            return source[:start] + (f"({m['after']})" if m["after"] else "") + source[found.end():]
    return None


def is_killed(path, mutant, prop, token):
    command = [path, "--no-store", "--filter", prop, "--replay", token, *(["--mutant", str(mutant)] if mutant else [])]
    try:
        # 90: new memory is filled as in the trials of --mutate.
        return run(command, timeout=20, env={**os.environ, "MALLOC_PERTURB_": "90"}).returncode not in (0, 77)
    except subprocess.TimeoutExpired:
        return True


def verdict(path, mutant, tapes):
    return "killed" if any(is_killed(path, mutant, *tape) for tape in tapes) else "survived"


def objects_of(name, cc):
    """Compiles a subject and its properties without mutants, each file separately; returns the object of each file."""
    sources, options = subject(name)
    objects = {}
    for source in [*sources, *properties(name, False)]:
        objects[source] = os.path.join(OUT, f"alone-{name}-{cc}-{os.path.basename(source)}.o")
        done = run([*compiler(cc), *options, "-I" + HERE, "-c", source, "-o", objects[source]])
        if done.returncode:
            fail(done.stderr)
    return objects


def build_alone(name, cc, objects, m):
    """Builds a program in which one mutant is compiled in place of the original; returns its path, or None if that is not possible."""
    text = changed(open(m["file"]).read(), m)
    if text is None:
        return None
    copy, path = os.path.join(os.path.dirname(m["file"]), f"sonde_alone_{cc}.c"), os.path.join(OUT, f"alone-{name}-{cc}")
    with open(copy, "w") as out:
        out.write(text)
    done = run([*compiler(cc), *subject(name)[1], "-I" + HERE, "-c", copy, "-o", path + ".o"])
    os.remove(copy)
    if done.returncode:
        return None
    others = [o for source, o in objects.items() if not os.path.samefile(source, m["file"])]
    done = run([*compiler(cc), path + ".o", *others, "-o", path])
    return None if done.returncode else path


def alone(names, options):
    """Compiles mutants alone. Their verdicts are those of --mutate if the input that killed a mutant kills it here, and if none of the inputs that kill most kills a survivor."""
    names = [n for n in names if n != "tree"] # all of its code comes from macros: there is no line to change
    for cc in options.compilers:
        total = same = 0
        chooser = random.Random(options.seed)
        for at, name in enumerate(names):
            path = build(name, cc)
            if path is None:
                continue
            mutants = [o for o in judge(path, options)[0] if "mutant" in o]
            objects, counts = objects_of(name, cc), {}
            for m in mutants:
                if m["token"] and m["fate"] == "killed":
                    counts[(m["property"], m["token"])] = counts.get((m["property"], m["token"]), 0) + 1
            common = sorted(counts, key=lambda tape: -counts[tape])[:options.tapes]
            # A kill in series has no input that kills alone, which a program of one mutant could be given.
            able = [m for m in mutants if m["fate"] in ("killed", "survived") and m["column"] and not m["macro"] and m["token"] and not m["in_series"]]
            chooser.shuffle(able)
            n = done = skipped = killed = 0
            for m in able:
                if n == options.alone * (at + 1) // len(names) - options.alone * at // len(names):
                    break
                single = build_alone(name, cc, objects, m)
                if single is None:
                    skipped += 1
                    continue
                tapes = [(m["property"], m["token"]), *(common if m["fate"] == "survived" else [])]
                there = verdict(single, 0, tapes)
                n, done, killed = n + 1, done + (m["fate"] == there), killed + (m["fate"] == "killed")
                if m["fate"] != there:
                    print(f"{name}, {cc}: mutant {m['mutant']}, line {m['line']}, `{m['before']}` to `{m['after']}`: {m['fate']} under --mutate, {verdict(path, m['mutant'], tapes)} "
                          f"under --mutant, {there} alone; {m['message']}")
            total, same = total + n, same + done
            print(f"{name}, {cc}: {done} of {n} have the same verdict alone ({killed} killed); {skipped} more could not be written into the source", flush=True)
        print(f"{cc}: {same} of {total} ({100 * same / max(1, total):.1f} %)")


def jobs_agree(names, options):
    fields = ("mutant", "fate", "kills", "rank", "effect", "token", "compared", "differed", "other_way")
    for name in names:
        path = build(name, options.compilers[0])
        if path is None:
            continue
        one, two = ({o["mutant"]: o for o in judge(path, options, jobs)[0] if "mutant" in o} for jobs in (1, 2))
        differ = [n for n in one if any(one[n][f] != two[n][f] for f in fields)]
        fates = [n for n in differ if one[n]["fate"] != two[n]["fate"]]
        hangs = [n for n in fates if "hang" in [k["kind"] for k in one[n]["kills"] + two[n]["kills"]]]
        print(f"{name}: {len(one)} mutants; another fate with two jobs: {len(fates)}, of which {len(hangs)} by the time limit; {len(differ)} differ in any field {differ[:10]}", flush=True)


# The forty bugs of tests/compile/lines: BUG, a macro there, becomes the number of the chosen mutant.

PLANTED = """#include <sonde/mutants.h>
static unsigned char volatile reached[1001];
struct sonde_mutants_now_ planted_now;
static const struct sonde_mutant_ all[] = {%s};
static struct sonde_mutants_ table = {SONDE_MUTANTS_VERSION_, %d, 1000, "%s", 1, all, reached, &planted_now, 0};
int planted(unsigned line) { reached[line] = 1; return planted_now.site == line && planted_now.mutant ? (int)planted_now.mutant + %d : 0; }
__attribute__((constructor)) static void add(void) { sonde_mutants_add_(&table); }
"""


def planted_program(source, cc):
    """Builds a program of tests/compile/lines with its bugs as its only mutants; returns its path and the number of its first bug."""
    bugs = [(int(n), line) for line, text in enumerate(open(os.path.join(LINES, source + ".c")), 1) for n in re.findall(r"\bP\((\d+),", text)]
    first, stem = min(bugs)[0], os.path.join(OUT, "planted-" + source)
    rows = [f'{{{line}, {line}, 1, {line}, SONDE_MUTANT_RELATION_, SONDE_MUTANT_UNWATCHED_, "{source}.c", "{source}", 0, "right", "bug {n}"}}' for n, line in sorted(bugs)]
    with open(stem + ".c", "w") as out:
        out.write(PLANTED % (", ".join(rows), len(bugs), source + ".c", first - 1))
    with open(stem + ".h", "w") as out:
        out.write("int planted(unsigned line);\n")
    # -O0: as tests/compile/lines.sh compiles them.
    done = run([*compiler(cc), "-O0", "-include", stem + ".h", "-DBUG=planted(__LINE__)", "-I" + LINES, os.path.join(LINES, source + ".c"), os.path.join(LINES, source + "_test.c"),
                stem + ".c", "-o", f"{stem}-{cc}"])
    if done.returncode:
        fail(done.stderr)
    return f"{stem}-{cc}", first


def planted(options):
    os.makedirs(OUT, exist_ok=True)
    for cc in options.compilers:
        killed = total = 0
        for source in ("calendar", "utf8", "ranges", "ring", "heap", "match", "value", "spans"):
            path, first = planted_program(source, cc)
            for m in (o for o in judge(path, options)[0] if "mutant" in o):
                total, killed = total + 1, killed + (m["fate"] == "killed")
                if m["fate"] != "killed":
                    print(f"{cc}: {source}.c:{m['line']}: bug {first + m['mutant'] - 1}: {m['fate'].replace('_', ' ')}, {m['reached']} inputs reached it")
        print(f"{cc}: {killed} of {total} planted bugs are killed", flush=True)


def take(new_rows, options, table_of, all_rows=()):
    """Prints and records rows as they come, and then the table of these and of those that were recorded before."""
    all_rows = list(all_rows)
    for row in new_rows:
        all_rows.append(row)
        if options.json:
            print(json.dumps(row), flush=True)
        if options.record:
            with open(options.record, "a") as out:
                out.write(json.dumps(row) + "\n")
    if not all_rows:
        sys.exit("no rows: nothing was measured")
    if not options.json:
        table_of(all_rows)


def main():
    parser = argparse.ArgumentParser(prog="bench/run mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SUBJECTS), metavar="ROW,...", help=f"({','.join(SUBJECTS)})")
    parser.add_argument("--compilers", type=lambda text: text.split(","), default=["gcc"], metavar="C,...", help="(gcc)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--json", action="store_true", help="one object per row")
    parser.add_argument("--record", metavar="FILE", help="append the rows to this file")
    parser.add_argument("--table", metavar="FILE", help="print the table of recorded rows; measures nothing")
    parser.add_argument("--tests", type=int, default=0, metavar="N", help="cases of each property before mutants are tried; 0: the program's default (0)")
    parser.add_argument("--piece", type=int, default=0, metavar="S", help="judge in runs of at most S seconds each, with --continue; 0: in one (0)")
    parser.add_argument("--more", action="store_true", help="with the properties of NAME_more.c, which close gaps that survivors showed")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--alone", type=int, default=0, metavar="N")
    parser.add_argument("--tapes", type=int, default=20, metavar="N", help="with --alone: inputs that a mutant is tried on, besides its own (20)")
    parser.add_argument("--jobs-agree", action="store_true")
    parser.add_argument("--planted", action="store_true")
    options = parser.parse_args()
    unknown = [name for name in options.only if name not in SUBJECTS]
    if unknown:
        fail(f"there is no subject '{unknown[0]}'; there are: {', '.join(SUBJECTS)}")
    if options.table:
        return table([json.loads(line) for line in open(options.table)])
    if options.compile:
        return compile_times(options.only, options)
    if options.alone:
        return alone(options.only, options)
    if options.jobs_agree:
        return jobs_agree(options.only, options)
    if options.planted:
        return planted(options)
    rows = (judged(name, cc, options) for name in options.only for cc in options.compilers)
    take((row for row in rows if row is not None), options, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
