"""Machine-readable results: a JSON file that is either whole or not there.

Leaves out: what stands in it.
"""

import json
import os
from pathlib import Path

from stepmark.labeling.errors import InputError


def write_json(path: Path, value: object) -> None:
    """Write ``value`` as indented JSON to ``path`` in one step, in place of what was there.

    Raises ``InputError`` where the file cannot be written, ``ValueError`` for NaN and infinity.
    """
    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        try:
            partial.write_text(text, encoding="utf-8")
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError.at(
            path, None, f"cannot be written ({reason})", "name a file in a writable folder"
        ) from error
