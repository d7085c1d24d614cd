//! Data about the database as a whole: guiding texts (docs/formats/cbh.md, section 6.11), which are
//! stored among the games.

use chessdb_core::error::Location;
use chessdb_core::guiding::{GuidingContent, GuidingText};
use chessdb_core::model::Extra;
use chessdb_core::{
    BaseInfo, ErrorKind, LossKind, Losses, ReadOptions, Result, Scratch, Severity, Text,
};

use crate::extras::{self, extra};
use crate::markdown;
use crate::raw::bytes::bytes_from;
use crate::raw::{self, Index, MoveRecord, Record};
use crate::roles::CBG_FILE;
use crate::text::TextCharsets;

/// Reads the guiding texts of a database, each with its index record, so that they can be written
/// again. Their total size is limited to the size of the games file, since several records may
/// refer to the same text.
pub(crate) fn guiding_texts(
    index: &Index<'_>,
    texts: &[u32],
    games: Option<&[u8]>,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<BaseInfo> {
    let mut base = BaseInfo::default();
    let mut room = games.map_or(0, <[u8]>::len);
    for &id in texts {
        let Some(record) = index.records.get(id as usize) else {
            continue;
        };
        let offset = Record::parse(record).offset();
        let stored = bytes_from(games.unwrap_or_default(), offset.into());
        let text = MoveRecord::parse(stored).ok();
        let Some(text) = text.filter(|text| text.size() <= room) else {
            let kind = ErrorKind::Structure("a guiding text that does not exist");
            let location = Location::byte(CBG_FILE, offset.into()).in_game(id.saturating_add(1));
            scratch.deviation(options, Severity::Lost, kind, location)?;
            continue;
        };
        room -= text.size();
        let mut bytes = record.to_vec();
        text.write(&mut bytes);
        base.extras.push(extra(extras::GUIDING_TEXT, &bytes));
    }
    Ok(base)
}

/// Returns the guiding texts as readable text.
pub(crate) fn readable_texts(base: &BaseInfo, options: &ReadOptions) -> Vec<GuidingText> {
    let charsets = TextCharsets::new(options);
    let is_text =
        |extra: &&Extra| (extra.format, extra.field) == (extras::FORMAT, extras::GUIDING_TEXT);
    let texts = base.extras.iter().filter(is_text);
    texts
        .filter_map(|extra| {
            let record = extra.bytes.get(Record::SIZE..)?;
            let record = MoveRecord::parse(record).ok()?;
            raw::GuidingText::parse(record.body)
        })
        .map(|text| {
            let is_html = text.version == 3;
            let titles = text.titles.iter().map(|&(language, title)| {
                let title = Text::new(title, charsets.of_name(title)).decode();
                (code(language), title.trim_end_matches('\0').to_owned())
            });
            let contents = text.contents.iter().map(|content| {
                // In HTML no letters are symbols.
                let charset = if is_html {
                    charsets.of_name(content.text)
                } else {
                    charsets.of_comment(content.text)
                };
                let text = Text::new(content.text, charset).decode().into_owned();
                let markdown =
                    if is_html { markdown::from_html(&text) } else { markdown::from_plain(&text) };
                GuidingContent::new(code(content.language), text, is_html, markdown)
            });
            GuidingText::new(titles.collect(), contents)
        })
        .collect()
}

/// Returns the code of a language (docs/formats/cbh.md, section 6.11).
fn code(language: u16) -> &'static str {
    const CODES: [&str; 7] = ["en", "de", "fr", "es", "it", "nl", "pt"];
    CODES.get(usize::from(language)).copied().unwrap_or("")
}

/// Returns the losses of writing games without the data about their database.
pub(crate) fn losses(base: &BaseInfo) -> Losses {
    let mut losses = base.losses();
    // 0 and 1 both mean the first game, depending on how games are counted. It opens by default.
    losses.add_if(
        LossKind::OpenFirst,
        base.open_first.is_some_and(|game| game > 1),
    );
    losses
}
