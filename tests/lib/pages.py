"""The code and the commands of documentation pages, run: pages.py PAGE... in an empty folder, with BUILD, SRC and CC set.

A block of C stands behind a comment that says what it is, and a block of commands is run unless a comment says why not:

    <!-- file: NAME [needs HEADER] -->   is written to NAME, and compiled if that ends in .c (skipped where HEADER is missing)
    <!-- edit: NAME: SED -->             the sed command changes NAME, after which the block's lines stand in it
    <!-- part: REASON -->                C that is no whole file
    <!-- not run: REASON -->             commands that cannot be run here

Each command ends with status 0, or with that of a comment behind it: `./test --seed 1    # status 1`. Blocks of one page share a folder, which
is the root of a repository. Prints TAP.
"""
import os
import re
import subprocess
import sys
import textwrap

number = 0


def report(passed, name, detail=""):
    global number
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {name}")
    if not passed:
        print(textwrap.indent(detail[-2000:], "# "))


def run(command, folder):
    done = subprocess.run(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    return done.returncode, done.stdout.decode(errors="replace")


def blocks(path):
    """Language, marker (or None), text and line of each block."""
    marker, language, lines, start = None, None, [], 0
    for at, line in enumerate(open(path), 1):
        fence = re.match(r"\s*```(\S*)", line)
        comment = re.match(r"\s*<!-- (file|edit|part|not run): (.*) -->", line)
        if language is None and comment:
            marker = comment.groups()
        elif language is None and fence:
            language, lines, start = fence.group(1), [], at
        elif language is not None and fence:
            yield language, marker, textwrap.dedent("".join(lines)), start
            marker, language = None, None
        elif language is not None:
            lines.append(line)
        elif line.strip():
            marker = None


def compile_file(name, folder, where):
    flags = f"-Wall -Wextra -Werror -g -I{os.environ['SRC']}/include -I{os.environ['SRC']}/adapters"
    status, output = run(f"{os.environ['CC']} {flags} -c {name} -o /dev/null", folder)
    report(status == 0, f"{where}: {name} compiles without a warning", output)


def write_file(argument, text, folder, where):
    name, _, header = argument.partition(" needs ")
    if header and run(f"echo '#include <{header}>' | {os.environ['CC']} -include stdarg.h -include stddef.h -include stdint.h -include setjmp.h -E -x c - >/dev/null", folder)[0]:
        report(True, f"{where}: {name} # SKIP there is no {header}")
        return
    with open(os.path.join(folder, name), "w") as out:
        out.write(text)
    if name.endswith(".c"):
        compile_file(name, folder, where)


def edit_file(argument, text, folder, where):
    name, _, expression = argument.partition(": ")
    path = os.path.join(folder, name)
    with open(os.path.join(folder, "edit"), "w") as script:
        script.write(expression + "\n")
    status, output = run(f"sed -i -f edit {name}", folder)
    have = [line.strip() for line in open(path)]
    report(status == 0 and all(line.strip() in have for line in text.splitlines()), f"{where}: {name} is edited as shown", output)
    compile_file(name, folder, where)


def run_commands(text, folder, where):
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        wanted = re.search(r"# status (\d+)\s*$", line)
        status, output = run(line, folder)
        report(status == int(wanted.group(1) if wanted else 0), f"{where}: {line.strip()}", f"status {status}\n{output}")


def main(pages):
    os.environ["PATH"] = os.environ["BUILD"] + ":" + os.environ["PATH"]
    for path in pages:
        page = os.path.basename(path)
        folder = os.path.abspath(page + ".d")
        os.makedirs(os.path.join(folder, ".git"))
        for language, marker, text, line in blocks(path):
            kind, argument = marker or (None, "")
            where = f"{page}:{line}"
            if kind == "file":
                write_file(argument, text, folder, where)
            elif kind == "edit":
                edit_file(argument, text, folder, where)
            elif language == "c" and kind != "part":
                report(False, f"{where}: a block of C says what it is (file, edit or part)")
            elif language == "sh" and kind != "not run":
                run_commands(text, folder, where)
    print(f"1..{number}")


main(sys.argv[1:])
