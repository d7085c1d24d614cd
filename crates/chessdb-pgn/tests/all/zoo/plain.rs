//! A minimal, independent reader of movetext. It splits words at blanks and brackets, and stops at
//! the first doubt.

use chessdb_core::board::MoveKind;
use chessdb_core::rules::legal_moves;
use chessdb_core::{Board, PackedMove, PieceType};

/// An element of movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    /// A word that can only be a move.
    Word(String),
    /// A move number without a dot.
    Digits(String),
    /// Digits with dots, or dots alone.
    Dotted(String),
    /// A letter that is either a sign after a move or part of the next word.
    Letter(char),
    Open,
    Close,
    Result,
    /// Ambiguous text.
    Doubt(String),
}

const BLANKS: &[char] = &[
    ' ', '\t', '\n', '\r', '\u{B}', '\u{C}', '\u{A0}', '\u{202F}', '\u{205F}', '\u{2060}',
    '\u{3000}', '\u{FEFF}', '\u{2028}', '\u{2029}',
];

fn is_blank(c: char) -> bool {
    BLANKS.contains(&c) || ('\u{2000}'..='\u{200F}').contains(&c)
}

const RESULTS: &[&str] = &[
    "1-0", "0-1", "1/2-1/2", "1/2", "1:0", "0:1", "½-½", "½:½", "1/2:1/2",
];

/// Signs without meaning for the moves, longest first.
const SIGNS: &[&str] = &[
    "+--", "--+", "+/-", "-/+", "+/=", "=/+", "=/∞", "!!", "!?", "??", "?!", "+-", "-+", "+=",
    "=+", "=∞", "~=", "|_", "/\\", "++", "!", "?", "=", "~", "/", "+", "#", "∞", "±", "∓", "⩲",
    "⩱", "⯹", "□", "⨀", "○", "⟳", "↑", "→", "⇆", "⇄", "⊕", "⨁", "∆", "Δ", "∇", "⌓", "\"", "}", "]",
    ",", "'", "`", "^", "|", "&", "\\", "$", "%",
];

pub(crate) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Decodes bytes as UTF-8 where valid, otherwise as windows-1252.
pub(crate) fn decode(bytes: &[u8]) -> Vec<char> {
    let mut text = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.extend(chunk.valid().chars());
        text.extend(chunk.invalid().iter().map(|&b| match b {
            0x85 => '…',
            0x86 => '†',
            0x87 => '‡',
            0x96 => '–',
            0x97 => '—',
            0x80..=0x9F => '\u{FFFD}',
            _ => char::from(b),
        }));
    }
    text
}

/// Returns all elements among the moves in order. After the first result outside variations, only
/// variations are accepted.
pub(crate) fn pieces(text: &[char]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut depth = 0;
    let mut ended = false;
    while let Some(&c) = text.get(at) {
        if ended && depth == 0 && !is_blank(c) && !"{;%($".contains(c) {
            return pieces;
        }
        let line_start = at == 0 || matches!(text[at - 1], '\n' | '\r');
        let skip_to = |ends: &[char]| {
            let rest = &text[at + 1..];
            rest.iter()
                .position(|c| ends.contains(c))
                .map_or(text.len(), |n| at + 1 + n)
        };
        at = match c {
            _ if is_blank(c) => at + 1,
            '{' => comment_end(text, at),
            ';' => skip_to(&['\n', '\r']),
            '%' if line_start => skip_to(&['\n', '\r']),
            '[' => {
                if text.get(at + 1) != Some(&'%') {
                    pieces.push(Piece::Doubt("[".to_owned()));
                }
                let end = skip_to(&[']', '\n', '\r']);
                end + usize::from(text.get(end) == Some(&']'))
            }
            '(' => {
                depth += 1;
                pieces.push(Piece::Open);
                at + 1
            }
            ')' => {
                depth -= 1;
                // Some books number moves as `1)`.
                pieces.push(Piece::Close);
                depth = depth.max(0);
                at + 1
            }
            '*' => {
                pieces.push(Piece::Result);
                ended |= depth == 0;
                at + 1
            }
            _ => {
                let mut end = at + 1;
                while text
                    .get(end)
                    .is_some_and(|&c| !is_blank(c) && !"{}()[];*\"".contains(c))
                {
                    end += 1;
                }
                // A promotion in parentheses belongs to its word.
                if let Some(&['(', piece, ')']) = text.get(end..end + 3)
                    && "QRBNqrbn".contains(piece)
                    && (text[end - 1].is_ascii_digit() || text[end - 1] == '=')
                {
                    end += 3;
                }
                split(&text[at..end], &mut pieces);
                ended |= depth == 0 && pieces.last() == Some(&Piece::Result);
                end
            }
        };
    }
    pieces
}

