"""bench/run fleet: what many workers with --share are worth on this machine.

Scaling: workers of a property that sleeps 20 ms per case run for some seconds; the cases of all of them against those of one, the places that the
median worker has reached, and the bytes that a worker has written to the place per second. Finding: how long it takes from the moment one worker
has stored a failure until each of the others has reported it. Prints a table; rows as JSON with --json.

Slow networks (--delay S): the finding goes through a redis-server behind a proxy that delivers everything S seconds later, in both directions. Steady state (--steady S): the workers share a
redis-server, which counts the bytes that it reads and writes; after --seconds, in which nearly all places are found, for S seconds. --flood: meanwhile a peer writes as many notices, tapes and
failures as the server takes, none of which is any good. Printed besides: the most memory that any agent and any process of a worker had, at the beginning of that time and at its end.

Programs (--programs lua,xsd): 8 linked workers against one that has as much processor time as all of them (bench/run programs, arms linked-8 and auto): the ratio of the semantic edges by valid
inputs, and its median over --seeds. --seconds is then the processor time of each worker.

Simulating (--simulate N): arithmetic, not workers. What redis-server answers per second here is measured with redis-benchmark; each worker asks what an idle
agent asks (src/share/agent.c: tapes every 2 s, failures every 1.5 s, a beat every 5 s); the server is a queue with one place and chance arrivals (M/M/1). It
assumes that nothing new is found, one property, and a network that is no narrower than the socket measured."""
import argparse, contextlib, glob, json, os, statistics, subprocess, sys, tempfile, threading, time

