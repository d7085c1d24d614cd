//! Data of the database as a whole: description, name lists, charset, and files kept for a rewrite.

use chessdb_core::error::Location;
use chessdb_core::model::{NameRecord, NameTable, PlayerDetails};
use chessdb_core::report::GameReport;
use chessdb_core::text::{EncodingDetector, is_overwritten};
use chessdb_core::{
    BaseInfo, Charset, ErrorKind, FileSet, ReadOptions, Result, Scratch, Severity, Text,
};

use crate::extras::{self, extra};
use crate::header::{ListEntry, NameLookup};
use crate::names::ROLES;
use crate::raw::{Cdp, Emb, EmbHeader, LIST_NAMES, ListFiles, NameList, PlayerData};
use crate::roles::{CDP_FILE, EMB_FILE, SIDE_FILES};
use crate::sample::Sample;
use crate::text::{Detector, SAMPLE, charset_of_mark, mark_of_charset, texts_of_record};

/// The result of opening a database, without its games.
pub(crate) struct DatabaseInfo {
    pub(crate) base: BaseInfo,
    pub(crate) lookup: NameLookup,
    pub(crate) detector: EncodingDetector,
    /// The charset that the mark before the records states.
    pub(crate) mark: Option<Charset>,
    /// Whether this crate may have written the database, so that its marks have their meaning
    /// (section 11).
    pub(crate) is_own: bool,
    /// The number of bytes of the EMB that belong to no inner file.
    pub(crate) unused_bytes: u64,
}

/// The evidence of the charset in the texts of a database.
pub(crate) struct TextEvidence {
    /// The charset that the mark before the records states.
    pub(crate) mark: Option<Charset>,
    pub(crate) is_own: bool,
    pub(crate) detector: Detector,
}

impl TextEvidence {
    /// Examines the description, all names, and the records of a sample.
    pub(crate) fn new(cdp: &Cdp, emb: &Emb<'_>, sample: &Sample<'_, '_>) -> TextEvidence {
        let lists = name_lists(emb);
        let is_own = may_be_own(&lists);
        TextEvidence {
            mark: stated_charset(Some(cdp), &lists, sample, is_own),
            is_own,
            detector: detector(Some(cdp), &lists, sample),
        }
    }
}

