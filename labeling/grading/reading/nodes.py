"""What an answer is made of: the nodes that ``answers`` reads and ``comparing`` compares."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Scalar:
    """One expression. ``is_percent`` if a percent sign was taken off it; ``unit`` is canonical or None."""

    latex: str
    is_percent: bool = False
    unit: str | None = None


@dataclass(frozen=True)
class Words:
    """Text: case and punctuation are gone, except from names in capitals."""

    words: str


@dataclass(frozen=True)
class Items:
    """A bare list, ``1, 2``: its order carries no meaning."""

    items: tuple["Node", ...]


@dataclass(frozen=True)
class Brackets:
    """A tuple, point or interval with its brackets, ``(1, 2]``."""

    opening: str
    closing: str
    items: tuple["Node", ...]


@dataclass(frozen=True)
class Braces:
    r"""A finite set, ``\{1, 2\}``."""

    items: tuple["Node", ...]


@dataclass(frozen=True)
class Union:
    """A union of sets and intervals."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Ratio:
    """``a : b`` or longer."""

    items: tuple["Node", ...]


@dataclass(frozen=True)
class Matrix:
    """A matrix, as rows of nodes; a column vector has rows of one."""

    rows: tuple[tuple["Node", ...], ...]
    latex: str = field(default="", compare=False)


@dataclass(frozen=True)
class Based:
    """A numeral with its base, ``204_5``."""

    digits: str
    base: str


@dataclass(frozen=True)
class Named:
    """A value and the name it is given to, ``x = 5``; ``approximation`` is what follows an approx sign."""

    name: str | None
    value: "Node"
    approximation: "Node | None" = None
    equation: "Relation | None" = field(default=None, compare=False)


@dataclass(frozen=True)
class Relation:
    r"""A chain of relations that is no definition, ``2 < x \le 5``; one more side than operators."""

    sides: tuple[str, ...]
    operators: tuple[str, ...]


Node = Scalar | Words | Items | Brackets | Braces | Union | Ratio | Matrix | Based | Named | Relation
