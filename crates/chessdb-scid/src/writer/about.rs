//! What a base says about itself, and what of it a generation cannot hold.

use chessdb_core::{BaseInfo, LossKind, Losses, TextId};

use crate::generation::{Generation, Spec};
use crate::info::write_info;
use crate::raw::Header;
use crate::text::{Change, Encoder};

/// What stands before or behind the games of a base.
#[derive(Debug)]
pub(super) enum About {
    /// The header of the index, in SCID 3 and SCID 4.
    Header(Box<Header>),
    /// Records for the end of the name file, in SCID 5.
    Log(Vec<u8>),
}

impl About {
    pub(super) fn new(spec: &Spec, base: &BaseInfo, texts: &Encoder) -> (About, Losses) {
        let (about, mut losses) = match spec.generation {
            Generation::Si5 => {
                let (log, losses) = write_info(base, texts);
                (About::Log(log), losses)
            }
            Generation::Si3 | Generation::Si4 => {
                let (header, losses) = header(spec, base, texts);
                (About::Header(Box::new(header)), losses)
            }
        };
        if !base.texts.get(base.title).is_empty() {
            losses.add(LossKind::BaseTitle, None);
        }
        losses.add_many(LossKind::Collection, base.collections.len() as u32, None);
        (about, losses)
    }
}

/// The header of a base, and what of the base it cannot hold.
fn header(spec: &Spec, base: &BaseInfo, texts: &Encoder) -> (Header, Losses) {
    let mut header = Header::new();
    let mut losses = Losses::new();
    if spec.generation == Generation::Si3 {
        header.version = Header::SI3_VERSION;
    }
    header.kind = base.kind.unwrap_or(header.kind);
    let autoload = base.open_first.unwrap_or(spec.autoload);
    header.autoload = autoload & 0xFF_FFFF;
    // SCID 3 gives every new base the number 2, so a 2 that somebody chose is read as no choice.
    let unchosen = spec.generation == Generation::Si3 && base.open_first == Some(spec.autoload);
    if autoload != header.autoload || unchosen {
        losses.add(LossKind::OpenFirst, None);
    }
    // The last byte of each field stays NUL.
    if !put_field(base, base.description, texts, &mut header.description) {
        losses.add(LossKind::Description, None);
    }
    let fields = header.flag_names.iter_mut();
    let mut fields = fields.take(if spec.custom_flags { 6 } else { 0 });
    for &name in &base.flag_names {
        let stored = match fields.next() {
            Some(field) => put_field(base, name, texts, field),
            None => base.texts.get(name).is_empty(),
        };
        if !stored {
            losses.add(LossKind::FlagNames, None);
        }
    }
    losses.add_many(LossKind::BaseExtra, base.extras.len() as u32, None);
    (header, losses)
}

/// Puts a text into a field of fixed size; false if something of it was lost.
fn put_field(base: &BaseInfo, text: TextId, texts: &Encoder, field: &mut [u8]) -> bool {
    let mut stored = Vec::new();
    let most = field.len().saturating_sub(1);
    let change = texts.put_cut(base.texts.get(text), most, &mut stored);
    for (to, from) in field.iter_mut().zip(stored) {
        *to = from;
    }
    change == Change::default()
}
