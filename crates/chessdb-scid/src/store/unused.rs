//! The parts of the files that no game needs (docs/formats/scid.md, sections 3 and 4).

use chessdb_core::store::UnusedSpace;

use super::Store;
use super::open::record_order::for_each_in_file_order;
use crate::check::count_uses;

impl Store<'_> {
    /// Returns the names that no game has, and the bytes of the games file that belong to no game.
    /// The end of a block that has no room for the next record is in use: a new database has it too.
    pub(super) fn unused_space(&self) -> UnusedSpace {
        let size = self.games.len() as u64;
        let block = self.spec.block;
        let (mut bytes, mut end) = (0, 0);
        for_each_in_file_order(&self.entries, size, &mut |record| {
            let gap = record.start.saturating_sub(end);
            let is_filler = record.start % block == 0 && gap < record.end - record.start;
            bytes += if is_filler { 0 } else { gap };
            end = end.max(record.end);
        });
        bytes += size.saturating_sub(end);
        let names = count_uses(self);
        let names = names.iter().flatten().filter(|uses| **uses == 0).count() as u64;
        UnusedSpace { bytes, names }
    }
}
