"""Reads shell lines into a small tree: lists of pipelines of commands, loops and branches. `interpreter` runs it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

OPERATORS = ("&&", "||", ";;", ";", "&", "|", "(", ")", "\n")
REDIRECTS = ("2>&1", "1>&2", ">&2", "&>", "2>>", "2>", "1>", ">>", ">", "<")
ESCAPED_IN_DOUBLE = '$`"\\\n'


RESERVED = ("for", "while", "until", "if", "case", "{")
BODY_ENDS = ("do", "done", "then", "elif", "else", "fi", "esac", "}")


class ShellSyntaxError(Exception):
    """The line can't be read; the text is what the phone's shell would say after its own name."""


class UnfinishedInput(ShellSyntaxError):
    """More lines have to come before it can be read."""


class WordPart(NamedTuple):
    """A piece of a word: literal text, a variable's name, a command or a sum to substitute."""

    kind: Literal["text", "variable", "command", "sum"]
    value: str
    quoted: bool


Word = tuple[WordPart, ...]


class Redirect(NamedTuple):
    operator: str
    target: Word


@dataclass
class ShellCommand:
    words: list[Word] = field(default_factory=list[Word])
    redirects: list[Redirect] = field(default_factory=list[Redirect])


@dataclass
class ForLoop:
    name: str
    words: list[Word]
    body: list[ShellPipeline]
    redirects: list[Redirect] = field(default_factory=list[Redirect])


@dataclass
class WhileLoop:
    """Runs `body` as long as the condition ends with success, or with failure if `until`."""

    condition: list[ShellPipeline]
    body: list[ShellPipeline]
    until: bool
    redirects: list[Redirect] = field(default_factory=list[Redirect])


@dataclass
class ShellBranches:
    """`if`: the conditions with their bodies in order; the last one may have no condition."""

    branches: list[tuple[list[ShellPipeline] | None, list[ShellPipeline]]]
    redirects: list[Redirect] = field(default_factory=list[Redirect])


@dataclass
class CaseChoice:
    word: Word
    arms: list[tuple[list[Word], list[ShellPipeline]]]
    redirects: list[Redirect] = field(default_factory=list[Redirect])


@dataclass
class ShellGroup:
    """`{ … }`, or `( … )` in a shell of its own."""

    body: list[ShellPipeline]
    subshell: bool
    redirects: list[Redirect] = field(default_factory=list[Redirect])


Compound = ForLoop | WhileLoop | ShellBranches | CaseChoice | ShellGroup


@dataclass
class ShellPipeline:
    commands: list[ShellCommand | Compound]
    negated: bool = False
    background: bool = False
    after: Literal[";", "&&", "||"] = ";"  # how it hangs on the pipeline before it


def parse_line(line: str) -> list[ShellPipeline]:
    return _LineParser(_LineLexer(line).read_tokens()).parse_program()


class _Token(NamedTuple):
    operator: str  # empty for a word
    word: Word


