//! The data of the database as a whole (docs/formats/scidb.md, section 2.1).

use chessdb_core::model::PlayerDetails;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Charset, LossKind, Losses};

use crate::extras::{self, FORMAT, extra};
use crate::raw::IndexHeader;
use crate::text;
use crate::unused_names::UnusedName;

/// Reads the header of the index.
pub(crate) fn read(header: &IndexHeader, base: &mut BaseInfo) {
    let description = header.description();
    if !description.is_empty() {
        base.description = base.texts.push(description, Charset::UTF_8);
    }
    // Without an extra the writer stores zeros.
    if header.has_own_values() {
        let mut bytes = vec![header.kind, header.flags];
        bytes.extend(header.created.to_be_bytes());
        base.extras.push(extra(extras::HEADER, &bytes));
    }
}

/// Returns the header of an index without games, and the losses.
pub(crate) fn write(base: &BaseInfo) -> (IndexHeader, Losses) {
    let mut header = IndexHeader::default();
    let mut rest = base.clone();
    rest.extras.retain(|extra| {
        match (extra.format, extra.field, &*extra.bytes) {
            (FORMAT, extras::HEADER, &[kind, flags, a, b, c, d]) => {
                (header.kind, header.flags) = (kind, flags);
                header.created = u32::from_be_bytes([a, b, c, d]);
                false
            }
            // The names are written last, if the database has its tables.
            (FORMAT, extras::UNUSED_NAME, bytes) => UnusedName::parse(bytes).is_none(),
            _ => true,
        }
    });
    let mut description = Vec::new();
    let mut is_cut = text::put(base.texts.get(base.description), &mut description);
    // The last byte stays NUL.
    let max_length = header.text.len() - 1;
    if description.len() > max_length {
        let end = String::from_utf8_lossy(&description).floor_char_boundary(max_length);
        description.truncate(end.min(max_length));
        is_cut = true;
    }
    for (to, from) in header.text.iter_mut().zip(&description) {
        *to = *from;
    }
    rest.description = TextId::NONE;
    // The names have the title and the FIDE number.
    let names = rest.names.iter_mut();
    for record in names.flat_map(|table| &mut table.records) {
        let stored = |player: &PlayerDetails| {
            let PlayerDetails { title, fide_id, .. } = *player;
            let all = PlayerDetails {
                title,
                fide_id,
                ..PlayerDetails::default()
            };
            *player == all
        };
        record.player = record.player.filter(|player| !stored(player));
    }
    let mut losses = rest.losses();
    losses.add_if(LossKind::Description, is_cut);
    losses.add_if(
        LossKind::OpenFirst,
        base.open_first.is_some_and(|game| game != 0),
    );
    (header, losses)
}
