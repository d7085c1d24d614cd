//! Sort keys of texts: numbers compare by value, and rounds of a knock-out by their stage.

/// Returns a key of a folded text that sorts numbers by value: `cup 9` before `cup 10`. Leading
/// zeros do not count.
pub(crate) fn natural_key(folded: &str) -> String {
    let mut key = String::with_capacity(folded.len() + 2);
    let mut rest = folded;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (text, number) = rest.split_at(start);
        let end = number.find(|c: char| !c.is_ascii_digit());
        let (digits, after) = number.split_at(end.unwrap_or(number.len()));
        let significant = digits.trim_start_matches('0');
        // A longer number is a larger one. Its length is below every printed character, so that a
        // number comes before all other text.
        let length = significant.len().min(usize::from(b' ' - 1)) as u8;
        key.push_str(text);
        key.push(char::from(length));
        key.push_str(significant);
        rest = after;
    }
    key + rest
}

/// Returns a key that sorts folded rounds: numbers by value, then other texts, then the stages of a
/// knock-out from the first to the final (docs/reference/writing.md).
pub(crate) fn round_key(folded: &str) -> String {
    let round = folded.trim();
    let (head, rest) = split_letters(round);
    match stage(round, &head) {
        // The greatest character puts stages after all other rounds.
        Some(place) => format!("{}{place}{}", char::MAX, natural_key(round)),
        None if NUMBERED.contains(&head.as_str())
            && rest.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            natural_key(rest)
        }
        None => natural_key(round),
    }
}

/// Words before the number of a round.
const NUMBERED: [&str; 9] = [
    "r", "rd", "rnd", "round", "ronda", "ronde", "runde", "tour", "tur",
];

/// Names of stages, with the number of games that are played at the same time; 1 for the final.
/// Names of five letters and more may continue, as in `finale`.
const STAGES: [(&str, u32); 23] = [
    ("achtelfinal", 8),
    ("eighthfinal", 8),
    ("huitieme", 8),
    ("octavos", 8),
    ("ottavi", 8),
    ("chetvertfinal", 4),
    ("cuartos", 4),
    ("kwartfinal", 4),
    ("quart", 4),
    ("viertelfinal", 4),
    ("qf", 4),
    ("vf", 4),
    ("demi", 2),
    ("demifinal", 2),
    ("halbfinal", 2),
    ("polufinal", 2),
    ("semi", 2),
    ("semifinal", 2),
    ("hf", 2),
    ("sf", 2),
    ("final", 1),
    ("grandfinal", 1),
    ("f", 1),
];

/// Names of the match for the third place, which is played before the final.
const THIRD_PLACE: [&str; 4] = ["bronze", "smallfinal", "spielumplatz", "thirdplace"];

/// Returns the place of a stage of a knock-out in the order of stages. `letters` are the leading
/// letters of the round.
fn stage(round: &str, letters: &str) -> Option<char> {
    // Two characters for each halving: the match for the third place precedes the final.
    let place = |games: u32| char::from_u32(u32::from('z') - 2 * games.ilog2());
    let is_size = |games: &u32| games.is_power_of_two() && *games <= 1024;
    if THIRD_PLACE.iter().any(|name| letters.starts_with(name)) || round.starts_with("3rd place") {
        return char::from_u32(u32::from('z') - 1);
    }
    if let Some(fraction) = round.strip_prefix("1/") {
        return leading_number(fraction)
            .filter(|games| is_size(games) && *games > 1)
            .and_then(place);
    }
    if matches!(letters, "roundof" | "ro" | "last") {
        let (_, players) = split_letters(round);
        return leading_number(players)
            .filter(|players| is_size(players) && *players > 1)
            .and_then(|players| place(players / 2));
    }
    let is_named = |name: &str| match name.len() {
        ..5 => letters == name,
        _ => letters.starts_with(name),
    };
    let (_, games) = STAGES.iter().find(|(name, _)| is_named(name))?;
    place(*games)
}

/// Returns whether a text consists of digits, at least one.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.get(..end.unwrap_or(text.len()))?.parse().ok()
}

/// Returns the leading letters of a text without the blanks and hyphens between them, and the rest.
fn split_letters(text: &str) -> (String, &str) {
    let is_inner = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '-' | '.');
    let end = text.find(|c: char| !is_inner(c)).unwrap_or(text.len());
    let (head, rest) = text.split_at(end);
    let letters = head.chars().filter(char::is_ascii_alphabetic);
    (letters.collect(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts that the keys are in this order.
    fn assert_sorted(key: fn(&str) -> String, texts: &[&str]) {
        let keys: Vec<String> = texts.iter().map(|text| key(text)).collect();
        for (n, pair) in keys.windows(2).enumerate() {
            assert!(pair[0] < pair[1], "{} before {}", texts[n], texts[n + 1]);
        }
    }

    #[test]
    fn numbers_in_texts_compare_by_value() {
        assert_sorted(natural_key, &["cup", "cup 9", "cup 10", "cup 101", "cup a"]);
        assert_sorted(natural_key, &["1a", "2", "2.9", "2.10", "10", "a"]);
        let (long, longer) = ("9".repeat(40), "1".repeat(41));
        assert!(natural_key(&long) != natural_key(&longer));
        assert_eq!(natural_key("007 x 0"), natural_key("7 x 000"));
    }

    #[test]
    fn natural_keys_agree_with_numbers() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> (state >> 28)
        };
        for _ in 0..1000 {
            let (one, other) = (random(), random());
            let keys = [one, other].map(|number| natural_key(&format!("x{number}.")));
            assert_eq!(keys[0].cmp(&keys[1]), one.cmp(&other), "{one} {other}");
        }
    }

    #[test]
    fn stages_of_a_knock_out_are_in_their_order() {
        for rounds in [
            &[
                "1", "2", "group a", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "final",
            ][..],
            &[
                "round 2",
                "round 10",
                "round of 16",
                "qf",
                "sf",
                "bronze",
                "final",
            ],
            &[
                "r9",
                "r10",
                "ro32",
                "quarter-final 1",
                "semi-final 2",
                "3rd place",
                "finale",
            ],
            &["1/8.1", "1/8.2", "1/4.1", "semifinal", "f"],
            &[
                "achtelfinale",
                "viertelfinale",
                "halbfinale",
                "spiel um platz 3",
                "finale",
            ],
            &[
                "prelim", "qf1.1", "qf1.2", "qf2.1", "sf1", "final 1", "final 2", "final 10",
            ],
        ] {
            assert_sorted(round_key, rounds);
        }
        assert_eq!(round_key("round 7"), round_key("7"));
        assert!(round_key("1/3") < round_key("2"));
    }
}
