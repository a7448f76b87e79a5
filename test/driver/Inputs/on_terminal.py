"""Runs a command whose standard error is a terminal, gives it a program after 1.3 s, and prints what it wrote.

A line that went away is shown as <clear>: a return, blanks over the line, a return."""
import os
import pty
import re
import subprocess
import sys
import time

ours, theirs = pty.openpty()
environment = {name: value for name, value in os.environ.items() if name not in ("CI", "TERM")}
for word in list(sys.argv[1:]):
    if "=" not in word:
        break
    name, _, value = sys.argv.pop(1).partition("=")
    environment[name] = value
command = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment)
os.close(theirs)
time.sleep(1.3)
product, _ = command.communicate("func @f() {\n  return\n}\n")
said = b""
try:
    while piece := os.read(ours, 4096):
        said += piece
except OSError:  # how the end of a terminal shows
    pass
print(re.sub(r"\r +\r", "<clear>", said.decode()).replace("\r", "<return>"))
print(product)