class _LineLexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read_tokens(self) -> list[_Token]:
        found: list[_Token] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif operator := self._match_operator():
                self.at += len(operator)
                found.append(_Token(operator, ()))
            else:
                found.append(_Token("", self._read_word()))
        return found

    def _match_operator(self) -> str:
        for operator in (*REDIRECTS, *OPERATORS):
            if self.text.startswith(operator, self.at):
                return operator
        return ""

    def _read_word(self) -> Word:
        parts: list[WordPart] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\r\n;&|()<>":
                break
            if char == "'":
                parts.append(WordPart("text", self._read_until("'"), True))
            elif char == '"':
                parts.extend(self._read_double_quoted())
            elif char == "\\":
                parts.append(WordPart("text", self.text[self.at + 1 : self.at + 2], True))
                self.at += 2
            elif char in "$`":
                parts.append(self._read_substitution(quoted=False))
            else:
                parts.append(WordPart("text", char, False))
                self.at += 1
        return _join_parts(parts)

    def _read_until(self, quote: str) -> str:
        end = self.text.find(quote, self.at + 1)
        if end < 0:
            raise UnfinishedInput("syntax error: unexpected EOF: no closing quote")
        value = self.text[self.at + 1 : end]
        self.at = end + 1
        return value

    def _read_double_quoted(self) -> list[WordPart]:
        parts = [WordPart("text", "", True)]
        self.at += 1
        while True:
            if self.at >= len(self.text):
                raise UnfinishedInput("syntax error: unexpected EOF: no closing quote")
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return parts
            if char == "\\" and self.text[self.at + 1 : self.at + 2] in tuple(ESCAPED_IN_DOUBLE):
                parts.append(WordPart("text", self.text[self.at + 1].replace("\n", ""), True))
                self.at += 2
            elif char in "$`":
                parts.append(self._read_substitution(quoted=True))
            else:
                parts.append(WordPart("text", char, True))
                self.at += 1

    def _read_substitution(self, *, quoted: bool) -> WordPart:
        if self.text[self.at] == "`":
            return WordPart("command", self._read_until("`"), quoted)
        rest = self.text[self.at + 1 :]
        if rest.startswith("((") and "))" in rest:
            end = self.text.index("))", self.at)
            start, self.at = self.at + 3, end + 2
            return WordPart("sum", self.text[start:end], quoted)
        if rest.startswith("("):
            return WordPart("command", self._read_parenthesised(), quoted)
        if rest.startswith("{"):
            self.at += 1
            return WordPart("variable", self._read_until("}"), quoted)
        if rest[:1] in tuple("?$#0123456789"):
            self.at += 2
            return WordPart("variable", rest[0], quoted)
        length = 0
        while length < len(rest) and (rest[length].isalnum() or rest[length] == "_"):
            length += 1
        self.at += 1 + length
        return WordPart("variable", rest[:length], quoted) if length else WordPart("text", "$", quoted)

    def _read_parenthesised(self) -> str:
        start = self.at + 2
        depth = 1
        for index in range(start, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[index], 0)
            if depth == 0:
                self.at = index + 1
                return self.text[start:index]
        raise ShellSyntaxError("syntax error: unexpected EOF: no closing ')'")


def _join_parts(parts: list[WordPart]) -> Word:
    """Join neighbouring letters into one part."""
    word: list[WordPart] = []
    for part in parts:
        last = word[-1] if word else None
        if last and last.kind == part.kind == "text" and last.quoted == part.quoted:
            word[-1] = WordPart("text", last.value + part.value, part.quoted)
        else:
            word.append(part)
    return tuple(word)


