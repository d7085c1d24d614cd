//! Rewriting through the model: byte for byte if the reference writer left no fault, otherwise with
//! only the differences listed in docs/formats/dcx.md, section 15.

use std::collections::BTreeMap;

use chessdb_core::options::Allow;
use chessdb_core::{Diagnostic, Game, LossKind, MemorySet, Severity};
use chessdb_dcx::raw::{
    Base, Entry, EntrySize, FileHeader, FileKind, Length, LengthForm, Magic, NameFile, Record,
    Segment, StartField, Token,
};
use chessdb_dcx::{DCG_FILE, DCI_FILE, DCX};
use chessdb_testkit::identity;

use crate::common::{all_sets, load, name};

/// Sets that the reference writer wrote, with complete names.
const CLEAN: &[&str] = &[
    "dcx/clean",
    "jerry-data/complex",
    "jerry-data/kasparov-deep-blue-1997",
    "jerry-data/lichess_test",
    "jerry-data/nakamura_rybka",
    "jerry-data/simple",
    "lichess-sample/lichess_db_10k",
    "own-features/appended-twice",
    "own-features/comments",
    "own-features/dates",
    "own-features/ex1",
    "own-features/ex2",
    "own-features/promo",
    "python-chess-data/nepomniachtchi-liren-game1",
    "python-chess-data/stockfish-learning",
    "scid-gtest/res_gameLatin1",
];

/// Crafted files in which the moves and annotations themselves change, and how.
const CHANGED_BODIES: &[(&str, &str)] = &[
    ("bov_first", "a variation before any move goes"),
    ("byte80", "what could not be read goes"),
    ("comment_after_bov", "comments get their usual place"),
    ("comment_then_nag", "comments get their usual place"),
    ("eov_extra", "a surplus end of variation goes"),
    ("fenmark2", "what could not be read goes"),
    ("halfmove", "what could not be read goes"),
    ("illegal", "what could not be read goes"),
    ("len0", "a game of length 0 gets its marker"),
    ("marker89", "what could not be read goes"),
    ("prom1", "promotion codes become the reference writer's"),
    ("prom6", "what could not be read goes"),
    ("rootnag", "NAGs before the first move go"),
    ("two_comments", "comments get their usual place"),
    ("unclosed", "an end of variation is added"),
];

#[test]
fn clean_bases_come_back_byte_for_byte() {
    let mut identical = 0;
    for stem in all_sets() {
        if !CLEAN.contains(&name(&stem).as_str()) {
            continue;
        }
        let set = load(&stem);
        let rewritten = identity::rewrite(&DCX, &set, &Allow::Nothing).unwrap();
        let difference = identity::first_difference(&rewritten.set, &set);
        assert_eq!(difference, None, "{}", stem.display());
        assert!(
            rewritten.diagnostics.is_empty(),
            "{:?}",
            rewritten.diagnostics
        );
        // Without the tables the names are sorted again, which gives the same order.
        if !name(&stem).ends_with("appended-twice") {
            let games = identity::open_all(&DCX, &set);
            let again = identity::write_all(&DCX, &games, chessdb_core::WriteOptions::default());
            let difference = identity::first_difference(&again.unwrap().0, &set);
            assert_eq!(difference, None, "{}, names sorted anew", stem.display());
        }
        identical += 1;
    }
    if !all_sets().is_empty() {
        assert!(identical == CLEAN.len(), "{identical} sets");
    }
}

/// All others differ only in the listed ways: the same changes are made at the raw level.
#[test]
fn other_bases_change_in_listed_ways_only() {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for stem in all_sets() {
        let name = name(&stem);
        if CLEAN.contains(&name.as_str()) {
            continue;
        }
        let set = load(&stem);
        let rewritten = identity::rewrite(&DCX, &set, &Allow::Everything).unwrap();
        let crafted = name.strip_prefix("own-crafted/");
        let body = crafted.and_then(|name| CHANGED_BODIES.iter().find(|(file, _)| *file == name));
        if let Some((_, change)) = body {
            *counts.entry(change).or_default() += 1;
            check_rewritten_games(&name, &set, &rewritten);
        } else {
            assert!(
                rewritten.losses.is_empty(),
                "{name}: {:?}",
                rewritten.losses
            );
            let wanted = normal(&Base::parse(&set).unwrap(), &mut counts);
            let difference = identity::first_difference(&rewritten.set, &wanted);
            assert_eq!(difference, None, "{name}");
        }
        // Another rewrite changes nothing.
        let again = identity::rewrite(&DCX, &rewritten.set, &Allow::Nothing).unwrap();
        let difference = identity::first_difference(&again.set, &rewritten.set);
        assert_eq!(difference, None, "{name}, rewritten twice");
    }
    println!("bytes that differ after a rewrite, by kind: {counts:#?}");
}

