"""Exact arithmetic on answers: what it reads, what it decides, and that it always ends quickly."""

import contextlib
import random
import time
from fractions import Fraction

import pytest

from stepmark.labeling.grading.arithmetic.latex_expressions import HugeNumberError, read_exact
from stepmark.labeling.grading.arithmetic.sums import NotExactError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", Fraction(7)),
        ("-0.50", Fraction(-1, 2)),
        (".5", Fraction(1, 2)),
        (r"\frac{10}{9}", Fraction(10, 9)),
        (r"\frac 74", Fraction(7, 4)),
        (r"\frac12", Fraction(1, 2)),
        (r"1\frac{1}{2}", Fraction(3, 2)),
        ("1 1/2", Fraction(3, 2)),
        ("11/2", Fraction(11, 2)),
        (r"2 \cdot \frac{1}{2}", Fraction(1)),
        (r"0.1\overline{6}", Fraction(1, 6)),
        ("3.54e-07", Fraction(354, 10**9)),
        ("-2^2", Fraction(-4)),
        ("2^{3^2}", Fraction(512)),
        ("2^{-3}", Fraction(1, 8)),
        ("5!", Fraction(120)),
        (r"\binom{5}{2}", Fraction(10)),
        (r"\sqrt{16}", Fraction(4)),
        (r"\sqrt[3]{-8}", Fraction(-2)),
        (r"\sqrt{2}\sqrt{8}", Fraction(4)),
        (r"(1+\sqrt{2})(1-\sqrt{2})", Fraction(-1)),
        ("i^2", Fraction(-1)),
        (r"\sqrt{-4} \cdot i", Fraction(-2)),
        ("x^2 - x^2", Fraction(0)),
        (r"\frac{\pi}{2\pi}", Fraction(1, 2)),
        ("6/2(1+2)", Fraction(9)),
    ],
)
def test_rational_values_are_read(text: str, expected: Fraction) -> None:
    """Decimals, mixed fractions, powers, roots that come out, and the imaginary unit."""
    assert read_exact(text).rational == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (r"\frac{3\sqrt{5}}{7}", "(3*sqrt(5))/7"),
        (r"\frac{1}{\sqrt{2}}", r"\frac{\sqrt2}{2}"),
        (r"\frac{1}{1+\sqrt2}", r"\sqrt2-1"),
        (r"\sqrt{12}", r"2\sqrt{3}"),
        (r"\sqrt[3]{16}", r"2\sqrt[3]{2}"),
        (r"\sqrt[4]{4}", r"\sqrt{2}"),
        (r"\frac{1}{3\sqrt[3]{x}^2}", r"\frac{1}{3x^{2/3}}"),
        ("(x+1)(x-1)", "x^2-1"),
        (r"\frac{x^2-1}{x-1}", "x+1"),
        (r"\frac{x+2}{7}", r"\frac{x}{7}+\frac{2}{7}"),
        (r"30p\sqrt{p}", r"30p^{3/2}"),
        (r"\frac{1}{2i}", r"-\frac{i}{2}"),
        ("x_1 + x_{12}", "x_{12}+x_{1}"),
        ("1-1/e", r"\frac{e-1}{e}"),
    ],
)
def test_equal_values_in_other_forms_are_equal(left: str, right: str) -> None:
    """Radicals, polynomials and quotients have one canonical form, up to cross multiplication."""
    assert read_exact(left) == read_exact(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1-1/e", "1+1/e"),
        (r"\sqrt{2}", r"\sqrt{3}"),
        (r"\sqrt[3]{2}", r"\sqrt{2}"),
        (r"\sqrt{2}+\sqrt{3}", r"\sqrt{5}"),
        ("x_1", "x_2"),
        (r"\frac{1}{1+\frac{1}{2}}", r"\frac{1}{1+\frac{1}{3}}"),
        ("i", "-i"),
        (r"2\pi r h", r"2\pi r"),
        ("(a+5)(b+2)", "(+5)(b+2)"),
    ],
)
def test_different_values_are_different(left: str, right: str) -> None:
    """A sign, a subscript or a nested digit makes a difference."""
    assert read_exact(left) != read_exact(right)


@pytest.mark.parametrize(
    "text",
    [
        r"\sin x", r"\log 2", "2^x", r"\sqrt{x^2}", r"\sqrt{1+x}", r"\sqrt{3+2\sqrt{2}}", "f(x)", "f'", "1/0",
        "0^{-1}", "(-8)^{1/3}", "x2", "1 2", "even", "AB", "", "+", "(", "(1", "1)", r"\frac{1}", "3!!",
        "(-1)!", r"\sqrt[4]{-1}", r"\sqrt{1000000016000000063}", "(x+1)^{50}", "2^{2^{20}}+1",
        "(" * 99 + "1" + ")" * 99,
    ],
)  # fmt: skip
def test_what_has_no_exact_form_is_refused(text: str) -> None:
    """Functions, signs of variables, ambiguous text and things too large are left to the slow path."""
    with pytest.raises(NotExactError):
        read_exact(text)


@pytest.mark.parametrize("text", ["9^{9^{9^{9}}}", "9^9^9", "10^{100000}", "100000!", "7" * 20_000])
def test_a_power_tower_is_known_to_be_huge(text: str) -> None:
    """Numbers too large to write out differ from every number that is not."""
    with pytest.raises(HugeNumberError):
        read_exact(text)


def test_an_integer_of_ten_thousand_digits_is_read() -> None:
    """Python's own limit on digits does not apply."""
    assert read_exact("1" + "0" * 9_999).rational == 10**9_999


def _random_expression(rng: random.Random, depth: int) -> tuple[str, float]:
    if depth == 0:
        value = rng.randint(1, 9)
        kind = rng.randrange(3)
        if kind == 0:
            return str(value), float(value)
        return (rf"\sqrt{{{value}}}", value**0.5) if kind == 1 else (rf"\frac{{{value}}}{{7}}", value / 7)
    left, a = _random_expression(rng, depth - 1)
    right, b = _random_expression(rng, depth - 1)
    return rng.choice(
        [
            (f"({left})+({right})", a + b),
            (f"({left})-({right})", a - b),
            (f"({left})({right})", a * b),
            (rf"\frac{{{left}}}{{{right}}}", a / b if b else 0.0),
            (f"({left})^2", a * a),
        ]
    )


def test_values_agree_with_floating_point() -> None:
    """300 random expressions of radicals and fractions have the value that floats give."""
    rng = random.Random(0)
    num_compared = 0
    for _ in range(300):
        text, expected = _random_expression(rng, depth=2)
        try:
            value = read_exact(text).approximate()
        except NotExactError:
            continue
        num_compared += 1
        assert value == pytest.approx(expected, rel=1e-6, abs=1e-6), text

    assert num_compared > 280


@pytest.mark.parametrize(
    "text",
    [
        "(" * 300,
        "x+" * 299 + "x",
        "(a+b+c+d+f)" * 50,
        r"\frac{1}{" * 60 + "x" + "}" * 60,
        r"\sqrt{" * 90 + "2" + "}" * 90,
        "((2^{9999})^9)" * 20,
        "(2^{30000}+1)/(3^{20000}+1)" * 20,
        "1" * 599,
        r"\frac{1}{3^{20000}+x}+" * 20 + "1",
        r"\sqrt{999999999989}" * 20,
    ],
)
def test_reading_ends_quickly_on_whatever_is_thrown_at_it(text: str) -> None:
    """The calling process grades with it and has no clock, so every text must end within a second."""
    start = time.process_time()
    with contextlib.suppress(NotExactError):
        read_exact(text)

    assert time.process_time() - start < 1
