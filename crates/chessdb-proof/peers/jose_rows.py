#!/usr/bin/env python3
"""Print every row of jose's tables as Python's sqlite3 reads it.

jose_rows.py FILE.sqlite: prints a line for each row: the table, a tab, and the cells in hexadecimal
digits, separated by spaces. NULL is printed as NULL, a number as its decimal digits in hexadecimal. Rows
are sorted by their first column.
jose_rows.py --query: prints the SQL statements that make MariaDB print the same lines.
"""

import sqlite3
import sys

TABLES = {
    "MetaInfo": "Property SchemaName TableName Version Dirty",
    "Collection": "Id PId OPId Name Path Attributes SourceURL LastModified GameCount",
    "Player": "Id Name Soundex",
    "Event": "Id Name Soundex",
    "Site": "Id Name Soundex",
    "Opening": "Id HashKey Ply ECO Name Soundex",
    "Game": "Id CId Idx Attributes OCId OIdx PlyCount Result WhiteId BlackId WhiteELO BlackELO"
    " EventId SiteId OpeningId GameDate EventDate DateFlags ECO AnnotatorId",
    "MoreGame": "GId WhiteTitle BlackTitle Round Board FEN Info Bin Comments PosMain PosVar Eval",
}


def shown(value):
    if value is None:
        return "NULL"
    if isinstance(value, str):
        value = value.encode("utf-8")
    if not isinstance(value, bytes):
        value = str(value).encode("ascii")
    return value.hex().upper()


def main():
    if sys.argv[1:] == ["--query"]:
        for table, columns in TABLES.items():
            cells = ", ".join(f"IFNULL(HEX(CAST(`{c}` AS BINARY)), 'NULL')" for c in columns.split())
            print(f"SELECT '{table}', CONCAT_WS(' ', {cells}) FROM `{table}` ORDER BY 1, `{columns.split()[0]}`;")
        return
    connection = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    for table, columns in TABLES.items():
        names = columns.split()
        query = f"SELECT {', '.join(names)} FROM {table} ORDER BY {names[0]}"
        for row in connection.execute(query):
            print(table, " ".join(shown(value) for value in row), sep="\t")


main()
