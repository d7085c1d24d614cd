//! Databases of older programs, rewritten in the current form. Games, names and metadata are equal,
//! and every difference is of a listed kind (docs/formats/scid.md, section 14).

use std::collections::BTreeMap;

use chessdb_core::compare::first_difference;
use chessdb_core::files::Role;
use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Format, Game, MemorySet};
use chessdb_scid::{Generation, raw};
use chessdb_testkit::identity;

use crate::common::{bases, own_bases};

/// The kinds of differences, with counts.
type Kinds = BTreeMap<&'static str, u32>;

#[test]
fn every_difference_is_of_a_listed_kind() {
    let folders = [
        "fixtures-real/scid/scidvspc-five",
        "fixtures-real/scid/scidvspc-si3",
        "fixtures-real/scid/scidvspc-si4",
    ];
    let edited = own_bases()
        .into_iter()
        .filter(|base| base.path() == "scid/edited.si4");
    for base in edited.chain(folders.into_iter().flat_map(bases)) {
        let rewritten = identity::rewrite(base.format, &base.files, &Allow::Nothing)
            .unwrap()
            .set;
        same_content(base.format, &base.files, &rewritten);
        let kinds = differences(base.generation, &base.files, &rewritten);
        println!("{}: {kinds:?}", base.path());
        for kind in kinds.keys() {
            assert!(LISTED.contains(kind), "{}: {kind} is not listed", base.name);
        }
        // A second rewrite changes nothing.
        let again = identity::rewrite(base.format, &rewritten, &Allow::Nothing)
            .unwrap()
            .set;
        assert_eq!(
            identity::first_difference(&rewritten, &again),
            None,
            "{}",
            base.name
        );
    }
}

/// The kinds of differences in docs/formats/scid.md, section 14.
const LISTED: [&str; 7] = [
    "bytes behind a NUL of the header",
    "place of a record",
    "unused bytes of sg4",
    "greatest frequency of a list",
    "final material",
    "number of half-moves",
    "promotion flags",
];

fn same_content(format: &Format, old: &MemorySet, new: &MemorySet) {
    let (a, b) = (identity::open(format, old), identity::open(format, new));
    let (left, right) = (a.base(), b.base());
    let text = |base: &chessdb_core::BaseInfo, id| base.texts.get(id).as_bytes().to_vec();
    assert_eq!(text(left, left.description), text(right, right.description));
    assert_eq!((left.kind, left.open_first), (right.kind, right.open_first));
    let flags = |base: &chessdb_core::BaseInfo| -> Vec<_> {
        base.flag_names.iter().map(|&id| text(base, id)).collect()
    };
    assert_eq!(flags(left), flags(right));
    let names = |base: &chessdb_core::BaseInfo| -> Vec<Vec<(u32, Vec<u8>)>> {
        let table = |table: &chessdb_core::model::NameTable| {
            let mut names: Vec<_> = table
                .records
                .iter()
                .map(|r| (r.key, text(base, r.text)))
                .collect();
            names.sort();
            names
        };
        base.names.iter().map(table).collect()
    };
    assert_eq!(names(left), names(right));
    let old = identity::open_all(format, old);
    let new = identity::open_all(format, new);
    assert_eq!(old.len(), new.len());
    for (n, (a, b)) in old.iter().zip(&new).enumerate() {
        assert_eq!(first_difference(a, b), None, "game {}", n + 1);
        // The comparison above ignores the order of tags.
        assert_eq!(a.header.tags.len(), b.header.tags.len());
    }
}

