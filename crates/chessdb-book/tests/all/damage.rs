//! Damaged books cause no panic, no hang, and no memory use beyond that of the file.

use chessdb_book::chessdb_core::options::Mode;
use chessdb_book::chessdb_core::{Board, FileSet, ReadOptions, Scratch};
use chessdb_book::polyglot::to_bytes;
use chessdb_book::{
    ABK_FILE, BIN_FILE, Book, BookFormat, BookTree, CTG_FILE, CTO_FILE, to_polyglot, tree_game,
};
use chessdb_testkit::corrupt::Corruptor;

use crate::common::{abk, ctg, polyglot};

/// Does everything that can be done with a book.
fn survive(set: &dyn FileSet) {
    for role in [CTG_FILE, ABK_FILE, BIN_FILE] {
        let _ = set.get(role).map(BookFormat::of_content);
    }
    for mode in [Mode::Lenient, Mode::Strict] {
        let options = ReadOptions::default().with_mode(mode);
        let mut scratch = Scratch::new();
        let Ok(book) = Book::open(set, options, &mut scratch) else {
            continue;
        };
        let _ = book.each_position(&mut scratch, &mut |_, _| {});
        let start = Board::standard();
        if let Ok(tree) = BookTree::new(&book, &start, u32::MAX, &mut scratch) {
            let mut moves = 0;
            tree_game(&tree, |game| moves += game.moves.plies() as usize);
            assert!(moves >= tree.len());
        }
        if let Ok((mut entries, _)) = to_polyglot(&book, &mut scratch) {
            to_bytes(&mut entries);
        }
        assert!(mode == Mode::Lenient || scratch.diagnostics.is_empty());
        assert!(scratch.diagnostics.len() <= 1000);
    }
}

#[test]
fn truncated_books() {
    let ctg = ctg();
    for role in [CTO_FILE, CTG_FILE] {
        for variant in Corruptor::new(&ctg, 1).some_truncations(role, 40, 300) {
            survive(&variant);
        }
    }
    for variant in Corruptor::new(&polyglot(), 2).truncations(BIN_FILE) {
        survive(&variant);
    }
    for variant in Corruptor::new(&abk(), 3).some_truncations(ABK_FILE, 8, 300) {
        survive(&variant);
    }
}

#[test]
fn flipped_bits() {
    let ctg = ctg();
    // The first page of positions, the heads, and the whole table.
    for variant in Corruptor::new(&ctg, 4).bit_flips_in(CTG_FILE, 4096..4700) {
        survive(&variant);
    }
    for variant in Corruptor::new(&ctg, 5).bit_flips(CTG_FILE, 32, 500) {
        survive(&variant);
    }
    for variant in Corruptor::new(&ctg, 6).bit_flips(CTO_FILE, 40, 0) {
        survive(&variant);
    }
    for variant in Corruptor::new(&polyglot(), 7).bit_flips(BIN_FILE, 200, 200) {
        survive(&variant);
    }
    for variant in Corruptor::new(&abk(), 8).bit_flips_in(ABK_FILE, 25_200..25_800) {
        survive(&variant);
    }
}

#[test]
fn noise_and_extreme_numbers() {
    let ctg = ctg();
    for variant in Corruptor::new(&ctg, 9).noise(CTG_FILE, 400) {
        survive(&variant);
    }
    for range in [16..32, 4096..4104] {
        for variant in Corruptor::new(&ctg, 10).extremes(CTG_FILE, range) {
            survive(&variant);
        }
    }
    for variant in Corruptor::new(&ctg, 11).extremes(CTO_FILE, 0..28) {
        survive(&variant);
    }
    for variant in Corruptor::new(&polyglot(), 12).noise(BIN_FILE, 300) {
        survive(&variant);
    }
    let abk = abk();
    for variant in Corruptor::new(&abk, 13).noise(ABK_FILE, 100) {
        survive(&variant);
    }
    for variant in Corruptor::new(&abk, 14).extremes(ABK_FILE, 25_200..25_256) {
        survive(&variant);
    }
}
