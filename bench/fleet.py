"""bench/run fleet: what many workers with --share are worth on this machine.

Scaling: workers of a property that sleeps 20 ms per case run for some seconds; the cases of all of them against those of one, the places that the
median worker has reached, and the bytes that a worker has written to the place per second. Finding: how long it takes from the moment one worker
has stored a failure until each of the others has reported it. Prints a table; rows as JSON with --json.

Simulating (--simulate N): arithmetic, not workers. What redis-server answers per second here is measured with redis-benchmark; each worker asks what an idle
agent asks (src/share/agent.c: tapes every 2 s, failures every 1.5 s, a beat every 5 s); the server is a queue with one place and chance arrivals (M/M/1). It
assumes that nothing new is found, one property, and a network that is no narrower than the socket measured."""
import argparse, glob, json, os, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(prog="bench/run fleet", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--workers", default="1,8,64", help="how many, separated by commas (1,8,64)")
parser.add_argument("--seconds", type=float, default=30, help="how long each fleet runs (30)")
parser.add_argument("--alone", action="store_true", help="without --share, for comparison")
parser.add_argument("--finders", type=int, default=16, help="workers that wait for a finding (16); 0: none")
parser.add_argument("--simulate", type=int, metavar="N", help="what N workers would ask of a server")
parser.add_argument("--json", action="store_true")
options = parser.parse_args()
program = os.path.join(os.environ.get("BUILD", "build"), "bench", "fleet")
environment = {k: v for k, v in os.environ.items() if not k.startswith("SONDE_")}


def start(name, place, *more):
    share = [] if options.alone else ["--share", "dir:" + place]
    command = [program, "--filter", name, "--json", "--no-store", "--max-discards", "0", *share, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files)


def scale(n):
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        runs = [start("nap", place, "--time", str(options.seconds), "--tests", "0") for _ in range(n)]
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


def find(n):
    with tempfile.TemporaryDirectory() as place, tempfile.NamedTemporaryFile("w", suffix=".tape") as tape:
        tape.write("s1:x=3141592653\n")
        tape.flush()
        runs = [start("needle", place, "--time", "300", "--fail-fast") for _ in range(n)]
        while len(glob.glob(place + "/*/*/workers/*")) < n:
            time.sleep(0.05)
        finder = start("needle", place, "--time", "300", "--fail-fast", "--inputs", tape.name)
        while not glob.glob(place + "/*/*/failures/*.tape"):
            time.sleep(0.01)
        told = time.monotonic()
        late = []
        for run in runs:
            out, _ = run.communicate()
            late.append(time.monotonic() - told)
            if run.returncode != 1:
                sys.exit("bench/run fleet: a worker has not found it")
        finder.communicate()
        return {"finders": n, "latest_s": max(late)}


def simulate(n):
    with tempfile.TemporaryDirectory() as folder:
        socket = folder + "/redis"
        server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
        try:
            while not os.path.exists(socket):
                time.sleep(0.05)

            def rate(*command):
                out = subprocess.run(["redis-benchmark", "-s", socket, "-n", "50000", "--csv", *command], capture_output=True, text=True, check=True).stdout
                return float(out.splitlines()[-1].split('","')[1])

            add = rate("XADD", "notices", "*", "n", "0" * 16, "k", "0" * 64, "w", "w" * 24)
            read = rate("XREAD", "COUNT", "1000", "STREAMS", "notices", "9" * 14)
            beat = rate("SET", "worker", "x" * 300, "EX", "60")
        finally:
            server.terminate()
            server.wait()
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
rows, first = [], None
if not options.json:
    print("workers    cases  cases/s    times  per worker  imported  places  CPU s  bytes/s per worker")
for n in map(int, options.workers.split(",")):
    row = scale(n)
    first = first or row
    row["times"] = row["rate"] / (first["rate"] / first["workers"])
    rows.append(row)
    if not options.json:
        print(f"{n:7} {row['cases']:8} {row['rate']:8.1f} {row['times']:8.1f} {row['times'] / n:11.3f} {row['imported']:9} {row['places']:7.0f} {row['cpu_s']:6.1f} {row['bytes_per_worker_second']:8.0f}", flush=True)
if options.finders and not options.alone:
    rows.append(find(options.finders))
    if not options.json:
        print(f"a failure was reported by the last of {options.finders} workers {rows[-1]['latest_s']:.1f} s after it was stored by one")
if options.json:
    print(json.dumps(rows))
