"""Positions and results as arrays for machine learning: no text, no legal move generator in Python."""

import sys

import chessdb
import numpy as np

VALUES = {"1-0": 1.0, "1/2-1/2": 0.0, "0-1": -1.0}


def training(path: str) -> tuple[np.ndarray, np.ndarray]:
    boards, values = [], []
    for game in chessdb.open(path):
        if game.result not in VALUES:
            continue
        positions = np.asarray(game.boards())
        boards.append(positions)
        values.append(np.full(len(positions), VALUES[game.result], np.float32))
    return np.concatenate(boards), np.concatenate(values)


if __name__ == "__main__":
    boards, values = training(sys.argv[1])
    print(boards.shape, boards.dtype, values.mean())
