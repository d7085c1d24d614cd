//! chessdb-testkit.
