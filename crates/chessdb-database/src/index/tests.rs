//! Tests of writing and reading an index, and of detecting damage.

use std::io::{Cursor, Write};
use std::sync::Arc;

use chessdb_core::files::GameOffsets;
use chessdb_core::search::{Feature, Features, HomePawns, PieceCounts, Signature};
use chessdb_core::text::{CharsetPrior, Evidence};

use super::FileStamp;
use super::builder::IndexBuilder;
use super::layout::{
    COLUMN_SIZE, COLUMNS, GAMES_PER_BLOCK, GAMES_PER_GROUP, GAMES_PER_WORD, IndexLayout,
    RECORD_SIZE, WORD_SIZE, WORDS_PER_COLUMN, evidence_bytes,
};
use super::read::{Index, RecordBuffer};
use super::sectioned::{CHECKSUM_SIZE, HEADER_SIZE, SectionedFile};

type KnownGame = Option<(Signature, Features)>;

fn stamp() -> FileStamp {
    let mut bytes = [7; FileStamp::SIZE];
    // The time is before 1970.
    bytes[19] = 0xFF;
    FileStamp::read(&bytes)
}

/// Writes an index of these games.
fn index(games: &[KnownGame], places: &[u64]) -> Vec<u8> {
    let layout = layout(games.len(), !places.is_empty());
    let out = Cursor::new(Vec::new());
    let mut builder = IndexBuilder::new(out, vec![stamp(), stamp()], layout).unwrap();
    for game in games {
        builder.add(game.as_ref()).unwrap();
    }
    let out = builder.finish(places.iter().copied(), &[]).unwrap();
    out.into_inner()
}

fn layout(games: usize, has_offsets: bool) -> IndexLayout {
    IndexLayout {
        games: games as u32,
        has_offsets,
        is_clean: true,
        has_ascii_comments: false,
        is_dense: false,
        evidence: None,
    }
}

fn is_damaged(index: &Index) -> bool {
    AsRef::<SectionedFile>::as_ref(index).is_damaged()
}

fn parse(bytes: &[u8]) -> Result<Index, &'static str> {
    Index::parse(Arc::new(bytes.to_vec()), None)
}

/// Parses an index in a file, from which columns are copied.
fn parse_file(bytes: &[u8]) -> Index {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Index::parse(Arc::new(bytes.to_vec()), Some(file)).unwrap()
}

/// Returns games of all kinds; neighbours differ.
fn games(count: usize) -> Vec<KnownGame> {
    let known = Signature {
        piece_counts: [
            PieceCounts::new([8, 2, 2, 2, 1]),
            PieceCounts::new([7, 15, 0, 1, 9]),
        ],
        promotes: true,
        home: Some(HomePawns::new(0xFEDC_BA98_7654_3210, 16)),
        opening: 0,
        plies: Some(317),
    };
    let game = |n: usize| {
        let plies = (!n.is_multiple_of(9)).then_some(n as u32 % 1000);
        let home = known.home.filter(|_| !n.is_multiple_of(5));
        let n = n as u64;
        let features = [n, !n, n << 32, 7, 0, n * n, 1 << 63, u64::MAX];
        let signature = Signature {
            home,
            plies,
            ..known
        };
        (!n.is_multiple_of(7)).then_some((signature, Features(features)))
    };
    (0..count).map(game).collect()
}

/// Returns features that together use all bits of a feature set.
fn features() -> Vec<Feature> {
    let mut left: Vec<bool> = vec![true; COLUMNS];
    let balances = (0..=u16::MAX).map(|n| {
        let [a, b] = n.to_le_bytes();
        let piece_counts = |n: u8| PieceCounts::new([n & 15, n >> 4, 0, 0, 0]);
        Feature::of_piece_counts([piece_counts(a), piece_counts(b)])
    });
    let is_new = |feature: &Feature| {
        let new = feature.bits().map(|bit| std::mem::take(&mut left[bit]));
        new.contains(&true)
    };
    let some: Vec<_> = balances.filter(is_new).collect();
    assert!(left.iter().all(|left| !left));
    some
}

