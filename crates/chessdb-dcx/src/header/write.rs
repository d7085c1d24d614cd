//! Conversion of a game's header into an index entry; what does not fit is counted
//! (docs/formats/dcx.md, sections 6 and 14).

use chessdb_core::model::{Eco, EcoSub, Field, GameFlags, RatingKind};
use chessdb_core::{Color, Game, LossKind, Losses, Setup, Start};

use super::RESULTS;
use crate::raw::Entry;

/// Returns the entry of a game without offset and references.
pub(crate) fn write_header(game: &Game, losses: &mut Losses) -> Entry {
    let header = &game.header;
    let deleted = header.flags.contains(GameFlags::DELETED);
    let elo = |color| header.player(color).rating.map_or(0, |rating| rating.value);
    let date = header.date.within_calendar();
    losses.add_if(LossKind::Date, date != header.date);
    let result = RESULTS
        .iter()
        .position(|&outcome| outcome == header.outcome);
    let entry = Entry {
        status: if deleted { Entry::DELETED } else { 0 },
        round: write_round(game, losses),
        white_elo: elo(Color::White),
        black_elo: elo(Color::Black),
        result: result.unwrap_or(0) as u8,
        eco: header.eco.map_or([0; 3], |eco| write_eco(eco, losses)),
        year: date.year,
        month: date.month,
        day: date.day,
        ..Entry::default()
    };
    count_losses(game, losses);
    entry
}

/// Returns the round if it is a plain number 1..=65535. A round that a reader shows as `?` is no
/// loss.
fn write_round(game: &Game, losses: &mut Losses) -> u16 {
    let text = game.text(game.header.round.text).decode();
    // Spellings such as 03 are stored as their number, as in the reference writer, but the spelling
    // is lost.
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits).unwrap_or(0);
    if number == 0 || text.starts_with('0') {
        losses.add_field(Field::Round, game, game.header.round);
    }
    number
}

fn write_eco(eco: Eco, losses: &mut Losses) -> [u8; 3] {
    losses.add_if(LossKind::Eco, eco.sub != EcoSub::None || eco.code > 499);
    if eco.code > 499 {
        return [0; 3];
    }
    let digit = |n: u16| b'0' + (n % 10) as u8;
    let letter = b'A' + (eco.code / 100) as u8;
    [letter, digit(eco.code / 10), digit(eco.code)]
}

/// Counts the header data that the format cannot store.
fn count_losses(game: &Game, losses: &mut Losses) {
    let header = &game.header;
    losses.add_unstored(game, &[Field::Annotator, Field::Source, Field::EventDate]);
    losses.add_unstored(game, &Field::PLAYER_DETAILS);
    for color in Color::ALL {
        let rating = header.player(color).rating;
        let is_other = rating.is_some_and(|rating| rating.kind != RatingKind::Elo);
        losses.add_if(LossKind::RatingType, is_other);
    }
    losses.add_flags(game, GameFlags::DELETED);
    losses.add_extras(game);
    let has_fen = match &header.start {
        Start::Standard => false,
        Start::Setup(setup) => {
            // The FEN shows castling rights that exist only in Chess960, and castling is written as
            // the king capturing its rook.
            if setup.chess960 && !Setup::from_board(setup.board.clone()).chess960 {
                losses.add(LossKind::Chess960, None);
            } else if setup.board.is_standard_start() {
                // Marker 00 does not record that the game stated its position explicitly.
                losses.add(LossKind::Tag, None);
            }
            !setup.board.is_standard_start()
        }
    };
    // The reader adds the tag for each FEN, so one tag is no loss.
    let mut implied = has_fen;
    losses.add_tags(game, |tag| {
        game.is_setup_tag(tag) && std::mem::take(&mut implied)
    });
}

#[cfg(test)]
mod tests {
    use chessdb_core::Date;

    use super::*;

    fn written(change: impl FnOnce(&mut Game)) -> (Entry, Vec<LossKind>) {
        let mut game = Game::new();
        change(&mut game);
        let mut losses = Losses::new();
        let entry = write_header(&game, &mut losses);
        (entry, losses.iter().map(|loss| loss.kind).collect())
    }

    /// Section 6.
    #[test]
    fn rounds_are_plain_numbers() {
        let round = |text: &str| written(|game| game.header.round = game.add_text(text).into());
        for (text, number, lossy) in [
            ("3", 3, false),
            ("65535", 65535, false),
            ("", 0, true),
            ("?", 0, false),
            ("65536", 0, true),
            ("1.2", 0, true),
            ("-", 0, true),
            ("+3", 0, true),
            ("03", 3, true),
            ("0", 0, true),
        ] {
            let (entry, losses) = round(text);
            assert_eq!(entry.round, number, "{text}");
            assert_eq!(!losses.is_empty(), lossy, "{text}");
        }
    }

    #[test]
    fn dates_and_codes_out_of_range_are_losses() {
        let (entry, losses) = written(|game| game.header.date = Date::new(1999, 13, 31));
        assert_eq!((entry.year, entry.month, entry.day), (1999, 0, 31));
        assert_eq!(losses, [LossKind::Date]);
        let (entry, losses) = written(|game| game.header.eco = Eco::from_ascii(b"B07a1"));
        assert_eq!((entry.eco, losses), (*b"B07", vec![LossKind::Eco]));
        let (entry, losses) = written(|game| game.header.eco = Eco::from_ascii(b"F10"));
        assert_eq!((entry.eco, losses), ([0; 3], vec![LossKind::Eco]));
        let (entry, losses) = written(|game| game.header.eco = Eco::from_ascii(b"E99"));
        assert_eq!((entry.eco, losses), (*b"E99", vec![]));
    }
}
