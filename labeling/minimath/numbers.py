"""Families of Number Theory, Counting & Probability, Geometry and Precalculus."""

import math
import random
from fractions import Fraction

from .family import Family, Operands
from .work import Work, number, product, signed


def _draw_remainder(rng: random.Random, level: int) -> Operands:
    a, b, c = rng.sample(range(12, 20 + 15 * level), 3)
    return {"a": a, "b": b, "c": c, "m": rng.randint(3, 5 + level)}


def _work_remainder(operands: Operands, rng: random.Random) -> Work:
    a, b, c, m = (operands[name] for name in "abcm")
    work = Work(rng, modulus=m)
    left, right = a % m, b % m
    work.named(("First factor", "The first"), rf"{a} \equiv {left}", a)
    work.named(("Second factor", "The second"), rf"{b} \equiv {right}", b)
    prod = left * right % m
    work.named(
        ("The product", "Product"), rf"{product(rng, left, right)} = {left * right} \equiv {prod}", a * b
    )
    work.named(("The addend", "Addend"), rf"{c} \equiv {c % m}", c)
    rest = (prod + c % m) % m
    work.named(("The remainder", "In all"), rf"{prod} + {c % m} \equiv {rest}", a * b + c)
    return work.concludes(rest)


REMAINDER = Family(
    name="remainder",
    subject="Number Theory",
    templates=(r"What is the remainder when $<a> \cdot <b> + <c>$ is divided by $<m>$?",),
    draw=_draw_remainder,
    work=_work_remainder,
)


def _draw_gcd(rng: random.Random, level: int) -> Operands:
    common = rng.randint(2, 6 + 3 * level)
    left, right = sorted(rng.sample(range(2, 8 + 2 * level), 2))
    return {"a": common * right, "b": common * left}


def _work_gcd(operands: Operands, rng: random.Random) -> Work:
    left, right = operands["a"], operands["b"]
    work, answer = Work(rng), math.gcd(operands["a"], operands["b"])
    while right:
        rest = left % right
        claim = rf"\gcd({left}, {right}) = " + (rf"\gcd({right}, {rest})" if rest else str(right))
        work.named(("The gcd", "It is"), claim, answer)
        left, right = right, rest
    return work.concludes(answer)


GCD = Family(
    name="gcd",
    subject="Number Theory",
    templates=("What is the greatest common divisor of $<a>$ and $<b>$?",),
    draw=_draw_gcd,
    work=_work_gcd,
)


def _draw_marbles(rng: random.Random, level: int) -> Operands:
    if level <= 3:
        return {
            "r": rng.randint(2, 6 * level),
            "b": rng.randint(2, 6 * level),
            "g": rng.randint(2, 6 * level),
        }
    return {"r": rng.randint(2, 4 + level), "b": rng.randint(1, 4 + level)}


def _work_marbles(operands: Operands, rng: random.Random) -> Work:
    return _work_one_marble(operands, rng) if "g" in operands else _work_two_marbles(operands, rng)


def _work_one_marble(operands: Operands, rng: random.Random) -> Work:
    red, blue, green = (operands[name] for name in "rbg")
    work, total = Work(rng), red + blue + green
    work.named(("Red and blue", "Not green"), f"{red} + {blue} = {red + blue}", red + blue)
    work.named(("All marbles", "In all"), f"{red + blue} + {green} = {total}", total)
    work.named(("Chance of red", "The probability"), _reduced(red, total), Fraction(red, total))
    return work.concludes(Fraction(red, total))


def _work_two_marbles(operands: Operands, rng: random.Random) -> Work:
    red, blue = operands["r"], operands["b"]
    work, total = Work(rng), red + blue
    ways, pairs = red * (red - 1), total * (total - 1)
    work.named(("All marbles", "In all"), f"{red} + {blue} = {total}", total)
    work.named(("Red pairs", "Ways for red"), rf"{red} \cdot {red - 1} = {ways}", ways)
    work.named(("All pairs", "Ways in all"), rf"{total} \cdot {total - 1} = {pairs}", pairs)
    work.named(("Chance of both", "The probability"), _reduced(ways, pairs), Fraction(ways, pairs))
    return work.concludes(Fraction(ways, pairs))


