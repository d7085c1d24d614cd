//! Data about the database as a whole: the index header in SCID 3 and SCID 4; in SCID 5 records of
//! the name file, each a key directly followed by its value (docs/formats/scid.md, section 10).

use chessdb_core::format::ExtraField;
use chessdb_core::loss::TextLoss;
use chessdb_core::model::Extra;
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, LossKind, Losses};

use crate::generation::{Generation, Spec};
use crate::raw::FileHeader;
use crate::raw::si5::{NameKind, NameRecord};
use crate::text::TextEncoder;

/// The format and number of the extra field for a record with an unknown key (section 13).
pub(crate) const INFO_FIELD: (&str, u16) = ("si5", 1);

/// The descriptions of the extra fields.
pub(crate) const EXTRAS: &[ExtraField] = &[ExtraField::of_base(
    INFO_FIELD.0,
    INFO_FIELD.1,
    "an entry of the database's own data that Scid 5 does not define",
)];

/// The keys that Scid knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InfoKey {
    Type,
    Description,
    Autoload,
    /// The name of a custom flag, counted from 0.
    Flag(usize),
}

const KEYS: [(&[u8], InfoKey); 9] = [
    (b"type", InfoKey::Type),
    (b"description", InfoKey::Description),
    (b"autoload", InfoKey::Autoload),
    (b"flag1", InfoKey::Flag(0)),
    (b"flag2", InfoKey::Flag(1)),
    (b"flag3", InfoKey::Flag(2)),
    (b"flag4", InfoKey::Flag(3)),
    (b"flag5", InfoKey::Flag(4)),
    (b"flag6", InfoKey::Flag(5)),
];

