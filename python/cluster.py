"""Tests Spark on a local cluster of two workers: `python cluster.py DATABASE`.

The cluster converts a database in 40 parts, one worker is killed meanwhile, and the result is
compared with DuckDB. `cargo xtask peers spark` runs this script.

The workers are processes of Spark's standalone mode; they are ended by their process ids.
"""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import chessdb
import duckdb
import pyspark
from chessdb import spark as cs
from chessdb._scan import convert_split
from pyspark.sql import SparkSession

MASTER, UI = 17077, 18080


def start(name: str, *args: str, folder: Path) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    env = {
        **os.environ,
        "SPARK_HOME": str(home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    command = [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *args]
    log = (folder / f"{name}-{len(list(folder.glob('*.log')))}.log").open("wb")
    return subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)


def worker(folder: Path) -> subprocess.Popen[bytes]:
    url = f"spark://127.0.0.1:{MASTER}"
    return start("worker.Worker", "--webui-port", "0", "--cores", "1", "--memory", "1500m", url, folder=folder)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and its children, which form a process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def executors_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Returns the processes that a worker started, which are killed together with it."""
    found = subprocess.run(
        ["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True, check=False
    )
    return [int(number) for number in found.stdout.split()]


def main(base: str) -> None:
    games = len(chessdb.open(base))
    splits = chessdb.splits(base, games=-(-games // 40))
    print(f"{games:,} games in {len(splits)} parts")
    with tempfile.TemporaryDirectory(prefix="chessdb-cluster-") as name:
        folder = Path(name)
        processes = [start("master.Master", "--port", str(MASTER), "--webui-port", str(UI), folder=folder)]
        try:
            time.sleep(4)
            processes += [worker(folder), worker(folder)]
            os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
            builder: Any = SparkSession.builder
            spark: SparkSession = (
                builder.master(f"spark://127.0.0.1:{MASTER}")
                .appName("chessdb")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.ui.enabled", "false")
                .config("spark.ui.showConsoleProgress", "false")
                .config("spark.executor.memory", "1g")
                .config("spark.sql.shuffle.partitions", "4")
                .getOrCreate()
            )
            spark.sparkContext.setLogLevel("ERROR")
            spark.range(8).count()
            check(spark, splits, base, folder, processes, games)
            spark.stop()
        finally:
            for process in processes:
                end(process)


def check(
    spark: SparkSession,
    splits: list[chessdb.Split],
    base: str,
    folder: Path,
    processes: list[subprocess.Popen[bytes]],
    games: int,
) -> None:
    begin = time.perf_counter()
    rows = cs.convert(spark, splits, folder / "whole", positions=True)
    whole = time.perf_counter() - begin
    assert sum(row["games"] for row in rows) == games and not any(row["error"] for row in rows)

    begin = time.perf_counter()
    for split in splits:
        one = folder / "one" / f"{split.name}.parquet"
        one.parent.mkdir(exist_ok=True)
        convert_split(split, one, columns="all", positions=True)
    alone = time.perf_counter() - begin
    print(f"conversion of {len(splits)} parts: cluster {whole:.1f} s, one process {alone:.1f} s")

    victim = processes[1]
    killed: list[int] = []

    def kill() -> None:
        # When the first parts exist and the last do not.
        target = folder / "killed"
        while len(list(target.glob("part-*"))) < len(splits) // 4:
            time.sleep(0.01)
        killed.append(len(list(target.glob("part-*"))))
        for number in executors_of(victim):
            os.kill(number, signal.SIGKILL)
        end(victim)

    thread = threading.Thread(target=kill)
    thread.start()
    begin = time.perf_counter()
    rows = cs.convert(spark, splits, folder / "killed", positions=True)
    thread.join()
    seconds = time.perf_counter() - begin
    print(f"a worker killed when {killed[0]} of {len(splits)} parts were there: complete after {seconds:.1f} s")
    assert killed[0] < len(splits)
    files = sorted(path.name for path in (folder / "killed").iterdir())
    assert all(file.startswith("part-") for file in files), files
    assert len(files) == len(splits) == len(rows), (len(files), len(splits), len(rows))
    count = "select count(*), count(distinct game) from '{}/*.parquet'"
    for name in ("whole", "killed"):
        answer = duckdb.sql(count.format(folder / name)).fetchall()
        assert answer == [(games, games)], (name, answer)
    print(f"{games:,} games, none twice, in both")

    table = spark.read.parquet(str(folder / "killed"))
    begin = time.perf_counter()
    tree = cs.tree(table, plies=20, at_least=5).select("key", "move", "games", "points")
    theirs = sorted(tuple(row) for row in tree.collect())
    spark_seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    ours = duckdb.sql(f"""
        select k, m, count(*), sum(case Result when '1-0' then 2 when '0-1' then 0 else 1 end)::bigint
        from (select unnest(moves[:20]) as m, unnest(positions[:least(20, len(moves))]) as k, Result
              from '{folder}/whole/*.parquet')
        group by k, m having count(*) >= 5 order by k, m""").fetchall()
    duck_seconds = time.perf_counter() - begin
    assert theirs == ours and ours
    print(f"tree of {len(ours):,} moves: Spark {spark_seconds:.1f} s, DuckDB {duck_seconds:.1f} s, equal")

    question = "select left(ECO, 3) as code, count(*) as n from {} group by 1 order by n desc, code nulls last"
    table.createOrReplaceTempView("games")
    eco = [tuple(row) for row in spark.sql(question.format("games")).collect()]
    assert eco == duckdb.sql(question.format(f"'{folder}/whole/*.parquet'")).fetchall()
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    found = cs.find(table, fen).count()
    number = cs.key(fen)
    expected = f"select count(*) from '{folder}/whole/*.parquet' where list_contains(positions, {number})"
    assert [(found,)] == duckdb.sql(expected).fetchall()
    statements(spark, base, folder)
    read = cs.read(spark, splits[:4], columns=["White", "Result"]).count()
    assert read == sum(part.last - part.first + 1 for part in splits[:4] if part.first and part.last)
    print(f"openings equal; the position after 1. e4 in {found:,} games of both; mapInArrow read {read:,} games")


def statements(spark: SparkSession, base: str, folder: Path) -> None:
    """Runs the statements of docs/parquet.md that work in both engines."""
    positions = folder / "positions.parquet"
    begin = time.perf_counter()
    count = chessdb.index(base, parquet=positions)
    size = positions.stat().st_size / 1e6
    print(f"table of {count:,} positions: {time.perf_counter() - begin:.1f} s, {size:.1f} MB")
    engine = duckdb.connect()
    for name, path in (("games", f"{folder}/whole/*.parquet"), ("positions", str(positions))):
        engine.sql(f"create view {name} as from '{path}'")
        spark.read.parquet(path).createOrReplaceTempView(name)
    page = (Path(__file__).parents[1] / "docs" / "parquet.md").read_text()
    common = page[page.index("## 2. ") : page.index("## 4. ")]
    texts = re.findall(r"^```sql\n(.*?)^```", common, re.MULTILINE | re.DOTALL)
    assert len(texts) > 6
    for text in texts:
        begin = time.perf_counter()
        theirs = [tuple(row) for row in spark.sql(text).collect()]
        middle = time.perf_counter()
        ours = engine.sql(text).fetchall()
        duck = time.perf_counter() - middle
        assert len(ours) == len(theirs), text
        # Averages are decimal in one engine and floating-point in the other.
        if "order by" not in text:
            ours, theirs = sorted(ours), sorted(theirs)
        assert all(map(same_row, ours, theirs)), text
        print(f"  {len(ours):>7,} rows, Spark {middle - begin:.1f} s, DuckDB {duck:.2f} s: {text.split(chr(10))[0][:70]}")
    print(f"{len(texts)} statements, the same text and the same answers")


def same_row(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    def same(a: Any, b: Any) -> bool:
        if a is None or b is None or isinstance(a, str):
            return bool(a == b)
        return math.isclose(float(a), float(b), abs_tol=1e-4)

    return len(one) == len(other) and all(map(same, one, other))


if __name__ == "__main__":
    main(sys.argv[1])