/// Returns where a comment ends: at its brace, or before the tags of another game.
fn comment_end(text: &[char], at: usize) -> usize {
    let rest = &text[at + 1..];
    let end = rest.iter().position(|c| *c == '}');
    end.map_or(text.len(), |n| at + n + 2)
}

/// Splits a run without blanks into numbers, words and signs.
fn split(mut run: &[char], pieces: &mut Vec<Piece>) {
    let mut last_was_word = false;
    let whole: String = run.iter().collect();
    // Dots before it belong to a number.
    if ["<br>", "<br/>", "<p>", "</p>", "<hr>"].contains(&whole.trim_start_matches('.')) {
        return;
    }
    while let [first, ..] = run {
        let text: String = run
            .iter()
            .map(|&c| if is_dash(c) { '-' } else { c })
            .collect();
        if RESULTS.contains(&&*text) {
            pieces.push(Piece::Result);
            return;
        }
        if let Some(length) = before_result(&text) {
            split(&run[..length], pieces);
            pieces.push(Piece::Result);
            return;
        }
        let digits = run.iter().take_while(|c| c.is_ascii_digit()).count();
        let dots = run[digits..]
            .iter()
            .take_while(|c| matches!(c, '.' | '…'))
            .count();
        let after = run.get(digits + dots);
        if dots > 0 {
            pieces.push(Piece::Dotted(run[..digits].iter().collect()));
            run = &run[digits + dots..];
            last_was_word = false;
            continue;
        }
        let castles = digits == 1 && *first == '0' && after.is_some_and(|c| is_dash(*c));
        if digits > 0 && !castles && !text.starts_with("0000") {
            pieces.push(Piece::Digits(run[..digits].iter().collect()));
            run = &run[digits..];
            last_was_word = false;
            continue;
        }
        if *first == '$' && run.get(1).is_some_and(char::is_ascii_digit) {
            let digits = run[1..].iter().take_while(|c| c.is_ascii_digit()).count();
            run = &run[1 + digits..];
            last_was_word = false;
            continue;
        }
        let mut signs = SIGNS.iter();
        if let Some(sign) = signs.find(|sign| text.starts_with(**sign)) {
            let length = sign.chars().count();
            // No move contains these, so they separate words like blanks.
            last_was_word &= !sign.contains(['!', '?']);
            // Signs attached to the following text: only those that occur after a move are
            // unambiguous.
            run = &run[length..];
            if matches!(*sign, "=" | "/") && !run.is_empty() && !is_sign(run[0]) {
                pieces.push(Piece::Doubt(text));
                return;
            }
            continue;
        }
        let end = word_end(run);
        let word: String = run[..end].iter().collect();
        run = &run[end..];
        match &*word {
            "N" | "R" | "D" => pieces.push(Piece::Letter(word.chars().next().unwrap())),
            "RR" | "TN" | "ZZ" | "zz" | "BB" | "BbN" | "ep" | "ep." | "e.p." | "e.p" | "mate"
            | "ch" | "†" | "‡" => {}
            _ if last_was_word => pieces.push(Piece::Doubt(word)),
            _ => pieces.push(Piece::Word(word)),
        }
        last_was_word = true;
    }
}

/// Returns the length of a move with a result attached to it.
fn before_result(run: &str) -> Option<usize> {
    let results = ["1/2-1/2", "1-0", "0-1", "1:0", "0:1", "1/2"];
    let mv = results.iter().find_map(|result| run.strip_suffix(result))?;
    let castles = ["O-O", "O-O-O"].contains(&mv.trim_end_matches(['+', '#']));
    let letters: Vec<char> = mv.chars().collect();
    let square = |pair: &[char]| matches!(pair, ['a'..='h', '1'..='8']);
    let known = |c: &char| "abcdefgh12345678KQRBNPkqrbnpxX-:=/().+#".contains(*c);
    let moves = letters.windows(2).any(square) && letters.iter().all(known);
    let ends = mv.ends_with(|c: char| "12345678+#OoQRBN".contains(c));
    let begins = mv.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins && ends && (castles || moves)).then_some(letters.len())
}

