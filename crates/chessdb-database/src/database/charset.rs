//! Detection of the charset of a database that does not declare it (docs/encodings.md, section 1).

mod pieces;

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use chessdb_core::model::NameRecord;
use chessdb_core::text::{CharsetGuess, CharsetPrior, EncodingDetector, Evidence, Texts};
use chessdb_core::utf16::Utf16;
use chessdb_core::{Charset, Format, Game, GameStore, Scratch, Text};
use chessdb_files::packed::{self, Stream};

use super::fields::{Fields, TextField, each_text};
use super::{Database, DatabaseContent};

use self::pieces::{add_piece, is_between, piece_end};

/// Sample sizes. Without name tables about `HEADER_SAMPLES` headers are read, but at least one in
/// `MAX_STEP`; if names are not sufficient, the comments of about `COMMENT_SAMPLES` games.
const HEADER_SAMPLES: u32 = 1000;
const COMMENT_SAMPLES: u32 = 400;
const MAX_STEP: u32 = 64;
/// Number of witnesses that are sufficient evidence.
const MIN_WITNESSES: usize = 3;
/// A text file is sampled in at most `MAX_PIECES` evenly spread pieces: first in small ones, and if
/// these are not sufficient evidence, in larger ones.
const MAX_PIECES: usize = 128;
const PIECE_SIZES: [usize; 3] = [1 << 12, 1 << 14, MAX_PIECE_SIZE];
const MAX_PIECE_SIZE: usize = 1 << 16;
/// Bytes read after the end of a piece to find the end of its last line.
const OVERLAP: usize = 1 << 12;
/// Limits for the part of a stream that is sampled before its first game: at most
/// `MAX_STREAM_SAMPLE` bytes. Sampling ends early at a read of less than `SLOW_READ` bytes, or at a
/// short read once more than a piece was read: the source may be waiting, and the caller for the
/// first game.
const MAX_STREAM_SAMPLE: usize = 1 << 20;
const SLOW_READ: usize = 1 << 12;
/// Bytes of a text file that are read to sample games for a target.
const TEXT_START: usize = 1 << 18;
/// Maximum of texts sampled to choose a code page.
const MAX_TEXTS: usize = 2000;

/// The sampled texts of a database, and the charset guessed from them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Guess {
    pub(crate) evidence: Evidence,
    pub(crate) guess: Option<Arc<CharsetGuess>>,
}

/// A function that passes pieces of a given size to a callback, with a flag for the first piece.
/// Returns whether larger pieces would contain no more text.
type VisitPieces<'v> =
    dyn FnMut(usize, &mut dyn FnMut(bool, &[u8])) -> chessdb_files::error::Result<bool> + 'v;

impl Guess {
    /// Guesses from sampled texts.
    pub(super) fn new(evidence: Evidence, format: &Format) -> Guess {
        let guess = format
            .charset_prior
            .and_then(|origin| evidence.guess(origin));
        Guess {
            evidence,
            guess: guess.map(Arc::new),
        }
    }

    /// Returns whether the guess changes how the database is read.
    pub(super) fn matters(&self, format: &Format) -> bool {
        self.guess.as_ref().is_some_and(|guess| {
            let is_standard = guess.mixed.is_empty() && format.default_charset == Some(guess.page);
            // UTF-8 texts are recognized without a guess.
            let has_strays = guess
                .strays
                .is_some_and(|page| format.default_charset != Some(page));
            let is_utf8 = guess.page.is_unicode() && format.pages.is_empty() && !has_strays;
            !is_standard && !is_utf8
        })
    }

    /// Guesses from the names of an open database, and from comments if these are not sufficient.
    /// `is_ascii` returns whether the comments of a game are known to be ASCII.
    pub(super) fn of_store(
        store: &dyn GameStore,
        format: &Format,
        fields: &Fields,
        is_ascii: &dyn Fn(u32) -> bool,
    ) -> Guess {
        // A database that declares its charset leaves nothing to guess.
        if store.details().declared_charset.is_some() {
            return Guess::default();
        }
        let mut evidence = Evidence::new();
        names(store, fields, &mut |text| evidence.add(text.as_bytes()));
        let asks_comments = !is_set(fields, TextField::Comment);
        // Comments are read only if the names do not suffice: a comment costs reading a whole game.
        if asks_comments && !evidence.has_witnesses(MIN_WITNESSES) {
            comments(store, is_ascii, &mut |text| {
                add_comment(text.as_bytes(), format, &mut evidence)
            });
        }
        Guess::new(evidence, format)
    }

