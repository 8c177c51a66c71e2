"""The errors Stepmark raises for a person to read. Programming mistakes stay ordinary exceptions."""


class StepmarkError(Exception):
    """A failure whose message is one clear sentence: what, where, which value, what to do."""


class InputError(StepmarkError):
    """Input that is refused. The message names file, line, value and remedy where they exist."""

    @classmethod
    def at(cls, path: object, line: int | None, problem: str, remedy: str) -> "InputError":
        """Build the one-sentence message; ``line`` is 1-based, None when the whole file is meant."""
        where = f"{path}" if line is None else f"{path}, line {line}"
        return cls(f"{where}: {problem}; {remedy}.")
