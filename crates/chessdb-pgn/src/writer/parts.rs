//! The parts of a stored game, and the changes between two versions of a game.

use std::ops::Range;

use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Game, Losses, Outcome};

use super::GameText;
use super::append::LineEnd;
use crate::raw::{Lexer, Splitter, TagPair, Token, TokenKind, is_start_tag};

/// A game in export format.
pub(super) struct Rendered {
    /// The tags, one on each line.
    pub(super) header: Vec<u8>,
    /// The moves with the result.
    pub(super) moves: Vec<u8>,
    pub(super) outcome: Outcome,
    pub(super) losses: Losses,
}

impl Rendered {
    pub(super) fn new(text: &mut GameText, game: &Game) -> Rendered {
        let mut rendered = Rendered::header(text, game);
        let losses = text.append_moves_and_evaluation(game, &mut rendered.moves);
        rendered.losses.merge(&losses);
        rendered
    }

    /// Returns only the tags and the result of a game.
    pub(super) fn header(text: &mut GameText, game: &Game) -> Rendered {
        let mut header = Vec::new();
        let losses = text.append_header(game, &mut header);
        Rendered {
            header,
            moves: Vec::new(),
            outcome: game.header.outcome,
            losses,
        }
    }

    pub(super) fn is_same(&self, other: &Rendered) -> bool {
        self.header == other.header && self.moves == other.moves
    }

    /// Returns whether both have the same tags. A new one, which `old` does not have, may be in
    /// another place: where a change of the text puts it depends on the tags around it.
    pub(super) fn has_tags_of(&self, other: &Rendered, old: &Rendered) -> bool {
        let old = old.tags();
        let is_old = |name: &[u8]| old.iter().any(|(other, _)| *other == name);
        let [mine, others] = [self, other].map(|rendered| {
            let tags = rendered.tags().into_iter();
            let (retained, mut new): (Vec<_>, Vec<_>) = tags.partition(|(name, _)| is_old(name));
            sort_by_key(&mut new, |(name, _)| *name);
            (retained, new)
        });
        mine == others
    }

    /// Returns the tags: their names, and their lines without the break.
    fn tags(&self) -> Vec<(&[u8], &[u8])> {
        let lines = self.header.split(|&b| b == b'\n');
        let tags = lines.filter_map(|line| {
            let name = line.strip_prefix(b"[")?;
            Some((name.split(|&b| b == b' ').next()?, line))
        });
        tags.collect()
    }

    pub(super) fn moves_without_result(&self) -> &[u8] {
        let moves = &self.moves[..];
        let result = self.outcome.as_pgn().as_bytes();
        moves.strip_suffix(result).unwrap_or(moves).trim_ascii_end()
    }
}

/// New text for a range of an old one.
pub(super) struct Patch {
    range: Range<usize>,
    pub(super) text: Vec<u8>,
}

impl Patch {
    pub(super) fn new(range: Range<usize>, text: Vec<u8>) -> Patch {
        Patch { range, text }
    }
}

/// Returns the text with all changes. Of several at one place, the first comes first.
pub(super) fn apply(text: &[u8], mut patches: Vec<Patch>) -> Vec<u8> {
    // A stable sort: changes at one place keep their order.
    sort_by_key(&mut patches, |patch| patch.range.start);
    let mut out = Vec::with_capacity(text.len() + 64);
    let mut copied = 0;
    for Patch { range, text: new } in patches {
        out.extend_from_slice(text.get(copied..range.start).unwrap_or_default());
        out.extend_from_slice(&new);
        copied = copied.max(range.end);
    }
    out.extend_from_slice(text.get(copied..).unwrap_or_default());
    out
}

/// The parts of a stored game, as ranges of its bytes.
pub(super) struct Parts<'t> {
    tags: Vec<(&'t [u8], Range<usize>)>,
    /// The moves with their comments, and the result.
    moves: Option<Range<usize>>,
    /// The first result after the moves.
    result: Option<Range<usize>>,
    game: Range<usize>,
}

impl<'t> Parts<'t> {
    /// Returns where the game is in its stored text: without other text before it, and without
    /// blanks and escape lines after it. Empty at the end if there is no game.
    pub(super) fn game(stored: &[u8]) -> Range<usize> {
        let mut splitter = Splitter::new();
        // Only the start is needed; the tokens give the end.
        let _ = splitter.advance(stored, true);
        let is_part = |token: &Token| {
            !matches!(
                token.kind,
                TokenKind::Bom | TokenKind::Space | TokenKind::Escape
            )
        };
        let last = Lexer::new(stored).filter(is_part).last();
        let end = last.map_or(stored.len(), |token| token.end);
        splitter.game_start().unwrap_or(end).min(end)..end
    }