class _LineParser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def parse_program(self) -> list[ShellPipeline]:
        found = self._parse_list()
        if self.at < len(self.tokens):
            raise self._make_unexpected()
        return found

    def _parse_list(self) -> list[ShellPipeline]:
        """Parse pipelines up to a word or an operator that only an enclosing command can take."""
        found: list[ShellPipeline] = []
        after: Literal[";", "&&", "||"] = ";"
        while True:
            if after == ";":
                self._skip_operators(";", "\n")
            else:
                self._skip_operators("\n")
            if self._is_at_end():
                if after != ";":
                    raise UnfinishedInput("syntax error: unexpected EOF")
                return found
            pipeline = self._parse_pipeline(after)
            found.append(pipeline)
            operator = self._peek_operator()
            after = ";"
            if operator in ("&&", "||"):
                after = operator
            elif operator == "&":
                pipeline.background = True
            elif operator not in (";", "\n"):
                return found
            self.at += 1

    def _is_at_end(self) -> bool:
        if self.at == len(self.tokens):
            return True
        return self._peek_operator() in (")", ";;") or self._peek_keyword() in BODY_ENDS

    def _peek_operator(self) -> str:
        return self.tokens[self.at].operator if self.at < len(self.tokens) else ""

    def _peek_keyword(self) -> str:
        """Return the next word if it is plain and unquoted, as reserved words have to be."""
        if self.at == len(self.tokens):
            return ""
        word = self.tokens[self.at].word
        return word[0].value if len(word) == 1 and word[0].kind == "text" and not word[0].quoted else ""

    def _make_unexpected(self) -> ShellSyntaxError:
        if self.at == len(self.tokens):
            return UnfinishedInput("syntax error: unexpected 'EOF'")
        wrong = self._peek_operator() or self._peek_keyword()
        return ShellSyntaxError(f"syntax error: unexpected '{'newline' if wrong == chr(10) else wrong}'")

    def _take_keyword(self, *wanted: str) -> str:
        found = self._peek_keyword()
        if found not in wanted:
            raise self._make_unexpected()
        self.at += 1
        return found

    def _skip_operators(self, *operators: str) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at].operator in operators:
            self.at += 1

    def _parse_pipeline(self, after: Literal[";", "&&", "||"]) -> ShellPipeline:
        negated = self.tokens[self.at].word == (WordPart("text", "!", False),)
        self.at += negated
        commands: list[ShellCommand | Compound] = [self._parse_command()]
        while self.at < len(self.tokens) and self.tokens[self.at].operator == "|":
            self.at += 1
            self._skip_operators("\n")
            commands.append(self._parse_command())
        return ShellPipeline(commands, negated=negated, after=after)

    def _parse_command(self) -> ShellCommand | Compound:
        if self._peek_operator() == "(" or self._peek_keyword() in RESERVED:
            compound = self._parse_compound()
            compound.redirects.extend(self._take_redirects())
            return compound
        command = ShellCommand()
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.operator in REDIRECTS:
                command.redirects.extend(self._take_redirects())
            elif token.operator:
                break
            else:
                command.words.append(token.word)
                self.at += 1
        if not command.words and not command.redirects:
            raise self._make_unexpected()
        return command

    def _take_redirects(self) -> list[Redirect]:
        found: list[Redirect] = []
        while (operator := self._peek_operator()) in REDIRECTS:
            self.at += 1
            found.append(Redirect(operator, self._take_target(operator)))
        return found

    def _parse_compound(self) -> Compound:
        word = "(" if self._peek_operator() else self._peek_keyword()
        self.at += 1
        match word:
            case "for":
                return self._parse_for()
            case "while" | "until":
                condition = self._parse_list()
                self._take_keyword("do")
                body = self._parse_list()
                self._take_keyword("done")
                return WhileLoop(condition, body, until=word == "until")
            case "if":
                return self._parse_branches()
            case "case":
                return self._parse_case()
            case _:
                return self._parse_group(subshell=word == "(")

    def _parse_group(self, *, subshell: bool) -> ShellGroup:
        body = self._parse_list()
        if not subshell:
            self._take_keyword("}")
        elif self._peek_operator() != ")":
            raise self._make_unexpected()
        else:
            self.at += 1
        return ShellGroup(body, subshell)

    def _parse_for(self) -> ForLoop:
        name = self._peek_keyword()
        if not name.isidentifier():
            raise self._make_unexpected()
        self.at += 1
        words: list[Word] = []
        self._skip_operators("\n")
        if self._peek_keyword() == "in":
            self.at += 1
            while self.at < len(self.tokens) and not self.tokens[self.at].operator:
                words.append(self.tokens[self.at].word)
                self.at += 1
        self._skip_operators(";", "\n")
        self._take_keyword("do")
        body = self._parse_list()
        self._take_keyword("done")
        return ForLoop(name, words, body)

    def _parse_branches(self) -> ShellBranches:
        branches = [self._parse_branch()]
        while (keyword := self._take_keyword("elif", "else", "fi")) == "elif":
            branches.append(self._parse_branch())
        if keyword == "else":
            branches.append((None, self._parse_list()))
            self._take_keyword("fi")
        return ShellBranches(branches)

    def _parse_branch(self) -> tuple[list[ShellPipeline] | None, list[ShellPipeline]]:
        condition = self._parse_list()
        self._take_keyword("then")
        return condition, self._parse_list()

    def _parse_case(self) -> CaseChoice:
        if self.at == len(self.tokens) or self._peek_operator():
            raise self._make_unexpected()
        word = self.tokens[self.at].word
        self.at += 1
        self._skip_operators("\n")
        self._take_keyword("in")
        arms: list[tuple[list[Word], list[ShellPipeline]]] = []
        while True:
            self._skip_operators("\n", ";;")
            if self._peek_keyword() == "esac":
                self.at += 1
                return CaseChoice(word, arms)
            self._skip_operators("(")
            arms.append((self._take_patterns(), self._parse_list()))

    def _take_patterns(self) -> list[Word]:
        patterns: list[Word] = []
        while self.at < len(self.tokens) and self._peek_operator() in ("", "|"):
            if not self._peek_operator():
                patterns.append(self.tokens[self.at].word)
            self.at += 1
        if self._peek_operator() != ")":
            raise self._make_unexpected()
        self.at += 1
        return patterns

    def _take_target(self, operator: str) -> Word:
        if operator in ("2>&1", "1>&2", ">&2"):
            return ()
        if self.at == len(self.tokens) or self.tokens[self.at].operator:
            raise ShellSyntaxError("syntax error: unexpected 'newline'")
        self.at += 1
        return self.tokens[self.at - 1].word
