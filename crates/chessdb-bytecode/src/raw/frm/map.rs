//! The byte map of a description (docs/formats/bytecode.md, section 8).

use chessdb_core::dump::{Fields, Region};
use chessdb_core::files::Role;
use chessdb_core::record::Record as _;
use chessdb_core::sorting::sort_by_key;

use super::{ColumnRecord, Frm, FrmHead, FrmParts};

const NOT_DESCRIBED: &str = "not described";

impl Frm {
    /// Reports each region of a description; regions that the format page does not describe are
    /// unknown.
    pub(crate) fn dump(bytes: &[u8], file: Role, emit: &mut dyn FnMut(Region)) {
        let (Ok(frm), Some(parts)) = (Frm::parse(bytes, file), FrmParts::find(bytes)) else {
            let what = "an unreadable description";
            return Fields::new(file, 0, emit).unknown(bytes.len() as u64, what);
        };
        // The parts of a damaged description may be in any order.
        let mut regions = Vec::new();
        let collect = &mut |region| regions.push(region);
        let fields = &mut Fields::new(file, 0, collect);
        parts.head.explain("", fields);
        fields.unknown(parts.head.names.into(), NOT_DESCRIBED);
        fields.known(4, format!("offset of the columns: {:#x}", parts.form_start));
        let described_end = FrmHead::SIZE + usize::from(parts.head.names) + 4;
        let rest = parts.form_start.saturating_sub(described_end);
        fields.unknown(rest as u64, NOT_DESCRIBED);

        let fields = &mut Fields::new(file, parts.form_start as u64, collect);
        parts.form.explain("", fields);
        fields.unknown(parts.form.screens.into(), NOT_DESCRIBED);
        for (column, field) in parts.columns.iter().zip(&frm.fields) {
            let named = &mut |region: Region| {
                let what = format!("{}: {}", field.name, region.what);
                fields.add(region.end - region.start, region.kind, what);
            };
            ColumnRecord::parse(column).explain("", &mut Fields::new(file, 0, named));
        }

        let fields = &mut Fields::new(file, parts.names_start as u64, collect);
        fields.known(1, "mark between names");
        for name in parts.names().into_iter().flatten().take(frm.fields.len()) {
            let what = format!("name: {}", String::from_utf8_lossy(name));
            fields.known(name.len() as u64 + 1, what);
        }
        fields.unknown(bytes.len() as u64, NOT_DESCRIBED);
        sort_by_key(&mut regions, |region| region.start);
        regions.into_iter().for_each(emit);
    }
}
