"""Machine-readable results: a JSON file that is either whole or not there.

Leaves out: what stands in it.
"""

import json
from pathlib import Path

from .text_output import write_text


def write_json(path: Path, value: object) -> None:
    """Write ``value`` as indented JSON to ``path``, as ``write_text`` does.

    Raises ``InputError`` where the file cannot be written, ``ValueError`` for NaN and infinity.
    """
    write_text(path, json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n")
