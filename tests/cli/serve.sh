#!/bin/sh
# Stages: gcc asan
# Seconds: 49
# --serve: who gets the page and who does not; orders; that nothing that is done to the server holds the search up.
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; tail -n 8 out err got 2>/dev/null | cut -c 1-300 | sed 's/^/# /'; fi; }
command -v curl >/dev/null || { echo "no curl"; exit 77; }
SONDE_TOOL=$BUILD/sonde
export SONDE_TOOL
"$SONDE_TOOL" serve 2>err </dev/null
grep -q 'without a server' err && { echo "sonde was built without libmicrohttpd"; exit 77; }
test=$BUILD/tests/cli/served

# Begins a run that ends when it is told to; address, host and token are known then.
begin() {
    rm -f err jar
    NAP=1 timeout 300 "$test" --filter sums --seed 1 --tests 0 --time 0 --no-store --serve "$@" >out 2>err </dev/null &
    run=$!
    # The program itself, not `timeout`.
    i=0
    while program=$(ps -o pid= --ppid $run | tr -d ' ') && [ -z "$program" ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
    i=0
    while ! grep -q 'http://' err && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done
    url=$(grep -o 'http://[^ ]*' err)
    host=${url#http://} host=${host%%/*}
    status=$(curl -s -L -c jar -o page.html -w '%{http_code} %{url_effective}' "$url")
    page=${status#* } page=${page%/} status=${status%% *}
    order=$(grep -o "token='[0-9a-f]*" page.html | cut -d "'" -f 2)
}
tell() { curl -s -b jar -X POST -H "X-Sonde-Token: $order" "$page/$1" >got; }
code() { curl -s -o got -w '%{http_code}' "$@"; }
tests_now() { curl -s -b jar "$page/data" | grep -o '"tests": [0-9]*' | head -n 1 | tr -dc '0-9'; }
# goes_on: the number of tests grows.
goes_on() {
    from=$(tests_now) i=0
    while now=$(tests_now) && [ "${now:-0}" -le "${from:-0}" ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
    now=$(tests_now)
    [ "${now:-0}" -gt "${from:-0}" ]
}

begin -j 2
[ "$status" = 200 ] && grep -q 'id="sonde-data"' page.html
report $? "the address that is printed leads to the page"
goes_on
report $? "its data grows while the run goes on, of two jobs"
timeout 5 curl -s -N -b jar "$page/events" >got
[ "$(grep -c '^data: {"sonde"' got)" -ge 2 ] && grep -q '^event: state' got
report $? "and comes by itself, as server-sent events"

# ---- Who does not get it
[ "$(code "http://$host/")" = 403 ] && [ "$(code "http://$host/?token=0123456789abcdef0123456789abcdef")" = 403 ] &&
    [ "$(code "http://$host/events")" = 403 ] && [ "$(code "http://$host/data")" = 403 ] &&
    [ "$(code "$page/")" = 403 ] && [ "$(code "$page/data")" = 403 ]
report $? "without the token, or with another: nobody"
[ "$(code -b jar -H 'Host: evil.example' "$page/")" = 421 ] && [ "$(code -b jar -H 'Host: 127.0.0.1' "$page/")" = 421 ] &&
    [ "$(code -b jar -H "Host: localhost:${host#*:}" "$page/")" = 403 ] # no cookie for that name, but the name is ours
report $? "by another name than this machine's: nobody"
[ "$(code -b jar -H 'Origin: http://evil.example' "$page/")" = 403 ] && [ "$(code -b jar -H 'Origin: null' "$page/")" = 403 ] &&
    [ "$(code -b jar -H 'Sec-Fetch-Site: cross-site' "$page/")" = 403 ] &&
    [ "$(code -b jar -H "Origin: http://$host" -H 'Sec-Fetch-Site: same-origin' "$page/")" = 200 ]
report $? "from another site's page: nobody; from its own: yes"
[ "$(code -b jar -X DELETE "$page/")" = 405 ] && [ "$(code -b jar -X PUT -d x "$page/")" = 405 ] &&
    [ "$(code -b jar "$page/stop")" = 404 ] && [ "$(code -b jar -X POST "$page/stop")" = 403 ] &&
    [ "$(code -b jar -X POST -H "X-Sonde-Token: $order" "$page/format")" = 404 ] && kill -0 "$program"
report $? "other methods, orders by GET, orders without the page's token: refused"
curl -s -b jar -D head -o /dev/null "$page/"
nonce=$(grep -o "nonce-[0-9a-f]*" head) && curl -s -b jar -D - -o /dev/null "$page/" | grep -q "script-src 'nonce-" &&
    ! curl -s -b jar -D - -o /dev/null "$page/" | grep -q "$nonce" && ! grep -q "script-src[^;]*unsafe" head
report $? "scripts need a nonce, which is another one each time"
grep -qi 'set-cookie: [^;]*; HttpOnly; SameSite=Strict' head || curl -s -D head -o /dev/null "$url"
grep -qi 'set-cookie: [^;]*; HttpOnly; SameSite=Strict; Path=/[0-9a-f]\{32\}/' head && grep -qi '^location: /[0-9a-f]\{32\}/.\{0,1\}$' head
report $? "the token goes into a cookie that no other site gets, and out of the address"
# A cookie goes to every port of its host: to the servers of other users as well, if the browser visits one.
python3 - jar >got 2>&1 <<'END'
import http.server, subprocess, sys, threading
seen = []
class Other(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen.append(self.headers.get("Cookie"))
        self.send_response(200)
        self.end_headers()
    def log_message(self, *words):
        pass
other = http.server.HTTPServer(("127.0.0.1", 0), Other)
threading.Thread(target=other.serve_forever, daemon=True).start()
for path in ("", "data", "0123456789abcdef0123456789abcdef/"):
    subprocess.run(["curl", "-s", "-b", sys.argv[1], "http://127.0.0.1:%d/%s" % (other.server_port, path)], check=True)
print("cookies:", seen)
END
grep -q 'cookies: \[None, None, None\]' got
report $? "nor does a server on another port of this machine"

# ---- What it must bear
head -c 10485760 /dev/zero | tr '\0' a >long
printf 'X-Long: ' >header && cat long >>header
result=$(code -b jar -H @header "$page/")
case $result in 000 | 400 | 413 | 414 | 431) true ;; *) false ;; esac && goes_on
report $? "a header of 10 MB is refused, and the run goes on"
result=$(code -b jar -X POST -H "X-Sonde-Token: $order" --data-binary @long "$page/format")
case $result in 000 | 100 | 413) true ;; *) false ;; esac && goes_on
report $? "so is a body of 10 MB"
python3 - "${host#*:}" >got 2>&1 <<'END'
import socket, sys, time
all = []
for i in range(1000):
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(("127.0.0.1", int(sys.argv[1])))
        s.sendall(b"GET / HTTP/1.1\r\n" if i % 2 else b"")
        all.append(s)
    except OSError:
        s.close()
print(len(all), "connections")
time.sleep(1)
END
grep -q connections got && kill -0 "$program" && goes_on
report $? "1,000 connections that say nothing: the run goes on, and so does the page"

# Any user of this machine can connect.
python3 - "${host#*:}" jar "$page/" >got 2>&1 <<'END'
import socket, subprocess, sys, threading, time
port, jar, page = sys.argv[1:]
def drip(s):
    try:
        s.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        while True:
            time.sleep(0.5)
            s.sendall(b"a")
    except OSError:
        pass
for i in range(200):
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(("127.0.0.1", int(port)))
    except OSError:
        continue
    threading.Thread(target=drip, args=(s,), daemon=True).start()
time.sleep(1)
print("page:", subprocess.run(["curl", "-s", "-m", "60", "-o", "/dev/null", "-w", "%{http_code}", "-b", jar, page], stdout=subprocess.PIPE, text=True).stdout)
END
grep -q 'page: 200' got && goes_on
report $? "200 connections that send a byte now and then keep nobody off the page"

# ---- Orders
tell pause && sleep 1.5 && from=$(tests_now) && sleep 1.5 && [ "$(tests_now)" = "$from" ]
report $? "pause: no test more"
tell resume && goes_on
report $? "go on: some more"
server=$(ps -o pid=,args= --ppid "$program" | awk '/sonde serve/ { print $1 }')
kill -STOP "$server"
sleep 2.5
# Processor time of the workers, in ticks.
used() { for p in $(ps -o pid= --ppid "$program"); do cut -d ' ' -f 14 "/proc/$p/stat"; done | sort -n | tail -n 1; }
workers=$(used) i=0
while [ "$(used)" = "$workers" ] && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
[ "$(used)" != "$workers" ]
report $? "a server that stands still holds nobody up"
kill -CONT "$server"
goes_on && tell stop
wait $run
[ $? = 130 ] && grep -q '^INTERRUPTED' out
report $? "stop: as Ctrl-C"

begin
server=$(ps -o pid=,args= --ppid "$program" | awk '/sonde serve/ { print $1 }')
kill -KILL "$server"
i=0
while ! grep -q 'the server has exited' err && [ $i -lt 200 ]; do sleep 0.1; i=$((i + 1)); done
grep -q 'the server has exited; the run continues without it' err && kill -0 "$program"
report $? "a server that is killed: the run goes on, and says so"
kill -INT "$program"
wait $run
[ $? = 130 ]
report $? "and ends in good order"

# ---- A worker of a fleet
NAP=1 "$test" --filter sums --seed 2 --tests 0 --time 0 --no-store --share "dir:$PWD/place" >out2 2>err2 </dev/null &
other=$!
begin --share "dir:$PWD/place"
i=0
while ! curl -s -b jar "$page/data" >got || ! grep -q '"fleet": {"n": 2, "ended": 0, "cases": [1-9]' got && [ $i -lt 300 ]; do sleep 0.2; i=$((i + 1)); done
python3 -c 'import json; f = json.load(open("got"))["properties"][0]["fleet"]; w = f["workers"]; assert len({x["worker"] for x in w}) == f["n"] == 2 and f["ended"] == 0 and 0 < f["cases"] == sum(x["cases"] for x in w) and all(x["age"] < 31 for x in w), f' 2>log
report $? "the page of a worker has the whole fleet: each worker with its cases, and when it was last seen"
curl -s -L -b jar -o fleet.html "$page/"
if command -v node >/dev/null; then
    grep -q '"fleet": {"n": 2, ' fleet.html && node "$SRC/tests/lib/page.mjs" fleet.html >log 2>&1
    report $? "and shows it"
fi
kill -INT "$program" $other
wait $run
wait $other

# ---- Without a server
SONDE_TOOL=/nonexistent "$test" --serve --no-store >out 2>err
[ $? = 2 ] && grep -q 'is not in PATH' err && [ ! -s out ]
report $? "without the tool: a sentence, and no case is run"
printf '#!/bin/sh\nexit 3\n' >broken && chmod +x broken
SONDE_TOOL=./broken "$test" --serve --no-store >out 2>err
[ $? = 2 ] && grep -q 'could not be started' err && [ ! -s out ]
report $? "with a tool that cannot: the same"
"$test" --serve=70000 --no-store >out 2>err
[ $? = 2 ] && grep -q 'from 0 to 65535' err
report $? "with a port that is none: the same"

# ---- Several properties
"$test" --seed 1 --tests 30000 --no-store --serve >out 2>err </dev/null &
run=$!
i=0
while ! grep -q 'http://' err && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
url=$(grep -o 'http://[^ ]*' err)
host=${url#http://} host=${host%%/*}
page=$(curl -s -L -c jar -o page.html -w '%{url_effective}' "$url") page=${page%/}
curl -s -N -b jar -m 60 "$page/events" >got
wait $run
[ $? = 0 ] && tail -n 20 got | grep '^data: {' | tail -n 1 | grep -q '"property": "sums".*"property": "products"' && grep -q '^data: ended' got
report $? "two properties: both are in the last data, and the page is told of the end"
echo "1..$n"
