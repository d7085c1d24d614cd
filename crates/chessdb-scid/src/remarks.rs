//! Descriptions of a database's type and autoload number (docs/formats/scid.md, section 1).

use chessdb_core::BaseInfo;
use chessdb_core::store::Remark;

use crate::generation::{Generation, Spec};

/// The types that Scid lists, by number.
const TYPES: [&str; 20] = [
    "unknown",
    "temporary database",
    "clipbase",
    "PGN file",
    "my games",
    "large database",
    "correspondence chess",
    "computer chess",
    "sorted index of games",
    "player collection",
    "tournament, all play all",
    "tournament, Swiss",
    "grandmaster games",
    "international master games",
    "blitz games",
    "tactics",
    "endgames",
    "openings for White",
    "openings for Black",
    "openings for either side",
];

/// Returns the type, and the game that is loaded first.
pub(crate) fn remarks(spec: &Spec, base: &BaseInfo) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if let Some(kind) = base.kind {
        let listed = usize::try_from(kind)
            .ok()
            .and_then(|number| TYPES.get(number));
        let name = listed.unwrap_or(&"theory of an opening");
        remarks.push(Remark::new("type", format!("{kind}, {name}")));
    }
    let stored = match spec.generation {
        Generation::Si5 => base.open_first,
        // The model omits the default number of a new database.
        _ => Some(base.open_first.unwrap_or(spec.autoload)),
    };
    if let Some(stored) = stored {
        let text = format!("{stored}, {}", autoload(spec.generation, stored));
        remarks.push(Remark::new("autoload", text));
    }
    remarks
}

/// Describes the number, which has one meaning in Scid since 4.7 and another in older versions and
/// Scid vs. PC. Files before SCID 5 do not show which.
fn autoload(generation: Generation, stored: u32) -> String {
    let new = match stored {
        0 => "no game".to_owned(),
        game => format!("game {game}"),
    };
    let old = match stored {
        0 => "game 1".to_owned(),
        1 => "no game".to_owned(),
        game => format!("game {}", game - 1),
    };
    match generation {
        Generation::Si5 => new,
        Generation::Si4 | Generation::Si3 => {
            format!("{new} in Scid 4.7 and later, {old} in older programs")
        }
    }
}
