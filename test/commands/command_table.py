"""The commands of the driver and their flags, as its help lists them: what is there is tested, whatever is added."""
import dataclasses
import re
import subprocess

# Where the text of a flag begins in its help.
COLUMN = 36


@dataclasses.dataclass
class Flag:
    name: str  # `--output`; of a word without a flag its name
    short: str = ""
    value: str = ""  # `FILE`, `text|json`; nothing for a switch
    excludes: tuple = ()
    group: str = ""
    text: str = ""

    @property
    def positional(self):
        return not self.name.startswith("-")

    def choices(self):
        """The words that it takes, where these are few."""
        return self.value.split("|") if re.fullmatch(r"[a-z0-9_-]+(\|[a-z0-9_-]+)+", self.value) else []


class Commands:
    """`names` are lists of words: ["opt"], …, ["explain", "memory"], …"""

    def __init__(self, mlgc):
        self.mlgc = mlgc
        listed = re.compile(r"^  ([a-z-]+)  +\S", re.MULTILINE)
        section = lambda text, head: text.split(f"\n{head}:\n")[1].split("\n\n")[0]
        tops = listed.findall(section(self.output("--help"), "Commands"))
        subjects = listed.findall(section(self.output("explain", "--help"), "Subjects"))
        self.names = [[name] for name in tops if name != "explain"] + [["explain", name] for name in subjects]

    def output(self, *words):
        return subprocess.run([self.mlgc, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout

    def flags(self, name):
        """Of the command, in the order of its help. Lines that begin at the margin are headings."""
        flags, group, open_flag = [], "", None
        for line in self.output(*name, "--help").splitlines():
            if line.startswith(("Examples:", "Exit codes:")):
                break
            if not line.startswith("  "):
                group, open_flag = line.rstrip(":"), None
            elif not line.startswith("   "):
                head, text = re.fullmatch(r"  (\S.*?)(?:  +(\S.*)| (?=(\S.*)))?", self.split_at_column(line)).group(1, 2)
                open_flag = self.flag_of(head.strip(), group)
                open_flag.text = text or ""
                flags.append(open_flag)
            elif open_flag is not None:
                open_flag.text = (open_flag.text + " " + line.strip()).strip()
        return flags

    @staticmethod
    def split_at_column(line):
        """With two blanks between a name that just fits and its text."""
        if " Excludes: " in line[:COLUMN] and line[COLUMN:].startswith("--"):
            return line  # a list that goes on
        width = 0
        for at, letter in enumerate(line):
            if width == COLUMN and line[at - 1] == " ":
                return line[:at] + " " + line[at:]
            width += len(letter)
        return line

    @staticmethod
    def flag_of(head, group):
        head, _, excludes = head.partition(" Excludes: ")
        head = head.split(" Needs: ")[0]
        names, _, value = head.partition(" ")
        names = names.split(",")
        return Flag(names[-1] if names[-1].startswith("--") else names[0], names[0] if names[0] != names[-1] else "", value,
                    tuple(excludes.split()), group)
