//! What a base is in whose files do not say so (docs/encodings.md, section 7).

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::Arc;

use chessdb_core::text::{CharsetGuess, Evidence, Judge, Origin};
use chessdb_core::utf16::Utf16;
use chessdb_core::{Charset, Format, Game, GameStore, NameRecord, Scratch, Text, Texts};

use super::fields::{Fields, TextField, each_text};
use super::{Content, Database};
use crate::packed::{self, Stream};

/// Without tables of names so many heads are looked at, or one in so many; where names say too
/// little, the comments of so many games.
const HEADS: u32 = 1000;
const GAMES: u32 = 400;
const ONE_IN: u32 = 64;
/// How many witnesses are enough.
const ENOUGH: usize = 3;
/// A text file is looked at in pieces, at most so many, evenly spread: first in small ones, and if these
/// did not say as much as is weighed, in larger ones.
const PIECES: usize = 128;
const SIZES: [usize; 3] = [1 << 12, 1 << 14, PIECE];
const PIECE: usize = 1 << 16;
/// Bytes that are read after the end of a piece, to find the end of its last line.
const OVERLAP: usize = 1 << 12;
/// How much of a stream is looked at before its first game: so much, or until it gives less than this
/// at a time, or has given a piece and no more for now, for then somebody may wait for the first game.
const AHEAD: usize = 1 << 20;
const SLOW: usize = 1 << 12;
/// How much of a text file is read to try what a target makes of its texts.
#[cfg(feature = "fs")]
const BEGINNING: usize = 1 << 18;
/// How many texts are enough to choose a page for.
const MOST: usize = 2000;

/// The texts of a base that were looked at, and what they say.
#[derive(Clone, Default, Debug)]
pub(crate) struct Guess {
    pub(crate) evidence: Evidence,
    pub(crate) guess: Option<Arc<CharsetGuess>>,
}

/// Hands pieces of a text of this size to a function, which learns whether a piece is the first one; returns
/// whether larger pieces would hold nothing more.
type Visit<'v> = dyn FnMut(usize, &mut dyn FnMut(bool, &[u8])) -> crate::Result<bool> + 'v;

impl Guess {
    fn of(evidence: Evidence, format: &Format) -> Guess {
        let guess = format.origin.and_then(|origin| evidence.guess(origin));
        Guess {
            evidence,
            guess: guess.map(Arc::new),
        }
    }

    /// Whether the base is to be read otherwise than without it.
    pub(super) fn matters(&self, format: &Format) -> bool {
        self.guess.as_ref().is_some_and(|guess| {
            let is_usual = guess.mixed.is_empty() && format.usual == Some(guess.page);
            // Texts that may be UTF-8 are so without being told.
            let has_strays = guess.strays.is_some_and(|page| format.usual != Some(page));
            let is_utf8 = guess.page.is_unicode() && format.pages.is_empty() && !has_strays;
            !is_usual && !is_utf8
        })
    }

    /// Of a base that was opened: by its names, and by comments if these say too little.
    pub(super) fn of_store(store: &dyn GameStore, format: &Format, fields: &Fields) -> Guess {
        if store.declared_charset().is_some() {
            return Guess::default();
        }
        let mut evidence = Evidence::new();
        names(store, fields, &mut |text| evidence.add(text.as_bytes()));
        if !evidence.has_witnesses(ENOUGH) && !is_told(fields, TextField::Comment) {
            comments(store, &mut |text| {
                add_comment(text.as_bytes(), format, &mut evidence)
            });
        }
        Guess::of(evidence, format)
    }

    /// Of a text file in memory.
    pub(super) fn of_text(text: &[u8], format: &Format, fields: &Fields) -> Guess {
        Guess::of_pieces(format, fields, &mut |size, each| {
            let count = text.len().div_ceil(size);
            let step = count.div_ceil(PIECES).max(1);
            for at in (0..count).step_by(step).map(|piece| piece * size) {
                let rest = text.get(at..).unwrap_or_default();
                let piece = rest.get(..size + OVERLAP).unwrap_or(rest);
                each(at == 0, piece);
            }
            Ok(step == 1)
        })
        .unwrap_or_default()
    }