parser = argparse.ArgumentParser(prog="bench/run fleet", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--workers", default="1,8,64", help="how many, separated by commas (1,8,64)")
parser.add_argument("--seconds", type=float, default=30, help="how long each fleet runs (30)")
parser.add_argument("--alone", action="store_true", help="without --share, for comparison")
parser.add_argument("--finders", type=int, default=16, help="workers that wait for a finding (16); 0: none")
parser.add_argument("--delay", type=float, metavar="S", help="the finding goes through a network that takes S seconds each way")
parser.add_argument("--steady", type=float, metavar="S", help="measure S seconds after the rush, through a server")
parser.add_argument("--flood", action="store_true", help="with --steady: a peer floods the server")
parser.add_argument("--programs", metavar="LIST", help="8 linked workers on real programs (lua,xsd) against one with their time")
parser.add_argument("--seeds", default="1-5", help="with --programs (1-5)")
parser.add_argument("--jobs", type=int, default=1, help="with --programs: rows side by side (1)")
parser.add_argument("--simulate", type=int, metavar="N", help="what N workers would ask of a server")
parser.add_argument("--json", action="store_true")
options = parser.parse_args()
build = os.environ.get("BUILD", "build")
program = os.path.join(build, "bench", "fleet")
environment = {k: v for k, v in os.environ.items() if not k.startswith("SONDE_")}
environment["SONDE_SHARE_AGENT"] = os.path.abspath(os.path.join(build, "sonde-share"))


def start(name, place, *more):
    share = [] if options.alone else ["--share", place]
    command = [program, "--filter", name, "--json", "--no-store", "--max-discards", "0", *share, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files)


def scale(n):
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        runs = [start("nap", "dir:" + place, "--time", str(options.seconds), "--tests", "0") for _ in range(n)]
        reports = []
        for run in runs:
            out, err = run.communicate()
            if run.returncode != 0:
                sys.exit(f"bench/run fleet: a worker ended with {run.returncode}: {err}")
            reports.append(json.loads(out))
        passed = time.monotonic() - began
        return {"workers": n, "cases": sum(r["tests"] for r in reports), "rate": sum(r["tests"] / r["seconds"] for r in reports),
                "imported": sum(r["imported"] for r in reports), "places": statistics.median(r["edges"] for r in reports),
                "cpu_s": sum(r["cpu_s"] for r in reports), "seconds": passed, "bytes_per_worker_second": size_of(place) / n / options.seconds}


@contextlib.contextmanager
def serve():
    """A redis-server of our own; its socket, and what a client says to it."""
    with tempfile.TemporaryDirectory() as folder:
        socket = folder + "/redis"
        server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)

        def ask(*words, **more):
            return subprocess.run(["redis-cli", "-s", socket, *words], capture_output=True, text=True, check=True, **more).stdout

        try:
            while not os.path.exists(socket):
                time.sleep(0.05)
            yield socket, ask
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def find_place():
    """What workers are told, how many of them are there, and whether a failure is."""
    if options.delay is None:
        with tempfile.TemporaryDirectory() as folder:
            yield "dir:" + folder, lambda: len(glob.glob(folder + "/*/*/workers/*")), lambda: glob.glob(folder + "/*/*/failures/*.tape")
        return
    with serve() as (socket, ask):
        proxy = subprocess.Popen([sys.executable, "tests/cli/proxy.py", socket, str(options.delay), "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        place = f"redis://127.0.0.1:{int(proxy.stdout.readline())}/"
        yield place, lambda: len(ask("keys", "sonde:1:*}:w:*").splitlines()), lambda: ask("keys", "sonde:1:*}:failures").strip()
        proxy.stdin.close()
        proxy.wait()


def find(n):
    with find_place() as (place, count_workers, has_failure), tempfile.NamedTemporaryFile("w", suffix=".tape") as tape:
        tape.write("s1:x=3141592653\n")
        tape.flush()
        runs = [start("needle", place, "--time", "300", "--fail-fast", "--no-shrink") for _ in range(n)]
        while count_workers() < n:
            time.sleep(0.05)
        time.sleep(3)  # they have told the place that they are there; now they look as often as they ever do
        began = time.monotonic()
        finder = start("needle", place, "--time", "300", "--fail-fast", "--no-shrink", "--inputs", tape.name)
        while not has_failure():
            time.sleep(0.01)
        told = time.monotonic()
        late = []
        for run in runs:
            run.communicate()
            late.append(time.monotonic() - told)
            if run.returncode != 1:
                sys.exit("bench/run fleet: a worker has not found it")
        finder.communicate()
        return {"finders": n, "delay": options.delay, "stored_s": told - began, "latest_s": max(late)}


def memory_of(runs):
    """The most that any agent has, and any other process of a worker, in MB."""
    parents, most = {run.pid for run in runs}, {True: 0, False: 0}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            parent = int(open(path).read().rsplit(")", 1)[1].split()[1])
            if parent not in parents:
                continue
            resident = int(next(l for l in open(path[:-4] + "status") if l.startswith("VmRSS")).split()[1]) / 1024
            is_agent = "sonde-share" in os.readlink(path[:-4] + "exe")
            most[is_agent] = max(most[is_agent], resident)
        except (OSError, StopIteration):
            pass
    return most[True], most[False]


def flood(socket, is_over, count):
    """Notices with keys of nothing, texts that are tapes or none, failures that do not fail."""
    client = subprocess.Popen(["redis-cli", "-s", socket], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    prefix = "sonde:1:{fleet/nap}:"
    while not is_over.is_set():
        i = count[0] = count[0] + 1
        client.stdin.write(f"XADD {prefix}notices MAXLEN ~ 100000 * n {i:016x} k {i * 2654435761 % 2**32:08x} w peer\nSET {prefix}t:{i:016x} s1:x={i} EX 60\n")
        if i % 16 == 0:
            client.stdin.write(f"XADD {prefix}failures MAXLEN ~ 4096 * f \"{i:016x}\\x00a\\x00b\\x00c\\x00d\\x00s1:x={i}\\x00\" w peer\n")
        if i % 256 == 0:
            client.stdin.flush()
            time.sleep(0.05)
    client.stdin.close()
    client.wait()


def steady(n):
    with serve() as (socket, ask):
        def bytes_now():
            numbers = dict(line.split(":") for line in ask("info", "stats").splitlines() if ":" in line)
            return int(numbers["total_net_input_bytes"]) + int(numbers["total_net_output_bytes"])

        is_over, count = threading.Event(), [0]
        peer = threading.Thread(target=flood, args=(socket, is_over, count))
        runs = [start("nap", "redis+unix:" + socket, "--time", str(options.seconds + options.steady + 20), "--tests", "0") for _ in range(n)]
        if options.flood:
            peer.start()
        time.sleep(options.seconds)
        first, memory, began = bytes_now(), memory_of(runs), time.monotonic()
        time.sleep(options.steady)
        last, memory_after, passed = bytes_now(), memory_of(runs), time.monotonic() - began
        is_over.set()
        reports = [json.loads(run.communicate()[0]) for run in runs]
        if options.flood:
            peer.join()
        return {"workers": n, "seconds": passed, "bytes_per_worker_second": (last - first) / n / passed, "places": statistics.median(r["edges"] for r in reports),
                "flooded": count[0], "agent_mb": [memory[0], memory_after[0]], "worker_mb": [memory[1], memory_after[1]]}


def compare_programs():
    total = options.seconds * 8
    command = ["bench/run", "programs", "--only", options.programs, "--arms", "auto,linked-8", "--seconds", f"{total:g}",
               "--seeds", options.seeds if "-" in options.seeds else f"{options.seeds}-{options.seeds}", "--jobs", str(options.jobs), "--json"]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    found = {(r["row"], r["guide"], r["seed"]): r["sem_valid"] for r in map(json.loads, lines)}
    rows = []
    for name in options.programs.split(","):
        seeds = sorted(seed for row, guide, seed in found if row == name and guide == "auto" and (name, "linked-8", seed) in found)
        pairs = [(found[name, "auto", s], found[name, "linked-8", s]) for s in seeds]
        if not pairs:
            sys.exit(f"bench/run fleet: nothing could be measured on '{name}'")
        ratios = [b / a for a, b in pairs]
        rows.append({"program": name, "seconds": options.seconds, "seeds": seeds, "alone": [a for a, _ in pairs], "linked": [b for _, b in pairs], "ratio": statistics.median(ratios), "ratios": ratios})
        if not options.json:
            print(f"{name}: one worker in {total:g} s of processor time {rows[-1]['alone']}, 8 linked ones in {options.seconds:g} s each {rows[-1]['linked']}: {rows[-1]['ratio']:.3f} "
                  f"times as many semantic edges by valid inputs (median of {len(ratios)}; {min(ratios):.3f} to {max(ratios):.3f})", flush=True)
    return rows


def simulate(n):
    with serve() as (socket, _):
        def rate(*command):
            out = subprocess.run(["redis-benchmark", "-s", socket, "-n", "50000", "--csv", *command], capture_output=True, text=True, check=True).stdout
            return float(out.splitlines()[-1].split('","')[1])

        add = rate("XADD", "notices", "*", "n", "0" * 16, "k", "0" * 64, "w", "w" * 24)
        read = rate("XREAD", "COUNT", "1000", "STREAMS", "notices", "9" * 14)
        beat = rate("SET", "worker", "x" * 300, "EX", "60")
    busy = n * ((1 / 2 + 1 / 1.5) / read + 1 / 5 / beat)
    asked = n * (1 / 2 + 1 / 1.5 + 1 / 5)
    wait = busy / asked / (1 - busy) if busy < 1 else float("inf")
    return {"simulated": n, "xadd_per_s": add, "xread_per_s": read, "set_per_s": beat, "requests_per_s": asked, "busy": busy, "answer_s": wait, "most_workers": n / busy}


if options.simulate:
    row = simulate(options.simulate)
    if options.json:
        sys.exit(print(json.dumps([row])))
    print(f"measured: {row['xadd_per_s']:.0f} XADD, {row['xread_per_s']:.0f} XREAD, {row['set_per_s']:.0f} SET a second")
    print(f"{options.simulate} workers ask {row['requests_per_s']:.0f} times a second, which keeps the server busy {100 * row['busy']:.0f} % of the time; an answer takes {1000 * row['answer_s']:.2f} ms")
    sys.exit(print(f"it would be busy all the time with {row['most_workers']:.0f} workers; each is a connection, and maxclients is 10,000 unless you raise it"))
if options.programs:
    rows = compare_programs()
    sys.exit(print(json.dumps(rows)) if options.json else 0)
if options.steady:
    rows = [steady(n) for n in map(int, options.workers.split(","))]
    for row in rows if not options.json else []:
        print(f"{row['workers']} workers, {row['places']:.0f} places, {row['seconds']:.0f} s after the rush{', flooded with %d notices' % row['flooded'] if options.flood else ''}: {row['bytes_per_worker_second']:.0f} bytes/s per worker at the server's "
              f"sockets; most memory of an agent {row['agent_mb'][0]:.1f} then {row['agent_mb'][1]:.1f} MB, of a worker's other processes {row['worker_mb'][0]:.1f} then {row['worker_mb'][1]:.1f} MB")
    sys.exit(print(json.dumps(rows)) if options.json else 0)
rows, first = [], None
if not options.json and options.delay is None:
    print("workers    cases  cases/s    times  per worker  imported  places  CPU s  bytes/s per worker")
for n in map(int, options.workers.split(",")) if options.delay is None else []:
    row = scale(n)
    first = first or row
    row["times"] = row["rate"] / (first["rate"] / first["workers"])
    rows.append(row)
    if not options.json:
        print(f"{n:7} {row['cases']:8} {row['rate']:8.1f} {row['times']:8.1f} {row['times'] / n:11.3f} {row['imported']:9} {row['places']:7.0f} {row['cpu_s']:6.1f} {row['bytes_per_worker_second']:8.0f}", flush=True)
if options.finders and not options.alone:
    rows.append(find(options.finders))
    if not options.json:
        print(f"a failure was reported by the last of {options.finders} workers {rows[-1]['latest_s']:.1f} s after it was in the place, which was {rows[-1]['stored_s']:.1f} s after the start of who had it")
if options.json:
    print(json.dumps(rows))