/// Queries everything an index can answer. Fails if a game would be wrongly excluded; returns
/// whether all answers are as written.
fn ask_all(index: &Index, games: &[KnownGame], features: &[Feature]) -> bool {
    let mut is_same = true;
    let mut records = RecordBuffer::default();
    for (n, game) in (0..).zip(games) {
        let signature = index.signature(n);
        assert_eq!(index.signature_copied(n, &mut records), signature, "{n}");
        let written = game.map(|(signature, _)| signature);
        assert!(signature == written || signature.is_none(), "{n}");
        is_same &= signature == written;
        if (n as usize).is_multiple_of(GAMES_PER_BLOCK) {
            let games = &games[n as usize..];
            is_same &= ask_block(index, n as usize / GAMES_PER_BLOCK, games, features);
        }
        if !(n as usize).is_multiple_of(GAMES_PER_WORD) {
            continue;
        }
        let current_words = games.iter().skip(n as usize).take(GAMES_PER_WORD);
        let current_words: Vec<_> = current_words
            .map(|game| game.map_or(Features::UNKNOWN, |(_, features)| features))
            .collect();
        for &feature in features {
            let may = index.may_have(n, feature);
            let has = current_words.iter().enumerate().fold(0, |all, (at, game)| {
                all | u64::from(game.may_have(feature)) << at
            });
            assert_eq!(has & !may, 0, "{n} {feature:?}");
            is_same &= has == may & u64::MAX >> (GAMES_PER_WORD - current_words.len());
        }
    }
    is_same
}

/// Queries the features of a block, which begins with these games, like [`ask_all`].
fn ask_block(index: &Index, block: usize, games: &[KnownGame], features: &[Feature]) -> bool {
    let games = &games[..games.len().min(GAMES_PER_BLOCK)];
    let mut is_same = true;
    for &feature in features {
        let mut left = [u64::MAX; WORDS_PER_COLUMN];
        index.clear_without(block, feature, &mut left, &mut [0; COLUMN_SIZE]);
        for (n, game) in games.iter().enumerate() {
            let has = game.is_none_or(|(_, features)| features.may_have(feature));
            let may = left[n / GAMES_PER_WORD] >> (n % GAMES_PER_WORD) & 1 != 0;
            assert!(may || !has, "{block} {n} {feature:?}");
            is_same &= may == has;
        }
    }
    is_same
}

#[test]
fn what_is_written_is_read() {
    let features = features();
    let games = games(333);
    let many: Vec<u64> = (0..334).map(|n| n << 40).collect();
    for places in [&[][..], &many] {
        let index_bytes = index(&games, places);
        let index = parse(&index_bytes).unwrap();
        assert_eq!(index.games(), 333);
        assert_eq!(index.stamps(), [stamp(), stamp()]);
        assert!(ask_all(&index, &games, &features));
        assert!(ask_all(&parse_file(&index_bytes), &games, &features));
        for n in 0..333 {
            let bits = index.may_have(n, features[5]);
            for (ahead, game) in games.iter().skip(n as usize).take(64).enumerate() {
                let set = game.map_or(Features::UNKNOWN, |(_, features)| features);
                assert_eq!(bits >> ahead & 1 != 0, set.may_have(features[5]));
            }
        }
        assert_eq!(index.signature(333), None);
        let found = index.game_offsets().map(GameOffsets::iter);
        let expected = (!places.is_empty()).then(|| places.to_vec());
        assert_eq!(found.map(Vec::from_iter), expected);
        assert!(!is_damaged(&index));
    }
    let none = parse(&index(&[], &[0])).unwrap();
    assert_eq!((none.games(), none.signature(0)), (0, None));
    assert!(!is_damaged(&none));
}

