#!/usr/bin/env python3
"""Parse strings of a grammar: parsed.py toml|address|http FILE. The file has a length in a line before each string. Prints how many were
accepted, and the first that was refused for a reason that the grammar cannot know."""
import email.policy
import http.server
import io
import sys
import tomllib
from email import _header_value_parser as addresses


def toml(text):
    try:
        tomllib.loads(text.decode())
    except tomllib.TOMLDecodeError as error:
        # A grammar without memory cannot keep keys apart.
        known = ("Cannot overwrite", "Cannot declare", "Duplicate", "Cannot mutate", "Cannot redefine")
        return None if str(error).startswith(known) else str(error)
    return ""


def address(text):
    found, rest = addresses.get_address_list(text.decode())
    if rest:
        return "there is more: " + rest[:40]
    defects = {str(defect) for defect in found.all_defects}
    # RFC 6532 allows them; Python calls them a defect, since not every server takes them.
    known = {"local-part contains non-ASCII characters)"}
    return None if defects and defects <= known else "; ".join(defects)


class Handler(http.server.BaseHTTPRequestHandler):
    def __init__(self, text):
        self.rfile, self.wfile, self.error = io.BytesIO(text), io.BytesIO(), ""
        self.client_address = ("", 0)
        self.raw_requestline = self.rfile.readline()
        if not self.parse_request() and not self.error:
            self.error = "refused"

    def send_error(self, code, message=None, explain=None):
        self.error = f"{code} {message}"


def request(text):
    return Handler(text).error


def main():
    parse = {"toml": toml, "address": address, "http": request}[sys.argv[1]]
    data = open(sys.argv[2], "rb").read()
    at, accepted, known, refused = 0, 0, 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        n = int(data[at:end])
        text = data[end + 1:end + 1 + n]
        at = end + 1 + n
        error = parse(text)
        accepted += error == ""
        known += error is None
        if error:
            refused.append((len(text), text, error))
    print(f"{accepted} accepted, {known} refused for reasons beyond a grammar, {len(refused)} refused")
    if refused:
        print(min(refused))
    return 1 if refused else 0


sys.exit(main())
