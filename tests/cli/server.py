"""Servers that a fleet may meet and that are no Redis: server.py KIND PORTFILE. Each request is answered as the kind says."""
import os
import socket
import sys
import threading
import time

kind, port_file = sys.argv[1:]


def answer(c):
    if kind == "silent":
        return
    if kind == "drip":
        for byte in b"+OK":
            c.sendall(bytes([byte]))
            time.sleep(2)
    elif kind == "endless":  # a line without an end
        while True:
            c.sendall(b"+" + b"A" * 65536)
    elif kind == "hugebulk":
        c.sendall(b"$536870912\r\n")
        for _ in range(512):
            c.sendall(b"A" * (1 << 20))
    elif kind == "hugearray":
        c.sendall(b"*100000000\r\n" + b":1\r\n" * 100000)
    elif kind == "nest":
        c.sendall(b"*1\r\n" * 100000 + b":1\r\n")
    elif kind == "garbage":
        c.sendall(os.urandom(200))
    elif kind == "status":
        c.sendall(b"+OK\r\n")
    elif kind == "error":
        c.sendall(b"-ERR \x1b[31mevil\x1b]0;x\x07 " + b"B" * 5000 + b"\r\n")


# What a client that believes in the types of answers would trip over.
wrong = [b":7\r\n", b"$-1\r\n", b"*-1\r\n", b"*0\r\n", b"*2\r\n:1\r\n:2\r\n", b"*2\r\n$-1\r\n*1\r\n:5\r\n",
         b"*2\r\n:9\r\n*2\r\n*2\r\n:1\r\n*0\r\n*2\r\n$3\r\n0-0\r\n*1\r\n$1\r\nn\r\n", b"$0\r\n\r\n"]


def serve(c):
    n = 0
    try:
        while True:
            got = c.recv(65536)
            if not got:
                return
            for _ in range(max(1, got.count(b"\r\n*") + got.startswith(b"*"))):
                n += 1
                if kind == "types":
                    # Past the greeting, any type for any question.
                    c.sendall(b"+PONG\r\n" if n <= 2 else b"$1\r\n1\r\n" if n <= 5 else wrong[n % len(wrong)])
                elif kind == "cursor":
                    # A scan that never ends.
                    c.sendall(b"+PONG\r\n" if n <= 2 else b"$1\r\n1\r\n" if n <= 5
                              else b"*2\r\n$1\r\n7\r\n*1\r\n$3\r\na/b\r\n")
                else:
                    answer(c)
    except OSError:
        pass


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(50)
with open(port_file + ".new", "w") as f:
    f.write(str(listener.getsockname()[1]))
os.rename(port_file + ".new", port_file)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