#[test]
fn the_length_of_blocks_is_that_of_their_games() {
    // The last block may be full, or have one game more or less.
    let features = features();
    let all = games(GAMES_PER_BLOCK + GAMES_PER_GROUP + 1);
    for (count, words) in [
        (1, 1),
        (GAMES_PER_WORD, 1),
        (GAMES_PER_WORD + 1, 2),
        (GAMES_PER_GROUP + 1, 5),
        (GAMES_PER_BLOCK - 1, WORDS_PER_COLUMN),
        (GAMES_PER_BLOCK, WORDS_PER_COLUMN),
        (GAMES_PER_BLOCK + 1, WORDS_PER_COLUMN + 1),
        (GAMES_PER_BLOCK + GAMES_PER_GROUP + 1, WORDS_PER_COLUMN + 5),
    ] {
        let games = &all[..count];
        let bytes = index(games, &[]);
        let pieces = COLUMNS * count.div_ceil(GAMES_PER_BLOCK)
            + (words * GAMES_PER_WORD).div_ceil(GAMES_PER_GROUP);
        let expected = HEADER_SIZE
            + words * (GAMES_PER_WORD * RECORD_SIZE + COLUMNS * WORD_SIZE)
            + CHECKSUM_SIZE * (pieces + 1);
        assert_eq!(bytes.len(), expected, "{count}");
        let index = parse(&bytes).unwrap();
        assert!(ask_all(&index, games, &features[..9]), "{count}");
        assert!(
            ask_all(&parse_file(&bytes), games, &features[..9]),
            "{count}"
        );
        for &feature in &features[..9] {
            // Across the boundary of blocks.
            for n in (GAMES_PER_BLOCK - 70)..count {
                let bits = index.may_have(n as u32, feature);
                for (ahead, game) in games[n..].iter().take(64).enumerate() {
                    let set = game.map_or(Features::UNKNOWN, |(_, features)| features);
                    assert_eq!(bits >> ahead & 1 != 0, set.may_have(feature));
                }
            }
        }
        assert!(!is_damaged(&index));
    }
}

#[test]
fn first_games_are_kept_and_later_ones_added() {
    let features = features();
    let games = games(2 * GAMES_PER_BLOCK + 700);
    let bytes = index(&games, &[]);
    for covered in [
        100,
        GAMES_PER_BLOCK - 1,
        GAMES_PER_BLOCK,
        GAMES_PER_BLOCK + 12_345,
        2 * GAMES_PER_BLOCK + 3,
        2 * GAMES_PER_BLOCK + 666,
    ] {
        let old = index(&games[..covered], &[]);
        let old = parse(&old).unwrap();
        assert!(old.is_intact());
        let first = covered / GAMES_PER_WORD * GAMES_PER_WORD;
        let layout = layout(games.len(), false);
        let out = Cursor::new(Vec::new());
        let mut builder = IndexBuilder::new(out, vec![stamp(), stamp()], layout).unwrap();
        let blocks = builder.keep(&old, first as u32).unwrap();
        for game in &games[first..] {
            builder.add(game.as_ref()).unwrap();
        }
        let mut out = builder
            .finish(std::iter::empty(), &[])
            .unwrap()
            .into_inner();
        out[HEADER_SIZE..][..blocks.len()].copy_from_slice(blocks);
        assert!(out == bytes);
        // Games that are not covered may have any feature.
        for first in covered.saturating_sub(70)..covered + 70 {
            let open = (0..64).filter(|n| first + n >= covered);
            let open = open.fold(0_u64, |open, n| open | 1 << n);
            assert_eq!(
                old.may_have(first as u32, features[0]) & open,
                open,
                "{first}"
            );
        }
    }
    // The first column, and one of the last block.
    let end =
        bytes.len() - (COLUMNS * 3 + 2 * GAMES_PER_BLOCK / GAMES_PER_GROUP + 4) * CHECKSUM_SIZE;
    for at in [HEADER_SIZE + 5000, end - 20_000] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(!parse(&damaged).unwrap().is_intact(), "{at}");
    }
}

#[test]
fn games_that_do_not_come_are_missed() {
    let layout = layout(2, false);
    let mut builder = IndexBuilder::new(Cursor::new(Vec::new()), vec![stamp()], layout).unwrap();
    builder.add(None).unwrap();
    assert!(builder.finish(std::iter::empty(), &[]).is_err());
}

