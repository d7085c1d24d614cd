//! The header of a game: the first four fields of its line.

use chessdb_core::error::Location;
use chessdb_core::model::{Field, GameFlags};
use chessdb_core::report::GameReport;
use chessdb_core::text::TextId;
use chessdb_core::{Charset, Color, ErrorKind, Game, LossKind, Losses, Outcome, Result, Severity};

use crate::text;

/// The mark of a deleted game.
const DELETED: &[u8] = b"d";
/// The mark of any other game.
const PLAIN: &[u8] = b"-";

/// Fills the header from the fields before the moves.
pub(crate) fn read(
    [mark, white, black, result]: [&[u8]; 4],
    at: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<()> {
    if mark == DELETED {
        game.header.flags = GameFlags::DELETED;
    } else if mark != PLAIN {
        report.add(
            Severity::Repaired,
            ErrorKind::Structure("an unknown mark"),
            at,
        )?;
    }
    game.header.white.name = name(white, at, game, report)?.into();
    game.header.black.name = name(black, at, game, report)?.into();
    match Outcome::from_pgn(result) {
        Some(outcome) => game.header.outcome = outcome,
        None => report.add(
            Severity::Lost,
            ErrorKind::Structure("an unknown result"),
            at,
        )?,
    }
    Ok(())
}

fn name(
    field: &[u8],
    at: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
) -> Result<TextId> {
    if field.is_empty() {
        return Ok(TextId::NONE);
    }
    let name = text::read(field);
    let limits = &report.options.limits;
    if let Err(over) = game.texts.check_room(name.len(), limits) {
        report.add(Severity::Lost, over.into_kind(limits), at)?;
        return Ok(TextId::NONE);
    }
    Ok(game.texts.push(&name, Charset::UTF_8))
}

/// Appends the fields before the moves, each with the tab after it, and counts everything that has
/// no field.
pub(crate) fn write(game: &Game, losses: &mut Losses, out: &mut Vec<u8>) {
    let header = &game.header;
    out.extend_from_slice(if header.flags.contains(GameFlags::DELETED) { DELETED } else { PLAIN });
    for color in Color::ALL {
        let id = header.player(color).name.text;
        out.push(b'\t');
        let name = game.text(id);
        if text::write(name, false, out) > 0 {
            losses.add(LossKind::NameText, None);
        }
        if name.is_empty() && !id.is_none() {
            losses.add(LossKind::EmptyTag, None);
        }
    }
    out.push(b'\t');
    out.extend_from_slice(header.outcome.as_pgn().as_bytes());
    out.push(b'\t');
    lose_rest(game, losses);
}

fn lose_rest(game: &Game, losses: &mut Losses) {
    losses.add_unstored(
        game,
        &[Field::Event, Field::Site, Field::Round, Field::Date],
    );
    losses.add_unstored(game, &[Field::Annotator, Field::Source, Field::EventDate]);
    losses.add_unstored(game, &[Field::Eco, Field::WhiteRating, Field::BlackRating]);
    losses.add_unstored(game, &Field::PLAYER_DETAILS);
    losses.add_flags(game, GameFlags::DELETED);
    losses.add_tags(game, |_| false);
    losses.add_extras(game);
}
