//! Reads and writes DC* databases (dci, dcn, dcs, dce, dcg).
