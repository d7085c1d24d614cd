//! Changes of single games in place, and appending.

use chessdb_ca::raw::{LIST_NAMES, RawHeader};
use chessdb_ca::{A02_FILE, CA, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE};
use chessdb_core::files::Role;
use chessdb_core::format::check;
use chessdb_core::model::GameFlags;
use chessdb_core::options::Allow;
use chessdb_core::{FileSet, Game, LossKind, MemorySet, ReadOptions, WriteOptions};
use chessdb_testkit::golden::dump_game;
use chessdb_testkit::identity::{self, open, open_all};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::strategy::{self, GameOptions};
use chessdb_testkit::{expected, fixtures};

fn options() -> WriteOptions {
    WriteOptions::default().with_allowed(Allow::Everything)
}

/// Returns a copy that has its own bytes. A set in memory takes each change at once, so a change that
/// is refused would leave a part of itself.
fn copy(set: &MemorySet) -> MemorySet {
    let files = set.iter().map(|(role, bytes)| (role, bytes.to_vec()));
    files.collect()
}

fn write(games: &[Game]) -> MemorySet {
    identity::write_all(&CA, games, options()).unwrap().0
}

/// Replaces a game in place. `None` if the database must be rewritten.
fn replaced(set: &MemorySet, n: usize, new: &Game) -> Option<MemorySet> {
    let old = open_all(&CA, set).swap_remove(n);
    let mut next = copy(set);
    let mut changer = (CA.change.unwrap())(&mut next, options()).unwrap()?;
    changer.replace(n as u32, &old, new).unwrap()?;
    changer.finish().unwrap();
    Some(copy(&next))
}

fn appended(set: &MemorySet, games: &[Game]) -> Option<MemorySet> {
    let mut next = copy(set);
    let mut writer = (CA.append.unwrap())(&mut next, options()).unwrap()?;
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    Some(copy(&next))
}

/// Appends in the step in which other games change.
fn appended_with_changes(set: &MemorySet, games: &[Game]) -> Option<MemorySet> {
    let mut next = copy(set);
    let mut changer = (CA.change.unwrap())(&mut next, options()).unwrap()?;
    for game in games {
        changer.append(game).unwrap()?;
    }
    changer.finish().unwrap();
    Some(copy(&next))
}

/// Returns the content without the numbers of the names and the encodings.
fn content(game: &Game) -> String {
    let dump = dump_game(game);
    let lines = dump
        .lines()
        .map(|line| line.split(" (name ").next().unwrap_or_default());
    let lines: Vec<&str> = lines.map(str::trim).collect();
    let text = lines.join(" ");
    let (mut plain, mut rest) = (String::new(), text.as_str());
    while let Some((before, after)) = rest.split_once(" in windows-125") {
        plain += before;
        rest = after.get(1..).unwrap_or_default();
    }
    plain + rest
}

/// Returns the content that a new database with this game alone has.
fn stored(game: &Game) -> String {
    content(&open_all(&CA, &write(std::slice::from_ref(game)))[0])
}

fn findings(set: &MemorySet) -> Vec<String> {
    let mut findings = Vec::new();
    check(&CA, set, &ReadOptions::default(), &mut |finding| {
        findings.push(format!("{finding:?}"));
    });
    findings
}

fn player(name: &str) -> Game {
    Game::builder()
        .white(name)
        .sans(["e4", "e5"])
        .unwrap()
        .build()
}

