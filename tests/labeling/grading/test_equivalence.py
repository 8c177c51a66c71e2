"""Equivalence of answers: pairs that are equal, pairs that are not, and answers that say nothing."""

from stepmark.labeling.grading import Grader

EQUAL = [
    ("73", "**73**"),
    ("73", "$73$."),
    (r"\frac{1}{2}", "0.5"),
    (r"\frac{1}{2}", r"\dfrac12"),
    (r"-\frac{1}{2}", r"\frac{-1}{2}"),
    ("12000", "12,000"),
    ("12000", r"12,\!000"),
    ("12000", "12{,}000"),
    ("1000", "1 000"),
    ("1,22", "1.22"),
    (r"\$18.90", "18.9"),
    ("5", "5 apples"),
    ("125", r"125\text{ miles}"),
    (r"440\text{ cm}^2", "440 square centimeters"),
    ("90", r"90^\circ"),
    ("74", "74°"),
    ("50%", "0.5"),
    ("0.5", r"50\%"),
    ("50", "50 percent"),
    (r"1\frac{1}{2}", "3/2"),
    (r"\frac{1}{12}", "0.0833333333333333"),
    (r"\sqrt{2}", "1.41421356"),
    ("0.\\overline{3}", r"\frac13"),
    ("x = 5", "5"),
    ("5", "x = 5"),
    ("2=x", "x=2"),
    ("(p,q)=(3,2)", "(3,2)"),
    ("AB=4,CD=5", "4, 5"),
    ("x=1, y=2", "(x,y)=(1,2)"),
    ("p=5,q=2;p=7,q=2", "(5,2),(7,2)"),
    ("1,2", "2,1"),
    (r"2, 3, \text{ and } 4", "4, 3, 2"),
    (r"\{1,2\}", r"\{2,1,1\}"),
    (r"1 \pm \sqrt{19}", r"1-\sqrt{19}, 1+\sqrt{19}"),
    ("(1,2)", r"\left( 1 , 2 \right)"),
    ("x > 5", r"(5,\infty)"),
    (r"-80\leq g(x)\leq 82", "[-80, 82]"),
    (r"x \in [-2,7]", "[-2,7]"),
    (r"(-\infty,1)\cup(3,\infty)", r"x<1 \text{ or } x>3"),
    (r"(-\infty,5)\cup(5,\infty)", r"x \ne 5"),
    (r"\mathbb{R}", r"(-\infty, \infty)"),
    ("x < 1", "-x > -1"),
    ("2x+4y-3=0", r"y=-\frac{1}{2}x+\frac{3}{4}"),
    ("x^2/4 + y^2/3 = 1", "x^2/16 + y^2/12 = 1/4"),
    ("y = x^2+2x+1", "(x+1)^2"),
    (r"\begin{pmatrix}1 & 2 \\3 & 4\end{pmatrix}", r"\left[\begin{array}{cc}1 & 2 \\3 & 4\end{array}\right]"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", "(1,2)"),
    ("204_5", "204_{5}"),
    ("1:2", r"\frac{1}{2}"),
    (r"\text{Evelyn}", "evelyn"),
    (r"\text{(C)}", "C"),
    (r"\text{(D)}", r"\text{(D) a non-horizontal line}"),
    (r"\mbox{four}", "4"),
    (r"8\!:\!34 \text{ p.m.}", "8:34"),
    ("2024^{4046}", "2024^{4046}"),
    (r"\cos(2x)", r"1-2\sin^2 x"),
    (r"\log_2 3", r"\frac{\ln 3}{\ln 2}"),
    (r"\log_2 3", "1.58496250072116"),
    (r"0.1 \sin x", r"\frac{\sin x}{10}"),
    (r"e^{i\pi}", "-1"),
    (r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}"),
    (r"1+\sqrt{3}", r"\sqrt{4+2\sqrt{3}}"),
    (r"\sin 30^\circ", r"\frac{1}{2}"),
    (r"f(x)+1", "1+f(x)"),
]

DIFFERENT = [
    ("2", "12"),
    ("2", "AZYUK2A"),
    ("5", "-5"),
    ("3", "3i"),
    ("3", "3t"),
    ("12", "102"),
    (r"\frac{1}{1+\frac{1}{2}}", r"\frac{1}{1+\frac{1}{3}}"),
    ("1-1/e", "1+1/e"),
    (r"1 - \frac{1}{\mathrm{e}}", r"1 + \frac{1}{\mathrm{e}}"),
    ("2x+3y=5", "3x+2y=5"),
    ("x + 2y - 2z - 9 = 0", "x + 2y - 2z + 9 = 0"),
    ("x=1", "y=1"),
    ("7 = 11a+c", "11a+c"),
    ("2x + z = 1", "1"),
    ("a^2 + b = 0", "0"),
    ("1,234", "1.234"),
    ("1 1/2", "11/2"),
    (r"\sqrt{2}", "1.414"),
    (r"\frac{1}{3}", "0.33"),
    ("5", "5.001"),
    ("7", "7.0000001"),
    ("0.5", "0.5%"),
    (r"10\text{ cm}", r"10\text{ m}"),
    (r"20\text{ cm}^2", r"20\text{ cm}^3"),
    (r"9\text{ a.m.}", r"9\text{ p.m.}"),
    ("(1,2)", "(2,1)"),
    ("(1,2)", "[1,2]"),
    ("(1,2)", r"\{1,2\}"),
    ("[0,9)", "[0,1)"),
    ("(3,1)", "{1,3}"),
    ("5", "5, 6"),
    ("5", "5 or 6"),
    ("1,1,2", "1,2"),
    (r"\pm 2021", "2021"),
    (r"x \le 5", "x < 5"),
    (r"x \ge 5", r"x \le 5"),
    (r"\infty", r"-\infty"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1&2\end{pmatrix}"),
    ("204_5", "204"),
    ("204_5", "204_6"),
    ("2:3", "3:2"),
    ("odd", r"\text{oddd}"),
    (r"\text{Monday}", "Tuesday"),
    (r"\text{yes}", "no"),
    (r"\text{CBAD}", r"\text{ABCD}"),
    (r"\text{A}", r"\text{A, B}"),
    (r"\text{(A)}", "(A) and (B)"),
    ("two lines", "a pair of lines"),
    ("5", "cannot be determined"),
    ("5", "the value is not 5"),
    ("3^{2025}", r"\boxed{2^{2025}}"),
    (r"\sqrt{x^2}", "x"),
    (r"\sin x", r"\cos x"),
    ("f'(x)", "f(x)"),
    (r"\overline{AB}", r"\overline{BA}"),
    (r"\frac{5}{0}", r"\frac{7}{0}"),
    (r"x^2\sin 1", r"x^2\sin 2"),
]

UNPARSABLE = [
    "",
    "   ",
    "$$",
    r"\boxed{}",
    "???",
    "\x00",
    "5\x07",
    r"\frac{",
    "(" * 400 + ")" * 400,
    "x+" * 2_000,
]


def test_equal_answers_are_equal(grader: Grader) -> None:
    """Notation, units, order where it carries no meaning, names, and forms of one value."""
    verdicts = grader.grade(EQUAL)

    assert [pair for pair, verdict in zip(EQUAL, verdicts, strict=True) if verdict != "equal"] == []


def test_different_answers_are_different(grader: Grader) -> None:
    """Each pair is one that a careless comparison calls equal."""
    verdicts = grader.grade(DIFFERENT)

    assert [pair for pair, verdict in zip(DIFFERENT, verdicts, strict=True) if verdict != "different"] == []


def test_both_hold_the_other_way_round(grader: Grader) -> None:
    """Swapping the sides changes no verdict, but where a percent sign or a unit is told from a number."""
    one_way = {("50%", "0.5"), ("0.5", r"50\%"), ("50", "50 percent"), ("0.5", "0.5%")}
    one_way |= {(r"\text{(A)}", "(A) and (B)"), ("5", "the value is not 5"), ("5", "cannot be determined")}
    pairs = [(pair, "equal") for pair in EQUAL] + [(pair, "different") for pair in DIFFERENT]
    swapped = [((b, a), expected) for (a, b), expected in pairs if (a, b) not in one_way]

    verdicts = grader.grade([pair for pair, _ in swapped])

    wrong = [pair for (pair, expected), verdict in zip(swapped, verdicts, strict=True) if verdict != expected]
    assert wrong == []


def test_what_says_nothing_is_unparsable(grader: Grader) -> None:
    """Empty, control characters, half a formula and nesting that no answer has."""
    verdicts = grader.grade([("5", None), *(("5", answer) for answer in UNPARSABLE)])

    assert verdicts == ["unparsable"] * (len(UNPARSABLE) + 1)
