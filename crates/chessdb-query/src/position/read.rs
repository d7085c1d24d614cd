//! Parsing of positions in queries.

use chessdb_core::board::Piece;
use chessdb_core::rules::read_san;
use chessdb_core::{Board, Color, PackedMove, PieceType, Setup, Square};

use super::exact::Equality;
use super::material::{CountBounds, Material, SideMaterial};
use super::pattern::AllowedPieces;
use super::{ExactPosition, Pattern};
use crate::syntax::Fault;

/// The largest number of lines of moves in one term.
pub(crate) const MOST_LINES: usize = 64;

impl ExactPosition {
    /// Reads a FEN. Castling rights and en passant count if `is_strict`.
    pub(crate) fn read(fen: &str, is_strict: bool) -> Result<ExactPosition, Fault> {
        let setup = Setup::from_fen(fen.as_bytes())
            .map_err(|fault| Fault::at(fault.offset, format!("expected {}", fault.expected)))?;
        let (board, _) = (setup.0.board, setup.1);
        let same = match fen.split_ascii_whitespace().nth(1) {
            _ if is_strict => Equality::Key(board.polyglot_key()),
            Some(_) => Equality::Turn,
            None => Equality::Placement,
        };
        Ok(ExactPosition::new(board, same))
    }
}

/// Reads moves from the start of a game, with or without numbers.
pub(crate) fn read_line(text: &str) -> Result<Vec<PackedMove>, Fault> {
    let mut board = Board::standard();
    let mut moves = Vec::new();
    for (offset, word) in words(text) {
        let san = word.trim_start_matches(|c: char| c.is_ascii_digit());
        // `1.e4`, `1...e5`. A word that begins with a digit but is not a number is castling, 0-0.
        let san = match san.strip_prefix('.') {
            Some(rest) => rest.trim_start_matches('.'),
            None if san.is_empty() => continue,
            None => word,
        };
        if san.is_empty() {
            continue;
        }
        let start = offset + (word.len() - san.len());
        let mv = read_san(&board, san.as_bytes())
            .map_err(|fault| Fault::span(start..start + san.len(), fault.as_str()))?;
        board.play(mv);
        moves.push(mv);
    }
    if moves.is_empty() {
        Err(Fault::from(
            "expected moves from the start, such as \"1.e4 c5\"",
        ))
    } else {
        Ok(moves)
    }
}

/// Returns words with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // The words are slices of the text, so their addresses give the offsets.
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |word| (word.as_ptr() as usize - start, word))
}

impl Pattern {
    /// Reads a FEN placement with wildcards: `?` anything, `!` any piece, `A` and `a` any piece of
    /// White or Black, `_` an empty square, `[Qq]` one of these, `[^Qq]` none of these, `*` as many
    /// arbitrary squares as the rank needs. A number is that many empty squares. The side to move
    /// may follow.
    pub(crate) fn read(text: &str) -> Result<Pattern, Fault> {
        let mut fields = words(text);
        let (offset, placement) = fields.next().ok_or(Fault::from("expected a board"))?;
        let turn = match fields.next() {
            None | Some((_, "-")) => None,
            Some((_, "w")) => Some(Color::White),
            Some((_, "b")) => Some(Color::Black),
            Some((place, _)) => return Err(Fault::at(place, "the side to move must be w, b or -")),
        };
        if let Some((place, _)) = fields.next() {
            return Err(Fault::at(place, "unexpected text after the side to move"));
        }
        let mut squares = [AllowedPieces::ANYTHING; 64];
        let mut start = offset;
        let mut ranks = 0;
        for (n, rank) in placement.split('/').enumerate() {
            let row = read_rank(rank, start)?;
            for (file, allowed) in row.into_iter().enumerate() {
                // A ninth rank has no squares; the number of ranks is checked below.
                let square = Square::from_coords(file as u8, 7_u8.wrapping_sub(n as u8));
                if let Some(slot) = square.and_then(|it| squares.get_mut(usize::from(it.index()))) {
                    *slot = allowed;
                }
            }
            start += rank.len() + 1;
            ranks += 1;
        }
        match ranks {
            8 => Ok(Pattern::new(&squares, turn)),
            _ => Err(Fault::from("expected eight ranks separated by slashes")),
        }
    }