#[test]
fn random_changes_and_appends_keep_all_other_games() {
    let made = GameOptions::for_ca();
    let games: Vec<Game> = (0..20).map(|seed| strategy::game(seed, &made)).collect();
    let mut set = write(&games);
    let mut expected: Vec<String> = open_all(&CA, &set).iter().map(content).collect();
    let mut rng = Rng::new(1987);
    let mut rewritten = 0;
    for round in 0..400 {
        let new = strategy::game(2000 + round, &made);
        let mut wanted = expected.clone();
        let next = if rng.below(8) == 0 {
            let more = [new, strategy::game(9000 + round, &made)];
            wanted.extend(more.iter().map(stored));
            [appended, appended_with_changes][rng.below(2)](&set, &more)
        } else {
            let n = rng.below(expected.len());
            let mut game = open_all(&CA, &set).swap_remove(n);
            match rng.below(5) {
                0 => game.set_tag("WhiteElo", &format!("{}", 1500 + rng.below(900))),
                1 => game.header.outcome = new.header.outcome,
                2 => game.set_tag("White", &format!("Player {}", rng.below(40))),
                3 => game.set_tag("Annotator", &format!("Writer {}", rng.below(40))),
                _ => game = new,
            }
            wanted[n] = stored(&game);
            replaced(&set, n, &game)
        };
        let Some(next) = next else {
            rewritten += 1;
            continue;
        };
        let read: Vec<String> = open_all(&CA, &next).iter().map(content).collect();
        for (n, (read, wanted)) in read.iter().zip(&wanted).enumerate() {
            assert_eq!(read, wanted, "round {round}, game {n}");
        }
        assert_eq!(read.len(), wanted.len());
        assert_eq!(findings(&next), [""; 0], "round {round}");
        (set, expected) = (next, wanted);
    }
    assert!(rewritten < 20, "{rewritten}");
    let unused = open(&CA, &set).unused().unwrap();
    assert!(unused.bytes > 10_000 && unused.names > 10, "{unused:?}");
    let fresh = write(&open_all(&CA, &set));
    let unused = open(&CA, &fresh).unused().unwrap();
    assert_eq!((unused.bytes, unused.names), (0, 0));
}

/// Databases of an independent encoder, also with aliases, junk and records out of order.
#[test]
fn databases_of_another_program_change_in_place() {
    let Some(folder) = fixtures::testdata("fixtures-made/chess-assistant") else {
        return;
    };
    for base in expected::bases(&folder) {
        let mut set = copy(&fixtures::load_set(&base.stem, CA.roles));
        let before = findings(&set);
        let mut expected: Vec<String> = open_all(&CA, &set).iter().map(content).collect();
        let mut rng = Rng::new(7);
        let mut changed = 0;
        for round in 0..300 {
            let n = rng.below(expected.len());
            let mut game = open_all(&CA, &set).swap_remove(n);
            match rng.below(4) {
                0 => game.set_tag("Black", &format!("Player {}", rng.below(40))),
                1 => game.set_tag("Event", &format!("Open {}", rng.below(20))),
                2 => game.set_tag("Round", &format!("{}", 1 + rng.below(100))),
                _ => game = strategy::game(round, &GameOptions::plain()),
            }
            let Some(next) = replaced(&set, n, &game) else {
                continue;
            };
            changed += 1;
            expected[n] = content(&open_all(&CA, &next)[n]);
            let read: Vec<String> = open_all(&CA, &next).iter().map(content).collect();
            assert_eq!(read, expected, "{} round {round}", base.name);
            assert_eq!(findings(&next), before, "{} round {round}", base.name);
            set = next;
        }
        assert!(changed > 200, "{}: {changed}", base.name);
    }
}

/// Only in a database of our own is a text such as `$146` read as a NAG.
#[test]
fn an_appended_nag_is_read_again_or_counted_as_lost() {
    let game = Game::builder().sans(["d4"]).unwrap().nag(146).build();
    let append = |set: &MemorySet| {
        let mut next = copy(set);
        let mut writer = (CA.append.unwrap())(&mut next, options()).unwrap()?;
        let losses = (writer.assess(&game), writer.write(&game).unwrap());
        writer.finish().unwrap();
        assert_eq!(losses.0, losses.1);
        let read = open_all(&CA, &copy(&next)).pop().unwrap();
        Some((
            losses.1.count(LossKind::Nag),
            content(&read) == stored(&game),
        ))
    };
    assert_eq!(append(&write(&[player("Plain")])), Some((0, true)));
    let Some(folder) = fixtures::testdata("fixtures-made/chess-assistant") else {
        return;
    };
    let mut lost = 0;
    for base in expected::bases(&folder) {
        let set = copy(&fixtures::load_set(&base.stem, CA.roles));
        if let Some((losses, is_read)) = append(&set) {
            assert_eq!(losses, u32::from(!is_read), "{}", base.name);
            lost += losses;
        }
    }
    println!("{lost} lost");
}

