"""Runs the code and the commands of documentation pages: pages.py [--update] PAGE..., in an empty directory, with BUILD, SRC and CC set.

A comment before a block of C says what the block is. Blocks of commands and listings are run unless a comment says why not:

    <!-- file: NAME [needs HEADER] -->   written to NAME, and compiled if that ends in .c (skipped where HEADER is missing)
    <!-- edit: NAME: SED -->             the sed command changes NAME, which then contains the lines of the block
    <!-- part: REASON -->                C that is not a whole file
    <!-- not run: REASON -->             commands or a listing that cannot be run here

A command of an `sh` block ends with status 0, or with the status of a comment after it: `./test --seed 1    # status 1`.
A block without a language whose first line is `$ COMMAND` is a listing. Its other lines are what the command prints, apart from times;
if the last one is `...`, the output continues. With --update the page gets the new output instead of a failed test.
Blocks of one page share a directory, which is the root of a repository; `build` and `examples` in it are those of sonde,
and the files of tests/compile/pages/PAGE are copied into it. Where a page uses pkg-config, sonde is installed for it. Prints TAP.
"""
import os
import re
import shutil
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
    """Yields language, marker (or None), text and line of each block."""
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


def without_times(line):
    return re.sub(r"\b[0-9][0-9.,]* (ns|us|ms|s|MB)\b", "TIME", line.rstrip())


def check_listing(text, folder, where):
    """Returns the block as its command prints it now, and reports whether it is the same but for times."""
    command, *shown = text.rstrip("\n").split("\n")
    # Programs of sonde would keep failures in its repository, and say so when they are shown again.
    store = f"SONDE_STORE=stores/{where} " if command.startswith("$ build/") else ""
    status, output = run(store + command[2:], folder)
    printed = [line.rstrip() for line in output.rstrip("\n").split("\n")]
    if shown and shown[-1] == "...":
        printed = printed[: len(shown) - 1] + ["..."]
    same = [without_times(line) for line in shown] == [without_times(line) for line in printed]
    report(same or updating, f"{where}: {command} prints what it shows", f"status {status}\n" + "\n".join(printed))
    return text if same else "\n".join([command] + printed) + "\n"


def replace_block(path, line, text):
    """Replaces the lines of the block that begins after line `line` of the page."""
    lines = open(path).read().split("\n")
    end = next(at for at in range(line, len(lines)) if lines[at].strip().startswith("```"))
    indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
    lines[line:end] = [indent + part if part else "" for part in text.rstrip("\n").split("\n")]
    open(path, "w").write("\n".join(lines))


def install(folder):
    """Installs sonde into the folder, so that pkg-config finds it."""
    prefix = os.path.join(folder, "installed")
    make = f"make -s -C '{os.environ['SRC']}' BUILD='{os.environ['BUILD']}' CC='{os.environ['CC']}' PREFIX='{prefix}' install"
    status, output = run(make, folder)
    report(status == 0, f"sonde is installed for {os.path.basename(folder)}", output)
    os.environ["PKG_CONFIG_PATH"] = os.path.join(prefix, "lib/pkgconfig")


def main(pages):
    os.environ["PATH"] = os.environ["BUILD"] + ":" + os.environ["PATH"]
    for path in pages:
        page = os.path.basename(path)
        folder = os.path.abspath(page + ".d")
        os.makedirs(os.path.join(folder, ".git"))
        os.symlink(os.path.abspath(os.environ["BUILD"]), os.path.join(folder, "build"))
        os.symlink(os.path.join(os.environ["SRC"], "examples"), os.path.join(folder, "examples"))
        given = os.path.join(os.environ["SRC"], "tests/compile/pages", os.path.splitext(page)[0])
        if os.path.isdir(given):
            shutil.copytree(given, folder, dirs_exist_ok=True)
        if any(language == "sh" and "$(pkg-config" in text and (marker or "")[:1] != ("not run",) for language, marker, text, _ in blocks(path)):
            install(folder)
        longer = 0  # lines that updated listings have more than before
        for language, marker, text, line in list(blocks(path)):
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
            elif language == "" and text.startswith("$ ") and kind != "not run":
                new = check_listing(text, folder, where)
                if new != text and updating:
                    replace_block(path, line + longer, new)
                    longer += new.count("\n") - text.count("\n")
    print(f"1..{number}")


updating = sys.argv[1:2] == ["--update"]
main(sys.argv[2:] if updating else sys.argv[1:])