def _reduced(numerator: int, denominator: int) -> str:
    raw, reduced = rf"\frac{{{numerator}}}{{{denominator}}}", number(Fraction(numerator, denominator))
    return raw if raw == reduced else f"{raw} = {reduced}"


MARBLES = Family(
    name="marbles",
    subject="Counting & Probability",
    templates=(
        "A bag holds $<r>$ red, $<b>$ blue and $<g>$ green marbles. One is drawn."
        " What is the probability that it is red?",
        "A bag holds $<r>$ red and $<b>$ blue marbles. Two are drawn."
        " What is the probability that both are red?",
    ),
    draw=_draw_marbles,
    work=_work_marbles,
)


def _draw_rectangle(rng: random.Random, level: int) -> Operands:
    operands = {"a": rng.randint(5, 9 + 2 * level), "b": rng.randint(5, 9), "s": rng.randint(2, 4)}
    return operands | ({"c": rng.randint(3, 9), "h": rng.randint(2, 4 + level)} if level >= 3 else {})


def _work_rectangle(operands: Operands, rng: random.Random) -> Work:
    a, b, s = (operands[name] for name in "abs")
    work, area = Work(rng), a * b
    work.named(("The rectangle", "Large area"), f"{product(rng, a, b)} = {area}", area)
    work.named(("The square", "Cut out"), f"{s}^2 = {s * s}", s * s)
    left = area - s * s
    work.named(("What is left", "The rest"), f"{area} - {s * s} = {left}", left)
    if "c" in operands:
        c, h = operands["c"], operands["h"]
        work.named(("The second", "Glued on"), f"{product(rng, c, h)} = {c * h}", c * h)
        work.named(("Total area", "In all"), f"{left} + {c * h} = {left + c * h}", left + c * h)
        left += c * h
    return work.concludes(left)


RECTANGLE = Family(
    name="rectangle",
    subject="Geometry",
    templates=(
        "A rectangle is $<a>$ long and $<b>$ wide. A square of side $<s>$ is cut out. What area is left?",
        "A rectangle is $<a>$ long and $<b>$ wide. A square of side $<s>$ is cut out and"
        " a rectangle of $<c>$ by $<h>$ is glued on. What is the area now?",
    ),
    draw=_draw_rectangle,
    work=_work_rectangle,
)


def _draw_vectors(rng: random.Random, level: int) -> Operands:
    low, high = (1, 5 + level) if level <= 2 else (-4 - level, 4 + level)
    names = "abpq" if level <= 2 else "abcpqr"
    return {name: rng.choice([n for n in range(low, high + 1) if n]) for name in names}


def _work_vectors(operands: Operands, rng: random.Random) -> Work:
    work, total, terms = Work(rng), 0, []
    names = (
        (("First", "First term"), ("a", "p")),
        (("Second", "Second term"), ("b", "q")),
        (("Third", "Third term"), ("c", "r")),
    )
    for words, (left, right) in names:
        if left in operands:
            term = operands[left] * operands[right]
            work.named(words, f"{product(rng, operands[left], operands[right])} = {term}", term)
            terms.append(term)
    total = sum(terms)
    written = str(terms[0]) + "".join(signed(term) for term in terms[1:])
    work.named(("The sum", "Dot product"), f"{written} = {total}", total)
    return work.concludes(total)


VECTORS = Family(
    name="vectors",
    subject="Precalculus",
    templates=(
        r"What is the dot product of $(<a>, <b>)$ and $(<p>, <q>)$?",
        r"What is the dot product of $(<a>, <b>, <c>)$ and $(<p>, <q>, <r>)$?",
    ),
    draw=_draw_vectors,
    work=_work_vectors,
)