fn is_sign(c: char) -> bool {
    let mut room = [0; 4];
    let c: &str = c.encode_utf8(&mut room);
    SIGNS.contains(&c)
}

/// Returns the end of the word at the start of a run: before a sign that occurs after moves.
fn word_end(run: &[char]) -> usize {
    let rest = |n: usize| -> String {
        let rest = run[n..].iter().take(4);
        rest.map(|&c| if is_dash(c) { '-' } else { c }).collect()
    };
    if rest(0).starts_with("--") {
        let three = run.starts_with(&['-'; 3]) && !run.get(3).is_some_and(|c| is_dash(*c));
        return if three { 3 } else { 2 };
    }
    for n in 1..run.len() {
        let tail = rest(n);
        let next = run.get(n + 1);
        let sign = match run[n] {
            '!' | '?' | '$' => true,
            '+' => ["+-", "+=", "+/"].iter().any(|sign| tail.starts_with(sign)),
            '=' | '/' => {
                next.is_none_or(|c| !c.is_alphabetic() && *c != '(' && !('♔'..='♟').contains(c))
            }
            c if is_dash(c) => {
                next.is_none_or(|c| !c.is_alphanumeric() && !('♔'..='♟').contains(c))
            }
            '.' => !(run[n - 1] == 'e' && next == Some(&'p') || run[n - 1] == 'p'),
            '…' => true,
            '#' | ':' | '(' | ')' | '@' => false,
            c if c.is_ascii() => !c.is_ascii_alphanumeric(),
            c => is_sign(c),
        };
        if sign {
            return n;
        }
    }
    run.len()
}