#[test]
fn every_damage_is_refused_or_seen_when_asked_and_leaves_no_game_out() {
    let features = features();
    let games = games(5);
    for places in [&[][..], &[0, 5, 6, 7, 8, 9]] {
        let bytes = index(&games, places);
        assert!(parse(&bytes).is_ok());
        for cut in 0..bytes.len() {
            assert!(parse(&bytes[..cut]).is_err(), "{cut}");
        }
        let pieces = HEADER_SIZE..HEADER_SIZE + GAMES_PER_WORD * RECORD_SIZE + COLUMNS * WORD_SIZE;
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let parsed = Index::parse(Arc::new(damaged), None);
            assert_eq!(parsed.is_ok(), pieces.contains(&(bit / 8)), "bit {bit}");
            if let Ok(index) = parsed {
                assert!(!is_damaged(&index));
                ask_all(&index, &games, &features);
                assert!(is_damaged(&index), "bit {bit}");
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(parse(&longer).is_err());
    }
}

#[test]
fn damage_in_one_block_says_nothing_of_another() {
    let features = features();
    let games = games(2 * GAMES_PER_BLOCK + 100);
    let bytes = index(&games, &[]);
    let full = WORDS_PER_COLUMN * (GAMES_PER_WORD * RECORD_SIZE + COLUMNS * WORD_SIZE);
    let column = features[0].bits()[0];
    let second = HEADER_SIZE + full + column * WORDS_PER_COLUMN * WORD_SIZE + 17;
    let mut damaged = bytes.clone();
    damaged[second] ^= 4;
    let index = parse(&damaged).unwrap();
    for (n, feature) in [
        (0, 0),
        (GAMES_PER_BLOCK - GAMES_PER_WORD, 0),
        (2 * GAMES_PER_BLOCK, 0),
    ] {
        index.may_have(n as u32, features[feature]);
        assert!(!is_damaged(&index), "{n}");
    }
    let only = |index: &Index, n: usize| {
        let all = features[0].bits().map(|bit| {
            let bits = games[n..].iter().take(GAMES_PER_WORD).enumerate();
            bits.fold(0, |all, (at, game)| {
                let set = game.map_or(Features::UNKNOWN, |(_, features)| features);
                all | (set.0[bit / 64] >> (bit % 64) & 1) << at
            })
        });
        // The damaged column gives no information.
        let bits = features[0].bits();
        let others = bits.iter().zip(all).filter(|(bit, _)| **bit != column);
        let expected = others.fold(u64::MAX, |all, (_, games)| all & games);
        assert_eq!(index.may_have(n as u32, features[0]), expected, "{n}");
    };
    only(&index, GAMES_PER_BLOCK);
    assert!(is_damaged(&index));
    only(&index, 2 * GAMES_PER_BLOCK - GAMES_PER_WORD);
    // A group of records that are verified together.
    let mut damaged = bytes.clone();
    let group = GAMES_PER_BLOCK / GAMES_PER_GROUP - 1;
    damaged[HEADER_SIZE
        + full
        + COLUMNS * WORDS_PER_COLUMN * WORD_SIZE
        + group * GAMES_PER_GROUP * RECORD_SIZE
        + 3] ^= 128;
    let first = GAMES_PER_BLOCK + group * GAMES_PER_GROUP;
    let written = |n: usize| games[n].map(|(signature, _)| signature);
    let ask_group = |index: &Index, ask: &mut dyn FnMut(u32) -> Option<Signature>| {
        for n in [first - 1, first + GAMES_PER_GROUP] {
            assert_eq!(ask(n as u32), written(n));
        }
        assert!(!is_damaged(index));
        assert!((first..first + GAMES_PER_GROUP).all(|n| ask(n as u32).is_none()));
        assert!(is_damaged(index));
    };
    let index = parse(&damaged).unwrap();
    ask_group(&index, &mut |n| index.signature(n));
    let (index, mut records) = (parse_file(&damaged), RecordBuffer::default());
    ask_group(&index, &mut |n| index.signature_copied(n, &mut records));
    // A column that is not in the file.
    let file = tempfile::tempfile().unwrap();
    file.set_len(second as u64).unwrap();
    let index = Index::parse(Arc::new(bytes.clone()), Some(file)).unwrap();
    ask_block(&index, 1, &games[GAMES_PER_BLOCK..], &features[..1]);
    assert!(is_damaged(&index));
    // Scattered bits in all blocks.
    for bit in (HEADER_SIZE * 8..bytes.len() * 8).step_by(19_999_999) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let parsed = Index::parse(Arc::new(damaged.clone()), None);
        if parsed.is_ok() {
            let index = parse_file(&damaged);
            ask_all(&index, &games, &features);
            assert!(is_damaged(&index), "bit {bit}");
        }
        if let Ok(index) = parsed {
            ask_all(&index, &games, &features);
            assert!(is_damaged(&index), "bit {bit}");
        }
    }
}

