//! The byte map of a database, for `chessdb dump --raw`.

use chessdb_core::FileSet;
use chessdb_core::dump::{Fields, Region};

use crate::raw::{File, MAGIC};
use crate::roles::TEMPLATE_FILE;

/// Reports the magic bytes and the line of each game.
pub(crate) fn dump(files: &dyn FileSet, emit: &mut dyn FnMut(Region)) {
    let file = files.get(TEMPLATE_FILE).map(File::parse);
    let Some(Ok(file)) = file else {
        return;
    };
    let mut fields = Fields::new(TEMPLATE_FILE, 0, emit);
    fields.known(MAGIC.len() as u64, "magic bytes");
    for (n, line) in (1..).zip(&file.lines) {
        fields.known(line.range().len() as u64, format!("game {n}: its line"));
    }
}
