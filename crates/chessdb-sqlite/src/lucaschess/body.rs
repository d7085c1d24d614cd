//! Comments, NAGs and variations as packed pickles (docs/formats/lucaschess.md, section 4).

use std::io::Read;

use chessdb_core::limits::Limits;
use chessdb_core::line::Step;
use chessdb_core::rules::legal_moves;
use chessdb_core::{Charset, ErrorKind, PackedMove};
use flate2::read::ZlibDecoder;

use super::pickle::{Item, Pickle};
use super::xpv::{self, Line};

/// How many bytes the pickles of one game may still have after unpacking. They are nested, and a few
/// packed bytes can become a thousand times as many.
pub(super) struct Budget {
    left: u64,
    limit: u64,
    /// How many instructions the pickles that are open may still have.
    instructions: u64,
}

/// More instructions than the pickles of a game need that are open at the same time: what one of
/// them makes takes up to 64 bytes of memory.
pub(super) const MOST_INSTRUCTIONS: u64 = 1 << 20;

/// How often the content of a game may be unpacked: a variation is in the pickle of its move, which
/// is in the pickle of its line, and so on.
const LEVELS: u64 = 4;

impl Budget {
    /// Returns the budget of a game.
    pub(super) fn new(limits: &Limits) -> Budget {
        let limit = LEVELS * u64::from(limits.game_bytes);
        Budget {
            left: limit,
            limit,
            instructions: MOST_INSTRUCTIONS,
        }
    }

    /// Unpacks a zlib stream with a pickle, and runs the pickle.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them is damaged or the budget is exceeded.
    pub(super) fn open(&mut self, packed: &[u8]) -> Result<Pickle, ErrorKind> {
        let mut unpacked = Vec::new();
        let mut stream = ZlibDecoder::new(packed).take(self.left.saturating_add(1));
        let read = stream.read_to_end(&mut unpacked);
        // Streams without content cost time, too.
        let cost = stream.into_inner().total_in().max(unpacked.len() as u64);
        let Some(left) = self.left.checked_sub(cost) else {
            self.left = 0;
            return Err(ErrorKind::over_limit(
                "bytes in the unpacked parts of a game",
                self.limit,
            ));
        };
        self.left = left;
        read.map_err(|_| ErrorKind::Structure("a packed part of the game is damaged"))?;
        let pickle = Pickle::read(&unpacked, self.instructions)?;
        self.instructions = self.instructions.saturating_sub(pickle.instructions());
        Ok(pickle)
    }

    fn close(&mut self, pickle: &Pickle) {
        self.instructions += pickle.instructions();
    }
}

/// What is still to be read of the open lines, innermost last.
enum Todo {
    /// The members from this number of a list of moves.
    Moves(Pickle, usize),
    /// The members from this number of the list of variations to the move before.
    Variations(Pickle, usize),
    /// The end of a variation.
    Close,
}

/// Appends the tree of a game. Where a move of the mainline cannot be read, `mainline` has it.
pub(super) fn read(
    game: Pickle,
    mainline: &[u8],
    budget: &mut Budget,
    line: &mut Line<'_, '_>,
) -> Step {
    let mut mainline = xpv::codes(mainline);
    comment("", game.root().get("first_comment"), line)?;
    let mut todo = vec![Todo::Moves(game, 0)];
    while let Some(next) = todo.last_mut() {
        match next {
            Todo::Moves(pickle, next) => {
                // The moves of a line that is skipped need not be unpacked.
                let packed = (!line.is_skipping())
                    .then(|| member(pickle, "li_moves", next))
                    .flatten();
                let Some(packed) = packed else {
                    budget.close(pickle);
                    todo.pop();
                    continue;
                };
                let opened = budget.open(packed);
                let code = match todo.len() {
                    1 => mainline.next(),
                    _ => None,
                };
                match opened {
                    Ok(pickle) => {
                        one_move(&pickle, code, line)?;
                        todo.push(Todo::Variations(pickle, 0));
                    }
                    Err(kind) => bare_move(kind, code, line)?,
                }
            }
            Todo::Variations(pickle, next) => {
                let Some(packed) = member(pickle, "variations", next) else {
                    budget.close(pickle);
                    todo.pop();
                    continue;
                };
                // Opened first, so that an error is reported within the variation.
                line.open()?;
                let opened = if line.is_skipping() { None } else { Some(budget.open(packed)) };
                todo.push(Todo::Close);
                match opened {
                    Some(Ok(variation)) => {
                        comment("", variation.root().get("first_comment"), line)?;
                        todo.push(Todo::Moves(variation, 0));
                    }
                    Some(Err(kind)) => line.lost(kind)?,
                    None => {}
                }
            }
            Todo::Close => {
                todo.pop();
                line.close_or_repair()?;
            }
        }
    }
    Ok(())
}

