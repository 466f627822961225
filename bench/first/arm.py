"""One search by Hypothesis: arm.py LIBRARY SEED LIMIT. The subject is C (callbacks.c); Hypothesis answers its draws, lists by the loop that `st.lists` has. Prints JSON: found (the case), size (draws of the
reported example), calls (executions, shrinking included). Before each case it writes the case's number (once the fault is met: of the case that met it)
to file 3, if that is open: a crash ends this process."""
import ctypes, json, os, sys

import hypothesis
from hypothesis import HealthCheck, Phase, strategies as st
from hypothesis.internal.conjecture.utils import many

path, seed, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
library = ctypes.CDLL(os.path.abspath(path))
INT, BOOL, PICK, LIST, MORE = range(5)
PASSED, FAILED, DISCARDED, LEFT = range(4)
LEAVE = -(2**63)
strategies = {}
now = {}  # data, lists, error and draws of the case
total = {"calls": 0, "found": None, "size": None}


def strategy(key, make):
    if key not in strategies:
        strategies[key] = make()
    return strategies[key]


def guarded(wrong):
    def wrap(function):
        def inner(*arguments):
            try:
                return function(*arguments)
            except BaseException as error:  # it must not pass through C
                now["error"] = error
                return wrong
        return inner
    return wrap


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
@guarded(LEAVE)
def draw(what, lo, hi):
    data = now["data"]
    if what == MORE:
        return int(now["lists"][lo].more())
    now["draws"] += 1
    if what == LIST:
        now["lists"].append(many(data, min_size=lo, max_size=hi, average_size=min(max(lo * 2, lo + 5), 0.5 * (lo + hi))))
        return len(now["lists"]) - 1
    if what == BOOL:
        return int(data.draw(strategy("bool", st.booleans)))
    return data.draw(strategy((lo, hi), lambda: st.integers(lo, hi)))


@ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.POINTER(ctypes.c_uint8), ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t)
@guarded(2**64 - 1)
def fill(out, alphabet, lo, hi):
    now["draws"] += 2  # as sonde counts: a length and the contents
    if alphabet is None:
        value = now["data"].draw(strategy((lo, hi, None), lambda: st.binary(min_size=lo, max_size=hi)))
    else:
        symbols = alphabet.decode("latin-1")
        value = now["data"].draw(strategy((lo, hi, symbols), lambda: st.text(st.sampled_from(symbols), min_size=lo, max_size=hi))).encode("latin-1")
    ctypes.memmove(out, value + b"\0", len(value) + 1)
    return len(value)


def say():
    try:
        os.pwrite(3, b"%-20d" % (total["found"] or total["calls"]), 0)
    except OSError:
        pass


def finish():
    print(json.dumps(total), flush=True)
    os._exit(0)


@hypothesis.seed(seed)
@hypothesis.settings(max_examples=limit, deadline=None, database=None, print_blob=False, phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck))
@hypothesis.given(st.data())
def search(data):
    now.update(data=data.conjecture_data, lists=[], error=None, draws=0)
    if total["calls"] == limit and total["found"] is None:
        finish()
    total["calls"] += 1
    say()
    verdict = library.first_run(draw, fill)
    if verdict == LEFT:
        raise now["error"]
    if verdict == DISCARDED:
        hypothesis.reject()
    if verdict == FAILED:
        total["found"] = total["found"] or total["calls"]
        total["size"] = now["draws"]
        raise AssertionError


try:
    search()
except BaseException as error:
    if total["found"] is None and not isinstance(error, hypothesis.errors.Unsatisfiable):
        raise
finish()
