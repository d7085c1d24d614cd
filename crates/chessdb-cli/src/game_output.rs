//! Games in the form that the user requests: without some parts, or as lines of moves or positions.

use std::io::{self, Write};

use chessdb::core::board::MoveKind;
use chessdb::core::model::{Field, GameFlags, Tag};
use chessdb::core::store::Origin;
use chessdb::core::{Color, Game, PackedMove};
use chessdb::pgn::{LineKind, append_lines};

use crate::args::{CatFormat, ContentOptions};
use crate::output::plain;

/// Removes the parts of a game that are not requested.
pub(crate) fn strip_game(game: &mut Game, content_options: ContentOptions) {
    let parts = content_options.parts();
    if !parts.is_empty() {
        game.leave_out(parts);
    }
    if content_options.seven_tags {
        keep_seven_tags(game);
    }
}

fn keep_seven_tags(game: &mut Game) {
    let header = &mut game.header;
    for color in Color::ALL {
        let player = header.player_mut(color);
        // The name is one of the seven tags; title, rating and FIDE number are tags of their own.
        let name = player.name;
        *player = Default::default();
        player.name = name;
    }
    header.annotator = Default::default();
    header.source = Default::default();
    header.event_date = Default::default();
    header.eco = None;
    header.flags = GameFlags::empty();
    header.extras.clear();
    let texts = &game.texts;
    header.tags.retain(|tag| match *tag {
        // Without these tags the moves would have another meaning.
        Tag::Other { name, .. } => {
            matches!(texts.get(name).as_bytes(), b"SetUp" | b"Variant")
        }
        Tag::Place(field) | Tag::Verbatim(field, _) => {
            field == Field::Fen || Field::ROSTER.contains(&field)
        }
    });
}

/// Writes the mainline of a game in this format.
pub(crate) fn write_mainline(
    game: &Game,
    form: CatFormat,
    origin: Origin<'_>,
    with_tags: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut positions = |kind| {
        let mut lines = Vec::new();
        append_lines(game, kind, false, origin, &mut lines);
        out.write_all(&lines)
    };
    match form {
        CatFormat::Fen => positions(LineKind::Fen),
        CatFormat::Epd => positions(LineKind::Epd),
        form => {
            if with_tags {
                for (name, value) in game.tags() {
                    // Escaped as in PGN, so that a quotation mark does not end the value.
                    let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                    writeln!(out, "[{name} \"{}\"]", plain(&value))?;
                }
                writeln!(out)?;
            }
            let mut moves = match form {
                CatFormat::Lan => lans(game),
                _ => game.ucis(),
            };
            moves.push(game.result().as_pgn().to_owned());
            writeln!(out, "{}", moves.join(" "))?;
            if with_tags {
                writeln!(out)?;
            }
            Ok(())
        }
    }
}

/// Returns the mainline in long algebraic notation: `e2-e4`, `Ng1-f3`, `e4xd5`, `e7-e8=Q+`, `O-O`.
fn lans(game: &Game) -> Vec<String> {
    let moves = game.mainline().zip(game.positions()).zip(game.sans());
    let long = moves.map(|((mv, board), san)| {
        // Castling and null moves have one form in both notations.
        if san.starts_with('O') || mv.is_null() {
            return san;
        }
        long(mv, &san, board.piece_at(mv.to()).is_some())
    });
    long.collect()
}

fn long(mv: PackedMove, san: &str, takes: bool) -> String {
    let piece = san.chars().next().filter(char::is_ascii_uppercase);
    let piece = piece.map_or(String::new(), String::from);
    // The target square of an en passant capture is empty.
    let takes = takes || matches!(mv.kind(), MoveKind::EnPassant);
    let sign = if takes { 'x' } else { '-' };
    let promotion = san.split_once('=').map(|(_, piece)| format!("={piece}"));
    let check = san.trim_start_matches(|c| c != '+' && c != '#');
    // The text after `=` contains the sign of check, too.
    let end = promotion.unwrap_or_else(|| check.to_owned());
    format!("{piece}{}{sign}{}{end}", mv.from(), mv.to())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(form: CatFormat, sans: &[&str]) -> String {
        let game = Game::builder().white("A").sans(sans).unwrap().build();
        let mut out = Vec::new();
        write_mainline(&game, form, Origin::new(1), false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn moves_in_other_notations() {
        let moves = [
            "e4", "d5", "exd5", "e5", "dxe6", "Nc6", "exf7+", "Kd7", "fxg8=N", "Bd6", "Nf3", "b6",
            "Be2", "Ba6", "O-O",
        ];
        assert_eq!(
            lines(CatFormat::Lan, &moves),
            "e2-e4 d7-d5 e4xd5 e7-e5 d5xe6 Nb8-c6 e6xf7+ Ke8-d7 f7xg8=N Bf8-d6 Ng1-f3 b7-b6 \
             Bf1-e2 Bc8-a6 O-O *\n"
        );
        assert_eq!(lines(CatFormat::Uci, &["e4", "c5"]), "e2e4 c7c5 *\n");
        let epd = lines(CatFormat::Epd, &["e4"]);
        let epd: Vec<&str> = epd.lines().collect();
        assert!(
            epd[0]
                .ends_with("w KQkq - c0 \"A - ?, *\"; fmvn 1; hmvc 0; id \"game 1 ply 0\"; sm e4;"),
            "{}",
            epd[0]
        );
        assert!(epd[1].contains("b KQkq"), "{}", epd[1]);
        assert_eq!(lines(CatFormat::Fen, &["e4", "c5"]).lines().count(), 3);
    }
}
