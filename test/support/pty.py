"""Runs a program on a terminal of its own. Reads what to do as JSON from stdin, prints what happened as JSON."""

import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

job = json.load(sys.stdin)
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", job["rows"], job["columns"], 0, 0))


def take_terminal():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


program = subprocess.Popen(
    job["command"],
    stdin=slave if job["stdin"] == "terminal" else subprocess.DEVNULL,
    stdout=subprocess.PIPE if job["stdout"] == "pipe" else slave,
    stderr=slave,
    env=job["environment"],
    preexec_fn=take_terminal,
)
os.set_blocking(master, False)
deadline = time.monotonic() + job["seconds"]
screen = b""


def read_some(wait):
    """Whether something came in that time; False also where the terminal has ended."""
    global screen
    if not select.select([master], [], [], wait)[0]:
        return False
    try:
        piece = os.read(master, 65536)
    except OSError:
        return False
    screen += piece
    return piece != b""


def type_keys(keys):
    """Reads meanwhile what comes: a program that nobody reads from reads nothing either."""
    while keys and time.monotonic() < deadline:
        read_some(0)
        if select.select([], [master], [], 0.05)[1]:
            keys = keys[os.write(master, keys[:4096]) :]


seen = 0
for step in job["steps"]:
    awaited = re.compile(step.get("pattern", re.escape(step.get("await", ""))).encode())
    while not awaited.search(screen, seen) and program.poll() is None and time.monotonic() < deadline:
        read_some(0.05)
    # what came with it in one piece may be what the next step awaits
    found = awaited.search(screen, seen)
    seen = found.end() if found else len(screen)
    if "resize" in step:
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", job["rows"], step["resize"], 0, 0))
    if "rename" in step:
        os.rename(*step["rename"])
    type_keys(step.get("type", "").encode())
    if "signal" in step:
        program.send_signal(signal.Signals[step["signal"]])
while program.poll() is None and time.monotonic() < deadline:
    read_some(0.05)
late = program.poll() is None
if late:
    program.kill()
piped = program.stdout.read().decode() if program.stdout else ""
modes = termios.tcgetattr(slave)[3]
# a read gives 4 KiB at most, and a program may leave more than that behind; without a holder the terminal says when it ends
os.close(slave)
while read_some(2):
    pass
json.dump(
    {
        "screen": screen.decode("utf8", "replace"),
        "piped": piped,
        "status": program.wait(),
        "late": late,
        "echoes": bool(modes & termios.ECHO and modes & termios.ICANON),
    },
    sys.stdout,
)