    /// Reads pieces with their squares, such as `Nf5 ke8`.
    pub(crate) fn read_sub(text: &str) -> Result<Pattern, Fault> {
        let mut squares = [AllowedPieces::ANYTHING; 64];
        let mut offset = 0;
        let mut any = false;
        for word in text.split([' ', '+']) {
            let fault = || {
                Fault::at(
                    offset,
                    "expected a piece and its square, such as Nf5 or ke8",
                )
            };
            if !word.is_empty() {
                let (&letter, square) = word.as_bytes().split_first().ok_or_else(fault)?;
                let square = Square::from_ascii(square).ok_or_else(fault)?;
                let allowed = piece_or_any(letter).ok_or_else(fault)?;
                if let Some(slot) = squares.get_mut(usize::from(square.index())) {
                    if *slot != AllowedPieces::ANYTHING {
                        return Err(Fault::at(offset, "this square already has another piece"));
                    }
                    *slot = allowed;
                }
                any = true;
            }
            offset += word.len() + 1;
        }
        if any {
            Ok(Pattern::new(&squares, None))
        } else {
            Err(Fault::from(
                "expected pieces and squares such as \"Nf5 ke8\"",
            ))
        }
    }
}

fn piece_or_any(letter: u8) -> Option<AllowedPieces> {
    match letter {
        b'A' => Some(AllowedPieces::WHITE),
        b'a' => Some(AllowedPieces::BLACK),
        b'_' => Some(AllowedPieces::NOTHING),
        b'!' => Some(AllowedPieces::ANY_PIECE),
        letter => Piece::from_letter(letter).map(AllowedPieces::piece),
    }
}

/// Reads one rank of a pattern, which begins at `offset`.
fn read_rank(text: &str, offset: usize) -> Result<Vec<AllowedPieces>, Fault> {
    let mut row = Vec::with_capacity(8);
    let mut filler = None;
    let mut bytes = text.bytes().enumerate();
    while let Some((n, byte)) = bytes.next() {
        let place = offset + n;
        match byte {
            b'?' => row.push(AllowedPieces::ANYTHING),
            b'*' if filler.is_none() => filler = Some(row.len()),
            b'*' => return Err(Fault::at(place, "a rank can contain only one *")),
            b'1'..=b'8' => row.extend((b'0'..byte).map(|_| AllowedPieces::NOTHING)),
            b'[' => {
                let mut list: Option<AllowedPieces> = None;
                let mut is_not = false;
                loop {
                    let unknown = "expected pieces such as [QRq]";
                    let (n, byte) = bytes.next().ok_or(Fault::at(place, "missing closing ]"))?;
                    match byte {
                        b']' => break,
                        b'^' if list.is_none() => is_not = true,
                        letter => {
                            let one = piece_or_any(letter).ok_or(Fault::at(offset + n, unknown))?;
                            list = Some(list.map_or(one, |list| list.or(one)));
                        }
                    }
                }
                let named = list.ok_or(Fault::at(place, "a list needs at least one piece"))?;
                let allowed = if is_not { named.not() } else { named };
                if allowed.is_none() {
                    return Err(Fault::at(place, "no piece is left for this square"));
                }
                row.push(allowed);
            }
            letter => match piece_or_any(letter) {
                Some(allowed) => row.push(allowed),
                None => {
                    return Err(Fault::at(
                        place,
                        "neither a piece nor a wildcard (? ! A a _ * [ ])",
                    ));
                }
            },
        }
    }
    if let Some(start) = filler {
        let missing = 8_usize.saturating_sub(row.len());
        row.splice(start..start, (0..missing).map(|_| AllowedPieces::ANYTHING));
    }
    match row.len() {
        8 => Ok(row),
        _ => Err(Fault::span(
            offset..offset + text.len(),
            "a rank has eight squares",
        )),
    }
}

