"""Runs a program on a terminal of 120x40 for some seconds, and prints as JSON what it wrote and used, then what it left."""

import fcntl
import json
import os
import select
import struct
import subprocess
import sys
import termios
import time

job = json.load(sys.stdin)
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))


def take_terminal():
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


program = subprocess.Popen(
    job["command"], stdin=slave, stdout=slave, stderr=slave, env=job["environment"], preexec_fn=take_terminal
)
os.close(slave)
UPDATE = b"\x1b[?2026h"
counted = {"bytes": 0, "updates": 0, "largest": 0}
tail = b""


def read_until(moment):
    global tail
    while time.monotonic() < moment and program.poll() is None:
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:
            # the program has closed its terminal
            program.wait()
            return
        counted["bytes"] += len(piece)
        counted["updates"] += piece.count(UPDATE)
        tail = (tail + piece)[-8192:]


def used():
    with open(f"/proc/{program.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{program.pid}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), memory / 1024


start = time.monotonic()
read_until(start + job["warmUp"])
before = dict(counted)
cpu, memory = used()
begin = time.monotonic()
samples = []
while time.monotonic() < start + job["warmUp"] + job["seconds"] and program.poll() is None:
    read_until(time.monotonic() + job["seconds"] / 20)
    if program.poll() is None:
        samples.append(used()[1])
cpu_end = used()[0] if program.poll() is None else cpu
seconds = time.monotonic() - begin
if program.poll() is None:
    os.write(master, b"q")
    read_until(time.monotonic() + 10)
updates = counted["updates"] - before["updates"]
json.dump(
    {
        "status": program.wait() if program.poll() is not None else "it did not end",
        "updatesPerSecond": updates / seconds,
        "bytesPerUpdate": (counted["bytes"] - before["bytes"]) / max(1, updates),
        "cpuPercent": (cpu_end - cpu) / seconds * 100,
        "memoryMiB": [memory, *samples],
        "tail": tail.decode("utf8", "replace")[-600:],
    },
    sys.stdout,
)
