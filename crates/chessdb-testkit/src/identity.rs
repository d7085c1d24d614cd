//! Checks of the promises of identity (docs/architecture.md): rewriting a database through the
//! model, and the differences that the result may have.

use std::fmt;
use std::ops::Range;

use chessdb_core::files::Role;
use chessdb_core::model::Token;
use chessdb_core::options::Allow;
use chessdb_core::text::Texts;
use chessdb_core::{
    BaseInfo, Charset, Diagnostic, Event, FileSet, Format, Game, GameStore, Losses, MemorySet,
    ReadOptions, Result, Scratch, WriteOptions,
};

/// A rewritten database, with the losses and diagnostics of reading and writing it.
#[derive(Debug)]
pub struct Rewritten {
    /// The files.
    pub set: MemorySet,
    /// The losses of the writer.
    pub losses: Losses,
    /// The diagnostics of the reader.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns write options that allow no loss.
pub fn nothing_lost(base: &BaseInfo) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.base = base.clone();
    options
}

/// Reads a database and writes it again in the same format, including name tables.
///
/// # Errors
///
/// Returns the first error of reading or writing.
pub fn rewrite(format: &Format, set: &dyn FileSet, allow: &Allow) -> Result<Rewritten> {
    rewrite_with(format, set, allow, |_, _| ())
}

/// Like [`rewrite`], with a change to each game between reading and writing; games are counted from
/// 0.
///
/// # Errors
///
/// Returns the first error of reading or writing.
///
/// # Panics
///
/// Panics if the format cannot be written, or counts a loss that it does not declare.
pub fn rewrite_with(
    format: &Format,
    set: &dyn FileSet,
    allow: &Allow,
    mut change: impl FnMut(u32, &mut Game),
) -> Result<Rewritten> {
    let store = (format.open)(set, ReadOptions::default())?;
    let mut options = nothing_lost(store.base());
    options.allow = allow.clone();
    // As in the converter's copy within a format.
    let (usual, reading) = (
        format.default_charset.unwrap_or(Charset::WINDOWS_1252),
        ReadOptions::default(),
    );
    options.detector = Some(match format.pages {
        [] => reading.detector(usual),
        _ => reading.uniform_detector(usual),
    });
    let create = format
        .create
        .unwrap_or_else(|| panic!("{} cannot be written", format.id));
    let mut rewritten = MemorySet::new();
    let mut writer = create(&mut rewritten, options)?;
    let mut losses = writer.base_losses().clone();
    let mut scratch = Scratch::new();
    let mut game = Game::new();
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch)?;
        change(n, &mut game);
        losses.merge(&writer.write(&game)?);
    }
    losses.merge(&writer.late_losses());
    writer.finish()?;
    announced(format, &losses);
    assert!(
        rewritten.is_committed(),
        "{}: the writer did not commit",
        format.id
    );
    Ok(Rewritten {
        set: rewritten,
        losses,
        diagnostics: scratch.diagnostics,
    })
}

/// Writes games as a database of a format.
///
/// # Errors
///
/// Returns the first error of writing.
///
/// # Panics
///
/// Panics if the format cannot be written, if `assess` and `write` count different losses, or if it
/// counts a loss that it does not declare.
pub fn write_all<'g>(
    format: &Format,
    games: impl IntoIterator<Item = &'g Game>,
    options: WriteOptions,
) -> Result<(MemorySet, Losses)> {
    let create = format
        .create
        .unwrap_or_else(|| panic!("{} cannot be written", format.id));
    let mut set = MemorySet::new();
    let mut writer = create(&mut set, options)?;
    let mut losses = writer.base_losses().clone();
    for game in games {
        // `assess` must predict exactly what `write` then reports.
        let assessed = writer.assess(game);
        let written = writer.write(game)?;
        assert_eq!(
            assessed, written,
            "{}: assess and write count differently",
            format.id
        );
        losses.merge(&written);
    }
    losses.merge(&writer.late_losses());
    writer.finish()?;
    announced(format, &losses);
    Ok((set, losses))
}

/// Checks that the format declares every kind of loss that it counted.
fn announced(format: &Format, losses: &Losses) {
    for loss in losses {
        let kind = loss.kind.code();
        assert!(
            format.losses.contains(loss.kind),
            "{} does not announce {kind}",
            format.id
        );
    }
}

/// Returns all games of a database.
///
/// # Panics
///
/// Panics if the database cannot be opened or a game cannot be read.
pub fn open_all(format: &Format, set: &dyn FileSet) -> Vec<Game> {
    read_all(&*open(format, set))
}

/// Returns all games of an opened database.
///
/// # Panics
///
/// Panics if a game cannot be read.
pub fn read_all(store: &dyn GameStore) -> Vec<Game> {
    let mut scratch = Scratch::new();
    (0..store.len())
        .map(|n| {
            let mut game = Game::new();
            store
                .game_into(n, &mut game, &mut scratch)
                .unwrap_or_else(|error| panic!("{error}"));
            game
        })
        .collect()
}