    /// Of pieces of a text file.
    #[cfg(feature = "fs")]
    pub(super) fn of_file(
        found: &crate::fs::FoundDatabase,
        fields: &Fields,
    ) -> crate::Result<Guess> {
        Guess::of_pieces(found.format(), fields, &mut |size, each| {
            let mut is_first = true;
            found.pieces(size, OVERLAP, PIECES, |piece| {
                each(std::mem::take(&mut is_first), piece);
            })
        })
    }

    /// Of pieces that `visit` hands out, which are of the size that it is given and [`OVERLAP`] longer, and
    /// returns whether larger ones would hold nothing more.
    fn of_pieces(format: &Format, fields: &Fields, visit: &mut Visit<'_>) -> crate::Result<Guess> {
        let mut evidence = Evidence::new();
        let mut is_wide = false;
        for size in SIZES {
            let is_all = visit(size, &mut |is_first, piece| {
                is_wide |= is_first && is_utf16(piece);
                if !is_wide {
                    let start = if is_first { 0 } else { border(piece, 0) };
                    let piece = piece.get(start..border(piece, size)).unwrap_or_default();
                    add_piece(piece, fields, &mut evidence);
                }
            })?;
            if is_all || is_wide || evidence.is_enough() {
                break;
            }
        }
        Ok(Guess::of(evidence, format))
    }

    /// Of what a stream begins with, and the stream as it was, an error in it in its place.
    pub(super) fn ahead(
        input: Stream<'static>,
        format: &Format,
        fields: &Fields,
    ) -> (Guess, Stream<'static>) {
        let mut input = input;
        let mut start = Vec::new();
        let mut block = vec![0; PIECE];
        let error = loop {
            match input.read(&mut block) {
                Ok(length) => {
                    start.extend_from_slice(block.get(..length).unwrap_or_default());
                    // What the stream was recognised by comes by itself, however quick the rest is.
                    let is_slow = length < SLOW && start.len() > packed::MAGIC;
                    let is_enough = start.len() >= AHEAD || start.len() > PIECE && length < PIECE;
                    if length == 0 || is_slow || is_enough {
                        break None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Some(error),
            }
        };
        // More may come of the last word.
        let end = start.iter().rposition(is_between).map_or(0, |at| at + 1);
        let guess = Guess::of_text(start.get(..end).unwrap_or_default(), format, fields);
        let rest = Rest { error, rest: input };
        (guess, Box::new(io::Cursor::new(start).chain(rest)))
    }
}

/// Whether a text is in UTF-16, which says so itself.
fn is_utf16(text: &[u8]) -> bool {
    Utf16::detect(text.get(..8).unwrap_or(text)).is_some()
}

/// What comes behind the beginning of a stream: first the error that ended that, if any.
struct Rest {
    error: Option<io::Error>,
    rest: Stream<'static>,
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.rest.read(buffer),
        }
    }
}

/// Games evenly spread: all of few, about `least` of more, one in [`ONE_IN`] of many.
fn sample(games: u32, least: u32) -> impl Iterator<Item = u32> {
    (0..games).step_by(step(games, least) as usize)
}

/// A power of two, so that a writer knows early which games may be looked at.
fn step(games: u32, least: u32) -> u32 {
    games.div_ceil(least).next_power_of_two().min(ONE_IN)
}

/// Returns `n` if one in `n` headers is read to find the charset of a database without tables of names.
pub(crate) fn header_sampling_step(games: u32) -> u32 {
    step(games, HEADS)
}

/// ChessBase's signs in comments are no letters of any page.
fn is_sign(byte: u8, origin: Option<Origin>) -> bool {
    match origin {
        Some(Origin::ChessBase) => matches!(byte, 0xB0..=0xDF | 0xFE | 0xFF),
        Some(Origin::ChessBaseWindows) => matches!(byte, 0x80..=0xBF | 0xD7 | 0xF7 | 0xFE),
        _ => false,
    }
}

