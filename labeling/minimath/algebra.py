"""Families of Prealgebra, Algebra and Intermediate Algebra."""

import random
from fractions import Fraction

from .family import Family, Operands
from .work import Work, product, signed

_CHANGES = 3  # at most: more would make a solution longer than the tiny models read


def _draw_boxes(rng: random.Random, level: int) -> Operands:
    operands = {"a": rng.randint(2, 5 + level), "b": rng.randint(3, 9 + 2 * level)}
    left = operands["a"] * operands["b"]
    for index in range(min(_CHANGES, (level + 1) // 2 + 1)):
        # Even changes take away, odd ones add: the wording says which.
        change = (
            rng.randint(2, max(3, min(left - 1, 20 * level)))
            if index % 2 == 0
            else rng.randint(2, 25 * level)
        )
        operands["cde"[index]] = change
        left += change if index % 2 else -change
    return operands


def _work_boxes(operands: Operands, rng: random.Random) -> Work:
    work = Work(rng)
    left = operands["a"] * operands["b"]
    work.named(("At first", "To start"), f"{product(rng, operands['a'], operands['b'])} = {left}", left)
    for index, name in enumerate("cde"):
        if name in operands:
            change = operands[name] * (1 if index % 2 else -1)
            words = (
                ("After selling", "After the sale"),
                ("After buying", "With the new"),
                ("At last", "In the end"),
            )
            work.named(words[index], f"{left}{signed(change)} = {left + change}", left + change)
            left += change
    return work.concludes(left)


BOXES = Family(
    name="boxes",
    subject="Prealgebra",
    templates=(
        "A shop has $<a>$ boxes of $<b>$ pens and sells $<c>$ pens. How many pens are left?",
        "A shop has $<a>$ boxes of $<b>$ pens, sells $<c>$ pens and buys $<d>$ more."
        " How many pens does it have now?",
        "A shop has $<a>$ boxes of $<b>$ pens, sells $<c>$ pens, buys $<d>$ more and gives away $<e>$."
        " How many pens does it have now?",
    ),
    draw=_draw_boxes,
    work=_work_boxes,
)


def _draw_linear(rng: random.Random, level: int) -> Operands:
    x, b = rng.randint(2, 9 + 2 * level), rng.randint(1, 10 * level)
    a = rng.randint(3, 5 + level)
    d = 0 if level <= 2 else rng.randint(2, a - 1)
    k = 0 if level <= 3 else rng.randint(2, 9)
    operands = {"a": a, "b": b, "c": (a - d) * x + a * k + b}
    return operands | ({"d": d} if d else {}) | ({"k": k} if k else {})


def _work_linear(operands: Operands, rng: random.Random) -> Work:
    a, b, c = operands["a"], operands["b"], operands["c"]
    d, k = operands.get("d", 0), operands.get("k", 0)
    # The equation is a(x + k) + b = dx + c, where k and d are 0 in the easier templates.
    x = Fraction(c - b - a * k, a - d)
    work = Work(rng, cases=({"x": x},))
    constant = a * k + b
    if k:
        work.follows("Expand", f"{a}x + {a * k} + {b} = {_times_x(d)} + {c}")
        work.follows("Simplify", f"{a}x + {constant} = {_times_x(d)} + {c}")
    if d:
        work.follows("Collect", f"{a}x - {_times_x(d)} = {c} - {constant}")
    else:
        work.follows("Collect", f"{a}x = {c} - {constant}")
    work.follows(rng.choice(("Simplify", "So")), f"{_times_x(a - d)} = {c - constant}")
    if a - d != 1:
        work.follows("Divide", f"x = {x}")
    return work.concludes(x)


def _times_x(coefficient: int) -> str:
    return "x" if coefficient == 1 else f"{coefficient}x"


LINEAR = Family(
    name="linear",
    subject="Algebra",
    templates=(
        "Solve $<a>x + <b> = <c>$ for $x$.",
        "Solve $<a>x + <b> = <d>x + <c>$ for $x$.",
        "Solve $<a>(x + <k>) + <b> = <d>x + <c>$ for $x$.",
    ),
    draw=_draw_linear,
    work=_work_linear,
)


def _draw_value(rng: random.Random, level: int) -> Operands:
    return {
        "a": rng.randint(2, 3 + level),
        "b": rng.randint(2, 4 + 2 * level),
        "c": rng.randint(1, 20 * level),
        "x": rng.randint(2, 4 + level),
    }


def _work_value(operands: Operands, rng: random.Random) -> Work:
    a, b, c, x = (operands[name] for name in "abcx")
    work = Work(rng)
    work.named(("The square", "Squared"), f"{x}^2 = {x * x}", x * x)
    work.named(("First term", "Leading term"), f"{product(rng, a, x * x)} = {a * x * x}", a * x * x)
    work.named(("Second term", "Middle term"), f"{product(rng, b, x)} = {b * x}", b * x)
    difference = a * x * x - b * x
    work.named(("Their difference", "The difference"), f"{a * x * x} - {b * x} = {difference}", difference)
    work.named(("The value", "In all"), f"{difference} + {c} = {difference + c}", difference + c)
    return work.concludes(difference + c)


VALUE = Family(
    name="value",
    subject="Algebra",
    templates=("If $f(x) = <a>x^2 - <b>x + <c>$, what is $f(<x>)$?",),
    draw=_draw_value,
    work=_work_value,
)


def _draw_roots(rng: random.Random, level: int) -> Operands:
    small = rng.randint(1, 5 + 3 * level)
    large = small + rng.randint(1, 4 + 3 * level)
    return {"s": small + large, "p": small * large}


def _work_roots(operands: Operands, rng: random.Random) -> Work:
    total, prod = operands["s"], operands["p"]
    root = int((total * total - 4 * prod) ** 0.5)
    small, large = (total - root) // 2, (total + root) // 2
    work = Work(rng, cases=({"x": Fraction(small)}, {"x": Fraction(large)}))
    # Finding the two numbers is a search; checking them is one sum and one product.
    sums = work.claim(("The sum", "Sum"), f"{small} + {large} = {total}", total)
    products = work.claim(("the product", "product"), rf"{small} \cdot {large} = {prod}", prod)
    work.steps.append(f"{sums} and {products}.")
    work.follows("Factor", f"(x - {small})(x - {large}) = 0")
    work.named(("The larger root", "Larger root"), f"{large}", large)
    return work.concludes(large)


ROOTS = Family(
    name="roots",
    subject="Intermediate Algebra",
    templates=("What is the larger root of $x^2 - <s>x + <p> = 0$?",),
    draw=_draw_roots,
    work=_work_roots,
)


def _draw_sequence(rng: random.Random, level: int) -> Operands:
    return {
        "a": rng.randint(1, 10 * level),
        "d": rng.randint(2, 4 + level),
        "n": rng.randint(5, 9 + 2 * level),
    }


def _work_sequence(operands: Operands, rng: random.Random) -> Work:
    a, d, n = (operands[name] for name in "adn")
    work = Work(rng)
    last = a + (n - 1) * d
    work.named(("Number of steps", "Steps"), f"{n} - 1 = {n - 1}", n - 1)
    work.named(("The increase", "Increase"), f"{product(rng, n - 1, d)} = {(n - 1) * d}", (n - 1) * d)
    work.named(("That term", "The term"), f"{a} + {(n - 1) * d} = {last}", last)
    return work.concludes(last)


SEQUENCE = Family(
    name="sequence",
    subject="Intermediate Algebra",
    templates=("An arithmetic sequence starts at $<a>$ and grows by $<d>$. What is term number $<n>$?",),
    draw=_draw_sequence,
    work=_work_sequence,
)