/// Counts the differences of two databases with the same games, structure by structure.
fn differences(generation: Generation, old: &MemorySet, new: &MemorySet) -> Kinds {
    let parse = |set| match generation {
        Generation::Si3 => raw::Base::parse_si3(set).unwrap().0,
        _ => raw::Base::parse(set).unwrap().0,
    };
    let (a, b) = (parse(old), parse(new));
    let games = generation.files()[1];
    let mut kinds = Kinds::new();
    let mut count = |kind, by| {
        if by > 0 {
            *kinds.entry(kind).or_default() += by;
        }
    };
    let (x, y) = (&a.index.file_header, &b.index.file_header);
    assert_eq!((x.version, x.kind, x.games), (y.version, y.kind, y.games));
    assert_eq!((x.autoload, x.description()), (y.autoload, y.description()));
    assert!(x.flag_names().eq(y.flag_names()));
    let behind = |h: &raw::FileHeader| (h.description, h.flag_names);
    count(
        "bytes behind a NUL of the header",
        (behind(x) != behind(y)).into(),
    );
    for (x, y) in a.index.entries.iter().zip(&b.index.entries) {
        let mut rest = *x;
        let search = raw::IndexFlags::PROMOTION | raw::IndexFlags::UNDER_PROMOTION;
        count("place of a record", (x.offset != y.offset).into());
        count(
            "final material",
            (x.final_material != y.final_material).into(),
        );
        count("number of half-moves", (x.plies != y.plies).into());
        count(
            "promotion flags",
            (x.flags & search != y.flags & search).into(),
        );
        rest.offset = y.offset;
        rest.final_material = y.final_material;
        rest.plies = y.plies;
        rest.flags = (rest.flags - search) | (y.flags & search);
        assert_eq!(rest, *y);
        let [r, s] = [(old, x), (new, y)].map(|(files, entry)| record(files, games, entry));
        let flags = raw::RecordFlags::FEN;
        assert_eq!(r.flags & flags, s.flags & flags);
        let same = raw::Record {
            flags: s.flags,
            ..r
        };
        assert_eq!(same, s);
    }
    let slack = |base: &raw::Base<'_>| -> u32 {
        let segments = base.games.segments.iter();
        segments
            .map(|segment| match segment {
                raw::Segment::Slack { bytes, .. } => bytes.len() as u32,
                raw::Segment::Record { .. } => 0,
            })
            .sum()
    };
    count("unused bytes of sg4", slack(&a).abs_diff(slack(&b)));
    let frequencies = a.names.file_header.max_frequencies;
    let greatest = frequencies.iter().zip(&b.names.file_header.max_frequencies);
    count(
        "greatest frequency of a list",
        greatest.filter(|(x, y)| x != y).count() as u32,
    );
    // The stated maximum is larger than any frequency, so the fields are wider.
    let mut names = a.names.clone();
    names.file_header.max_frequencies = b.names.file_header.max_frequencies;
    assert_eq!(names, b.names);
    kinds
}

fn record<'a>(files: &'a MemorySet, games: Role, entry: &raw::Entry) -> raw::Record<'a> {
    let start = entry.offset as usize;
    let bytes = &files.get(games).unwrap()[start..start + entry.length as usize];
    raw::Record::parse(bytes).unwrap()
}

/// Runs the two tests of docs/architecture.md which prove that no stored bytes are carried along.
#[test]
fn nothing_stored_is_copied() {
    let folders = crate::common::MADE
        .into_iter()
        .chain(["fixtures-real/scid/benini-scid"]);
    for base in folders.flat_map(bases) {
        let games = identity::open_all(base.format, &base.files);
        let games_file = base.generation.files()[1];
        let has_letter = |game: &Game| identity::change_comment_letter(&mut game.clone());
        let tested = (0..)
            .zip(&games)
            .filter(|(_, game)| has_letter(game))
            .take(5);
        let tested = tested.filter_map(|(n, _)| {
            let ranges = identity::changed_letter(base.format, &base.files, &Allow::Nothing, n);
            ranges.unwrap().map(|ranges| (n, ranges))
        });
        let mut count = 0;
        for (n, ranges) in tested {
            // One letter of one comment changes: no field of the index depends on it. If the record
            // is the first of its block, the filler before it repeats its start.
            let [(file, range)] = &ranges[..] else {
                panic!("game {}: {ranges:?}", n + 1)
            };
            assert_eq!(
                (*file, range.len()),
                (games_file, 1),
                "{} game {}",
                base.path(),
                n + 1
            );
            count += 1;
        }
        println!("{}: {count} letters", base.path());
        assert!(count >= 4, "{}", base.path());
        // The second test: without its extras each game is still the same.
        let bare = identity::rewrite_with(base.format, &base.files, &Allow::Nothing, |_, game| {
            identity::drop_extras(game);
        });
        let bare = identity::open_all(base.format, &bare.unwrap().set);
        for (a, b) in games.iter().zip(&bare) {
            assert_eq!(first_difference(a, b), None);
        }
    }
}