    /// Guesses from a text file in memory.
    pub(super) fn of_text(text: &[u8], format: &Format, fields: &Fields) -> Guess {
        Guess::of_pieces(format, fields, &mut |size, each| {
            let count = text.len().div_ceil(size);
            let sampling_step = count.div_ceil(MAX_PIECES).max(1);
            for offset in (0..count).step_by(sampling_step).map(|piece| piece * size) {
                let rest = text.get(offset..).unwrap_or_default();
                // A piece ends at the end of a line, which is at most `OVERLAP` bytes after its
                // size.
                let piece = rest.get(..size + OVERLAP).unwrap_or(rest);
                each(offset == 0, piece);
            }
            Ok(sampling_step == 1)
        })
        .unwrap_or_default()
    }

    /// Guesses from pieces of a text file.
    pub(super) fn of_file(
        file: &chessdb_files::filesystem::FoundDatabase,
        fields: &Fields,
    ) -> chessdb_files::error::Result<Guess> {
        Guess::of_pieces(file.format(), fields, &mut |size, each| {
            let mut is_first = true;
            file.pieces(size, OVERLAP, MAX_PIECES, |piece| {
                each(std::mem::take(&mut is_first), piece);
            })
        })
    }

    /// Guesses from the pieces that `visit` passes on. They have the given size plus [`OVERLAP`].
    /// `visit` returns whether larger pieces would contain no more text.
    fn of_pieces(
        format: &Format,
        fields: &Fields,
        visit: &mut VisitPieces<'_>,
    ) -> chessdb_files::error::Result<Guess> {
        let mut evidence = Evidence::new();
        let mut is_wide = false;
        for size in PIECE_SIZES {
            let is_all = visit(size, &mut |is_first, piece| {
                // UTF-16 is recognised by the first bytes of a file.
                is_wide |= is_first && is_utf16(piece);
                if !is_wide {
                    // The first line of a later piece is incomplete.
                    let start = if is_first { 0 } else { piece_end(piece, 0) };
                    let piece = piece.get(start..piece_end(piece, size)).unwrap_or_default();
                    add_piece(piece, fields, &mut evidence);
                }
            })?;
            // Larger pieces are read only if the smaller ones had too few words that are not ASCII.
            if is_all || is_wide || evidence.is_enough() {
                break;
            }
        }
        Ok(Guess::new(evidence, format))
    }

    /// Guesses from the start of a stream; returns a stream of the same bytes, with any error at
    /// its place.
    pub(super) fn of_stream_start(
        input: Stream<'static>,
        format: &Format,
        fields: &Fields,
    ) -> (Guess, Stream<'static>) {
        let mut input = input;
        let mut start = Vec::new();
        let mut block = vec![0; MAX_PIECE_SIZE];
        let error = loop {
            match input.read(&mut block) {
                Ok(length) => {
                    start.extend_from_slice(block.get(..length).unwrap_or_default());
                    // The bytes read for format detection arrive in a separate read, however
                    // fast the source is.
                    let is_slow = length < SLOW_READ && start.len() > packed::MAGIC;
                    let is_enough = start.len() >= MAX_STREAM_SAMPLE
                        || start.len() > MAX_PIECE_SIZE && length < MAX_PIECE_SIZE;
                    if length == 0 || is_slow || is_enough {
                        break None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Some(error),
            }
        };
        // The last word may be incomplete.
        let end = start
            .iter()
            .rposition(is_between)
            .map_or(0, |index| index + 1);
        let guess = Guess::of_text(start.get(..end).unwrap_or_default(), format, fields);
        let rest = StreamRest { error, rest: input };
        (guess, Box::new(io::Cursor::new(start).chain(rest)))
    }
}

impl Database {
    /// Returns the sampled texts of a database in memory from which its charset was guessed, unless the
    /// caller set the charset of any text.
    pub(crate) fn charset_evidence(&self) -> Option<&Evidence> {
        let is_guessed = self.format.stream.is_none()
            && self.format.charset_prior.is_some()
            && self.options.charset.is_none()
            && self.fields.is_empty();
        self.guess
            .get()
            .filter(|_| is_guessed)
            .map(|guess| &guess.evidence)
    }
}

/// Returns whether a text is in UTF-16, which needs no guess.
fn is_utf16(text: &[u8]) -> bool {
    Utf16::detect(text.get(..8).unwrap_or(text)).is_some()
}

/// The rest of a stream after its sampled start: first the error that ended the sampling, if any.
struct StreamRest {
    error: Option<io::Error>,
    rest: Stream<'static>,
}

impl Read for StreamRest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.rest.read(buffer),
        }
    }
}

