"""Makes the mutants of a C file for scripts/mutate: each is one small change.

Works on tokens, not on a syntax tree: a change that is not valid C does not compile, and is not
counted. Mutants are in the order of the source text.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""
    (?P<skip>\s+|/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[0-9a-zA-Z_.])*)
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<op>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

COMPARISONS = {
    "==": ["!="],
    "!=": ["=="],
    "<": ["<=", ">="],
    "<=": ["<", ">"],
    ">": [">=", "<="],
    ">=": [">", "<"],
    "&&": ["||"],
    "||": ["&&"],
    "++": ["--"],
    "--": ["++"],
    "+=": ["-="],
    "-=": ["+="],
    "*=": ["/="],
    "/=": ["*="],
    "|=": ["&="],
    "&=": ["|="],
    "<<": [">>"],
    ">>": ["<<"],
    "/": ["*"],
    "%": ["*"],
    "^": ["&"],
    "|": ["&"],
}
# Only between two values: unary ones are a sign, a pointer or an address.
BETWEEN_VALUES = {"+": ["-"], "-": ["+"], "*": ["/"], "&": ["|"]}

KEYWORDS = set(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register return short signed sizeof static struct switch typedef union unsigned
    void volatile while bool _Bool""".split()
)
TYPE_WORDS = set(
    """auto char const double enum extern float inline int long register short signed static struct
    typedef union unsigned void volatile bool""".split()
)
SKIPPED_CALLS = {"assert", "static_assert", "_Static_assert"}
# Calls that only free memory: the address sanitizer notices if they are missing, not a test of
# rules.
FREEING = re.compile(r"^(free|\w+_(done|free|clear))$")

OPENING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


@dataclass(frozen=True)
class Mutant:
    """Replaces text[start:end] with `new`."""

    file: str
    function: str  # "" = outside of functions
    line: int
    code: str  # the changed line, without its indentation
    nth: int  # index among identical changes in identical lines of the function
    start: int
    end: int
    old: str
    new: str

    @property
    def change(self):
        nth = f" ({self.nth})" if self.nth > 1 else ""
        return f"{shorten(self.old)} -> {shorten(self.new) or 'nothing'}{nth}"

    def apply(self, text):
        lost_lines = text.count("\n", self.start, self.end) - self.new.count("\n")
        return text[: self.start] + self.new + "\n" * max(lost_lines, 0) + text[self.end :]


def shorten(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def tokenize(text):
    """Returns the relevant tokens, without assertions."""
    tokens = [
        Token(m.lastgroup, m.group(), m.start())
        for m in TOKEN.finditer(text)
        if m.lastgroup not in ("skip", "directive")
    ]
    kept, i = [], 0
    while i < len(tokens):
        if tokens[i].text in SKIPPED_CALLS and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            i = closing(tokens, i + 1) + 1
        else:
            kept.append(tokens[i])
            i += 1
    return kept


def closing(tokens, at):
    """Returns the index of the bracket that closes the one at this index."""
    stack = []
    for i in range(at, len(tokens)):
        text = tokens[i].text if tokens[i].kind == "op" else ""
        if text in OPENING:
            stack.append(OPENING[text])
        elif stack and text == stack[-1]:
            stack.pop()
            if not stack:
                return i
    return len(tokens) - 1


def end_of_part(tokens, at, stops):
    """Returns the index of the first of these operators that is not inside brackets."""
    i = at
    while i < len(tokens):
        text = tokens[i].text if tokens[i].kind == "op" else ""
        if text in stops or text in (")", "]", "}"):
            return i
        i = closing(tokens, i) + 1 if text in OPENING else i + 1
    return i


@dataclass(frozen=True)
class Function:
    name: str
    kind: str  # bool, number, pointer, void, other
    first: int  # index of its `{`
    last: int


def result_kind(words):
    if "*" in words:
        return "pointer"
    if "bool" in words:
        return "bool"
    if "void" in words:
        return "void"
    return "other" if "struct" in words else "number"


def find_functions(tokens):
    functions, i, head = [], 0, 0
    while i < len(tokens):
        text = tokens[i].text
        if text == "{":
            last = closing(tokens, i)
            opening = next(
                (k for k in range(head, i) if tokens[k].text == "(" and closing(tokens, k) == i - 1),
                None,
            )
            if opening is not None and opening > head and tokens[opening - 1].kind == "name":
                words = [t.text for t in tokens[head : opening - 1]]
                functions.append(Function(tokens[opening - 1].text, result_kind(words), i, last))
                i = head = last + 1
            else:
                i = last + 1
            continue
        if text == ";":
            head = i + 1
        i += 1
    return functions


def find_enums(texts):
    """Maps each constant of a named enum to the next one, and the last one to the first."""
    neighbors = {}
    for text in texts:
        tokens = tokenize(text)
        for i in range(len(tokens) - 2):
            if tokens[i].text != "enum" or tokens[i + 2].text != "{":
                continue
            names = [
                tokens[k].text
                for k in range(i + 3, closing(tokens, i + 2))
                if tokens[k].kind == "name" and tokens[k - 1].text in ("{", ",")
            ]
            names = [n for n in names if not n.endswith("_COUNT")]
            for k, name in enumerate(names):
                neighbors[name] = names[(k + 1) % len(names)]
    return neighbors


def is_value_end(token):
    if token.kind in ("number", "string"):
        return True
    if token.kind == "name":
        return token.text not in KEYWORDS and not token.text.endswith("_t")
    return token.text in (")", "]")


def other_numbers(text):
    match = re.fullmatch(r"([0-9]+)([uUlL]*)", text)
    if match:
        value, suffix = int(match.group(1)), match.group(2)
        return [f"{v}{suffix}" for v in (value + 1, value - 1) if v >= 0]
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+)([uUlL]*)", text)
    if match:
        return [f"{int(match.group(1), 16) ^ 1:#x}{match.group(2)}"]
    match = re.fullmatch(r"[0-9]*\.[0-9]+", text)
    return [repr(float(text) + 1)] if match else []


