"""Checks tests/compile/questions, and the numbers of docs/how-sonde-is-tested.md: questions.py REPOSITORY. Prints TAP."""
import os
import re
import subprocess
import sys

number = 0


def report(passed, name, detail=""):
    global number
    number += 1
    print(f"{'ok' if passed else 'not ok'} {number} - {name}" + ("" if passed else f"\n# {detail}"))


def slug(heading):
    """Returns the anchor of a heading, as GitHub and mkdocs make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def sections(path):
    """Returns the text of each section by its anchor, with all below it; "" is the whole page."""
    found, open_, code = {"": ""}, [], False
    for line in open(path):
        code ^= line.lstrip().startswith("```")
        heading = None if code else re.match(r"(#+) (.*)", line)
        if heading:
            level = len(heading.group(1))
            open_ = [(n, a) for n, a in open_ if n < level] + [(level, slug(heading.group(2)))]
            found.setdefault(open_[-1][1], "")
        for anchor in [""] + [a for _, a in open_]:
            found[anchor] += line
    return found


def linked(path):
    """Returns the pages that a page links to."""
    here = os.path.dirname(path)
    return {os.path.normpath(os.path.join(here, link)) for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", open(path).read())}


def check_question(line, near):
    question, where, words = (part.strip() for part in line.split(" | "))
    page, _, anchor = where.partition("#")
    if not os.path.exists(page):
        return report(False, question, f"there is no {page}")
    found = sections(page)
    if anchor not in found:
        return report(False, question, f"{page} has no section {anchor}; it has {' '.join(found)}")
    report(words.lower() in " ".join(found[anchor].lower().split()) and page in near, question,
           f"{where} does not have the words \"{words}\"" if page in near else f"{page} is more than two clicks from docs/README.md")


def check_number(line):
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
    claimed, command = int(cells[1].replace(",", "")), cells[2].strip("`").replace("\\|", "|")
    done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, text=True)
    got = int(done.stdout.strip() or 0)
    report(abs(got - claimed) <= claimed / 10, f"how-sonde-is-tested.md: {cells[0]}", f"{command} prints {got}, the page says {claimed}")


def main(repository):
    os.chdir(repository)
    near = linked("docs/README.md")
    near |= {page for start in list(near) if start.endswith(".md") and os.path.exists(start) for page in linked(start)}
    for line in open("tests/compile/questions"):
        if " | " in line and not line.startswith("#"):
            check_question(line, near)
    if os.path.exists(".git"):
        for line in open("docs/how-sonde-is-tested.md"):
            if re.match(r"\| .* \| [0-9,]+ \| `", line):
                check_number(line)
    print(f"1..{number}")


main(sys.argv[1])