/// Reads everything except the records.
pub(crate) fn open(
    files: &dyn FileSet,
    sample: &Sample<'_, '_>,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<DatabaseInfo> {
    let mut report = GameReport::new(options, scratch, None);
    let cdp = read_cdp(files, sample.games(), &mut report)?;
    let emb = read_emb(files, &mut report)?;
    let lists = emb.as_ref().map(name_lists).unwrap_or_default();
    let unexamined = if options.known_intact { &[] } else { &lists[..] };
    for (name, (_, list)) in LIST_NAMES.into_iter().zip(unexamined) {
        let names = (0..list.len()).filter_map(|id| list.name(id));
        let bad = names.filter(|name| is_overwritten(name.name)).count();
        if bad > 0 {
            let text = format!("{bad} names of {name} contain bytes that are not text");
            report.lost(ErrorKind::Other(text.into()), Location::file(EMB_FILE))?;
        }
        let is_bad = |data: PlayerData| data.fide_id > MOST_FIDE_ID || data.elo > MOST_ELO;
        let players = (0..list.len()).filter_map(|id| list.player(id));
        let bad = players.filter(|data| is_bad(*data)).count();
        if bad > 0 {
            let text = format!("{bad} players refer to numbers that do not exist");
            report.lost(ErrorKind::Other(text.into()), Location::file(EMB_FILE))?;
        }
    }
    let is_own = may_be_own(&lists);
    let mark = stated_charset(cdp.as_ref(), &lists, sample, is_own);
    // The choice of the caller comes first, then the mark. Without both, the caller may ask for a
    // guess over all names; otherwise only Cyrillic and Western texts are distinguished.
    let detector = match (options.charset, mark) {
        (None, Some(mark)) => EncodingDetector::new(mark),
        (None, None) if options.guess.is_none() => {
            let detector = detector(cdp.as_ref(), &lists, sample);
            EncodingDetector::new(detector.charset(sample.guesses))
        }
        _ => options.uniform_detector(sample.guesses.charset),
    };
    let mut base = BaseInfo::default();
    if let Some(cdp) = cdp.as_ref().filter(|cdp| !cdp.comment.is_empty()) {
        base.description = base
            .texts
            .push(&cdp.comment, detector.page_of(&cdp.comment));
    }
    let mut lookup = NameLookup {
        missing: emb.is_none(),
        ..NameLookup::default()
    };
    if lists.is_empty() {
        // The empty tables show a writer that it rewrites a whole database.
        let table = |role| NameTable::new(role, Vec::new());
        base.names.extend(ROLES.map(table));
    }
    for (index, (_, list)) in lists.iter().enumerate() {
        if let Some(entries) = lookup.lists.get_mut(index) {
            read_list(index, list, &detector, &mut base, entries);
        }
    }
    keep_unknown(files, cdp.as_ref(), emb.as_ref(), sample, &mut base);
    if let Some(mark) = mark.and_then(mark_of_charset) {
        base.extras.push(extra(extras::BASE_MARK, [mark]));
    }
    let gaps = emb.iter().flat_map(|emb| &emb.gaps);
    Ok(DatabaseInfo {
        unused_bytes: gaps.map(|(_, gap)| gap.len() as u64).sum(),
        base,
        lookup,
        detector,
        mark,
        is_own,
    })
}

/// The greatest FIDE number: nine digits.
const MOST_FIDE_ID: u32 = 999_999_999;
/// The greatest rating: four digits.
const MOST_ELO: u16 = 9999;

/// Reads the description. The number of games is the number of headers, regardless of its count.
fn read_cdp(files: &dyn FileSet, games: usize, report: &mut GameReport<'_>) -> Result<Option<Cdp>> {
    let Some(bytes) = files.get(CDP_FILE) else {
        report.repaired(ErrorKind::MissingFile(CDP_FILE), Location::default())?;
        return Ok(None);
    };
    let cdp = match Cdp::parse(bytes) {
        Ok(cdp) => cdp,
        Err(error) => {
            let (kind, location) = error.into_parts();
            report.lost(kind, location)?;
            return Ok(None);
        }
    };
    if !Cdp::fits(bytes) {
        let kind = ErrorKind::BadMagic {
            expected: b"Chess Assistant",
        };
        report.note(kind, Location::byte(CDP_FILE, 0))?;
    }
    let (count, games) = (u64::from(cdp.count), games as u64);
    if count != games {
        // With fewer headers than stated, games are missing and not only miscounted.
        let (severity, what, actual, expected) = if games < count {
            (Severity::Lost, "the number of headers", games, count)
        } else {
            (Severity::Repaired, "the number of games", count, games)
        };
        let kind = ErrorKind::mismatch(what, actual, expected);
        report.add(
            severity,
            kind,
            Location::byte(CDP_FILE, Cdp::COUNT_AT as u64),
        )?;
    }
    if cdp.declared as usize > cdp.comment.len() {
        let kind = ErrorKind::truncated(
            "the database comment",
            cdp.declared.into(),
            cdp.comment.len() as u64,
        );
        report.lost(kind, Location::byte(CDP_FILE, Cdp::SIZE as u64))?;
    }
    Ok(Some(cdp))
}

/// Reads the EMB with the names. The games can be read without it.
fn read_emb<'a>(files: &'a dyn FileSet, report: &mut GameReport<'_>) -> Result<Option<Emb<'a>>> {
    let Some(bytes) = files.get(EMB_FILE) else {
        report.lost(ErrorKind::MissingFile(EMB_FILE), Location::default())?;
        return Ok(None);
    };
    let emb = match Emb::parse(bytes) {
        Ok(emb) => emb,
        Err(error) => {
            let (kind, location) = error.into_parts();
            report.lost(kind, location)?;
            return Ok(None);
        }
    };
    if !EmbHeader::fits(bytes) {
        let kind = ErrorKind::BadMagic {
            expected: EmbHeader::VERSION,
        };
        report.note(kind, Location::byte(EMB_FILE, 64))?;
    }
    for inner in std::iter::once(&emb.directory).chain(&emb.files) {
        if let Some(fault) = inner.fault {
            let location = Location::byte(EMB_FILE, inner.table.into());
            report.lost(fault.kind(), location)?;
        }
    }
    let tail = emb.directory.content.len() % crate::raw::DirectoryEntry::SIZE;
    if tail != 0 {
        let what = "bytes after the last directory entry";
        let kind = ErrorKind::mismatch(what, tail as u64, 0);
        report.note(kind, Location::file(EMB_FILE))?;
    }
    for list in LIST_NAMES {
        for suffix in ["a01", "d01"] {
            if emb.file(&format!("{list}.{suffix}")).is_none() {
                let text = format!("the file {list}.{suffix} is missing in the EMB file");
                report.lost(ErrorKind::Other(text.into()), Location::file(EMB_FILE))?;
            }
        }
    }
    Ok(Some(emb))
}

/// Returns whether this crate may have written the name lists: most of them begin with a zero byte
/// before the names, which other programs fill with any byte. True without any list.
fn may_be_own(lists: &[(ListFiles<'_>, NameList<'_>)]) -> bool {
    let first_bytes = lists.iter().filter_map(|(files, _)| files.d01.first());
    let votes = first_bytes.map(|&byte| if byte == 0 { 1 } else { -1 });
    votes.sum::<i32>() >= 0
}

/// Passes the texts of the database to `examine`: of the records, only the first [`SAMPLE`] bytes.
fn examine_texts(
    cdp: Option<&Cdp>,
    lists: &[(ListFiles<'_>, NameList<'_>)],
    sample: &Sample<'_, '_>,
    examine: &mut dyn FnMut(&[u8]),
) {
    if let Some(cdp) = cdp {
        examine(&cdp.comment);
    }
    for (_, list) in lists {
        for name in (0..list.len()).filter_map(|id| list.name(id)) {
            examine(name.name);
            examine(name.title.unwrap_or_default());
        }
    }
    let mut sampled = 0;
    for body in sample.bodies() {
        // Opening a large database must not read all its records.
        if sampled >= SAMPLE {
            break;
        }
        sampled += body.len();
        texts_of_record(body).for_each(&mut *examine);
    }
}

/// Returns a detector that has examined these texts.
fn detector(
    cdp: Option<&Cdp>,
    lists: &[(ListFiles<'_>, NameList<'_>)],
    sample: &Sample<'_, '_>,
) -> Detector {
    let mut detector = Detector::default();
    examine_texts(cdp, lists, sample, &mut |text| detector.text(text));
    detector
}

/// Returns the charset that the byte before the records states. Other programs may have any byte
/// there, so the texts must agree with it (section 11).
fn stated_charset(
    cdp: Option<&Cdp>,
    lists: &[(ListFiles<'_>, NameList<'_>)],
    sample: &Sample<'_, '_>,
    is_own: bool,
) -> Option<Charset> {
    let stated = sample.mark().and_then(charset_of_mark);
    stated.filter(|&charset| {
        let (mut readable, mut unreadable) = (0_u32, 0_u32);
        examine_texts(cdp, lists, sample, &mut |text| {
            // ASCII is readable in every charset, and so no evidence.
            if !text.is_ascii() {
                match Text::new(text, charset).decode_strict() {
                    Some(_) => readable += 1,
                    None => unreadable += 1,
                }
            }
        });
        is_own && unreadable <= readable
    })
}

/// Returns the name lists of an EMB with their files.
fn name_lists<'e>(emb: &'e Emb<'_>) -> Vec<(ListFiles<'e>, NameList<'e>)> {
    let lists = LIST_NAMES.iter().enumerate().map(|(index, name)| {
        let files = ListFiles::find(emb, name);
        // Only the first list, the players, has titles and data of fixed size.
        (files, NameList::new(files, index == 0))
    });
    lists.collect()
}

