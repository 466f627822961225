"""Every message of docs/troubleshooting.md, except the compiler's, is in the source. Prints TAP. Usage: messages.py ROOT"""
import glob
import re
import sys

root = sys.argv[1]
sources = []
for folder in ("src", "tools", "addons", "adapters", "include"):
    for path in glob.glob(f"{root}/{folder}/**/*", recursive=True):
        if path.endswith((".c", ".h", ".hpp", ".js")):
            # String literals that the compiler joins are one string here.
            sources.append(re.sub(r'"\s*(?:PRI\w+\s*)?"', "", open(path, errors="replace").read()).replace('\\"', '"'))

section, n, failed = "", 0, 0
for line in open(f"{root}/docs/troubleshooting.md"):
    if line.startswith("## "):
        section = line[3:].strip()
    message = re.match(r"\| `([^`]+)` \|", line)
    if not message or section.startswith("Compiling"):
        continue
    n += 1
    parts = [part.strip(" ,;") for part in message.group(1).split("...") if part.strip(" ,;")]
    found = any(all(part in source for part in parts) for source in sources)
    failed += not found
    print(f"{'ok' if found else 'not ok'} {n} - {message.group(1)}")
n += 1
print(f"{'ok' if n > 30 else 'not ok'} {n} - the page has its messages")
print(f"1..{n}")