/// Returns the moves and annotations of a game on one line: `e2e4 $1 {a comment} ( d2d4 )`.
pub fn line(game: &Game) -> String {
    let words = game.events().map(|event| match event {
        Event::Move(mv) => mv.to_string(),
        Event::Nag(nag) => format!("${nag}"),
        Event::Comment(_, text) => format!("{{{}}}", text.decode()),
        Event::Open(_) => "(".into(),
        Event::Close => ")".into(),
        event => format!("{event:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Opens a database.
///
/// # Panics
///
/// Panics if it cannot be opened.
pub fn open<'a>(format: &Format, set: &'a dyn FileSet) -> Box<dyn GameStore + 'a> {
    (format.open)(set, ReadOptions::default())
        .unwrap_or_else(|error| panic!("{} does not open: {error}", format.id))
}

/// The first difference between two databases.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetDifference {
    /// The file.
    pub file: Role,
    /// The offset of the first different byte, or the length of the shorter file if one is the
    /// start of the other; `None` if only one database has the file.
    pub offset: Option<usize>,
    /// Up to sixteen bytes from this offset on the left.
    pub left: Vec<u8>,
    /// Up to sixteen bytes from this offset on the right.
    pub right: Vec<u8>,
}

impl fmt::Display for SetDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(
                f,
                "{} file, byte {offset:#x}: {:02x?} / {:02x?}",
                self.file, self.left, self.right
            ),
            None => write!(f, "only one base has the {} file", self.file),
        }
    }
}

/// Returns the first difference between two databases; `None` if they have the same files with the
/// same bytes.
pub fn first_difference(left: &MemorySet, right: &MemorySet) -> Option<SetDifference> {
    roles(left, right).into_iter().find_map(|file| {
        let (Some(a), Some(b)) = (left.get(file), right.get(file)) else {
            return Some(SetDifference {
                file,
                offset: None,
                left: vec![],
                right: vec![],
            });
        };
        let shorter = a.len().min(b.len());
        let offset = (0..shorter).find(|&n| a[n] != b[n]).unwrap_or(shorter);
        let excerpt = |bytes: &[u8]| bytes[offset..bytes.len().min(offset + 16)].to_vec();
        (a != b).then(|| SetDifference {
            file,
            offset: Some(offset),
            left: excerpt(a),
            right: excerpt(b),
        })
    })
}

/// Ranges of bytes by file.
pub type Ranges = Vec<(Role, Range<usize>)>;

/// Returns every range of bytes in which two databases differ, file by file. The bytes that only
/// the longer file has are one range; so is a file that only one database has.
pub fn differing_ranges(left: &MemorySet, right: &MemorySet) -> Ranges {
    let mut ranges = Vec::new();
    for role in roles(left, right) {
        let (a, b) = (
            left.get(role).unwrap_or_default(),
            right.get(role).unwrap_or_default(),
        );
        let shorter = a.len().min(b.len());
        let mut start = None;
        // One step more closes a range that reaches the end.
        for n in 0..=shorter {
            match (start, n < shorter && a[n] != b[n]) {
                (None, true) => start = Some(n),
                (Some(from), false) => {
                    ranges.push((role, from..n));
                    start = None;
                }
                _ => {}
            }
        }
        if a.len() != b.len() {
            // Bytes that only one file has differ.
            ranges.push((role, shorter..a.len().max(b.len())));
        }
    }
    ranges
}

fn roles(left: &MemorySet, right: &MemorySet) -> Vec<Role> {
    let mut roles: Vec<_> = left
        .iter()
        .chain(right.iter())
        .map(|(role, _)| role)
        .collect();
    roles.sort();
    roles.dedup();
    roles
}

/// Performs the first anti-cheat test: rewrites a database unchanged, and again with one letter of
/// a comment of game `n` (from 0) changed, and returns the bytes in which the two results differ.
/// `None` if the game has no comment with a letter.
///
/// A rewrite that copies stored bytes instead of encoding the model would not show the change, or
/// show it elsewhere.
///
/// # Errors
///
/// Returns the first error of reading or writing.
pub fn changed_letter(
    format: &Format,
    set: &dyn FileSet,
    allow: &Allow,
    n: u32,
) -> Result<Option<Ranges>> {
    let mut changed = false;
    let plain = rewrite(format, set, allow)?.set;
    let other = rewrite_with(format, set, allow, |game_number, game| {
        if game_number == n {
            changed = change_comment_letter(game);
        }
    })?;
    Ok(changed.then(|| differing_ranges(&plain, &other.set)))
}

