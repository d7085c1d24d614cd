//! The file of `--loss-report`.

use std::io::Write;

use chessdb::convert::Report;

use crate::exit::Failure;
use crate::output::plain;
use crate::report_file::ReportFile;

/// A writer of every loss and finding as a line of tab-separated fields.
pub(crate) struct LossLog {
    out: ReportFile,
    /// The first write error.
    failed: Option<std::io::Error>,
}

impl LossLog {
    pub(crate) fn new(mut out: ReportFile) -> Result<LossLog, Failure> {
        let header = writeln!(out, "source\tgame\twhat\tkind\tcount\tply\ttext");
        header.map_err(|error| out.failure(&error))?;
        Ok(LossLog { out, failed: None })
    }

    /// Writes one line.
    pub(crate) fn line(&mut self, source: &str, game: &str, fields: [&str; 4], text: &str) {
        let [what, kind, count, ply] = fields;
        // A tab or line break in the text would add a field or a line.
        let text = plain(text);
        let written = writeln!(
            self.out,
            "{source}\t{game}\t{what}\t{kind}\t{count}\t{ply}\t{text}"
        );
        // An observer of a conversion cannot fail, so `finish` returns the error.
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// Writes the losses of the database as a whole, which are known at the end.
    pub(crate) fn base(&mut self, report: &Report, target: &str) {
        for loss in report.base_losses() {
            let count = loss.count.to_string();
            self.line(
                target,
                "",
                ["loss", loss.kind.code(), &count, ""],
                loss.kind.text(),
            );
        }
    }

    /// Completes the file. Returns the first error of any earlier line, too.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self.failed {
            Some(error) => Err(self.out.failure(&error)),
            None => self.out.finish(),
        }
    }
}
