"""Runs a program on a terminal, closes the terminal once a text has appeared, and prints how the program ended."""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios

job = json.load(sys.stdin)
master, slave = os.openpty()


def prepare():
    os.setsid()
    if job["controlling"]:
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    if job["ignoring"]:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)


program = subprocess.Popen(
    job["command"], stdin=slave, stdout=slave, stderr=slave, env=job["environment"], preexec_fn=prepare
)
os.close(slave)
screen = b""
while job["await"].encode() not in screen:
    select.select([master], [], [])
    screen += os.read(master, 65536)
os.close(master)
print(program.wait())