/// Returns evenly spread games: all if there are at most `least`, about `least` of more, at least
/// one in [`MAX_STEP`].
fn sampled_indexes(games: u32, least: u32) -> impl Iterator<Item = u32> {
    (0..games).step_by(sampling_step(games, least) as usize)
}

/// Returns a power of two, so that a writer knows early which games may be sampled.
fn sampling_step(games: u32, least: u32) -> u32 {
    games.div_ceil(least).next_power_of_two().min(MAX_STEP)
}

/// Returns `n` if one in `n` headers is read to find the charset of a database without tables of
/// names.
pub fn header_sampling_step(games: u32) -> u32 {
    sampling_step(games, HEADER_SAMPLES)
}

/// Returns whether the byte is one of ChessBase's symbols in comments, which are not letters of a
/// code page.
fn is_sign(byte: u8, origin: Option<CharsetPrior>) -> bool {
    match origin {
        Some(CharsetPrior::ChessBaseDos) => matches!(byte, 0xB0..=0xDF | 0xFE | 0xFF),
        Some(CharsetPrior::ChessBaseWindows) => matches!(byte, 0x80..=0xBF | 0xD7 | 0xF7 | 0xFE),
        _ => false,
    }
}

/// Returns whether the bytes of this character are two such symbols.
fn is_pair_of_signs(c: char) -> bool {
    matches!(c, '\u{5C0}'..='\u{5FF}')
}

fn is_set(fields: &Fields, field: TextField) -> bool {
    fields.iter().any(|(set, _)| *set == field)
}

/// Passes the non-ASCII description and names to `add`; without name tables, the names of sampled
/// headers.
fn names(store: &dyn GameStore, fields: &Fields, add: &mut dyn FnMut(Text<'_>)) {
    let base = store.base();
    add(base.texts.get(base.description));
    for table in &base.names {
        if !is_set(fields, TextField::of_name_table(table.role)) {
            // Most tables are ASCII, and a test of their bytes as a whole is faster than a test of
            // each name.
            for records in table.records.chunks(64) {
                if is_plain(records, &base.texts) {
                    continue;
                }
                let texts = records.iter().map(|record| base.texts.get(record.text));
                texts
                    .filter(|text| !text.as_bytes().is_ascii())
                    .for_each(&mut *add);
            }
        }
    }
    // Names in tables are those of all headers.
    if !base.names.is_empty() {
        return;
    }
    let (mut game, mut scratch) = (Game::default(), Scratch::new());
    let mut set = Vec::new();
    for n in sampled_indexes(store.len(), HEADER_SAMPLES) {
        if store.header_into(n, &mut game, &mut scratch).is_ok() {
            set.clear();
            for (field, _) in fields {
                each_text(*field, &game.header, &game.moves, &mut |id| set.push(id));
            }
            for (id, text) in game.texts.iter() {
                if !set.contains(&id) {
                    add(text);
                }
            }
        }
        scratch.diagnostics.clear();
    }
}

/// Returns whether all these names are ASCII. May return false for ASCII names that are not stored
/// contiguously.
fn is_plain(records: &[NameRecord], texts: &Texts) -> bool {
    let ends = records.first().zip(records.last());
    ends.is_some_and(|(first, last)| {
        let (first, last) = (first.text, last.text);
        let mut ids = records.iter().map(|record| record.text);
        let bytes = texts.span(first, last);
        ids.all(|id| (first..=last).contains(&id)) && !bytes.is_empty() && bytes.is_ascii()
    })
}

/// Returns whether the comments sampled for a guess are ASCII.
pub(crate) fn has_ascii_comments(store: &dyn GameStore) -> bool {
    let mut is_ascii = true;
    comments(store, &|_| false, &mut |text| {
        is_ascii &= text.as_bytes().is_ascii()
    });
    is_ascii
}

/// Passes the comments of sampled games to `add`, except games that `skips` returns true for.
fn comments(store: &dyn GameStore, skips: &dyn Fn(u32) -> bool, add: &mut dyn FnMut(Text<'_>)) {
    let (mut game, mut scratch) = (Game::default(), Scratch::new());
    let index = store.search_index();
    let may_have = |n: &u32| !skips(*n) && index.is_none_or(|index| !index.has_no_comments(*n));
    for n in sampled_indexes(store.len(), COMMENT_SAMPLES).filter(may_have) {
        // The texts of a header come first in a game; the others are its comments.
        let of_header = store.header_into(n, &mut game, &mut scratch);
        let of_header = of_header.map_or(0, |()| game.texts.len());
        if store.game_into(n, &mut game, &mut scratch).is_ok() {
            for (_, text) in game.texts.iter().skip(of_header) {
                add(text);
            }
        }
        scratch.diagnostics.clear();
    }
}

/// Returns the sampled non-ASCII texts of a database; for text files, the sampled words.
pub fn texts_of(db: &Database) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    if let DatabaseContent::Store(_, store) = &db.content {
        let mut add = |text: Text<'_>| {
            // ASCII texts do not depend on the charset that is judged.
            if !text.as_bytes().is_ascii() && texts.len() < MAX_TEXTS {
                texts.insert(text.decode().into_owned());
            }
        };
        names(store.store(), &Fields::new(), &mut add);
        comments(store.store(), &|_| false, &mut add);
        return texts;
    }
    let default = db.format.default_charset.unwrap_or(Charset::WINDOWS_1252);
    let detector = db.options.detector(default);
    let detector = match db.guess.get().and_then(|guess| guess.guess.as_ref()) {
        Some(guess) => EncodingDetector::of_base(guess, default),
        None => detector,
    };
    let guessed = db.guess.get().cloned();
    let guessed = match (guessed, &db.content) {
        // The caller set a charset; problems are reported when the games are read.
        (None, DatabaseContent::File(file)) => Guess::of_file(file, &Fields::new()).ok(),
        (guessed, _) => guessed,
    };
    let evidence = guessed.unwrap_or_default().evidence;
    for word in evidence.texts().flatten() {
        let text = Text::new(word, detector.charset(word));
        texts.insert(text.decode().into_owned());
    }
    texts
}

