#!/usr/bin/env python3
"""bench/run grammars [PART...]: what is claimed of sonde_grammar (docs/grammars.md), each part with a table.

    sentences   10^5 strings of each grammar in examples/grammars, given to real parsers (tests/compile/grammars.sh)
    files       files that people wrote, imported by those grammars: do they come out byte by byte?
    cost        instructions per draw, beside hand-written draws (callgrind)
    shrink      ten planted bugs of parsers: does the search end at the least input that fails?
    mistakes    bad and large grammars: message, status, time

Against the hand-written generators of bench/programs: bench/run programs --only sql,lua,xsd --arms auto,auto-grammar.
Options: --seeds A-B (shrink; 11-15), --only G,... (files), --strings N (sentences; 100000)."""
import hashlib
import os
import re
import socket
import subprocess
import sys
import threading
import time

BUILD = os.environ.get("BUILD", "build")
FOLDER = os.path.join(BUILD, "bench", "grammars")
GRAMMARS = "examples/grammars"
CC = os.environ.get("CC", "cc")


def run(words, **settings):
    """Returns the status and the output of a command."""
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False,
                          env=dict(os.environ, **{k: str(v) for k, v in settings.items()}))
    return done.returncode, done.stdout + done.stderr


def compiled(source, name, *more):
    """Compiles a program with the library. Returns its path."""
    program = os.path.join(FOLDER, name)
    status, out = run([CC, "-O2", "-g", "-Iinclude", "-Isrc", "-Ibench", *more, source, f"{BUILD}/libsonde.a", "-lm", "-lpthread",
                       "-o", program])
    if status:
        sys.exit(f"bench/run grammars: {source} does not compile:\n{out}")
    return program


# ---- Sentences

def sentences(strings="100000", **_):
    """Prints what tests/compile/grammars.sh says."""
    where = os.path.join(FOLDER, "sentences")
    os.makedirs(where, exist_ok=True)
    done = subprocess.run(["sh", os.path.abspath("tests/compile/grammars.sh")], cwd=where, check=False,
                          env=dict(os.environ, BUILD=os.path.abspath(BUILD), SRC=os.path.abspath("."), SONDE_GRAMMAR_STRINGS=strings))
    return done.returncode


# ---- Shrinking

# The least input that fails: the fewest draws, and of those the simplest (docs/grammars.md), worked out by hand before a search
# was run. Two had 0 in place of false, since alternatives were ordered by characters then.
BUGS = [("nesting", "json", "[[[[]]]]"),
        ("empty object in array", "json", "[{}]"),
        ("upper hex", "json", '"\\uaaaA"'),
        ("blank after comma", "json", "[false, false]"),
        ("escaped backslash", "json", '"\\\\"'),
        ("after a nested array", "json", '{"":[],"":false}'),
        ("colon in user", "uri", "//:@"),
        ("colon in host", "uri", "//[::]"),
        ("digit in scheme", "uri", "a0:"),
        ("empty query", "uri", "?")]


