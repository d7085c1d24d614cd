//! Comparison of names in Cyrillic letters with their many spellings in Latin ones.

/// The least number of letters that are compared: shorter ones are in too many names.
const LEAST_LETTERS: usize = 3;

/// Spellings of one sound in English, German, French and Polish, the longest first, and a letter for
/// it that folded texts do not contain.
const SOUNDS: [(&str, char); 15] = [
    ("schtsch", 'S'),
    ("shch", 'S'),
    ("tsch", 'C'),
    ("sch", 'S'),
    ("tch", 'C'),
    ("sh", 'S'),
    ("sz", 'S'),
    ("ch", 'C'),
    ("cz", 'C'),
    ("zh", 'Z'),
    ("kh", 'h'),
    ("ts", 'c'),
    ("tz", 'c'),
    ("w", 'v'),
    ("q", 'k'),
];

/// Returns whether a text contains Cyrillic letters.
pub(crate) fn has_cyrillic(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\u{400}'..='\u{52F}'))
}

/// Returns a form of a folded text that is equal for the spellings of a Cyrillic name: `ilyin`,
/// `iljin` and `ilin`, `yuri`, `jurij` and `iuriy`. `None` if too few letters remain.
pub(crate) fn transliteration_key(folded: &str) -> Option<String> {
    let mut key = String::with_capacity(folded.len());
    let mut push = |c: char| {
        // Doubled letters are often written once.
        if !key.ends_with(c) || !c.is_ascii_alphabetic() {
            key.push(c);
        }
    };
    let mut rest = folded;
    while let Some(first) = rest.chars().next() {
        let sound = SOUNDS
            .iter()
            .find(|(spelling, _)| rest.starts_with(spelling));
        if let Some((spelling, letter)) = sound {
            push(*letter);
            rest = rest.get(spelling.len()..).unwrap_or_default();
            continue;
        }
        if matches!(first, 'i' | 'j' | 'y') {
            rest = rest.trim_start_matches(['i', 'j', 'y']);
            match rest.chars().next() {
                // `ya`, `ye` and `yu` begin with no sound of their own, `yo` is `e` with two dots.
                Some('a' | 'e' | 'u') => {}
                Some('o') => {
                    push('e');
                    rest = rest.get(1..).unwrap_or_default();
                }
                _ => push('i'),
            }
            continue;
        }
        match first {
            'x' => ['k', 's'].into_iter().for_each(&mut push),
            _ => push(first),
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
    let letters = key.chars().filter(|c| c.is_alphanumeric()).count();
    (letters >= LEAST_LETTERS).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::folded;

    fn key(text: &str) -> String {
        transliteration_key(&folded(text)).unwrap()
    }

    #[test]
    fn usual_spellings_of_a_cyrillic_name_are_one() {
        for (cyrillic, spellings) in [
            ("Гельфанд", &["Gelfand", "Gel'fand"][..]),
            (
                "Васильев",
                &["Vasilev", "Vasilyev", "Vasiliev", "Wassiljew"],
            ),
            ("Ильин", &["Ilyin", "Ilin", "Iljin", "Il'in"]),
            (
                "Женевский",
                &["Zhenevsky", "Zhenevskiy", "Zhenevskij", "Zhenewski"],
            ),
            ("Юрий", &["Yuri", "Yuriy", "Jurij", "Iurii"]),
            ("Татьяна", &["Tatiana", "Tatyana", "Tatjana"]),
            ("Алёхин", &["Alekhin", "Alyokhin", "Aljokhin"]),
            ("Чигорин", &["Chigorin", "Tchigorin", "Tschigorin"]),
            ("Шевченко", &["Shevchenko", "Schewtschenko"]),
            ("Евгений", &["Yevgeny", "Evgeni", "Evgenij", "Jewgeni"]),
            ("Зайцев", &["Zaitsev", "Zaytsev", "Zajtsev"]),
            ("Алексей", &["Aleksey", "Alexei", "Aleksej"]),
            ("Щербаков", &["Shcherbakov", "Scherbakov", "Schtscherbakow"]),
            ("Ботвинник", &["Botvinnik", "Botwinnik"]),
            ("Юсупов", &["Yusupov", "Jussupow"]),
        ] {
            for spelling in spellings {
                assert_eq!(key(cyrillic), key(spelling), "{cyrillic} {spelling}");
            }
        }
        assert_ne!(key("Карпов"), key("Каспаров"));
        assert_ne!(key("Таль"), key("Тайманов"));
        assert!(transliteration_key("yu").is_none());
        assert!(has_cyrillic("Tal, Михаил") && !has_cyrillic("Étan Ωmega"));
    }
}
