#!/usr/bin/env python3
"""A flag is the same flag in every command: its short form, the kind and form of its value, its heading in the help, and what
its help says up to the first stop; what a command makes of it may follow."""
import argparse
import re
import sys

from command_table import Commands

# Flags that are two different ones. No further ones: another flag gets another name.
TWO_MEANINGS = {
    "--seed": "of grad: a switch, which makes cotangents arguments",
    "--explain": "of grad: a switch, which says what is kept; of opt: a value to explain",
    "--list": "of explain error: every kind of diagnostic; of run: what a model has, in place of a run",
    "--keep": "of grad: a switch; of reduce: the failure that stays",
    "--form": "of emit: source, PTX or machine code; of commands that print a module: its syntax",
}
# What is written, or read, has a form of its own in each command.
PLACES = ({"FILE", "FOLDER", "MODEL", "TARGET"}, {"BACKEND", "cpp"})
# What --config calls `module` everywhere; these read other files alone.
OTHER_FILES = {"import", "explain import"}


def head(text):
    return re.split(r"[.:;,(]", text, maxsplit=1)[0].strip()


def forms_agree(one, other):
    """Equal, or one is a list of what the other is, or takes more words than the other."""
    one, other = (form.rstrip("….").rstrip(",") for form in (one, other))
    if one == other or any({one, other} <= places for places in PLACES):
        return True
    if not one or not other:
        return False
    words, others = set(one.split("|")), set(other.split("|"))
    return len(words) > 1 and (words <= others or others <= words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlgc", required=True)
    options = parser.parse_args()
    commands = Commands(options.mlgc)
    failures, known, order = 0, {}, []

    def fail(what):
        nonlocal failures
        failures += 1
        print(what)

    for name in commands.names:
        command, groups = " ".join(name), []
        for flag in commands.flags(name):
            if flag.positional and command in OTHER_FILES:
                continue
            if flag.group not in groups:
                groups.append(flag.group)
            if not flag.text:
                fail(f"mlgc {command}: {flag.name} has no help")
            key = flag.name
            if key not in known:
                known[key] = (command, flag)
                continue
            first, other = known[key]
            for what, ours, theirs in (("short form", flag.short, other.short), ("heading", flag.group, other.group)):
                if ours != theirs:
                    fail(f"{key}: its {what} is `{ours}` in mlgc {command} and `{theirs}` in mlgc {first}")
            if key in TWO_MEANINGS or (flag.positional and key not in ("module",)):
                continue
            if not forms_agree(flag.value, other.value):
                fail(f"{key}: its value is {flag.value} in mlgc {command} and {other.value} in mlgc {first}")
            if head(flag.text) != head(other.text):
                fail(f"{key}: mlgc {command} calls it `{head(flag.text)}`, mlgc {first} `{head(other.text)}`")
        order.append(groups)
    for groups in order:
        longest = max(order, key=len)
        if [group for group in longest if group in groups] != [group for group in groups if group in longest]:
            fail(f"headings in another order: {groups}, {longest}")
    for key in TWO_MEANINGS:
        if key not in known:
            fail(f"{key}: no command has it, and the table of this test says that it has two meanings")
    print(f"flags_test: {len(commands.names)} commands, {len(known)} flags")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