/// Copies a list: every number, with aliases resolved and no text for unreadable names.
fn read_list(
    list_index: usize,
    list: &NameList<'_>,
    detector: &EncodingDetector,
    base: &mut BaseInfo,
    entries: &mut Vec<ListEntry>,
) {
    let Some(&role) = ROLES.get(list_index) else {
        return;
    };
    let mut records = Vec::with_capacity(list.len());
    entries.reserve(list.len());
    for (key, id) in (0u32..).zip(0..list.len()) {
        let mut entry = ListEntry::default();
        let mut text = |bytes: &[u8]| {
            // ASCII is the same in every code page and needs no conversion as UTF-8.
            let charset = if bytes.is_ascii() { Charset::UTF_8 } else { detector.page_of(bytes) };
            base.texts.push(bytes, charset)
        };
        if let Some(name) = list.name(id) {
            entry.name = text(name.name);
            if let Some(title) = name.title.filter(|title| !title.is_empty()) {
                entry.title = text(title);
            }
        }
        let data = list.player(id);
        entry.fide_id = data.map_or(0, |data| data.fide_id);
        let player = (list_index == 0).then(|| {
            let details = data.unwrap_or_default();
            PlayerDetails {
                title: entry.title,
                rating: details.elo,
                fide_id: details.fide_id,
                birthday: details.birthday.to_date(),
                gender: details.gender,
            }
        });
        records.push(NameRecord {
            key,
            text: entry.name,
            player,
        });
        entries.push(entry);
    }
    base.names.push(NameTable::new(role, records));
}