/// The last record of each known key, and all records with unknown keys.
#[derive(Default, Debug)]
pub(crate) struct LogInfo<'a> {
    values: [Option<(&'a [u8], u64)>; KEYS.len()],
    pub(crate) unknown: Vec<&'a [u8]>,
}

impl<'a> LogInfo<'a> {
    /// Adds a record at this byte offset of the file.
    pub(crate) fn read(&mut self, text: &'a [u8], place: u64) {
        // No key is the start of another one, so at most one matches.
        let slot = KEYS
            .iter()
            .zip(&mut self.values)
            .find_map(|((name, _), value)| Some((text.strip_prefix(*name)?, value)));
        match slot {
            Some((rest, value)) => *value = Some((rest, place)),
            None => self.unknown.push(text),
        }
    }

    /// Returns the value of a key and the offset of its record.
    pub(crate) fn get(&self, key: InfoKey) -> Option<(&'a [u8], u64)> {
        let index = KEYS.iter().position(|(_, entry)| *entry == key)?;
        self.values.get(index).copied().flatten()
    }
}

/// Returns the records for `base` and the losses. An empty type or flag name is written only if the
/// database comes from SCID 5 itself, where the record then existed.
fn write_info(base: &BaseInfo, texts: &TextEncoder) -> (Vec<u8>, Losses) {
    let mut out = Vec::new();
    let mut losses = Losses::new();
    let mut record = |text: &[u8]| NameRecord::new(NameKind::Info, text).write(&mut out);
    let mut put = |name: &[u8], id: TextId, kind: LossKind| {
        let mut text = name.to_vec();
        let change = texts.put(base.texts.get(id), &mut text);
        losses.add_if(kind, change != TextLoss::default());
        text
    };
    let rewrite = !base.names.is_empty();
    for (name, key) in KEYS {
        let text = match key {
            InfoKey::Type => base
                .kind
                .filter(|&kind| kind != 0 || rewrite)
                .map(|kind| with_number(name, kind)),
            InfoKey::Autoload => base.open_first.map(|first| with_number(name, first)),
            InfoKey::Description => (base.description.is_some())
                .then(|| put(name, base.description, LossKind::Description)),
            InfoKey::Flag(n) => {
                let id = base.flag_names.get(n).copied().unwrap_or(TextId::NONE);
                id.is_some().then(|| put(name, id, LossKind::FlagNames))
            }
        };
        if let Some(text) = text {
            record(&text);
        }
    }
    let own = |extra: &&Extra| (extra.format, extra.field) == INFO_FIELD;
    for extra in base.extras.iter().filter(own) {
        record(&extra.bytes);
    }
    let foreign = base.extras.iter().filter(|extra| !own(extra)).count();
    losses.add_many(LossKind::BaseExtra, foreign as u32, None);
    // The log has keys for six flags.
    for &name in base.flag_names.iter().skip(6) {
        losses.add_if(LossKind::FlagNames, !base.texts.get(name).is_empty());
    }
    (out, losses)
}

fn with_number(name: &[u8], number: u32) -> Vec<u8> {
    [name, number.to_string().as_bytes()].concat()
}

/// Database metadata, stored before or after the games.
#[derive(Debug)]
pub(crate) enum Metadata {
    /// The header of the index, in SCID 3 and SCID 4.
    FileHeader(Box<FileHeader>),
    /// Records for the end of the name file, in SCID 5.
    Log(Vec<u8>),
}

impl Metadata {
    pub(crate) fn new(spec: &Spec, base: &BaseInfo, texts: &TextEncoder) -> (Metadata, Losses) {
        let (about, mut losses) = match spec.generation {
            Generation::Si5 => {
                let (log, losses) = write_info(base, texts);
                (Metadata::Log(log), losses)
            }
            Generation::Si3 | Generation::Si4 => {
                let (file_header, losses) = file_header(spec, base, texts);
                (Metadata::FileHeader(Box::new(file_header)), losses)
            }
        };
        losses.add_if(LossKind::BaseTitle, !base.texts.get(base.title).is_empty());
        losses.add_many(LossKind::Collection, base.collections.len() as u32, None);
        (about, losses)
    }
}

/// Returns the index header for `base`, and the losses.
fn file_header(spec: &Spec, base: &BaseInfo, texts: &TextEncoder) -> (FileHeader, Losses) {
    let mut file_header = FileHeader::new();
    let mut losses = Losses::new();
    if spec.generation == Generation::Si3 {
        file_header.version = FileHeader::SI3_VERSION;
    }
    file_header.kind = base.kind.unwrap_or(file_header.kind);
    let autoload = base.open_first.unwrap_or(spec.autoload);
    file_header.autoload = autoload & 0xFF_FFFF;
    // SCID 3 gives every new database the number 2, so an explicit 2 is read as no choice.
    let unchosen = spec.generation == Generation::Si3 && base.open_first == Some(spec.autoload);
    losses.add_if(
        LossKind::OpenFirst,
        autoload != file_header.autoload || unchosen,
    );
    // The last byte of each field stays NUL.
    let is_put = put_field(base, base.description, texts, &mut file_header.description);
    losses.add_if(LossKind::Description, !is_put);
    let all = file_header.flag_names.iter_mut();
    let mut fields = all.take(if spec.custom_flags { 6 } else { 0 });
    for &name in &base.flag_names {
        let stored = match fields.next() {
            Some(field) => put_field(base, name, texts, field),
            None => base.texts.get(name).is_empty(),
        };
        losses.add_if(LossKind::FlagNames, !stored);
    }
    losses.add_many(LossKind::BaseExtra, base.extras.len() as u32, None);
    (file_header, losses)
}

/// Puts a text into a field of fixed size. Returns false if part of it was lost.
fn put_field(base: &BaseInfo, text: TextId, texts: &TextEncoder, field: &mut [u8]) -> bool {
    let mut stored = Vec::new();
    let max_length = field.len().saturating_sub(1);
    let change = texts.put_cut(base.texts.get(text), max_length, &mut stored);
    for (to, from) in field.iter_mut().zip(stored) {
        *to = from;
    }
    change == TextLoss::default()
}
