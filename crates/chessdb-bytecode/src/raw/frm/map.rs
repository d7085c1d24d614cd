//! The byte map of a description (docs/formats/bytecode.md, section 8).

use chessdb_core::dump::{Fields, Region};
use chessdb_core::files::Role;

use super::{FIELD, FORM, Frm, FrmParts, HEAD};

const NOT_DESCRIBED: &str = "not described";

impl Frm {
    /// Reports each region of a description; regions that the format page does not describe are
    /// unknown.
    pub(crate) fn dump(bytes: &[u8], file: Role, emit: &mut dyn FnMut(Region)) {
        let (Ok(frm), Some(places)) = (Frm::parse(bytes, file), FrmParts::find(bytes)) else {
            let what = "an unreadable description";
            return Fields::new(file, 0, emit).unknown(bytes.len() as u64, what);
        };
        // The parts of a damaged description may be in any order.
        let mut regions = Vec::new();
        let collect = &mut |region| regions.push(region);
        front(&places, &mut Fields::new(file, 0, collect));
        form(
            &frm,
            &places,
            &mut Fields::new(file, places.form as u64, collect),
        );
        let start = places.names_start().unwrap_or(bytes.len());
        let fields = &mut Fields::new(file, start as u64, collect);
        fields.known(1, "mark between names");
        for name in places
            .names(bytes)
            .into_iter()
            .flatten()
            .take(frm.fields.len())
        {
            let what = format!("name: {}", String::from_utf8_lossy(name));
            fields.known(name.len() as u64 + 1, what);
        }
        fields.unknown(bytes.len() as u64, NOT_DESCRIBED);
        regions.sort_by_key(|region| region.start);
        regions.into_iter().for_each(emit);
    }
}

fn front(places: &FrmParts, fields: &mut Fields<'_>) {
    let header = &places.header;
    fields.known(2, "magic bytes");
    fields.unknown(2, NOT_DESCRIBED);
    fields.known(2, format!("bytes before the columns: {}", header.names));
    fields.unknown(10, NOT_DESCRIBED);
    fields.known(
        2,
        format!(
            "bytes of a row that is not packed: {}",
            header.record_length
        ),
    );
    fields.unknown(12, NOT_DESCRIBED);
    fields.known(2, format!("options: {:#06x}", header.options));
    fields.unknown(32, NOT_DESCRIBED);
    fields.unknown(header.names.into(), NOT_DESCRIBED);
    fields.known(4, format!("offset of the columns: {:#x}", places.form));
    let described_end = HEAD + usize::from(header.names) + 4;
    fields.unknown(
        places.form.saturating_sub(described_end) as u64,
        NOT_DESCRIBED,
    );
}

fn form(frm: &Frm, places: &FrmParts, fields: &mut Fields<'_>) {
    let passed = places.fields - places.form - FORM;
    fields.unknown(258, NOT_DESCRIBED);
    fields.known(2, format!("columns: {}", places.count));
    fields.known(2, format!("bytes before the first: {passed}"));
    fields.unknown(6, NOT_DESCRIBED);
    fields.known(2, format!("bytes of the names: {}", places.name_length));
    fields.unknown(FORM as u64 - 270, NOT_DESCRIBED);
    fields.unknown(passed as u64, NOT_DESCRIBED);
    for field in &frm.fields {
        let name = &field.name;
        fields.unknown(3, format!("{name}: not described"));
        fields.known(2, format!("{name}: length {}", field.length));
        fields.known(3, format!("{name}: offset {} in the row", field.position));
        fields.known(
            2,
            format!(
                "{name}: flags, NULL {}",
                if field.null { "allowed" } else { "not allowed" }
            ),
        );
        fields.unknown(1, NOT_DESCRIBED);
        fields.known(1, format!("{name}: charset {}, high byte", field.charset));
        fields.unknown(1, NOT_DESCRIBED);
        fields.known(1, format!("{name}: type {}", field.kind));
        fields.known(1, format!("{name}: charset, low byte"));
        fields.unknown(FIELD as u64 - 15, NOT_DESCRIBED);
    }
}