/// The games are equal unless something was lost and reported.
fn check_rewritten_games(name: &str, set: &MemorySet, rewritten: &identity::Rewritten) {
    let (old, new) = (
        identity::open_all(&DCX, set),
        identity::open_all(&DCX, &rewritten.set),
    );
    assert_eq!(old.len(), new.len());
    for (old, new) in old.iter().zip(&new) {
        if let Some(difference) = chessdb_core::compare::first_difference(old, new) {
            assert!(!rewritten.losses.is_empty(), "{name}: {difference}");
        }
    }
    let lost = |d: &Diagnostic| d.severity == Severity::Lost;
    let read_all = !rewritten.diagnostics.iter().any(lost);
    let kept = rewritten.losses.iter().all(|loss| {
        matches!(
            loss.kind,
            LossKind::CommentMoved
                | LossKind::CommentMerged
                | LossKind::Nag
                | LossKind::VariationBeforeMove
                // The moves of such a variation.
                | LossKind::VariationMoves
        )
    });
    assert!(kept, "{name}: {:?}", rewritten.losses);
    assert!(read_all || rewritten.losses.is_empty());
}

/// Applies the changes of section 15 to the bytes of a database.
fn normal(base: &Base<'_>, counts: &mut BTreeMap<&'static str, u32>) -> MemorySet {
    let mut count = |what, times: usize| *counts.entry(what).or_default() += times as u32;
    let index = &base.index;
    if index.layout().letter() != 'A' {
        count("layouts become layout A", 1);
    }
    if !index.tail.is_empty() {
        count("leftover bytes go", index.tail.len());
    }
    let mut file_header = FileHeader::new();
    count(
        "the version becomes 0",
        usize::from(index.file_header.version == Some(1)),
    );
    file_header.open_default = Some(index.open_default().map_or(0, |n| 19 + 39 * u64::from(n)));
    let meaningless = index
        .file_header
        .open_default
        .is_some_and(|v| Some(v) != file_header.open_default);
    count(
        "OpenDefault becomes an offset or 0",
        usize::from(meaningless),
    );
    for kind in FileKind::ALL {
        let magic = match kind {
            FileKind::Index => Some(index.file_header.magic),
            FileKind::Games => base.games.as_ref().map(|games| games.magic),
            _ => base.names(kind).map(|names| names.magic),
        };
        let usual = magic.is_none_or(|magic| magic == Magic::new(kind));
        count("magic bytes become the usual ones", usize::from(!usual));
    }

    let mut set = MemorySet::new();
    let mut unknown = BTreeMap::new();
    for kind in [FileKind::Players, FileKind::Sites, FileKind::Events] {
        let mut names = NameFile::new(kind);
        for record in base.names(kind).map_or(&[][..], |names| &names.records) {
            let text = record.split(|&b| b == 0).next().unwrap();
            let whole = match std::str::from_utf8(text) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap(),
            };
            let mut padded = [b' '; 36];
            padded[..whole.trim().len()].copy_from_slice(whole.trim().as_bytes());
            count("padding becomes blanks", usize::from(padded != *record));
            names.records.push(padded);
        }
        let named = |reference: u32| {
            NameFile::number(reference).is_some_and(|n| (n as usize) < names.records.len())
        };
        let nameless = index.entries.iter().flat_map(|e| match kind {
            FileKind::Players => vec![e.white, e.black],
            FileKind::Sites => vec![e.site],
            _ => vec![e.event],
        });
        let nameless = nameless.filter(|&reference| !named(reference)).count();
        let mut mark = [b' '; 36];
        mark[0] = b'?';
        if nameless > 0 && !names.records.contains(&mark) {
            names.records.push(mark);
        }
        count("references that name nothing refer to ?", nameless);
        let at = names.records.iter().position(|record| *record == mark);
        unknown.insert(kind, (names.records.len() as u32, at));
        set.insert(kind.role(), names.to_bytes());
    }

    let segments = &base.games.as_ref().unwrap().segments;
    let records: BTreeMap<u64, &Record<'_>> = segments
        .iter()
        .filter_map(|segment| match segment {
            Segment::Record { range, record, .. } => Some((range.start as u64, record)),
            Segment::Slack { range, .. } => {
                count("bytes that no entry refers to go", range.len());
                None
            }
        })
        .collect();
    let mut games = Magic::new(FileKind::Games).as_bytes().to_vec();
    let mut bytes = Vec::new();
    file_header.write(&mut bytes);
    let refer = |kind: FileKind, reference: u32| {
        let (records, at) = unknown[&kind];
        let number = NameFile::number(reference).filter(|&n| n < records);
        NameFile::reference(number.unwrap_or_else(|| at.unwrap() as u32)).unwrap()
    };
    for entry in &index.entries {
        let record = records[&entry.offset];
        let status = if entry.status == Entry::DELETED { Entry::DELETED } else { 0 };
        count("Status becomes 0", usize::from(status != entry.status));
        let entry = Entry {
            status,
            offset: games.len() as u64,
            white: refer(FileKind::Players, entry.white),
            black: refer(FileKind::Players, entry.black),
            site: refer(FileKind::Sites, entry.site),
            event: refer(FileKind::Events, entry.event),
            ..*entry
        };
        entry.write(EntrySize::Standard, &mut bytes);
        let (record, respelt) = usual_lengths(record);
        count("lengths get the reference writer's form", respelt);
        games.extend_from_slice(&record);
    }
    set.insert(DCI_FILE, bytes);
    set.insert(DCG_FILE, games);
    set
}

