//! chessdb.