/// Replaces the first ASCII letter of the first comment with a letter by its neighbour in the
/// alphabet; returns `false` if there is none.
pub fn change_comment_letter(game: &mut Game) -> bool {
    let letter = |bytes: &[u8]| bytes.iter().position(u8::is_ascii_alphabetic);
    let letter_of_comment = game.moves.tokens().find_map(|token| match token {
        Token::Comment(_, id) => Some((id, letter(game.text(id).as_bytes())?)),
        _ => None,
    });
    let Some((changed, index)) = letter_of_comment else {
        return false;
    };
    // Pushed in the old order, every text keeps its number.
    let mut texts = Texts::new();
    for (id, text) in game.texts.iter() {
        let mut bytes = text.as_bytes().to_vec();
        if id == changed {
            // Still a letter, and of the same length.
            bytes[index] = if bytes[index].eq_ignore_ascii_case(&b'z') {
                bytes[index] - 1
            } else {
                bytes[index] + 1
            };
        }
        let new = texts.push(&bytes, text.charset());
        assert_eq!(new, id);
    }
    game.texts = texts;
    true
}

/// Performs the second anti-cheat test: removes all extras from a game, in the header and among the
/// moves. The written result must still decode to an equal game except for extras.
pub fn drop_extras(game: &mut Game) {
    game.header.extras.clear();
    let source = game.clone();
    let mut tape = game.moves.builder(&no_limits());
    for token in source.moves.tokens() {
        let pushed = match token {
            Token::Move(mv) => tape.mv(mv),
            Token::Nag(nag) => tape.nag(nag),
            Token::Comment(place, id) => tape.comment(place, id),
            Token::Open(_) => tape.open(),
            Token::Close => {
                tape.close();
                Ok(())
            }
            Token::Clock(clock) => tape.clock(clock),
            Token::Eval(eval) => tape.eval(eval),
            Token::Shapes(shapes) => tape.shapes(shapes),
            Token::Outcome(outcome) => tape.outcome(outcome),
            Token::Fault(kind, id) => tape.fault(kind, id),
            Token::Extra(_) => Ok(()),
        };
        pushed.expect("a tape that was built once fits again");
    }
    tape.finish();
}

fn no_limits() -> chessdb_core::limits::Limits {
    let mut limits = chessdb_core::limits::Limits::default();
    // The tape may have been read with limits above the defaults.
    limits.plies = u32::MAX;
    limits.depth = u32::MAX;
    limits
}

/// The result of reading a database that may be damaged.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Survived {
    /// Whether it could be opened.
    pub opened: bool,
    /// Number of games that were read.
    pub games: u32,
    /// Number of games that could not be read.
    pub failed: u32,
    /// Number of diagnostics, including those beyond the limit.
    pub diagnostics: u64,
}

/// Probes, opens, checks and reads these files, headers and games. The test is that this ends
/// without a panic and within the limits. At most `max_games` games are read from the front and as
/// many from the end.
///
/// # Panics
///
/// Panics if a limit is exceeded.
pub fn survive(
    format: &Format,
    set: &dyn FileSet,
    options: &ReadOptions,
    max_games: u32,
) -> Survived {
    (format.probe)(set);
    let mut findings = 0u32;
    (format.check)(set, options, &mut |_| findings = findings.saturating_add(1));
    let mut survived = Survived::default();
    let Ok(store) = (format.open)(set, options.clone()) else {
        return survived;
    };
    survived.opened = true;
    survived.diagnostics = store.diagnostics().len() as u64;
    let mut game = Game::new();
    let mut scratch = Scratch::new();
    let len = store.len();
    let front = 0..len.min(max_games);
    // Damage at the end of a file shows in the last games.
    let back = len.saturating_sub(max_games).max(front.end)..len;
    for n in front.chain(back) {
        // Faults of the header are found again with the whole game.
        let _ = store.header_into(n, &mut game, &mut scratch);
        scratch.diagnostics.clear();
        scratch.dropped_diagnostics = 0;
        match store.game_into(n, &mut game, &mut scratch) {
            Ok(()) => survived.games += 1,
            Err(_) => survived.failed += 1,
        }
        check_limits(&game, options);
        let diagnostics = scratch.diagnostics.len() as u64;
        assert!(
            diagnostics <= options.limits.diagnostics.into(),
            "{diagnostics} diagnostics"
        );
        survived.diagnostics += diagnostics + u64::from(scratch.dropped_diagnostics);
        scratch.diagnostics.clear();
        scratch.dropped_diagnostics = 0;
    }
    survived
}

fn check_limits(game: &Game, options: &ReadOptions) {
    let limits = &options.limits;
    assert!(
        game.moves.plies() <= limits.plies,
        "{} plies",
        game.moves.plies()
    );
    let bytes = game.texts.bytes_used();
    assert!(bytes <= limits.text_bytes as usize, "{bytes} bytes of text");
    assert!(
        game.header.tags.len() <= limits.tags as usize + 32,
        "{} tags",
        game.header.tags.len()
    );
    let mut depth = 0;
    for event in game.events() {
        match event {
            Event::Open(_) => depth += 1,
            Event::Close => depth -= 1,
            _ => {}
        }
        assert!(
            (0..=i64::from(limits.depth)).contains(&depth),
            "depth {depth}"
        );
    }
}

#[cfg(test)]
mod tests;
