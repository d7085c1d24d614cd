//! chessdb-scid.