#[test]
fn counts_that_lie_are_refused_whatever_the_checksum_says() {
    let good = index(&[None], &[0, 5]);
    let lie = |offset: usize, wrong: &[u8]| {
        let mut bytes = good.clone();
        bytes[offset..offset + wrong.len()].copy_from_slice(wrong);
        let pieces = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
        let body = bytes.len() - CHECKSUM_SIZE;
        let mut sum = crc32fast::Hasher::new();
        sum.update(&bytes[..HEADER_SIZE]);
        sum.update(bytes.get(HEADER_SIZE + pieces..body).unwrap_or_default());
        bytes[body..].copy_from_slice(&sum.finalize().to_le_bytes());
        parse(&bytes).is_ok()
    };
    for (offset, wrong) in [
        (16, 2),
        (16, 65),
        (20, 65),
        (40, 1),
        (48, 8),
        (48, 24),
        (55, 0xFF),
        (56, 1),
        (64, 5),
        (71, 0xFF),
        (14, b'7'),
        (14, b'1'),
    ] {
        assert!(!lie(offset, &[wrong]), "{offset}: {wrong}");
    }
    // Lengths with the right sum; the first ones are right.
    for (n, lengths) in [[5120_u64, 16, 0], [5120, 8, 8], [5104, 32, 0]]
        .iter()
        .enumerate()
    {
        let lengths = lengths.map(u64::to_le_bytes).concat();
        assert_eq!(lie(40, &lengths), n == 0, "{n}");
    }
}

#[test]
fn charset_evidence_comes_back() {
    let mut evidence = Evidence::new();
    evidence.add_together([&b"M\xFCller of K\xF6ln"[..], b"plain"]);
    evidence.add(b"Garc\xEDa");
    for texts in [Evidence::new(), evidence] {
        let bytes = evidence_bytes(&texts);
        let layout = IndexLayout {
            evidence: Some(bytes.len() as u32),
            is_dense: true,
            ..layout(0, false)
        };
        let out = Cursor::new(Vec::<u8>::new());
        let builder = IndexBuilder::new(out, vec![stamp()], layout).unwrap();
        let out = builder.finish(std::iter::empty(), &bytes).unwrap();
        let index = parse(&out.into_inner()).unwrap();
        let read = index.evidence().unwrap();
        let words = |evidence: &Evidence| -> Vec<Vec<Box<[u8]>>> {
            evidence.texts().map(<[Box<[u8]>]>::to_vec).collect()
        };
        assert_eq!(words(&read), words(&texts));
        let guess = |evidence: &Evidence| format!("{:?}", evidence.guess(CharsetPrior::AnyProgram));
        assert_eq!(guess(&read), guess(&texts));
        assert!(index.is_dense());
    }
    let builder = IndexBuilder::new(
        Cursor::new(Vec::<u8>::new()),
        vec![stamp()],
        layout(0, false),
    );
    let out = builder.unwrap().finish(std::iter::empty(), &[]).unwrap();
    assert!(parse(&out.into_inner()).unwrap().evidence().is_none());
}
