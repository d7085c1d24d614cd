//! Converting a database.

use std::ffi::{c_char, c_int};
use std::fmt::Write as _;

use chessdb::convert::Report;
use chessdb::{Converter, Database};

use crate::boundary::{self, guard, optional_text, path, to_c};
use crate::open::DATABASES;
use crate::progress::Steps;
use crate::{ERROR, REPLACE, STRICT, completion};

/// Converts a database.
///
/// # Safety
///
/// `target` must be null or a text that ends with a zero byte, `format` null or such a text, `report`
/// null or the place of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chessdb_convert(
    db: *const Database,
    target: *const c_char,
    format: *const c_char,
    flags: u32,
    report: *mut *mut c_char,
) -> c_int {
    guard(ERROR, || {
        // SAFETY: the caller promises that the place is writable, or null.
        let report = unsafe { boundary::output(report)? };
        // SAFETY: the caller promises the texts.
        let (target, format) = unsafe { (path(target)?, optional_text(format)?) };
        let db = DATABASES.get(db)?;
        if flags & !(REPLACE | STRICT) != 0 {
            return Err("unknown flags".into());
        }
        let mut converter = Converter::to(&target)
            .add_database(&db)
            .replace(flags & REPLACE != 0)
            .strict(flags & STRICT != 0);
        if let Some(format) = format {
            converter = converter.format(format);
        }
        let mut steps = Steps::new(db.len().ok());
        let done = converter.run_observed(&mut steps);
        let (lines, lost) = summary(&done.map_err(|error| steps.failure(error))?);
        if let Some(report) = report {
            *report = to_c(&lines)?;
        }
        Ok(completion(lost))
    })
}

/// Returns the text of a report, and the lines about losses alone.
pub(crate) fn summary(report: &Report) -> (String, Vec<String>) {
    let mut lines = format!("{} games written\n", report.written());
    let counts = [
        (report.cut(), "games cut"),
        (report.skipped(), "games left out"),
        (report.base_faults(), "faults of the source as a whole"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let mut lost: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    lost.extend(report.losses().map(|loss| loss.to_string()));
    for line in &lost {
        let _ = writeln!(lines, "{line}");
    }
    (lines, lost)
}