/// Whether the bytes of this character are two of these signs.
fn is_pair_of_signs(c: char) -> bool {
    matches!(c, '\u{5C0}'..='\u{5FF}')
}

fn is_told(fields: &Fields, field: TextField) -> bool {
    fields.iter().any(|(told, _)| *told == field)
}

/// Hands out the description and the names, as far as they are not ASCII; without tables of names those of heads.
fn names(store: &dyn GameStore, fields: &Fields, add: &mut dyn FnMut(Text<'_>)) {
    let base = store.base();
    add(base.texts.get(base.description));
    for table in &base.names {
        if !is_told(fields, TextField::of_table(table.role)) {
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
    if !base.names.is_empty() {
        return;
    }
    let (mut game, mut scratch) = (Game::default(), Scratch::new());
    let mut told = Vec::new();
    for n in sample(store.len(), HEADS) {
        if store.header_into(n, &mut game, &mut scratch).is_ok() {
            told.clear();
            for (field, _) in fields {
                each_text(*field, &game.header, &game.moves, &mut |id| told.push(id));
            }
            for (id, text) in game.texts.iter() {
                if !told.contains(&id) {
                    add(text);
                }
            }
        }
        scratch.diagnostics.clear();
    }
}

/// Whether all of these names are ASCII, as far as one look at what lies between the first and the last tells.
fn is_plain(records: &[NameRecord], texts: &Texts) -> bool {
    let ends = records.first().zip(records.last());
    ends.is_some_and(|(first, last)| {
        let (first, last) = (first.text, last.text);
        let mut texts_of = records.iter().map(|record| record.text);
        let bytes = texts.span(first, last);
        texts_of.all(|text| (first..=last).contains(&text)) && !bytes.is_empty() && bytes.is_ascii()
    })
}

/// Hands out comments.
fn comments(store: &dyn GameStore, add: &mut dyn FnMut(Text<'_>)) {
    let (mut game, mut scratch) = (Game::default(), Scratch::new());
    for n in sample(store.len(), GAMES).filter(|&n| !store.is_bare(n)) {
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

/// The texts beyond ASCII of a base, of text files the words, as far as they are looked at to find out its
/// charset.
pub(crate) fn texts_of(db: &Database) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    if let Content::IndexUse(_, store) = &db.content {
        let mut add = |text: Text<'_>| {
            if !text.as_bytes().is_ascii() && texts.len() < MOST {
                texts.insert(text.decode().into_owned());
            }
        };
        names(store.store(), &Fields::new(), &mut add);
        comments(store.store(), &mut add);
        return texts;
    }
    let usual = db.format.usual.unwrap_or(Charset::WINDOWS_1252);
    let judge = db.options.judge(usual);
    let judge = match db.guess.get().and_then(|guess| guess.guess.as_ref()) {
        Some(guess) => Judge::of_base(guess, usual),
        None => judge,
    };
    let guessed = db.guess.get().cloned();
    #[cfg(feature = "fs")]
    let guessed = match (guessed, &db.content) {
        // A page was named; what it cannot be read for is told when it is read.
        (None, Content::File(found)) => Guess::of_file(found, &Fields::new()).ok(),
        (guessed, _) => guessed,
    };
    let evidence = guessed.unwrap_or_default().evidence;
    for word in evidence.texts().flatten() {
        let text = Text::new(word, judge.charset(word));
        texts.insert(text.decode().into_owned());
    }
    texts
}

/// Hands out games that are evenly spread; of a text file those that it begins with, of a stream none.
pub(crate) fn sample_games(db: &Database, each: &mut dyn FnMut(&Game)) {
    match &db.content {
        Content::IndexUse(_, store) => {
            let store = store.store();
            let (mut game, mut scratch) = (Game::default(), Scratch::new());
            for n in sample(store.len(), GAMES) {
                scratch.diagnostics.clear();
                if store.game_into(n, &mut game, &mut scratch).is_ok() {
                    each(&game);
                }
            }
        }
        #[cfg(feature = "fs")]
        Content::File(found) => {
            let (mut game, mut scratch) = (Game::default(), Scratch::new());
            // Damage is reported when the games are read.
            let mut is_first = true;
            let _ = found.pieces(BEGINNING, 0, 1, |start| {
                if !std::mem::take(&mut is_first) {
                    return;
                }
                let stream = db.format.stream;
                let input = Box::new(io::Cursor::new(start));
                let Some(Ok(mut games)) = stream.map(|stream| stream(input, db.options.clone()))
                else {
                    return;
                };
                for _ in 0..GAMES {
                    scratch.diagnostics.clear();
                    match games.read_into(&mut game, &mut scratch) {
                        Ok(true) => each(&game),
                        Ok(false) => break,
                        Err(_) => {}
                    }
                }
            });
        }
        Content::Once(_) => {}
    }
}

/// Returns the place where a piece of a text file ends and the next one begins: after a line, or in a long
/// line between two words. Both pieces find the same place, so that no word and no character is cut.
fn border(piece: &[u8], near: usize) -> usize {
    let Some(rest) = piece.get(near..).filter(|rest| !rest.is_empty()) else {
        return piece.len();
    };
    let rest = rest.get(..OVERLAP).unwrap_or(rest);
    let line = rest.iter().position(|&byte| byte == b'\n');
    let end = line.or_else(|| rest.iter().position(is_between));
    near + end.map_or(rest.len(), |end| end + 1)
}

fn is_between(byte: &u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphabetic()
}

/// Adds a comment without the signs of ChessBase, which are no letters.
fn add_comment(comment: &[u8], format: &Format, evidence: &mut Evidence) {
    if comment.is_ascii() {
        return;
    }
    let is_sign = |byte: u8| is_sign(byte, format.origin);
    // Bytes of UTF-8 are no signs, unless all are signs that could be Hebrew.
    let is_utf8 = |text: &str| text.chars().any(|c| !c.is_ascii() && !is_pair_of_signs(c));
    if std::str::from_utf8(comment).is_ok_and(is_utf8) {
        return evidence.add(comment);
    }
    // A byte between two letters is a letter, too.
    let is_letter = |at: usize| {
        let byte = comment.get(at).copied().unwrap_or_default();
        byte.is_ascii_alphabetic() || !byte.is_ascii() && !is_sign(byte)
    };
    let is_apart = |at: usize| !(at > 0 && is_letter(at - 1) && is_letter(at + 1));
    let mut start = 0;
    let mut pieces = Vec::new();
    for (at, byte) in comment.iter().enumerate() {
        if is_sign(*byte) && is_apart(at) {
            pieces.push(comment.get(start..at).unwrap_or_default());
            start = at + 1;
        }
    }
    pieces.push(comment.get(start..).unwrap_or_default());
    evidence.add_together(pieces);
}

/// Adds what a piece of a text file says, game by game.
fn add_piece(piece: &[u8], fields: &Fields, evidence: &mut Evidence) {
    if piece.is_ascii() {
        return;
    }
    let mut game: Vec<&[u8]> = Vec::new();
    for line in piece.split(|&byte| byte == b'\n') {
        if line.starts_with(b"[Event ") {
            evidence.add_together(game.drain(..));
        }
        if !line.is_ascii() && !is_tag_told(line, fields) {
            game.push(line);
        }
    }
    evidence.add_together(game);
}

/// Whether a line of PGN is a tag whose charset was named.
fn is_tag_told(line: &[u8], fields: &Fields) -> bool {
    fields.iter().any(|(field, _)| {
        let tags: &[&[u8]] = match field {
            TextField::Player => &[b"[White ", b"[Black "],
            TextField::Event => &[b"[Event "],
            TextField::Site => &[b"[Site "],
            TextField::Round => &[b"[Round "],
            TextField::Annotator => &[b"[Annotator "],
            TextField::Source => &[b"[Source "],
            TextField::Comment | TextField::Tag => &[],
        };
        tags.iter().any(|tag| line.starts_with(tag))
    })
}
