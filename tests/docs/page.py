"""Splits a page of the book into blocks, each with the comments before it that say how to test it.

    <!-- not run: WHY -->      the block is shown, but no test runs it
    <!-- first: COMMAND -->    run before the block, hidden from the reader; may be repeated
    <!-- exits: N... -->       exit codes other than 0 with which commands of the block end
    <!-- needs: PROGRAM... --> the block is not run if one of these is missing
    <!-- env: NAME=VALUE -->   a variable for the block's commands; $NAME in it is expanded from
                               their other variables; may be repeated
    <!-- prints -->            each line of the block is in the output of the block before it
"""
import json
import re
import subprocess

WORDS = ("not run", "first", "exits", "needs", "env", "prints")
COMMENT = re.compile(r"<!-- ([a-z ]+?)(?:: (.*))? -->$")
FENCE = re.compile(r"```([a-z]*)$")
HERE_DOCUMENT = re.compile(r"<<-?\s*'?([A-Z]+)'?")


class PageError(Exception):
    """The page is invalid; the message says where."""


class Block:
    def __init__(self, kind, line, says):
        self.kind = kind  # the word after the fence: sh, text, json, ...
        self.line = line  # line number of the fence
        self.says = says  # comment -> list of its texts
        self.text = ""

    def one(self, word):
        """Returns the text of the comment with this word, or None."""
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
    """Returns the value of a JSON block: a text, or members of an object. Lines may be comments."""
    text = "".join(line for line in block.text.splitlines(True) if not line.lstrip().startswith("//"))
    for whole in (text, "{" + text + "}"):
        try:
            return json.loads(whole)
        except ValueError:
            continue
    raise PageError(f"line {block.line}: this is not JSON")


def is_whole(command):
    """Returns whether the command is complete: no open quote, here-document or continued line."""
    lines = command.splitlines()
    if lines[-1].endswith("\\"):
        return False
    here = HERE_DOCUMENT.search(lines[0])
    if here and here.group(1) not in lines[1:]:
        return False
    return subprocess.run(["sh", "-n"], input=command, text=True, capture_output=True,
                          check=False).returncode == 0


def split_commands(text):
    """Splits a block into commands, each of which a reader would type and submit at once."""
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
