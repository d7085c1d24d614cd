//! chessdb-pgn.