/// Passes evenly spread games to `each`; of a text file, the games at its beginning; of a stream,
/// none.
pub fn sample_games(db: &Database, each: &mut dyn FnMut(&Game)) {
    match &db.content {
        DatabaseContent::Store(_, store) => {
            let store = store.store();
            let (mut game, mut scratch) = (Game::default(), Scratch::new());
            for n in sampled_indexes(store.len(), COMMENT_SAMPLES) {
                scratch.diagnostics.clear();
                if store.game_into(n, &mut game, &mut scratch).is_ok() {
                    each(&game);
                }
            }
        }
        DatabaseContent::File(file) => {
            let (mut game, mut scratch) = (Game::default(), Scratch::new());
            // Damage is reported when the games are read.
            let mut is_first = true;
            let _ = file.pieces(TEXT_START, 0, 1, |start| {
                if !std::mem::take(&mut is_first) {
                    return;
                }
                let stream = db.format.stream;
                let input = Box::new(io::Cursor::new(start));
                let Some(Ok(mut games)) = stream.map(|stream| stream(input, db.options.clone()))
                else {
                    return;
                };
                for _ in 0..COMMENT_SAMPLES {
                    scratch.diagnostics.clear();
                    match games.read_into(&mut game, &mut scratch) {
                        Ok(true) => each(&game),
                        Ok(false) => break,
                        Err(_) => {}
                    }
                }
            });
        }
        DatabaseContent::Once(_) => {}
    }
}

/// Adds a comment without ChessBase's symbols.
fn add_comment(comment: &[u8], format: &Format, evidence: &mut Evidence) {
    if comment.is_ascii() {
        return;
    }
    let is_sign = |byte: u8| is_sign(byte, format.charset_prior);
    // UTF-8 bytes are not symbols, unless all of them are symbols that decode as Hebrew.
    let is_utf8 = |text: &str| text.chars().any(|c| !c.is_ascii() && !is_pair_of_signs(c));
    if std::str::from_utf8(comment).is_ok_and(is_utf8) {
        return evidence.add(comment);
    }
    // A byte between two letters is a letter, too.
    let is_letter = |index: usize| {
        let byte = comment.get(index).copied().unwrap_or_default();
        byte.is_ascii_alphabetic() || !byte.is_ascii() && !is_sign(byte)
    };
    let is_apart = |index: usize| !(index > 0 && is_letter(index - 1) && is_letter(index + 1));
    let mut start = 0;
    let mut pieces = Vec::new();
    for (index, byte) in comment.iter().enumerate() {
        if is_sign(*byte) && is_apart(index) {
            pieces.push(comment.get(start..index).unwrap_or_default());
            start = index + 1;
        }
    }
    pieces.push(comment.get(start..).unwrap_or_default());
    evidence.add_together(pieces);
}
