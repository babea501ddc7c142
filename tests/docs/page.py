"""A page of the book as the blocks in it, with what comments before a block say of it.

    <!-- not run: WHY -->      the block is shown, and no test runs it
    <!-- first: COMMAND -->    run before the block, unseen by a reader; may stand several times
    <!-- exits: N... -->       the exit codes other than 0 that commands of the block end with
    <!-- needs: PROGRAM... --> the block is not run where one of these is missing
    <!-- env: NAME=VALUE -->   a variable of the block's commands; $NAME in it is taken from those that
                               they have anyway; may stand several times
    <!-- prints -->            each line of the block stands in what the block before it printed
"""
import json
import re
import subprocess

WORDS = ("not run", "first", "exits", "needs", "env", "prints")
COMMENT = re.compile(r"<!-- ([a-z ]+?)(?:: (.*))? -->$")
FENCE = re.compile(r"```([a-z]*)$")
HERE_DOCUMENT = re.compile(r"<<-?\s*'?([A-Z]+)'?")


class PageError(Exception):
    """The page is not as it has to be; the words say where."""


class Block:
    def __init__(self, kind, line, says):
        self.kind = kind  # the word behind the fence: sh, text, json, ...
        self.line = line  # of the fence
        self.says = says  # comment -> list of their texts
        self.text = ""

    def one(self, word):
        """The text of the comment of this word, None without one."""
        return self.says[word][0] if word in self.says else None


def read_blocks(path):
    blocks, says, block = [], {}, None
    with open(path, encoding="utf-8") as page:
        for number, line in enumerate(page, 1):
            text = line.rstrip("\n")
            if block:
                if text == "```":
                    blocks.append(block)
                    block = None
                else:
                    block.text += line
                continue
            fence, comment = FENCE.match(text), COMMENT.match(text)
            if fence:
                block = Block(fence.group(1), number, says)
                says = {}
            elif comment:
                if comment.group(1) not in WORDS:
                    raise PageError(f"{path}:{number}: no comment begins with '{comment.group(1)}'")
                says.setdefault(comment.group(1), []).append(comment.group(2) or "")
            elif text and says:
                raise PageError(f"{path}:{number}: a comment above belongs to no block")
    if block:
        raise PageError(f"{path}:{block.line}: the block does not end")
    return blocks


def read_json(block):
    """The value of a json block: a text, or members of an object; lines may be comments."""
    text = "".join(line for line in block.text.splitlines(True) if not line.lstrip().startswith("//"))
    for whole in (text, "{" + text + "}"):
        try:
            return json.loads(whole)
        except ValueError:
            continue
    raise PageError(f"line {block.line}: this is not JSON")


def is_whole(command):
    """Is nothing open in it: no quote, no here-document, no line that goes on?"""
    lines = command.splitlines()
    if lines[-1].endswith("\\"):
        return False
    here = HERE_DOCUMENT.search(lines[0])
    if here and here.group(1) not in lines[1:]:
        return False
    return subprocess.run(["sh", "-n"], input=command, text=True, capture_output=True,
                          check=False).returncode == 0


def split_commands(text):
    """The commands of a block, one for each line that a reader would type and send off."""
    commands, open_lines = [], []
    for line in text.splitlines():
        if not open_lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        open_lines.append(line)
        if is_whole("\n".join(open_lines)):
            commands.append("\n".join(open_lines))
            open_lines = []
    if open_lines:
        raise PageError(f"this command does not end: {open_lines[0]}")
    return commands
