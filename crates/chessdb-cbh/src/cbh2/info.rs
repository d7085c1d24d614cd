//! Guiding texts, which are stored among the games (docs/formats/2cbh.md, section 7).

use chessdb_core::error::Location;
use chessdb_core::guiding::{GuidingContent, GuidingText};
use chessdb_core::model::Extra;
use chessdb_core::{BaseInfo, ErrorKind, ReadOptions, Result, Scratch, Severity, Text};

use super::header::{NameFields, Names};
use crate::extras::{FORMAT_2CBH, GUIDING_TEXT_2CBH, extra_2cbh};
use crate::markdown;
use crate::raw::bytes::bytes_from;
use crate::raw::cbh2::{self, EntityKind, Frame, Index, Record, Titles};
use crate::roles::CBG2_FILE;
use crate::text::TextCharsets;

/// Reads the guiding texts of a database, each with its index record and its title. Their total
/// size is limited to the size of the games file, since several records may refer to the same text.
pub(super) fn guiding_texts(
    index: &Index<'_>,
    texts: &[u32],
    games: Option<&[u8]>,
    names: &Names<'_>,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<BaseInfo> {
    let mut base = BaseInfo::default();
    let mut room = games.map_or(0, <[u8]>::len);
    for &id in texts {
        let Some(stored) = index.records.get(id as usize) else {
            continue;
        };
        let record = Record(stored);
        let bytes = bytes_from(games.unwrap_or_default(), record.moves());
        let frame = Frame::parse(bytes).filter(Frame::is_whole);
        let text = frame.filter(|frame| frame.tag == Frame::TEXT && frame.len() <= room);
        let location = Location::byte(CBG2_FILE, record.moves()).in_game(id.saturating_add(1));
        let Some(frame) = text else {
            let kind = ErrorKind::Structure("a guiding text that does not exist");
            scratch.deviation(options, Severity::Lost, kind, location)?;
            continue;
        };
        if Frame::checksum_of(frame.content) != frame.checksum {
            let kind = ErrorKind::Structure("the checksum of a guiding text is wrong");
            scratch.deviation(options, Severity::Lost, kind, location)?;
        }
        room -= frame.len();
        let number = record.name(NameFields::TITLES_OF_TEXT);
        let file = names.file.as_ref();
        let title = file.and_then(|file| file.get(EntityKind::Titles, number));
        base.extras.push(text_extra(stored, title, frame.content));
    }
    Ok(base)
}

/// Returns a guiding text as data of the database: index record, title with its length, content.
pub(super) fn text_extra(record: &[u8], title: Option<&[u8]>, content: &[u8]) -> Extra {
    let fields = title.unwrap_or_default();
    let mut bytes = record.to_vec();
    bytes.extend_from_slice(&(fields.len() as u32).to_le_bytes());
    bytes.extend_from_slice(fields);
    bytes.extend_from_slice(content);
    extra_2cbh(GUIDING_TEXT_2CBH, &bytes)
}

/// Returns the guiding texts as readable text.
pub(super) fn readable_texts(base: &BaseInfo, options: &ReadOptions) -> Vec<GuidingText> {
    let charsets = TextCharsets::new(options);
    let decode = |text| {
        Text::new(text, charsets.of_name(text))
            .decode()
            .into_owned()
    };
    let is_text = |extra: &&Extra| (extra.format, extra.field) == (FORMAT_2CBH, GUIDING_TEXT_2CBH);
    let texts = base.extras.iter().filter(is_text);
    texts
        .filter_map(|extra| {
            let rest = extra.bytes.get(Record::SIZE..)?;
            let (title, content) = rest.split_at_checked(cbh2::record_length(rest))?;
            let stored_titles = Titles::parse(title.get(4..)?);
            let text = cbh2::GuidingText::parse(content)?;
            let titles = stored_titles
                .into_iter()
                .flatten()
                .map(|title| (code(title.language), decode(title.text)));
            let contents = text.contents.iter().map(|content| {
                let text = decode(content.text);
                let markdown = markdown::from_html(&text);
                GuidingContent::new(code(content.language), text, true, markdown)
            });
            Some(GuidingText::new(titles.collect(), contents))
        })
        .collect()
}

/// Returns the code of a language, which is stored as the number of a nation.
fn code(language: u32) -> &'static str {
    match language {
        42 => "en",
        53 => "de",
        49 => "fr",
        43 => "es",
        70 => "it",
        103 => "nl",
        117 => "pt",
        116 => "pl",
        _ => "",
    }
}
