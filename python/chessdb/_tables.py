"""Games as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas
    import polars

    from chessdb import Stream


def df(stream: Stream) -> pandas.DataFrame:
    """Reads a stream to a DataFrame of pandas. Numbers stay whole numbers where some are missing."""
    import pandas as pd
    import pyarrow as pa

    whole = {pa.int16(): pd.Int16Dtype(), pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype()}
    return pa.table(stream).to_pandas(types_mapper=whole.get, date_as_object=False)


def pl(stream: Stream) -> polars.DataFrame:
    """Reads a stream to a DataFrame of polars."""
    import polars

    return polars.DataFrame(stream)
