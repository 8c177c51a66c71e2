"""Asset metadata a person wants to see in the UI: counts, a sample of rows, pictures.

Leaves out: computing what is shown.
"""

import base64

import dagster as dg
import polars as pl

from stepmark.store.store import Store

NOTE = "note"  # a line that a run on the command line shows below the name of the asset
_SAMPLE_ROWS = 3
_CELL_CHARS = 300


def table_rows(frame: pl.DataFrame) -> dg.MetadataValue:
    """A frame as a table in the UI; long cells are cut and end in an ellipsis."""
    records = [
        dg.TableRecord({name: _cell(value) for name, value in row.items()})
        for row in frame.iter_rows(named=True)
    ]
    columns = [dg.TableColumn(name, str(dtype)) for name, dtype in frame.schema.items()]
    return dg.MetadataValue.table(records, schema=dg.TableSchema(columns=columns))


def _cell(value: object) -> str | int | float | bool | None:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= _CELL_CHARS else text[: _CELL_CHARS - 1] + "…"


def sample_rows(store: Store, table: str, where: str = "true") -> dg.MetadataValue:
    """The first rows of a table, in the order of its key."""
    return table_rows(store.read(f"SELECT * FROM {table} WHERE {where} ORDER BY ALL LIMIT {_SAMPLE_ROWS}"))


def count_rows(store: Store, table: str) -> int:
    """Number of rows of a table."""
    return int(store.read(f"SELECT count(*) FROM {table}").item())


def picture(png: bytes, title: str) -> dg.MetadataValue:
    """A PNG picture, shown in the UI."""
    return dg.MetadataValue.md(f"![{title}](data:image/png;base64,{base64.b64encode(png).decode()})")
