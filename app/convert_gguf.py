"""``stepmark convert-gguf``: a model in a GGUF file as a plain checkpoint that vLLM and trainers load.

Leaves out: the conversion (stepmark.models.gguf).
"""

from pathlib import Path

import click

from .extras import require
from .options import INPUT_FILE, output_option


@click.command("convert-gguf")
@click.argument("gguf", type=INPUT_FILE)
@output_option("--out", "out", "Folder to write.", is_folder=True, required=True)
def convert_gguf_command(gguf: Path, out: Path) -> None:
    """Convert the model in the file GGUF, a Llama, to a checkpoint folder."""
    require("accelerate", "gguf")  # transformers tells their absence as an error of its own
    from stepmark.models.gguf import convert_gguf  # noqa: PLC0415 - torch loads slowly

    convert_gguf(gguf, out)
    click.echo(f"Wrote {out}")
