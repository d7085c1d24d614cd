//! The description of the format for the facade.

use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::loss::LossSet;
use chessdb_core::{ErrorKind, Format};

use crate::writer::Writer;

/// The page.
pub const HTML_FILE: Role = Role("html");

/// The setting for moves after which a diagram is drawn, such as `12,20b`.
pub(crate) const DIAGRAMS: &str = "diagrams";

/// The setting for a bulletin: tie-breaks such as `direct,wins`, or nothing for the defaults.
pub(crate) const BULLETIN: &str = "bulletin";

/// The keys by which the games of a bulletin are sorted before they are written.
pub const BULLETIN_ORDER: &str = "event,round";

/// The losses of PGN, since the page contains each game as PGN.
const LOSSES: LossSet = chessdb_pgn::PGN.losses;

/// One page with all games. It is only written.
pub static HTML: Format = Format::new(
    "html",
    "HTML page with boards",
    |_| Score::No,
    |_, _| {
        let why = "a page can be written but not read; open the original database, or copy the \
                   PGN that the page contains";
        Err(ErrorKind::Other(why.into()).into())
    },
    |_, _, _| {},
)
.with_files(&[HTML_FILE], &[HTML_FILE])
.with_losses(LOSSES)
.with_facts()
.with_settings(&[DIAGRAMS, BULLETIN])
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)));