impl Material {
    /// Reads `KRPKR` (either color), `KRPkr` (lower-case letters are Black's), with counts after
    /// the letters: `P2`, `P1-3`, `P2+`, `P*`. `M` is a knight or bishop. Blanks, `v`, `vs`, a
    /// hyphen, slash or colon may separate the sides; the kings may then be missing.
    pub(crate) fn read(text: &str) -> Result<Material, Fault> {
        let expected = "expected both sides, each beginning with its king, such as KRPKR";
        let has_separator = (1..text.len()).any(|start| {
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            separator(rest) > 0
        });
        let mut sides: Vec<(bool, SideMaterial)> = Vec::new();
        let mut rest = text.as_bytes();
        // With a separator the kings may be missing, and each part begins a side.
        let mut begins = has_separator;
        while let [letter, tail @ ..] = rest {
            let offset = text.len() - rest.len();
            let skipped = separator(rest);
            if skipped > 0 && !sides.is_empty() {
                rest = rest.get(skipped..).unwrap_or_default();
                begins = true;
                continue;
            }
            let is_small = letter.is_ascii_lowercase();
            let is_king = letter.eq_ignore_ascii_case(&b'k');
            if is_king || begins {
                sides.push((is_small, BARE));
            }
            begins = false;
            rest = tail;
            if is_king {
                continue;
            }
            let Some((small, army)) = sides.last_mut() else {
                return Err(Fault::at(offset, expected));
            };
            if *small != is_small {
                return Err(Fault::at(
                    offset,
                    "the pieces of a side must be all upper case or all lower case",
                ));
            }
            let count = read_count(&mut rest);
            let sum = |old: &mut CountBounds| {
                *old = (old.0.saturating_add(count.0), old.1.saturating_add(count.1));
            };
            match letter.to_ascii_uppercase() {
                b'M' => sum(army.minors.get_or_insert((0, 0))),
                letter => {
                    let unknown = || {
                        Fault::at(
                            offset,
                            "the pieces are K Q R B N P, and M for a knight or bishop",
                        )
                    };
                    let kind = PieceType::from_letter(letter).ok_or_else(unknown)? as usize;
                    if let Some(old) = army.kinds.get_mut(kind) {
                        sum(old);
                    }
                }
            }
            if count.0 > count.1 {
                return Err(Fault::at(offset, "this range is empty"));
            }
        }
        let [(first_small, first), (second_small, second)] = sides.as_slice() else {
            return Err(Fault::from(expected));
        };
        let (mut white, mut black) = (*first, *second);
        if *first_small && !*second_small {
            (white, black) = (black, white);
        }
        for army in [&mut white, &mut black] {
            army.free_minors();
        }
        let either = first_small == second_small;
        Ok(Material::new(&white, &black, either))
    }
}

/// Returns the number of bytes that separate the sides of a material balance at the beginning of a
/// text; 0 if none do.
fn separator(text: &[u8]) -> usize {
    let blanks = |text: &[u8]| {
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'_' | b'\t');
        text.iter().take_while(is_blank).count()
    };
    let before = blanks(text);
    let rest = text.get(before..).unwrap_or_default();
    // Longer spellings first. The empty one stands for blanks alone.
    let words: [&[u8]; 10] = [
        b"vs.",
        b"vs",
        b"v.",
        b"v",
        b"-",
        b"/",
        b":",
        "\u{2013}".as_bytes(),
        "\u{2014}".as_bytes(),
        b"",
    ];
    let word = words.into_iter().find(|word| {
        rest.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word))
    });
    let mut end = before + word.map_or(0, <[u8]>::len);
    end += blanks(text.get(end..).unwrap_or_default());
    // A piece must follow.
    let next = text.get(end).is_some_and(u8::is_ascii_alphabetic);
    if next { end } else { 0 }
}

/// A bare king.
const BARE: SideMaterial = SideMaterial {
    kinds: [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (1, 1)],
    minors: None,
};

impl SideMaterial {
    /// If minor pieces are counted together, adds those that are named separately, which then are
    /// the minimum of their kind.
    fn free_minors(&mut self) {
        let [_, knights, bishops, ..] = &mut self.kinds;
        if let Some((lower, upper)) = &mut self.minors {
            for kind in [knights, bishops] {
                *lower = lower.saturating_add(kind.0);
                *upper = upper.saturating_add(kind.1);
                kind.1 = u8::MAX;
            }
        }
    }
}

/// Reads the count after a letter; 1 if there is none.
pub(super) fn read_count(rest: &mut &[u8]) -> CountBounds {
    if let [b'*', tail @ ..] = rest {
        *rest = tail;
        return (0, u8::MAX);
    }
    let Some(least) = read_number(rest) else {
        return (1, 1);
    };
    match *rest {
        [b'+', tail @ ..] => {
            *rest = tail;
            (least, u8::MAX)
        }
        [b'-', tail @ ..] if tail.first().is_some_and(u8::is_ascii_digit) => {
            *rest = tail;
            (least, read_number(rest).unwrap_or_default())
        }
        _ => (least, least),
    }
}

/// Reads a number; one above 255 is read as 255. `None` if no digit is next.
fn read_number(rest: &mut &[u8]) -> Option<u8> {
    let mut number: Option<u8> = None;
    while let [digit @ b'0'..=b'9', tail @ ..] = *rest {
        let tens = number.unwrap_or(0).saturating_mul(10);
        number = Some(tens.saturating_add(digit - b'0'));
        *rest = tail;
    }
    number
}
