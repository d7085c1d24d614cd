"""Reads a database, changes the games with python-chess, and writes them in another format."""

import sys

import chessdb


def mark_mates(source: str, target: str) -> int:
    with chessdb.open(source) as db, chessdb.create(target, replace=True) as writer:
        for game in db:
            theirs = game.to_chess()
            if theirs.end().board().is_checkmate():
                theirs.end().comment = (theirs.end().comment + " Mate!").strip()
                game = chessdb.Game.from_chess(theirs)
            writer.write(game)
        return writer.finish()


if __name__ == "__main__":
    print(mark_mates(sys.argv[1], sys.argv[2]), "games")