class Mutator:
    """Makes all mutants of one file."""

    def __init__(self, file, text, neighbors):
        self.file, self.text, self.neighbors = file, text, neighbors
        self.tokens = tokenize(text)
        self.functions = find_functions(self.tokens)
        self.found = []

    def mutants(self):
        for i, token in enumerate(self.tokens):
            if token.kind == "op":
                self.change_operator(i)
            elif token.kind == "number":
                self.replace(i, other_numbers(token.text))
            elif token.kind == "name":
                self.change_name(i)
        for function in self.functions:
            self.change_conditions(function)
            self.change_returns(function)
            self.drop_statements(function)
        self.found.sort(key=lambda change: (change[0], change[1], change[2]))
        return self.described()

    def described(self):
        lines = self.text.splitlines()
        seen, mutants = {}, []
        for start, end, new in self.found:
            line = self.text.count("\n", 0, start) + 1
            code, old = lines[line - 1].strip(), self.text[start:end]
            function = self.function_at(start)
            key = (function, code, old, new)
            seen[key] = seen.get(key, 0) + 1
            mutants.append(
                Mutant(self.file, function, line, code, seen[key], start, end, old, new)
            )
        return mutants

    def function_at(self, at):
        for f in self.functions:
            if self.tokens[f.first].start < at < self.tokens[f.last].start:
                return f.name
        return ""

    def add(self, start, end, new):
        self.found.append((start, end, new))

    def replace(self, i, news):
        token = self.tokens[i]
        for new in news:
            self.add(token.start, token.end, new)

    def span(self, first, last):
        """Returns the text from one token up to another, exclusive."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def change_operator(self, i):
        text = self.tokens[i].text
        self.replace(i, COMPARISONS.get(text, []))
        if text in BETWEEN_VALUES and i > 0 and is_value_end(self.tokens[i - 1]):
            if not self.declares_pointer(i):
                self.replace(i, BETWEEN_VALUES[text])
        elif text == "!":
            self.replace(i, [""])
        elif text == "?":
            self.swap_arms(i)

    def declares_pointer(self, i):
        before = [t.text for t in self.tokens[max(i - 2, 0) : i]]
        return self.tokens[i].text == "*" and bool(set(before) & {"struct", "enum", "const"})

    def swap_arms(self, i):
        stops = {":", ",", ";", "?"}
        colon = end_of_part(self.tokens, i + 1, stops)
        if colon >= len(self.tokens) or self.tokens[colon].text != ":":
            return
        end = end_of_part(self.tokens, colon + 1, {",", ";"})
        yes, no = self.span(i + 1, colon), self.span(colon + 1, end)
        self.add(self.tokens[i + 1].start, self.tokens[end - 1].end, f"{no} : {yes}")

    def change_name(self, i):
        text = self.tokens[i].text
        if text in ("true", "false"):
            self.replace(i, ["false" if text == "true" else "true"])
        elif text in self.neighbors and self.tokens[i - 1].text not in (".", "->", "enum"):
            self.replace(i, [self.neighbors[text]])

    def change_conditions(self, function):
        """Negates a plain condition, in which no operator is changed."""
        for i in range(function.first, function.last):
            if self.tokens[i].text not in ("if", "while") or self.tokens[i + 1].text != "(":
                continue
            end = closing(self.tokens, i + 1)
            start, depth, has_operator = i + 2, 0, False
            for token in self.tokens[start:end]:
                depth += (token.text in OPENING) - (token.text in OPENING.values())
                if depth == 0 and token.text in ("!", "==", "!=", "<", ">", "<=", ">=", "&&", "||"):
                    has_operator = True
            if not has_operator:
                self.add(
                    self.tokens[start].start,
                    self.tokens[end - 1].end,
                    f"!({self.span(start, end)})",
                )

    def change_returns(self, function):
        for i in range(function.first, function.last):
            if self.tokens[i].text != "return" or self.tokens[i + 1].text == ";":
                continue
            end = end_of_part(self.tokens, i + 1, {";"})
            value = self.span(i + 1, end)
            start, stop = self.tokens[i + 1].start, self.tokens[end - 1].end
            if function.kind == "bool" and value not in ("true", "false"):
                new = value[1:] if re.fullmatch(r"!\w+", value) else f"!({value})"
                if not re.fullmatch(r"!\w+", value):
                    self.add(start, stop, new)
            elif function.kind == "number" and not re.fullmatch(r"[0-9]+", value):
                if value not in self.neighbors:
                    self.add(start, stop, f"({value}) + 1")
            elif function.kind == "pointer" and value != "NULL":
                self.add(start, stop, "NULL")

    def drop_statements(self, function):
        i = function.first
        while i < function.last:
            if not self.begins_statement(i):
                i += 1
                continue
            end = end_of_part(self.tokens, i, {";"})
            if end < function.last and self.tokens[end].text == ";" and self.may_drop(i, end):
                self.add(self.tokens[i].start, self.tokens[end].start, "")
            i += 1

    def begins_statement(self, i):
        before = self.tokens[i - 1].text
        if before in (";", "{", "}", "else"):
            return self.not_in_brackets(i)
        if before == ")":
            return self.follows_control(i - 1)
        return before == ":" and self.follows_label(i - 1)

    def not_in_brackets(self, i):
        """Returns whether this is neither in the head of a for nor in an initializer."""
        depth = 0
        for k in range(i - 1, -1, -1):
            text = self.tokens[k].text
            if text in (")", "]", "}"):
                depth += 1
            elif text in OPENING:
                if depth == 0:
                    return text == "{" and self.tokens[k - 1].text != "="
                depth -= 1
        return False

    def follows_control(self, closing_at):
        for k in range(closing_at, -1, -1):
            if self.tokens[k].text == "(" and closing(self.tokens, k) == closing_at:
                return self.tokens[k - 1].text in ("if", "for", "while", "switch")
        return False

    def follows_label(self, colon):
        for k in range(colon - 1, max(colon - 6, 0), -1):
            if self.tokens[k].text in ("case", "default"):
                return True
        return False

    def may_drop(self, i, end):
        first, second = self.tokens[i], self.tokens[i + 1]
        if first.text in ("break", "continue", "return"):
            return second.text == ";"
        if first.text in TYPE_WORDS or first.text in KEYWORDS or first.kind == "number":
            return False
        if first.kind == "name" and second.kind == "name":
            return False  # a declaration
        if first.kind == "name" and second.text == "(" and FREEING.match(first.text):
            return False
        if self.span(i, end).startswith("(void)") and end - i == 4:
            return False  # (void)name
        return first.kind == "name" or first.text in ("*", "(", "++", "--")
