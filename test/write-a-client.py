"""Says sentences to Passepartout and prints what comes back."""

import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import sys


def connected():
    """A socket to the daemon, and the token where one is asked for."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    folder = os.path.join(state, "passepartout")
    with open(os.path.join(folder, "daemon.json"), encoding="utf-8") as file:
        place = json.load(file)
    if place.get("socket") and "--port" not in sys.argv:
        wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        wire.connect(place["socket"])
        return wire, None
    wire = socket.create_connection(("127.0.0.1", place["port"]))
    with open(os.path.join(folder, "token"), encoding="utf-8") as file:
        return wire, file.read().strip()

class Wire:
    """Messages over a socket, as dictionaries."""

    def __init__(self, wire):
        self.reader = wire.makefile("r", encoding="utf-8", newline="")
        self.writer = wire.makefile("w", encoding="utf-8", newline="")

    def read(self):
        """The next message; None when the daemon has gone."""
        header = self.reader.read(6)
        return read_list(self.reader.read(int(header, 16))) if len(header) == 6 else None

    def send(self, kind, payload, **meta):
        message = show({"type": Keyword(kind), "meta": meta, "payload": payload})
        self.writer.write(f"{len(message):06X}{message}")
        self.writer.flush()

class Keyword(str):
    """A name that is written with a colon."""


TOKEN = re.compile(r'\s*(?:([()])|"((?:[^"\\]|\\.)*)"|(:?\|[^|]*\||[^\s()"]+))', re.DOTALL)


def read_list(text):
    """The value that is written in a text."""
    stack = [[]]
    for mark, string, word in TOKEN.findall(text):
        if mark == "(":
            stack.append([])
        elif mark == ")":
            done = stack.pop()
            stack[-1].append(as_object(done))
        elif word:
            stack[-1].append(as_atom(word))
        else:
            stack[-1].append(re.sub(r"\\(.)", r"\1", string, flags=re.DOTALL))
    return stack[0][0]


def as_object(values):
    keys = values[::2]
    if not values or len(values) % 2 or not all(isinstance(key, Keyword) for key in keys):
        return values or None
    pairs = list(zip(keys, values[1::2]))
    return dict(reversed(pairs))


def as_atom(word):
    if word.startswith(":"):
        return Keyword(word[1:].strip("|").lower())
    if word in ("T", "NIL"):
        return word == "T" or None
    return float(word.lower().replace("d", "e"))


def show(value):
    """A value as it is written."""
    if value is None or value is True:
        return "T" if value else "NIL"
    if isinstance(value, dict):
        return "(" + " ".join(f":{key.upper()} {show(part)}" for key, part in value.items()) + ")"
    if isinstance(value, list):
        return "(" + " ".join(show(part) for part in value) + ")"
    if isinstance(value, Keyword):
        return f":{value.upper()}"
    if isinstance(value, str):
        escaped = re.sub(r'(["\\])', r"\\\1", value)
        return f'"{escaped}"'
    return str(value)

def proof(token, text):
    return hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest()


def introduce(wire, token):
    """Lets the daemon know us, and makes sure that it is the daemon."""
    nonce = wire.read()["payload"]["nonce"]
    mine = secrets.token_hex(16)
    payload = {"action": Keyword("authenticate"), "capabilities": ["stream-chunk"]}
    if token is not None:
        payload |= {"proof": proof(token, nonce), "nonce": mine}
    wire.send("request", payload, source=Keyword("small-client"))
    answer = wire.read()["payload"]
    if answer["action"] != "authenticated":
        raise SystemExit(answer["text"])
    if token is not None and answer.get("proof") != proof(token, f"daemon:{nonce}:{mine}"):
        raise SystemExit("This is not the daemon.")

def say(wire, turn, sentence):
    """Says one sentence, and prints what is answered until its turn is over."""
    wire.send("event", {"sensor": Keyword("user-input"), "text": sentence}, turn=turn)
    while (message := wire.read()) is not None:
        kind, payload = message["type"], message["payload"]
        if kind == "stream-chunk":
            print(payload.get("text", ""), end="" if payload.get("text") else "\n", flush=True)
        elif kind == "response" and not payload.get("streamed"):
            print(payload["text"])
        elif payload.get("action") in ("notice", "error"):
            print(payload["text"], file=sys.stderr)
        elif payload.get("action") == "turn-end" and message["meta"].get("turn") == turn:
            return
    raise SystemExit("The daemon went away.")


if __name__ == "__main__":
    connection, secret = connected()
    wire = Wire(connection)
    introduce(wire, secret)
    sentences = [word for word in sys.argv[1:] if word != "--port"]
    for number, sentence in enumerate(sentences):
        say(wire, f"turn-{number}", sentence)
