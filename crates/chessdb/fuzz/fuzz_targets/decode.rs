#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| chessdb_fuzz::run("decode", bytes));
