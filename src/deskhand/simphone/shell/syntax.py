"""Reads a shell line into a small tree: lists of pipelines of commands. Running it belongs to `shell`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

OPERATORS = ("&&", "||", ";;", ";", "&", "|", "(", ")", "\n")
REDIRECTS = ("2>&1", "1>&2", ">&2", "&>", "2>>", "2>", "1>", ">>", ">", "<")
ESCAPED_IN_DOUBLE = '$`"\\\n'


class ShellSyntaxError(Exception):
    """The line can't be read; the text is what the phone's shell would say after its own name."""


class WordPart(NamedTuple):
    """A piece of a word: literal text, a variable's name, or a command to substitute."""

    kind: Literal["text", "variable", "command"]
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
class ShellPipeline:
    commands: list[ShellCommand]
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
            raise ShellSyntaxError("syntax error: unexpected EOF: no closing quote")
        value = self.text[self.at + 1 : end]
        self.at = end + 1
        return value

    def _read_double_quoted(self) -> list[WordPart]:
        parts = [WordPart("text", "", True)]
        self.at += 1
        while True:
            if self.at >= len(self.text):
                raise ShellSyntaxError("syntax error: unexpected EOF: no closing quote")
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
        found: list[ShellPipeline] = []
        after: Literal[";", "&&", "||"] = ";"
        while True:
            if after == ";":
                self._skip_operators(";", "\n")
            else:
                self._skip_operators("\n")
            if self.at == len(self.tokens):
                if after != ";":
                    raise ShellSyntaxError("syntax error: unexpected EOF")
                return found
            pipeline = self._parse_pipeline(after)
            found.append(pipeline)
            operator = self._take_operator()
            after = ";"
            if operator in ("&&", "||"):
                after = operator
            elif operator == "&":
                pipeline.background = True
            elif operator not in ("", ";", "\n"):
                raise ShellSyntaxError(f"syntax error: unexpected '{operator}'")

    def _skip_operators(self, *operators: str) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at].operator in operators:
            self.at += 1

    def _take_operator(self) -> str:
        if self.at == len(self.tokens):
            return ""
        operator = self.tokens[self.at].operator
        self.at += 1
        return operator

    def _parse_pipeline(self, after: Literal[";", "&&", "||"]) -> ShellPipeline:
        negated = self.tokens[self.at].word == (WordPart("text", "!", False),)
        self.at += negated
        commands = [self._parse_command()]
        while self.at < len(self.tokens) and self.tokens[self.at].operator == "|":
            self.at += 1
            self._skip_operators("\n")
            commands.append(self._parse_command())
        return ShellPipeline(commands, negated=negated, after=after)

    def _parse_command(self) -> ShellCommand:
        command = ShellCommand()
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.operator in REDIRECTS:
                self.at += 1
                command.redirects.append(Redirect(token.operator, self._take_target(token.operator)))
            elif token.operator:
                break
            else:
                command.words.append(token.word)
                self.at += 1
        if not command.words and not command.redirects:
            wrong = self.tokens[self.at].operator if self.at < len(self.tokens) else "EOF"
            shown = "newline" if wrong == "\n" else wrong
            raise ShellSyntaxError(f"syntax error: unexpected '{shown}'")
        return command

    def _take_target(self, operator: str) -> Word:
        if operator in ("2>&1", "1>&2", ">&2"):
            return ()
        if self.at == len(self.tokens) or self.tokens[self.at].operator:
            raise ShellSyntaxError("syntax error: unexpected 'newline'")
        self.at += 1
        return self.tokens[self.at - 1].word
