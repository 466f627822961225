"""bench/run blockers: planted blockers; whether each can be passed once its cause is gone, and whether --blockers names it (--judge).

bench/blockers has ten programs with five branches each that valid cases reach and never take. A comment beside each says why (bench/blockers/blockers.h). This
checks that the comments are true: the input of bench/blockers/witnesses.txt takes the branch, of the program as it is if the blocker is open, else of the one that is compiled with
UNBLOCKED; and in --tests cases of the program as it is no case takes any."""
import argparse, json, os, re, subprocess, sys

HERE = os.path.join("bench", "blockers")
BUILD = os.environ.get("BUILD", "build")
OUT = os.path.join(BUILD, "bench", "blockers")
PROGRAMS = ("image", "account", "calendar", "memory", "config", "packet", "matrix", "queue", "ring", "route")


def fail(message):
    sys.exit(f"bench/run blockers: {message}")


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "BLOCKERS": "1"})


def must(command):
    done = run(command)
    if done.returncode:
        fail(f"{' '.join(command)}:\n{done.stderr}")


def build(name, compiler, is_unblocked):
    """Builds a program if something has changed; returns its path."""
    tool, path = os.path.join(BUILD, "sonde"), os.path.join(OUT, f"{name}-{compiler}{'-unblocked' if is_unblocked else ''}")
    files = [os.path.join(HERE, f"{name}.c"), os.path.join(HERE, "main.c"), os.path.join(HERE, "blockers.h"), tool, os.path.join(BUILD, "libsonde.a")]
    if os.path.exists(path) and all(os.path.getmtime(path) >= os.path.getmtime(f) for f in files):
        return path
    os.makedirs(OUT, exist_ok=True)
    cc, more = [tool, "cc", f"--sonde-cc={compiler}", "-std=c11", "-O1", "-g"], ["-DUNBLOCKED"] if is_unblocked else []
    must([*cc, "--no-cover", "--no-trace-cmp", "-c", files[1], "-o", path + ".main.o"])
    must([*cc, *more, files[0], path + ".main.o", "-o", path])
    return path


def blockers(name):
    """Returns [(blocker, line, cause, operands)] of a program; the operand of an assume is its line."""
    found, assumes = [], {}
    for number, line in enumerate(open(os.path.join(HERE, f"{name}.c")), 1):
        mark = re.search(r"/\* (blocked|assume): (.*?) \*/", line)
        if mark and mark.group(1) == "assume":
            assumes[mark.group(2)] = number
        elif mark:
            cause, *operands = mark.group(2).split()
            found.append((re.search(r'passed\("([^"]+)"\)', line).group(1), number, cause, operands))
    return [(b, number, cause, [assumes[x] for x in operands] if cause == "assume" else operands) for b, number, cause, operands in found]


def passed(path, *more):
    """Runs a program; returns the blockers that it passed."""
    done = run([path, "--no-store", "--show-output", "--no-color", *more])
    does_not_fit = done.returncode == 2 and "did not draw the values of the token" in done.stdout + done.stderr
    if done.returncode not in (0, 1, 77) and not does_not_fit:
        fail(f"{path} {' '.join(more)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return set(re.findall(r"^ *passed (\S+)$", done.stdout + done.stderr, re.M))


def check(options, compiler):
    """Checks all programs; returns how many blockers are as their comments say, and how many there are."""
    witnesses = dict(line.rstrip("\n").split(None, 1) for line in open(options.witnesses) if not line.startswith("#"))
    right = total = 0
    for name in PROGRAMS:
        as_is, unblocked = build(name, compiler, False), build(name, compiler, True)
        taken = passed(as_is, "--seed", "1", "--runs", str(options.tests), "--tests", "0", "--time", "0")
        for blocker, number, cause, _ in blockers(name):
            token, problem = witnesses.get(blocker), None
            if not token:
                problem = "there is no witness"
            elif blocker not in passed(as_is if cause == "open" else unblocked, "--replay", token):
                problem = "its witness does not take the branch"
            elif cause != "open" and blocker in passed(as_is, "--replay", token):
                problem = "its witness takes the branch although nothing was unblocked"
            elif blocker in taken:
                problem = f"one of {options.tests} cases takes the branch"
            total += 1
            right += problem is None
            if problem:
                print(f"not ok: {blocker} ({name}.c:{number}), {compiler}: {problem}")
    return right, total


def judge(options, compiler):
    """Compares what --blockers says with the comments; returns how many causes it names right, and how many there are."""
    right = total = 0
    for name in PROGRAMS:
        done = run([build(name, compiler, False), "--no-store", "--json", "--blockers", "--seed", str(options.seed), "--tests", str(options.tests), "--time", "0"])
        said = json.loads(done.stdout)["blockers"]
        marks = blockers(name)
        for blocker, number, cause, operands in marks:
            here = [b for b in said if os.path.basename(b["file"]) == f"{name}.c" and number in (b["line"], b["not_reached"])]
            got = here[0] if here else None
            is_right = got is not None and got["cause"] == cause
            if is_right and cause == "assume":
                is_right = got["assume_line"] == operands[0] and os.path.basename(got["assume_file"]) == f"{name}.c"
            elif is_right:
                is_right = set(got["draws"].split(", ") if got["draws"] else []) == set(operands)
            total += 1
            right += is_right
            if not is_right:
                print(f"{blocker} ({name}.c:{number}), {compiler}: {cause} {operands}, but --blockers says {got and (got['cause'], got['draws'], got['assume_line'])}")
        others = [b for b in said if not any(number in (b["line"], b["not_reached"]) for _, number, _, _ in marks)]
        for b in others:
            print(f"{name}.c:{b['line']}, {compiler}: --blockers names a branch that was not planted: {b['cause']} {b['draws']}")
    return right, total


def main():
    parser = argparse.ArgumentParser(prog="bench/run blockers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compilers", type=lambda text: text.split(","), default=["gcc", "clang"], metavar="C,...", help="(gcc,clang)")
    parser.add_argument("--tests", type=int, default=5000, metavar="N", help="cases of each program that must not pass (5000)")
    parser.add_argument("--witnesses", default=os.path.join(HERE, "witnesses.txt"), metavar="FILE", help="inputs that pass")
    parser.add_argument("--judge", action="store_true", help="compare what --blockers says with the comments instead")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of --judge (1)")
    options = parser.parse_args()
    is_good = True
    for compiler in options.compilers if options.judge else []:
        right, total = judge(options, compiler)
        print(f"{compiler}: {right} of {total} causes are named right")
    if options.judge:
        return 0
    for compiler in options.compilers:
        right, total = check(options, compiler)
        is_good &= right == total
        print(f"{compiler}: {right} of {total} blockers are as their comments say")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
