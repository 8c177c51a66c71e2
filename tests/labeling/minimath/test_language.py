"""The little language of formulas."""

from fractions import Fraction

import pytest

from stepmark.labeling.minimath.language import FormulaError, evaluate


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (r"3 \cdot 12", Fraction(36)),
        ("-4 + 6", Fraction(2)),
        (r"(-4) \cdot 6", Fraction(-24)),
        ("2(3 + 4)", Fraction(14)),
        (r"\frac{4}{18}", Fraction(2, 9)),
        (r"\gcd(84, 60)", Fraction(12)),
        ("5^2", Fraction(25)),
        (r"\boxed{\frac{1}{3}}", Fraction(1, 3)),
        ("4x", Fraction(24)),
    ],
)
def test_values_are_exact(formula: str, value: Fraction) -> None:
    """No rounding, so a claim is true or false."""
    assert evaluate(formula, {"x": Fraction(6)}).sides == (value,)


@pytest.mark.parametrize(
    "formula", ["", "3 +", "4 6", "y", r"\frac{1}{0}", "2^9", "1" * 10, "3 = ", "3)", "#"]
)
def test_text_outside_the_language_is_refused(formula: str) -> None:
    """Anything a model may write ends in one kind of error."""
    with pytest.raises(FormulaError):
        evaluate(formula, {"x": Fraction(6)})


def test_a_congruence_needs_its_modulus() -> None:
    """47 and 5 agree modulo 7, and modulo nothing they do not."""
    chain = evaluate(r"47 \equiv 5", {})

    assert chain.holds(7)
    assert not chain.holds(8)
    assert not chain.holds(None)