/// The piece letters of a language.
pub(crate) type Letters<'l> = &'l [(&'l str, PieceType)];

pub(crate) const ENGLISH: Letters<'static> = &[
    ("K", PieceType::King),
    ("Q", PieceType::Queen),
    ("R", PieceType::Rook),
    ("B", PieceType::Bishop),
    ("N", PieceType::Knight),
];

const FIGURES: &[(&str, PieceType)] = &[
    ("♔", PieceType::King),
    ("♕", PieceType::Queen),
    ("♖", PieceType::Rook),
    ("♗", PieceType::Bishop),
    ("♘", PieceType::Knight),
    ("♙", PieceType::Pawn),
    ("♚", PieceType::King),
    ("♛", PieceType::Queen),
    ("♜", PieceType::Rook),
    ("♝", PieceType::Bishop),
    ("♞", PieceType::Knight),
    ("♟", PieceType::Pawn),
];

/// Returns the legal moves that a word can mean.
pub(crate) fn meanings(board: &Board, word: &str, letters: Letters<'_>) -> Vec<PackedMove> {
    let mut legal = Vec::new();
    legal_moves(board, &mut legal);
    let mut word: String = word
        .chars()
        .filter(|c| !matches!(c, '\u{AD}' | '\u{FE0E}' | '\u{FE0F}'))
        .map(|c| match c {
            '×' | 'X' | ':' => 'x',
            c if is_dash(c) => '-',
            c => c,
        })
        .collect();
    for ending in ["e.p.", "e.px", "e.p·", "e.p", "ep.", "ep", "mate", "ch"] {
        word = word.strip_suffix(ending).unwrap_or(&word).to_owned();
    }
    let word = word.trim_end_matches(['+', '#', '†', '‡', 'x']);
    if [
        "--", "---", "<>", "Z0", "z0", "null", "NULL", "Null", "0000", "@@@@",
    ]
    .contains(&word)
    {
        return vec![PackedMove::NULL];
    }
    let castling = match &*word.replace(['o', '0'], "O").replace('-', "") {
        "OO" => Some(MoveKind::CastleShort),
        "OOO" => Some(MoveKind::CastleLong),
        _ => None,
    };
    if let Some(kind) = castling {
        legal.retain(|mv| mv.kind() == kind);
        return legal;
    }
    let pieces = || letters.iter().chain(FIGURES);
    let small = |rest: &str| {
        let c = rest.chars().next()?;
        let letter = c.to_ascii_uppercase().to_string();
        let english = ENGLISH.iter().find(|(piece, _)| *piece == letter)?;
        (letters == ENGLISH && (c != 'b' || rest.len() == 1) && c.is_ascii_lowercase())
            .then_some(*english)
    };
    // The promotion piece.
    let end = word
        .rfind(|c: char| c.is_ascii_digit())
        .map_or(word.len(), |n| n + 1);
    let (squares, tail) = word.split_at(end);
    let tail: String = tail.chars().filter(|c| !"=/()".contains(*c)).collect();
    let promoted = pieces().find(|(piece, _)| *piece == tail).copied();
    let promoted = promoted.or_else(|| small(&tail).filter(|_| tail.len() == 1));
    let promoted = promoted.map(|(_, kind)| kind);
    if !tail.is_empty() && promoted.is_none() {
        return Vec::new();
    }
    // The moving piece.
    let named = pieces()
        .find(|(piece, _)| squares.starts_with(piece))
        .copied();
    let named = named.or_else(|| small(squares));
    let pawn = if letters == ENGLISH { "P" } else { "п" };
    let (kind, rest) = match named {
        Some((piece, kind)) => (Some(kind), &squares[piece.len()..]),
        None if squares.starts_with(pawn) => (Some(PieceType::Pawn), &squares[pawn.len()..]),
        None => (None, squares),
    };
    let mut read = fits(&legal, board, kind, rest, promoted);
    if read.is_empty() && kind.is_none() && letters == ENGLISH && rest.starts_with('b') {
        read = fits(&legal, board, Some(PieceType::Bishop), &rest[1..], promoted);
    }
    read
}

/// Returns the moves of pieces of one kind that match the given squares.
fn fits(
    legal: &[PackedMove],
    board: &Board,
    kind: Option<PieceType>,
    squares: &str,
    promoted: Option<PieceType>,
) -> Vec<PackedMove> {
    let known: Vec<char> = squares
        .chars()
        .filter(|c| !matches!(c, 'x' | '-'))
        .collect();
    let is_file = |c: &char| ('a'..='h').contains(c);
    let is_rank = |c: &char| ('1'..='8').contains(c);
    let (from, to): (&[char], &[char]) = match &*known {
        [file, rank] if is_file(file) && is_rank(rank) => (&[], &known),
        // `ed` and `exd`: the files of a capture.
        [from, to] if is_file(from) && is_file(to) && from != to => (&known[..1], &known[1..]),
        [x, file, rank] if is_file(file) && is_rank(rank) && (is_file(x) || is_rank(x)) => {
            (&known[..1], &known[1..])
        }
        [a, b, file, rank] if is_file(a) && is_rank(b) && is_file(file) && is_rank(rank) => {
            (&known[..2], &known[2..])
        }
        _ => return Vec::new(),
    };
    if kind.is_none() && squares.starts_with(['x', '-']) && promoted.is_none() {
        return Vec::new();
    }
    let on = |square: chessdb_core::Square, names: &[char]| {
        names.iter().all(|&c| match c {
            'a'..='h' => square.file() == c as u8 - b'a',
            _ => square.rank() == c as u8 - b'1',
        })
    };
    let full = from.len() == 2;
    let mut found: Vec<PackedMove> = legal.to_vec();
    found.retain(|mv| {
        let piece = board.piece_at(mv.from()).map(|piece| piece.kind);
        let castles = matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong);
        let kind_fits = match kind {
            Some(kind) => piece == Some(kind),
            None => piece == Some(PieceType::Pawn) || full,
        };
        let becomes = mv.promotion() == promoted
            || promoted.is_none() && mv.promotion() == Some(PieceType::Queen);
        let rook = |mv: &PackedMove| {
            let long = mv.kind() == MoveKind::CastleLong;
            let side = if long {
                chessdb_core::board::Side::Long
            } else {
                chessdb_core::board::Side::Short
            };
            board.castling_rook(board.turn(), side)
        };
        let reaches = on(mv.to(), to) || castles && rook(mv).is_some_and(|rook| on(rook, to));
        kind_fits && becomes && on(mv.from(), from) && reaches
    });
    // Castling written as a king's move counts only if no ordinary king move fits.
    let castles =
        |mv: &PackedMove| matches!(mv.kind(), MoveKind::CastleShort | MoveKind::CastleLong);
    if found.iter().any(|mv| !castles(mv)) {
        found.retain(|mv| !castles(mv));
    }
    // A pawn's step takes precedence over its captures if neither is stated.
    if kind.is_none_or(|kind| kind == PieceType::Pawn) && from.is_empty() && found.len() > 1 {
        let steps: Vec<PackedMove> = found
            .iter()
            .copied()
            .filter(|mv| mv.from().file() == mv.to().file())
            .collect();
        if !steps.is_empty() {
            return steps;
        }
    }
    found
}
