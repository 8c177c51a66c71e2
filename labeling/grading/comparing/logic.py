"""Three-valued logic: statements that are true, false, or None where nobody can tell."""

from collections.abc import Iterable


def all_of(statements: Iterable[bool | None]) -> bool | None:
    """True if all are true, False if any is false, else None.

    >>> all_of([True, None]), all_of([None, False])
    (None, False)
    """
    is_unsure = False
    for statement in statements:
        if statement is False:
            return False
        is_unsure = is_unsure or statement is None
    return None if is_unsure else True


def any_of(statements: Iterable[bool | None]) -> bool | None:
    """True if any is true, False if all are false, else None.

    >>> any_of([False, None]), any_of([None, True])
    (None, True)
    """
    is_unsure = False
    for statement in statements:
        if statement:
            return True
        is_unsure = is_unsure or statement is None
    return None if is_unsure else False