def unescaped(shown):
    return re.sub(r"\\(x..|.)", lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x" else {"n": "\n", "t": "\t"}.get(m[1], m[1]), shown)


def shrink(seeds="11-15", **_):
    program = compiled("bench/grammars/bugs.c", "bugs")
    first, last = (int(n) for n in seeds.split("-"))
    n_minimal = n_bugs = 0
    print("| bug | least input | minimal | cases to the failure | calls of shrinking | others |\n|---|---|---|---|---|---|")
    for bug, grammar, least in BUGS:
        minimal, tests, calls, others = 0, [], [], []
        for seed in range(first, last + 1):
            _, out = run([program, "--filter", {"json": "json_is_read", "uri": "uri_is_split"}[grammar], "--no-store", "--seed", str(seed),
                          "--tests", "200000", "--time", "0"], BUG=bug, GRAMMAR=f"{GRAMMARS}/{grammar}.abnf")
            shown = re.search(r'^ +text = "(.*)"$', out, re.M)
            found = unescaped(shown[1]) if shown else "(not found)"
            minimal += found == least
            numbers = re.search(r"Found by case ([\d,]+)", out), re.search(r"([\d,]+) calls", out)
            tests.append(int(numbers[0][1].replace(",", "")) if numbers[0] else 0)
            calls.append(int(numbers[1][1].replace(",", "")) if numbers[1] else 0)
            if found != least:
                others.append(found)
        n = last - first + 1
        n_minimal += minimal
        n_bugs += minimal == n
        print(f"| {bug} | `{least}` | {minimal} of {n} | {sorted(tests)[n // 2]} | {sorted(calls)[n // 2]} | {' '.join(others)} |")
    print(f"minimal with every seed: {n_bugs} of {len(BUGS)} bugs; runs that ended minimal: {n_minimal} of {len(BUGS) * (last - first + 1)}")
    return 0


# ---- Cost

# The grammar, what its generator in bench/programs needs, and how many cases are drawn.
COSTS = [("lua", ["bench/programs/subjects/lua_chunk.c", "bench/programs/mains/text.c"]),
         ("sql", ["bench/programs/subjects/sql.c", "bench/programs/mains/text.c", "-lsqlite3"]),
         ("xsd", ["bench/programs/subjects/xsd.c", "bench/programs/subjects/xml.c", "bench/programs/mains/text.c", "-I/usr/include/libxml2",
                  "-lxml2"])]


def counted(program, by, grammar, cases):
    """Returns the instructions of each draw, of each byte, and the number of draws of each case."""
    settings = {"BY": by, "GRAMMAR": grammar}
    status, out = run([program, cases, "uniform"], **settings)
    numbers = re.search(r"cases (\d+) draws (\d+) bytes (\d+)", out)
    if status or not numbers:
        sys.exit(f"bench/run grammars: {program} went wrong:\n{out}")
    n_cases, draws, n_bytes = (int(n) for n in numbers.groups())
    _, out = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no", "--toggle-collect=drawn_by_*",
                  program, cases, "uniform"], **settings)
    instructions = int(re.search(r"Collected : (\d+)", out)[1])
    return instructions / draws, instructions / n_bytes, draws / n_cases


def cost(cases="300", **_):
    print("| grammar | hand-written: instructions per draw | to-c | sonde_grammar | ratio to hand-written | ratio to to-c |\n|---|---|---|---|---|---|")
    for name, sources in COSTS:
        grammar = f"bench/programs/grammars/{name}.ebnf"
        _, text = run([f"{BUILD}/sonde", "grammar", "to-c", grammar])
        drawn = os.path.join(FOLDER, name + "_drawn.c")
        open(drawn, "w").write(text)
        function = re.search(r"^sonde_text (draw_\w+)\(", text, re.M)[1]
        program = compiled("bench/grammars/cost.c", "cost_" + name, f'-DDRAWN=\"{os.path.abspath(drawn)}\"', f"-DDRAW={function}", *sources)
        by = {how: counted(program, how, grammar, cases) for how in ("hand", "c", "grammar")}
        print(f"| {name} | {by['hand'][0]:.0f} ({by['hand'][2]:.0f} draws per case) | {by['c'][0]:.0f} ({by['c'][2]:.0f}) | "
              f"{by['grammar'][0]:.0f} ({by['grammar'][2]:.0f}) | {by['grammar'][0] / by['hand'][0]:.2f} | {by['grammar'][0] / by['c'][0]:.2f} |",
              flush=True)
    return 0


# ---- Mistakes

MISTAKES = [("left recursion that never ends", "e = e %s\"+\" e\n"),
            ("left recursion with an end", "e = e \"+\" t / t\nt = 1*DIGIT\n"),
            ("an empty alternative", "a = \"x\" / \n"),
            ("the empty string, written", "a = \"x\" / \"\"\n"),
            ("two rules that never end", "a = \"x\" b\nb = \"y\" a\n"),
            ("a rule that is not defined", "a = b\n"),
            ("a group that is not closed", "a = ( \"x\"\n"),
            ("999999999*x", "a = 999999999*\"x\"\n"),
            ("no grammar at all", "hello world\n"),
            ("bytes that are 0", "a = \"x\"\0\n"),
            ("a 1 MB grammar", "".join(f"r{i} = %s\"word{i}\" / r{(i + 1) % 32000}\n" for i in range(32000))),
            ("a 1 MB grammar, its last rule not defined", "".join(f"r{i} = %s\"word{i}\" / r{i + 1}\n" for i in range(32000)))]


