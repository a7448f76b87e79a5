"""Takes the comments out of C++ and CUDA.

Guarantees
  - Strings, raw strings, character literals, separators of digits and `#include <...>` stay as they are, whatever they
    hold; a backslash at the end of a line continues a comment and a literal.
  - A line of which only a comment is taken goes as a whole, other lines lose the blanks before the comment: adding,
    changing or removing a comment changes nothing of the result.
"""

import re

# The first match of what may hide a comment or be one. Each alternative starts with a character that is rare in code, so
# that the search skips the rest; what may stand before it is asked behind it.
TOKEN = re.compile(
    r"""
    R(?:(?<!\wR)|(?<=\b[uUL]R)|(?<=\bu8R))"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)"  # raw string
    | "(?:\\.|[^"\\\n])*"
    | '(?:\\.|[^'\\\n])*'
    | \d(?<!\w\d)(?:'?[\w.])*                       # a number: the quotes in it open no literal
    | \#[ \t]*include[ \t]*<[^>\n]*>
    | (?P<comment>/(?:\\\n)*/(?:\\\n|[^\n])* | /(?:\\\n)*\*.*?(?:\*(?:\\\n)*/|\Z))
    """, re.VERBOSE | re.DOTALL)
# Where a comment was; emitted text holds no NUL.
MARK = "\0"


def without_comments(source):
    marked = TOKEN.sub(lambda match: MARK if match["comment"] else match[0], source)
    lines = []
    for line in marked.split("\n"):
        if MARK in line:
            line = line.replace(MARK, " ").rstrip()
            if not line:
                continue
        lines.append(line)
    return "\n".join(lines)