/// Returns the next bytes in a list of a dictionary. Members of another type are left out.
fn member<'p>(pickle: &'p Pickle, key: &str, next: &mut usize) -> Option<&'p [u8]> {
    let list = pickle.root().get(key)?;
    loop {
        let member = list.member(*next)?;
        *next += 1;
        if let Some(bytes) = member.bytes() {
            return Some(bytes);
        }
    }
}

/// Appends a move with its annotations.
fn one_move(pickle: &Pickle, code: Option<&[u8]>, line: &mut Line<'_, '_>) -> Step {
    let root = pickle.root();
    match find(root, line) {
        Some(mv) => line.mv(mv)?,
        None => {
            let kind = ErrorKind::BadMove {
                found: ErrorKind::excerpt(name(root)),
                why: "no legal move",
            };
            bare_move(kind, code, line)?;
        }
    }
    if line.is_skipping() {
        return Ok(());
    }
    for nag in root.get("li_nags").into_iter().flat_map(Item::members) {
        match nag.int().and_then(|nag| u16::try_from(nag).ok()) {
            Some(nag) => line.nag(nag)?,
            None => line.lost(ErrorKind::Structure("a NAG that is no number"))?,
        }
    }
    comment(&times(root), root.get("comment"), line)?;
    themes(root, line)?;
    if root.get("analysis").is_some() {
        line.lost(ErrorKind::Unsupported("an engine's analysis of a move"))?;
    }
    Ok(())
}

/// Appends the move with this code in place of one that cannot be read.
fn bare_move(kind: ErrorKind, code: Option<&[u8]>, line: &mut Line<'_, '_>) -> Step {
    match code.and_then(|code| xpv::find(code, line.lines().board())) {
        Some(mv) => {
            line.lost(kind)?;
            line.mv(mv)
        }
        None => line.bad_move(kind),
    }
}

fn comment(commands: &str, text: Option<Item<'_>>, line: &mut Line<'_, '_>) -> Step {
    let plain = text.and_then(Item::text).unwrap_or_default();
    if text.is_some_and(|text| text.text().is_none() && !text.is_nothing()) {
        line.lost(ErrorKind::Structure("a comment that is no text"))?;
    }
    if commands.is_empty() && plain.is_empty() {
        return Ok(());
    }
    line.check_utf8(plain)?;
    line.comment(
        &[commands.as_bytes(), plain].concat(),
        Charset::UTF_8,
        line.place(),
    )
}

/// Returns thinking time and clock as the commands that PGN has for them.
fn times(mv: Item<'_>) -> String {
    let mut commands = String::new();
    for (key, command) in [("time_ms", "emt"), ("clock_ms", "clk")] {
        let Some(time @ 0..) = mv.get(key).and_then(Item::int) else {
            continue;
        };
        let (seconds, thousandths) = (time / 1000, time % 1000);
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        commands += &format!("[%{command} {hours}:{minutes:02}:{seconds:02}");
        if thousandths > 0 {
            commands += format!(".{thousandths:03}").trim_end_matches('0');
        }
        commands += "]";
    }
    commands
}

/// Appends the themes of a move as a comment.
fn themes(mv: Item<'_>, line: &mut Line<'_, '_>) -> Step {
    let mut text = Vec::new();
    for item in mv.get("li_themes").into_iter().flat_map(Item::members) {
        let theme = item.text().unwrap_or_default();
        // A pickle may repeat a long text any number of times.
        if text.len() + theme.len() > LONGEST_THEMES {
            return line.lost(ErrorKind::over_limit(
                "bytes in the themes of a move",
                LONGEST_THEMES as u64,
            ));
        }
        if !text.is_empty() {
            text.extend_from_slice(b", ");
        }
        text.extend_from_slice(theme);
    }
    if text.is_empty() {
        Ok(())
    } else {
        line.check_utf8(&text)?;
        line.comment(&text, Charset::UTF_8, line.place())
    }
}

/// More than the names of all themes of the program.
const LONGEST_THEMES: usize = 1 << 16;

fn name(mv: Item<'_>) -> &[u8] {
    mv.get("move").and_then(Item::text).unwrap_or_default()
}

/// Returns the legal move with these coordinates.
fn find(mv: Item<'_>, line: &Line<'_, '_>) -> Option<PackedMove> {
    let wanted = name(mv);
    let mut legal = Vec::new();
    legal_moves(line.lines().board(), &mut legal);
    legal
        .into_iter()
        .find(|mv| wanted.eq_ignore_ascii_case(mv.to_string().as_bytes()))
}