def mistakes(**_):
    print("| grammar | status | message | seconds |\n|---|---|---|---|")
    for what, text in MISTAKES:
        path = os.path.join(FOLDER, "mistake.abnf")
        open(path, "w").write(text)
        began = os.times()
        status, out = run([f"{BUILD}/sonde", "grammar", "check", path])
        seconds = sum(os.times()[2:4]) - sum(began[2:4])
        print(f"| {what} | {status} | {out.splitlines()[0].split('mistake.abnf: ')[-1][:130]} | {seconds:.2f} |")
    return 0


# ---- Files

FILES = 100          # per format
LARGEST = 64 << 10   # bytes of a file: larger ones have more choices than a case takes by default


def installed(*packages):
    """Returns the JSON files of installed packages."""
    found = []
    for package in packages:
        _, out = run(["dpkg", "-L", package])
        found += [line for line in out.splitlines() if line.endswith(".json")]
    return [open(path, "rb").read() for path in found if os.path.isfile(path) and os.path.getsize(path) <= LARGEST]


def fields(name):
    """Returns the values of a field of all packages that are installed."""
    _, out = run(["dpkg-query", "-W", f"-f=${{{name}}}\n"])
    return [line.encode() for line in out.splitlines() if line]


def manifests():
    """Returns Cargo.toml of Rust libraries that Debian packages: downloaded, not installed."""
    where, found = os.path.join(FOLDER, "rust"), []
    os.makedirs(where, exist_ok=True)
    _, out = run(["apt-cache", "search", "--names-only", "^librust-[a-z0-9-]*-dev$"])
    names = sorted(line.split()[0] for line in out.splitlines())
    for name in names[::max(1, len(names) // 160)]:
        if len(found) == FILES:
            break
        package = os.path.join(where, name)
        if not os.path.isdir(package):
            subprocess.run(["sh", "-c", 'apt-get -q download "$0" && mkdir "$0" && dpkg-deb -x "$0"_*.deb "$0" && rm "$0"_*.deb', name], cwd=where,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        _, out = run(["find", package, "-name", "Cargo.toml"])
        found += [open(path, "rb").read() for path in out.splitlines()[:1]]
    return found


CLIENTS = """curl -s URL/
curl -s -I URL/index.html
curl -s -X DELETE URL/items/7
curl -s -X OPTIONS URL/
curl -s -d name=value&b=2 URL/form
curl -s -F file=@/etc/hostname URL/upload
curl -s --json {"a":[1,2]} URL/api/v1/things?x=1&y=%20z
curl -s -T /etc/hostname URL/put/hostname
curl -s -u user:secret URL/private
curl -s -A Mozilla/5.0 -e http://example.org/ URL/page?q=a+b
curl -s -b session=1234;theme=dark URL/cookies
curl -s --compressed -r 0-99 URL/range
curl -s -0 URL/old
curl -s -x PROXY http://example.org/through/a/proxy
curl -s -H X-Empty; -H X-Tag:one,two URL/headers
curl -s -z 2020-01-01 URL/since
curl -s -X PROPFIND -H Depth:1 URL/dav/
wget -q -O /dev/null URL/
wget -q -O /dev/null --post-data=a=b URL/form
wget -q -O /dev/null --header=Accept:text/plain URL/a/b;c=d/e
wget -q -O /dev/null --spider URL/spider
git ls-remote URL/repository.git
git -c http.extraHeader=X-Trace:7 clone -q URL/other.git /nowhere/other
python3 -c import urllib.request;urllib.request.urlopen("URL/python",timeout=5)
python3 -c import urllib.request;urllib.request.urlopen("URL/python",data=b"a=1&b=\\xc3",timeout=5)
python3 -c import http.client;c=http.client.HTTPConnection("HOST",timeout=5);c.request("PATCH","/p?q",b"[]",{"If-Match":"*"});c.getresponse()
perl -MHTTP::Tiny -e HTTP::Tiny->new(timeout=>5)->get("URL/perl")
perl -MHTTP::Tiny -e HTTP::Tiny->new(timeout=>5)->post_form("URL/perl",{a=>1,b=>"x y"})
perl -MLWP::UserAgent -e LWP::UserAgent->new(timeout=>5)->get("URL/lwp?a=%2F")"""
PATHS = ["", "/%7Euser", "/a//b", "/x?y=/?&z"]


def requests():
    """Returns what clients of this machine send to a socket: curl, wget, git, Python and Perl, with other options and paths each."""
    found = []
    server = socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{server.getsockname()[1]}"

    def serve():
        while True:
            connection, _ = server.accept()
            connection.settimeout(0.3)
            data = b""
            try:
                while part := connection.recv(65536):
                    data += part
                    if b"Expect: 100" in part:
                        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            except OSError:
                pass
            if data:
                found.append(data)
            try:
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            except OSError:
                pass
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    for path in PATHS:
        for line in CLIENTS.splitlines():
            first, *words = line.split(" ")
            if first in ("python3", "perl"):  # the last word has blanks
                words = words[:1 if first == "python3" else 2] + [" ".join(words[1 if first == "python3" else 2:])]
            words = [word.replace("URL", f"http://{host}{path}").replace("PROXY", f"http://{host}").replace("HOST", host) for word in words]
            subprocess.run([first, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=20, check=False)
    return [data.replace(host.encode(), b"127.0.0.1:8080") for data in found]


FORMATS = [("json", "JSON files of nodejs, cmake-data, iso-codes, lintian", lambda: installed("nodejs", "cmake-data", "iso-codes", "lintian")),
           ("toml", "Cargo.toml of Rust libraries", manifests),
           ("uri", "home pages of packages", lambda: fields("Homepage")),
           ("address", "maintainers of packages", lambda: fields("Maintainer")),
           ("http", "requests of curl, wget, git, Python and Perl", requests)]


def written(path):
    """Returns the strings of a file that has a length in a line before each."""
    data, found = open(path, "rb").read(), set()
    while data:
        n, _, rest = data.partition(b"\n")
        found.add(rest[:int(n)])
        data = rest[int(n):]
    return found


def files(only="", **_):
    program = compiled("tests/compile/grammars/parsed.c", "written", "-DWITH_FILE")
    print("| grammar | files | imported and written again byte by byte | of the others |\n|---|---|---|---|")
    for grammar, what, get in FORMATS:
        if only and grammar not in only.split(","):
            continue
        all_files = sorted(set(get()), key=lambda data: hash_of(data))[:FILES]
        where, out_path = os.path.join(FOLDER, grammar), os.path.join(FOLDER, grammar + ".written")
        subprocess.run(["rm", "-rf", where, out_path], check=True)
        os.makedirs(where)
        for i, data in enumerate(all_files):
            open(os.path.join(where, f"{i:03d}"), "wb").write(data)
        began = time.process_time() + sum(os.times()[2:4])
        _, out = run([program, "--no-store", "--seed", "1", "--guide", "simplest", "--runs", "1", "--max-discards", "0", "--time", "0", "--isolate",
                      "none", "--import", where], GRAMMAR=f"{GRAMMARS}/{grammar}.abnf", WRITTEN=out_path)
        seconds = time.process_time() + sum(os.times()[2:4]) - began
        found = written(out_path)
        same = [data for data in all_files if data in found or (data[-1:] == b"\n" and data[:-1] in found)]
        reasons = {}
        for line in re.findall(r"at line \d+ column \d+ it has (.*)", out):
            reasons.setdefault(re.sub(r'"(.).*?",', r'"\1...",', line)[:70], []).append(line)
        largest = max((len(data) for data in all_files), default=0)
        print(f"| {grammar} | {len(all_files)} {what}, up to {largest:,} bytes; {seconds:.1f} s | {len(same)} | "
              + "; ".join(f"{len(v)}: {k}" for k, v in sorted(reasons.items(), key=lambda r: -len(r[1]))[:4]) + " |", flush=True)
        open(os.path.join(FOLDER, grammar + ".log"), "w").write(out)
    return 0


def hash_of(data):
    """Orders files in a way that does not depend on their names."""
    return hashlib.sha256(data).hexdigest()


PARTS = {"sentences": sentences, "files": files, "cost": cost, "shrink": shrink, "mistakes": mistakes}


def main():
    options, parts, words = {}, [], sys.argv[1:]
    while words:
        word = words.pop(0)
        if word.startswith("--") and words:
            options[word[2:]] = words.pop(0)
        elif word in PARTS:
            parts.append(word)
        else:
            sys.exit(f"bench/run grammars: no part '{word}'\n{__doc__}")
    os.makedirs(FOLDER, exist_ok=True)
    return max(PARTS[part](**options) for part in parts or PARTS)


if __name__ == "__main__":
    sys.exit(main())
