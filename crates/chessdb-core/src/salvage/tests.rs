use super::*;

/// Records of a letter and a digit, which is also its number of repetitions: `a1`, `b22`, `c333`. A
/// capital letter marks a truncated record.
struct Letters<'a>(&'a [u8]);

impl Carve for Letters<'_> {
    fn record(&mut self, range: Range<usize>, looking: bool, _: &mut Work) -> Option<Piece> {
        let [letter, rest @ ..] = self.0.get(range)? else {
            return None;
        };
        let count = usize::from(letter.to_ascii_lowercase().checked_sub(b'a')?) + 1;
        let digit = b'0' + count as u8;
        let there = rest
            .iter()
            .take(count)
            .take_while(|&&byte| byte == digit)
            .count();
        let whole = there == count && letter.is_ascii_lowercase();
        (whole || !looking && there > 0).then_some(Piece {
            length: 1 + there,
            found: if whole { Found::Exact } else { Found::MovesUpToFault },
            key: Some(u64::from(letter.to_ascii_lowercase())).filter(|_| whole),
            plies: there as u32,
        })
    }

    fn is_filler(&self, range: Range<usize>) -> bool {
        self.0[range].iter().all(|&byte| byte == b'.')
    }
}

fn claim(entry: u32, range: Range<usize>, found: Found) -> IndexClaim {
    IndexClaim {
        entry,
        range: Some(range),
        found,
        key: None,
        plies: 0,
        is_doubtful: false,
    }
}

/// Returns each game as entry, bytes and kind of finding, then the bytes that gave no game.
fn recovered(bytes: &str, claims: &[IndexClaim], whole: bool) -> (Vec<String>, Vec<String>) {
    let mut carve = Letters(bytes.as_bytes());
    let (places, report) = recover((Role("x"), bytes.as_bytes()), 1, claims, whole, &mut carve);
    assert_eq!(places.len(), report.games.len());
    let games = places.iter().zip(&report.games).map(|(place, found)| {
        let entry = place.entry.map_or("-".into(), |entry| entry.to_string());
        let text = place.range.clone().map_or("", |range| &bytes[range]);
        format!("{entry} {text} {}", found.code())
    });
    let barren = report.barren.iter().map(|(_, range, why)| {
        let text = &bytes[range.start as usize..range.end as usize];
        format!("{text} {}", why.code())
    });
    (games.collect(), barren.collect())
}

#[test]
fn recover_ignores_remains_beside_whole_index() {
    let claims = [claim(0, 3..6, Found::Exact), claim(1, 1..3, Found::Exact)];
    let (games, barren) = recovered("?a1b22", &claims, true);
    assert_eq!(games, ["0 b22 exact", "1 a1 exact"]);
    assert!(barren.is_empty());
    let (games, _) = recovered(".a1b22c333", &claims, true);
    assert_eq!(games, ["0 b22 exact", "- c333 exact", "1 a1 exact"]);
}

#[test]
fn recover_returns_each_game_once_in_source_order() {
    let (games, barren) = recovered(".a1b22?!c333..d4444C33", &[], false);
    let expected = [
        "- a1 exact",
        "- b22 exact",
        "- c333 exact",
        "- d4444 exact",
        "- C33 moves-up-to-fault",
    ];
    assert_eq!(games, expected);
    assert_eq!(barren, ["?! nothing"]);
    // The second entry refers to the record of the first, the third into it, the fifth to nothing.
    let mut claims = [
        claim(0, 3..6, Found::Exact),
        claim(1, 3..6, Found::Exact),
        claim(2, 4..9, Found::MovesUpToFault),
        claim(3, 8..9, Found::MovesUpToFault),
        claim(4, 6..7, Found::MovesUpToFault),
    ];
    claims[4].range = None;
    let (games, barren) = recovered(".a1b22?!c333", &claims, true);
    let expected = [
        "- a1 exact",
        "0 b22 exact",
        "2  moves-up-to-fault",
        "3 c333 carved",
        "4  moves-up-to-fault",
    ];
    assert_eq!(games, expected);
    assert_eq!(barren, ["?! nothing"]);
}

#[test]
fn recover_drops_earlier_versions() {
    let mut known = claim(0, 1..3, Found::Exact);
    known.key = Some(u64::from(b'b'));
    let (games, barren) = recovered(".a1?b22c333c333", &[known], false);
    assert_eq!(games, ["0 a1 exact", "- c333 exact", "- c333 exact"]);
    assert_eq!(barren, ["? nothing", "b22 twice"]);
}

#[test]
fn recover_takes_part_of_damaged_record_only_with_more_moves() {
    let mut damaged = claim(0, 1..12, Found::MovesUpToFault);
    damaged.plies = 3;
    let (games, barren) = recovered("?D444b22c333", std::slice::from_ref(&damaged), false);
    assert_eq!(games, ["0 D444 moves-up-to-fault"]);
    assert_eq!(barren, ["b22c333 nothing"]);
    damaged.plies = 2;
    let (games, _) = recovered("?D444b22c333", &[damaged], false);
    assert_eq!(games, ["0 D444 moves-up-to-fault", "- c333 exact"]);
}