#[test]
fn a_changed_record_takes_four_bytes_of_the_table() {
    let games: Vec<Game> = (0..3)
        .map(|seed| strategy::game(seed, &GameOptions::plain()))
        .collect();
    let set = write(&games);
    let mut game = open_all(&CA, &set).swap_remove(1);
    game.moves = strategy::game(99, &GameOptions::plain()).moves;
    let next = replaced(&set, 1, &game).unwrap();
    let bytes = |set: &MemorySet, role: Role| set.get(role).unwrap().to_vec();
    for role in [CDP_FILE, D00_FILE, EMB_FILE] {
        assert_eq!(bytes(&next, role), bytes(&set, role));
    }
    let (old, new) = (bytes(&set, D02_FILE), bytes(&next, D02_FILE));
    assert!(new.starts_with(&old));
    let mut table = bytes(&set, A02_FILE);
    table[4..8].copy_from_slice(&(old.len() as u32).to_le_bytes());
    assert_eq!(bytes(&next, A02_FILE), table);
}

/// The charset stays the same when the first game moves to the end, and a new text that could mislead
/// readers gets a mark.
#[test]
fn texts_keep_their_charset() {
    let games = ["Müller, J", "Žižka", "Алехин", "Plain"].map(player);
    for first in &games {
        let set = write(&[first.clone(), player("Plain")]);
        let expected = content(&open_all(&CA, &set)[0]);
        for n in [0, 1] {
            let mut game = open_all(&CA, &set).swap_remove(n);
            game.set_tag("Event", "Open");
            game.moves = Game::builder()
                .sans(["d4"])
                .unwrap()
                .comment("new")
                .build()
                .moves;
            let next = replaced(&set, n, &game).unwrap();
            let read = open_all(&CA, &next);
            assert_eq!(content(&read[n]), stored(&game));
            assert!(n == 0 || content(&read[0]) == expected);
        }
        for other in &games {
            let name = other.text(other.header.white.name.text).decode();
            let more = appended(&set, std::slice::from_ref(other)).map(|set| open_all(&CA, &set));
            if let Some(read) = more {
                assert_eq!(content(&read[0]), expected);
                let white = read[2].text(read[2].header.white.name.text).decode();
                assert!(white == name || white.contains('?'), "{white}");
            }
        }
    }
    let ascii = write(&[player("Plain")]);
    for other in &games {
        let read = open_all(&CA, &appended(&ascii, std::slice::from_ref(other)).unwrap());
        assert_eq!(content(&read[1]), stored(other));
    }
}