/// Stores data of unknown meaning as extras, so that a rewrite keeps it.
fn keep_unknown(
    files: &dyn FileSet,
    cdp: Option<&Cdp>,
    emb: Option<&Emb<'_>>,
    sample: &Sample<'_, '_>,
    base: &mut BaseInfo,
) {
    let plain = Cdp::new(0, Vec::new()).to_bytes();
    let prefix = |bytes: &[u8]| bytes.get(..Cdp::COUNT_AT).unwrap_or_default().to_vec();
    if let Some(cdp) = cdp {
        let own = prefix(&cdp.to_bytes());
        if own != prefix(&plain) {
            base.extras.push(extra(extras::BASE_CDP, own));
        }
        if !cdp.tail.is_empty() {
            base.extras
                .push(extra(extras::BASE_CDP_TAIL, cdp.tail.clone()));
        }
    }
    if let Some(emb) = emb {
        carry_inner(cdp, emb, base);
    }
    let mut side = Vec::new();
    for (field, role) in (extras::BASE_SIDE_FILE..).zip(SIDE_FILES) {
        side.extend(files.get(role).map(|bytes| extra(field, bytes)));
    }
    if !side.is_empty() {
        let games = (sample.games() as u32).to_le_bytes();
        base.extras.push(extra(extras::BASE_GAMES, games));
        base.extras.append(&mut side);
    }
}

fn carry_inner(cdp: Option<&Cdp>, emb: &Emb<'_>, base: &mut BaseInfo) {
    // The 8 bytes after these are length and place of the directory, which the writer chooses.
    let own = emb
        .raw_header
        .to_bytes()
        .get(..136)
        .unwrap_or_default()
        .to_vec();
    if EmbHeader::new().to_bytes().get(..136) != Some(&*own) {
        base.extras.push(extra(extras::BASE_EMB, own));
    }
    // The writer gives the inner descriptions the texts of the main one.
    let model = cdp.cloned().unwrap_or_else(|| Cdp::new(0, Vec::new()));
    for (entry, inner) in emb.entries.iter().zip(&emb.files) {
        let name = entry.name().to_ascii_lowercase();
        let content = &inner.content;
        let written = match suffix_of_list(&name) {
            // Always written again.
            Some(("iii" | "a01" | "d01", _) | ("d00", 0)) => true,
            // Masks of zeros and empty data carry no information.
            Some(("axx" | "dxx", _)) => content.iter().all(|&byte| byte == 0),
            Some(("d00", _)) => content.is_empty(),
            Some(("cdp", _)) => Cdp::parse(content).is_ok_and(|inner| {
                let Cdp {
                    signature,
                    version,
                    unknown,
                    ..
                } = model.clone();
                inner
                    == Cdp {
                        signature,
                        version,
                        unknown,
                        ..Cdp::new(inner.count, Vec::new())
                    }
            }),
            _ => false,
        };
        if !written {
            let mut bytes = entry.name().to_vec();
            bytes.push(0);
            bytes.extend_from_slice(content);
            base.extras.push(extra(extras::BASE_INNER_FILE, bytes));
        }
    }
}

/// Returns the suffix of an inner file of a list and the index of the list.
fn suffix_of_list(name: &[u8]) -> Option<(&'static str, usize)> {
    LIST_NAMES.iter().enumerate().find_map(|(index, list)| {
        let rest = name
            .strip_prefix(list.to_ascii_lowercase().as_bytes())?
            .strip_prefix(b".")?;
        let suffix = ListFiles::SUFFIXES
            .iter()
            .find(|suffix| suffix.as_bytes() == rest)?;
        Some((*suffix, index))
    })
}
