//! One pass over the names of any generation, without keeping them.

use std::ops::ControlFlow;

use chessdb_core::Result;

use super::NameRecords;
use crate::raw::si5::Names as Log;

/// Passes each name with its list and number to `visit`, until that breaks. The file is the log of
/// SCID 5 or has the sorted lists of SCID 3 and SCID 4.
///
/// # Errors
///
/// Returns the error of the first record that cannot be read.
pub(crate) fn each_name(
    bytes: &[u8],
    is_log: bool,
    mut visit: impl FnMut(usize, u32, &[u8]) -> ControlFlow<()>,
) -> Result<()> {
    if is_log {
        let mut counts = [0; 4];
        let mut log = Log::new(bytes);
        while let Some(record) = log.read()? {
            let list = record.kind as usize;
            // Records about the database are in none of the four lists.
            if let Some(count) = counts.get_mut(list) {
                if visit(list, *count, record.text).is_break() {
                    break;
                }
                *count += 1;
            }
        }
        return Ok(());
    }
    let (_, records) = NameRecords::new(bytes)?;
    let mut name = [0; 255];
    for record in records {
        let (list, stored) = record?;
        let length = usize::from(stored.length);
        // The iterator guarantees that the prefix is not longer than the name.
        if let Some(own) = name.get_mut(usize::from(stored.prefix)..length) {
            own.copy_from_slice(stored.own);
        }
        let name = name.get(..length).unwrap_or_default();
        if visit(list, stored.id, name).is_break() {
            break;
        }
    }
    Ok(())
}
