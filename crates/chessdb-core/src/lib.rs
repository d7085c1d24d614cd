//! chessdb-core.
