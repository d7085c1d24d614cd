#!/usr/bin/env python3
"""Measure clicks in the tree of the page that `chessdb view` serves.

view_tree.py PROGRAM DATABASE [POSITIONS]: asks the server, as the page does, for the tree of POSITIONS (100)
positions of random games, of half-moves 0 to 50 (those of tree_file.py). The time is that of all requests of a
click: the start of the task and its steps. `--page` gets an empty page, because no browser is used.
"""

import http.client
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from tree_file import positions

# The numbers of games of a step in the page, as long as the steps are short.
FIRST_STEP = 64
MOST_STEP = 1 << 20


class View:
    def __init__(self, program, database):
        page = pathlib.Path(tempfile.mkdtemp()) / "page.html"
        page.write_text("<!doctype html><title>page</title>")
        command = [program, "view", "--no-open", "--page", page, database]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        host, token = self.process.stdout.readline().strip().removeprefix("http://").split("/", 1)
        self.host, self.token = host, token.rstrip("/")
        # The page is open as long as this response is kept: it owns the connection.
        connection = http.client.HTTPConnection(self.host)
        connection.request("GET", f"/{self.token}/alive")
        self.alive = connection.getresponse()
        self.number = self.alive.readline().decode().strip()

    def call(self, request):
        connection = http.client.HTTPConnection(self.host)
        connection.request("POST", f"/{self.token}/call?{self.number}", json.dumps(request))
        answer = json.loads(connection.getresponse().read())
        connection.close()
        if "error" in answer and answer["error"]:
            sys.exit(f"{request}: {answer['error']}")
        return answer

    def tree(self, fen):
        """Returns the seconds of a click, and the answer."""
        start = time.monotonic()
        task = self.call({"op": "start", "task": "tree", "fen": fen})["task"]
        most = FIRST_STEP
        while True:
            state = self.call({"op": "step", "task": task, "most": most})
            if state["done"] is not False:
                return time.monotonic() - start, state["result"]
            most = min(most * 2, MOST_STEP)


def main(program, database, count="100"):
    fens = positions(program, database, int(count))
    view = View(program, database)
    view.call({"op": "bases"})
    view.call({"op": "open", "base": 0})
    try:
        times = sorted((view.tree(fen)[0] * 1000, fen) for fen in fens)
    finally:
        view.process.terminate()
    walls = [wall for wall, _ in times]
    print(f"{len(fens)} clicks: median {walls[len(walls) // 2]:.1f} ms, 99 % {walls[len(walls) * 99 // 100]:.1f} ms, "
          f"most {walls[-1]:.1f} ms in {times[-1][1]}")


if __name__ == "__main__":
    main(*sys.argv[1:])