    fn new(stored: &'t [u8]) -> Parts<'t> {
        let game = Parts::game(stored);
        let mut parts = Parts {
            tags: Vec::new(),
            moves: None,
            result: None,
            game: game.clone(),
        };
        let mut depth = 0_u32;
        let mut lexer = Lexer::new(stored);
        while let Some(token) = lexer.next() {
            let range = token.start..token.end;
            if token.end <= game.start {
                continue;
            }
            match token.kind {
                TokenKind::Bom | TokenKind::Space | TokenKind::Escape => continue,
                TokenKind::Tag => {
                    let pair = TagPair::parse(lexer.text(token));
                    let name = pair.map_or(&b""[..], |pair| pair.name);
                    let name = if is_start_tag(name) { b"FEN" } else { name };
                    parts.tags.push((name, range));
                    // Comments between tags do not begin the moves.
                    (parts.moves, parts.result) = (None, None);
                    continue;
                }
                TokenKind::Open => depth = depth.saturating_add(1),
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::Result(_) if depth == 0 && parts.result.is_none() => {
                    parts.result = Some(range.clone());
                }
                _ => {}
            }
            let moves = parts.moves.get_or_insert(range.clone());
            moves.end = range.end.min(game.end);
        }
        parts
    }

    /// Returns the place of a tag that the text does not have: after the tags that precede it in
    /// `order`.
    fn place(&self, order: &[(&[u8], &[u8])], name: &[u8]) -> Option<usize> {
        let position = order.iter().position(|(other, _)| *other == name)?;
        let mut before = order.get(..position)?.iter().rev();
        // The nearest one counts.
        before.find_map(|(other, _)| {
            let mut tags = self.tags.iter().rev();
            let (_, range) = tags.find(|(name, _)| name == other)?;
            Some(range.end)
        })
    }
}

/// Returns the changes of a stored game that make it the new version.
pub(super) fn patches(
    stored: &[u8],
    before: &Rendered,
    after: &Rendered,
    line_end: LineEnd,
) -> Vec<Patch> {
    let parts = Parts::new(stored);
    let mut patches = Vec::new();
    tag_patches(stored, &parts, before, after, line_end, &mut patches);
    if before.moves == after.moves {
        return patches;
    }
    if before.moves_without_result() == after.moves_without_result() {
        if let Some(result) = parts.result {
            patches.push(Patch::new(result, after.outcome.as_pgn().into()));
        }
        return patches;
    }
    let moves = line_end.apply(&after.moves).into_owned();
    match parts.moves {
        Some(range) => patches.push(Patch::new(range, moves)),
        None => {
            // A blank line separates the moves from the tags.
            let text = [line_end.bytes(), line_end.bytes(), &moves].concat();
            patches.push(Patch::new(parts.game.end..parts.game.end, text));
        }
    }
    patches
}

fn tag_patches(
    stored: &[u8],
    parts: &Parts<'_>,
    before: &Rendered,
    after: &Rendered,
    line_end: LineEnd,
    patches: &mut Vec<Patch>,
) {
    let (old, new) = (before.tags(), after.tags());
    let lines = |tags: &[(&[u8], &[u8])], name: &[u8]| -> Vec<Vec<u8>> {
        tags.iter()
            .filter(|(other, _)| *other == name)
            .map(|(_, line)| line.to_vec())
            .collect()
    };
    let mut first = Vec::new();
    let mut seen: Vec<&[u8]> = Vec::new();
    for (name, _) in new.iter().chain(&old) {
        if seen.contains(name) {
            continue;
        }
        seen.push(name);
        let (old_lines, new_lines) = (lines(&old, name), lines(&new, name));
        if old_lines == new_lines {
            continue;
        }
        let mut places = parts.tags.iter().filter(|(other, _)| other == name);
        let mut new_lines = new_lines.into_iter().enumerate();
        loop {
            match (places.next(), new_lines.next()) {
                (None, None) => break,
                (Some((_, range)), Some((n, line))) => {
                    if old_lines.get(n) != Some(&line) {
                        patches.push(Patch::new(range.clone(), line));
                    }
                }
                (Some((_, range)), None) => {
                    patches.push(Patch::new(whole_line(stored, range.clone()), Vec::new()));
                }
                (None, Some((_, line))) => match parts.place(&new, name) {
                    Some(place) => {
                        let text = [line_end.bytes(), &line].concat();
                        patches.push(Patch::new(place..place, text));
                    }
                    None => first.extend([&line, line_end.bytes()].concat()),
                },
            }
        }
    }
    if !first.is_empty() {
        if parts.tags.is_empty() {
            first.extend_from_slice(line_end.bytes());
        }
        // Before changes of the first tag, which are at the same place.
        let start = parts.game.start;
        patches.insert(0, Patch::new(start..start, first));
    }
}

/// Extends the range of a tag to its whole line if nothing else is on it.
fn whole_line(text: &[u8], range: Range<usize>) -> Range<usize> {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    let blanks = after
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let rest = after.get(blanks..).unwrap_or_default();
    let line_break = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    };
    if before.last().is_none_or(is_break) && line_break > 0 {
        range.start..range.end + blanks + line_break
    } else {
        range
    }
}

/// Returns where the game is in its stored text ([`chessdb_core::GameStore::stored_text`]): without
/// other text before it, and without blanks and escape lines after it.
///
/// ```
/// assert_eq!(chessdb_pgn::stored_game(b"old text\n\n[White \"Tal\"]\n\n1. e4 *\n\n"), 10..32);
/// ```
pub fn stored_game(stored: &[u8]) -> Range<usize> {
    Parts::game(stored)
}