/// Returns a record with all lengths in standard form, and the number of lengths changed.
fn usual_lengths(record: &Record<'_>) -> (Vec<u8>, usize) {
    let mut respelt = 0;
    let mut usual = |length: Length| {
        let new = Length::new(length.value);
        respelt += usize::from(new != length);
        new
    };
    let mut body = Vec::new();
    for token in record.tokens() {
        let token = match token.unwrap() {
            Token::Comment { length, text } => Token::Comment {
                length: usual(length),
                text,
            },
            Token::Nags { length, nags } => Token::Nags {
                length: usual(length),
                nags,
            },
            other => other,
        };
        token.write(&mut body);
    }
    let start = match record.start {
        StartField::Fen { length, text } => StartField::Fen {
            length: usual(length),
            text,
        },
        other => other,
    };
    if record.length.form != Length::new(record.length.value).form {
        assert!(!matches!(record.length.form, LengthForm::Reversed(_)));
        respelt += 1;
    }
    let mut out = Vec::new();
    Record::new(start, &body).unwrap().write(&mut out);
    (out, respelt)
}

/// A changed letter in a comment changes that byte and nothing else: no stored bytes are copied.
#[test]
fn a_changed_letter_changes_one_byte() {
    let mut changed = 0;
    for stem in all_sets() {
        let set = load(&stem);
        let games = identity::open_all(&DCX, &set).len() as u32;
        for n in [0, 1, games / 2, games.saturating_sub(1)] {
            let ranges = identity::changed_letter(&DCX, &set, &Allow::Everything, n).unwrap();
            let Some(ranges) = ranges else { continue };
            let [(file, range)] = &ranges[..] else {
                panic!("{}, game {n}: {ranges:?}", stem.display());
            };
            assert_eq!((*file, range.len()), (DCG_FILE, 1), "{}", stem.display());
            changed += 1;
        }
    }
    assert!(all_sets().is_empty() || changed > 20, "{changed}");
}

/// There are no extras, so dropping them changes nothing.
#[test]
fn without_extras_the_same_bytes_are_written() {
    for stem in all_sets() {
        let set = load(&stem);
        let plain = identity::rewrite(&DCX, &set, &Allow::Everything).unwrap();
        let mut extras = 0;
        let bare = identity::rewrite_with(&DCX, &set, &Allow::Everything, |_, game: &mut Game| {
            extras += game.header.extras.len();
            identity::drop_extras(game);
        });
        let difference = identity::first_difference(&bare.unwrap().set, &plain.set);
        assert_eq!((difference, extras), (None, 0), "{}", stem.display());
    }
}