/// The record of another game, and what refers to nothing, must not become that of a changed game.
#[test]
fn shared_and_damaged_addresses_are_left_alone() {
    let games: Vec<Game> = (0..4)
        .map(|seed| strategy::game(seed, &GameOptions::plain()))
        .collect();
    let set = write(&games);
    let end = set.get(D02_FILE).unwrap().len() as i32;
    let more = strategy::game(50, &GameOptions::plain());
    let with = |role: Role, offset: usize, number: i32| {
        let mut set = copy(&set);
        let bytes = set.get_mut(role).unwrap();
        bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
        set
    };
    // Game 2 shares the record of game 1 by an alias, and by its header.
    for shared in [
        with(A02_FILE, 8, -1),
        with(D00_FILE, 2 * RawHeader::SIZE + 24, 1),
    ] {
        let moves = |n: usize| {
            let mut game = open_all(&CA, &shared).swap_remove(n);
            game.moves = more.moves.clone();
            replaced(&shared, n, &game)
        };
        assert!(moves(1).is_none());
        assert!(moves(0).is_some());
        let mut game = open_all(&CA, &shared).swap_remove(1);
        game.set_tag("White", "Somebody New");
        assert!(replaced(&shared, 1, &game).is_some());
    }
    for damaged in [
        with(A02_FILE, 8, end),
        with(A02_FILE, 8, i32::MAX),
        with(A02_FILE, 8, -4),
        with(D00_FILE, 2 * RawHeader::SIZE + 24, 4),
        with(CDP_FILE, 104, 3),
    ] {
        assert!(appended(&damaged, std::slice::from_ref(&more)).is_none());
        assert!(appended_with_changes(&damaged, std::slice::from_ref(&more)).is_none());
    }
    assert!(replaced(&with(A02_FILE, 8, end), 0, &more).is_none());
    for role in [D00_FILE, A02_FILE, D02_FILE, CDP_FILE, EMB_FILE] {
        let mut missing = copy(&set);
        missing.remove(role);
        assert!(
            (CA.append.unwrap())(&mut missing, options())
                .unwrap()
                .is_none()
        );
        let mut cut = copy(&set);
        let bytes = cut.get_mut(role).unwrap();
        bytes.truncate(bytes.len() - 1);
        let is_refused = (CA.append.unwrap())(&mut cut, options()).unwrap().is_none();
        // The last byte of an EMB may belong to nothing.
        assert!(
            is_refused || role == EMB_FILE || role == CDP_FILE,
            "{role:?}"
        );
    }
}

/// Zeros that a game without moves leaves would look like overwritten records.
#[test]
fn games_without_moves_leave_no_rows_of_zeros() {
    let empty: Vec<Game> = (0..6).map(|_| Game::builder().white("A").build()).collect();
    let mut set = write(&empty);
    for n in [0, 3, 5, 2, 4, 1, 0, 5] {
        let mut game = open_all(&CA, &set).swap_remove(n);
        game.moves = player("B").moves;
        if let Some(next) = replaced(&set, n, &game) {
            assert_eq!(findings(&next), [""; 0], "{n}");
            set = next;
        }
    }
}

/// The files of unknown content stay with changed games; new games have none in them.
#[test]
fn side_files_stay() {
    let mut set = write(&[player("A"), player("B")]);
    let role = Role("a01");
    set.insert(role, [1, 2, 3]);
    let mut game = open_all(&CA, &set).swap_remove(0);
    game.set_tag("White", "C");
    let next = replaced(&set, 0, &game).unwrap();
    assert_eq!(next.get(role), set.get(role));
    assert!(appended(&set, &[player("D")]).is_none());
    // There is no mark for deleted games.
    let mut changer = (CA.change.unwrap())(&mut set, options()).unwrap().unwrap();
    let marked = changer.set_flags(0, GameFlags::empty(), GameFlags::DELETED);
    assert!(marked.unwrap().is_none());
}

/// New names follow the others; the sort orders stay permutations in order.
#[test]
fn new_names_have_their_sorted_places() {
    let mut set = write(&[player("Berlin"), player("Zagreb")]);
    for name in ["Riga", "aachen", "Berlin", "zwolle"] {
        set = appended(&set, &[player(name)]).unwrap();
    }
    let fresh = ["Berlin", "Zagreb", "Riga", "aachen", "Berlin", "zwolle"].map(player);
    let fresh = write(&fresh);
    let emb = |set: &MemorySet, file: &str| {
        let emb = chessdb_ca::raw::Emb::parse(set.get(EMB_FILE).unwrap()).unwrap();
        emb.file(file).unwrap().to_vec()
    };
    for list in LIST_NAMES {
        for suffix in ["cdp", "iii", "axx", "dxx", "d00", "a01", "d01"] {
            let file = format!("{list}.{suffix}");
            assert_eq!(emb(&set, &file), emb(&fresh, &file), "{file}");
        }
    }
    for role in [CDP_FILE, D00_FILE, A02_FILE, D02_FILE] {
        assert_eq!(set.get(role), fresh.get(role));
    }
}
