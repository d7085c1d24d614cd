//! The table of docs/encodings.md, section 5: name lists of seventeen languages in each of their
//! code pages, dense and sparse, decoded with the guessed encoding. `cargo xtask languages
//! --held-out` runs this with the last lines of each list and a table that was made from the other
//! lines.

use std::collections::HashMap;
use std::path::PathBuf;

use chessdb_core::text::{Charset, CharsetGuess, CharsetPrior, EncodingDetector, Evidence, Text};

/// The lists, and the code pages in which such names were written.
const LISTS: [(&str, &str); 17] = [
    ("russian", "1251 866 855 koi8-r iso-8859-5 mac-cyrillic"),
    ("ukrainian", "1251 866 koi8-u iso-8859-5 mac-cyrillic"),
    ("bulgarian", "1251 866 mik iso-8859-5 mac-cyrillic"),
    ("polish", "1250 852 iso-8859-2 mac-ce"),
    ("czech-slovak", "1250 852 iso-8859-2 mac-ce"),
    ("hungarian", "1250 852 iso-8859-2 mac-ce"),
    ("yugoslav-latin", "1250 852 iso-8859-2 mac-ce"),
    ("german", "1252 437 850 chessbase latin1 iso-8859-15 mac"),
    ("french", "1252 437 850 chessbase latin1 iso-8859-15 mac"),
    (
        "spanish-portuguese",
        "1252 437 850 chessbase latin1 iso-8859-15 mac",
    ),
    ("scandinavian", "1252 850 latin1 mac"),
    ("turkish", "1254 857 iso-8859-9"),
    ("greek", "1253 737 iso-8859-7"),
    ("hebrew", "1255 862 iso-8859-8"),
    ("baltic", "1257"),
    ("english", "1252 850 mac"),
    ("international", "1252 1250 437 850 chessbase mac"),
];

/// The number of lines, and whether most of them are plain ASCII.
const SHAPES: [(&str, usize, bool); 6] = [
    ("dense whole", usize::MAX, false),
    ("dense 50", 50, false),
    ("dense 10", 10, false),
    ("sparse 200", 200, true),
    ("sparse 50", 50, true),
    ("sparse 10", 10, true),
];

/// Number of draws of each case.
const DRAWS: usize = 8;

/// A pseudo-random generator with a fixed sequence.
struct FixedRandom(u64);

impl FixedRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str], count: usize) -> Vec<&'a str> {
        let mut from = from.to_vec();
        let count = count.min(from.len());
        for n in 0..count {
            let other = n + self.below(from.len() - n);
            from.swap(n, other);
        }
        from.truncate(count);
        from
    }
}

/// Returns the text with substitutes, as typed by users, for letters that the code page lacks.
fn fit(text: &str, page: Charset) -> String {
    let fits = |c: char| {
        page.encode_strict(c.encode_utf8(&mut [0; 4]), &mut Vec::new())
            .is_ok()
    };
    text.chars()
        .map(|c| if fits(c) { c } else { plain(c) })
        .collect()
}

fn plain(c: char) -> char {
    const LETTERS: [(char, &str); 40] = [
        ('a', "áàâãäåāăą"),
        ('A', "ÁÀÂÃÄÅĀĂĄ"),
        ('c', "çćčĉ"),
        ('C', "ÇĆČĈ"),
        ('d', "ďđð"),
        ('D', "ĎĐÐ"),
        ('e', "éèêëēėęěə"),
        ('E', "ÉÈÊËĒĖĘĚƏ"),
        ('g', "ğģ"),
        ('G', "ĞĢ"),
        ('i', "íìîïīįıі"),
        ('I', "ÍÌÎÏĪĮİІ"),
        ('k', "ķ"),
        ('K', "Ķ"),
        ('l', "łľĺļ"),
        ('L', "ŁĽĹĻ"),
        ('n', "ñńňņ"),
        ('N', "ÑŃŇŅ"),
        ('o', "óòôõöøőō"),
        ('O', "ÓÒÔÕÖØŐŌ"),
        ('r', "řŕŗ"),
        ('R', "ŘŔŖ"),
        ('s', "śšşș"),
        ('S', "ŚŠŞȘ"),
        ('t', "ťţþț"),
        ('T', "ŤŢÞȚ"),
        ('u', "úùûüűůūų"),
        ('U', "ÚÙÛÜŰŮŪŲ"),
        ('y', "ýÿ"),
        ('Y', "ÝŸ"),
        ('z', "źżž"),
        ('Z', "ŹŻŽ"),
        ('\'', "’‘"),
        ('"', "“”„"),
        ('-', "–—"),
        ('е', "ё"),
        ('Е', "Ё"),
        ('г', "ґ"),
        ('Г', "Ґ"),
        ('ў', "ў"),
    ];
    let entry = LETTERS.iter().find(|(_, letters)| letters.contains(c));
    entry.map_or('?', |&(plain, _)| plain)
}

fn guess(lines: &[Vec<u8>], origin: CharsetPrior) -> Option<CharsetGuess> {
    let mut evidence = Evidence::new();
    lines.iter().for_each(|line| evidence.add(line));
    evidence.guess(origin)
}

/// Returns whether every line is decoded correctly.
fn is_right(lines: &[Vec<u8>], texts: &[String], guess: &CharsetGuess) -> bool {
    let detector = EncodingDetector::of_base(guess, Charset::WINDOWS_1252);
    let decoded = |line: &Vec<u8>| {
        let text = Text::new(line, detector.charset(line));
        text.decode().into_owned()
    };
    lines
        .iter()
        .zip(texts)
        .all(|(line, text)| decoded(line) == *text)
}

#[derive(Clone, Copy, Default)]
struct Count {
    all: u32,
    right: u32,
    wrong_and_low: u32,
    right_and_low: u32,
}

impl Count {
    fn share(self) -> f64 {
        100.0 * f64::from(self.right) / f64::from(self.all.max(1))
    }
}

/// Draws the lines of one case.
fn draw(
    list: &[&str],
    ascii: &[&str],
    lines: usize,
    sparse: bool,
    chance: &mut FixedRandom,
) -> Vec<String> {
    if !sparse {
        return chance
            .pick(list, lines)
            .into_iter()
            .map(str::to_owned)
            .collect();
    }
    let accented: Vec<&str> = list
        .iter()
        .copied()
        .filter(|line| !line.is_ascii())
        .collect();
    let (least, greatest) = ((lines / 50).max(1), (lines / 10).max(1));
    let of_list = least + chance.below(greatest - least + 1);
    let mut drawn = chance.pick(&accented, of_list);
    drawn.extend(chance.pick(ascii, lines - of_list.min(lines)));
    drawn.into_iter().map(str::to_owned).collect()
}

#[test]
fn lists_come_out_right() {
    let Some(root) = std::env::var_os("CHESSDB_TESTDATA") else {
        println!("CHESSDB_TESTDATA is not set: the name lists are not tried");
        return;
    };
    let root = PathBuf::from(root).join("encodings");
    let read = |name: &str| std::fs::read_to_string(root.join(name).with_extension("txt")).unwrap();
    let lists: HashMap<&str, String> = LISTS.iter().map(|&(name, _)| (name, read(name))).collect();
    let ascii: Vec<&str> = lists["international"]
        .lines()
        .chain(lists["english"].lines())
        .filter(|line| line.is_ascii())
        .collect();
    let skipped = std::env::var("CHESSDB_GUESS_SKIPS").map_or(0, |share| share.parse().unwrap());
    let mut chance = FixedRandom(0x5EED);
    let mut counts = [Count::default(); SHAPES.len()];
    let mut families: HashMap<(String, usize), Count> = HashMap::new();
    for (name, pages) in LISTS {
        let list: Vec<&str> = lists[name].lines().collect();
        let list = &list[list.len() * skipped / 100..];
        for page in pages.split(' ').chain(["utf-8"]) {
            let page = Charset::by_name(page).unwrap();
            for (shape, (_, lines, sparse)) in SHAPES.into_iter().enumerate() {
                let draws = if lines == usize::MAX { 1 } else { DRAWS };
                for _ in 0..draws {
                    let texts = draw(list, &ascii, lines, sparse, &mut chance);
                    let texts: Vec<String> = texts.iter().map(|text| fit(text, page)).collect();
                    let encoded: Vec<Vec<u8>> = texts
                        .iter()
                        .map(|text| {
                            let mut bytes = Vec::new();
                            page.encode_lossy(text, &mut bytes);
                            bytes
                        })
                        .collect();
                    for origin in origins(page) {
                        let Some(guess) = guess(&encoded, origin) else {
                            // The substitutes left only ASCII.
                            assert!(texts.iter().all(|text| text.is_ascii()), "{name} {page}");
                            continue;
                        };
                        let right = is_right(&encoded, &texts, &guess);
                        let family = families
                            .entry((format!("{name} {page}"), shape))
                            .or_default();
                        for count in [&mut counts[shape], family] {
                            count.all += 1;
                            count.right += u32::from(right);
                            count.wrong_and_low += u32::from(!right && guess.low);
                            count.right_and_low += u32::from(right && guess.low);
                        }
                        if !right && std::env::var_os("GUESS_VERBOSE").is_some() {
                            println!(
                                "{} {name} {page} {origin:?}: {} {:.2} {:?} {:?}",
                                SHAPES[shape].0,
                                guess.page,
                                guess.confidence,
                                guess.mixed,
                                guess.samples.first()
                            );
                        }
                    }
                }
            }
        }
    }
    let mut worst: Vec<_> = families
        .iter()
        .filter(|(_, count)| count.right < count.all)
        .collect();
    worst.sort_by(|a, b| (a.1.share(), a.0).partial_cmp(&(b.1.share(), b.0)).unwrap());
    for ((name, shape), count) in worst {
        println!(
            "{name}, {}: {} of {}",
            SHAPES[*shape].0, count.right, count.all
        );
    }
    for ((name, _, _), count) in SHAPES.iter().zip(counts) {
        println!(
            "{name}: {:.1} % of {}, wrong {} ({} low), right but low {}",
            count.share(),
            count.all,
            count.all - count.right,
            count.wrong_and_low,
            count.right_and_low
        );
    }
    for ((name, _, _), (count, least)) in SHAPES
        .iter()
        .zip(counts.into_iter().zip([99.5, 99.0, 98.5, 98.0, 98.0, 95.0]))
    {
        assert!(count.share() >= least, "{name}: {:.1} %", count.share());
    }
    let wrong: u32 = counts.iter().map(|count| count.all - count.right).sum();
    let low: u32 = counts.iter().map(|count| count.wrong_and_low).sum();
    assert!(
        low * 10 >= wrong * 9,
        "{low} of {wrong} wrong guesses are of low confidence"
    );
}

/// A single word in the default code page, from none of the lists: not enough evidence for a rare
/// code page.
#[test]
fn one_word_is_in_the_usual_page() {
    let words = "naïve façade über señor café déjà résumé Zoë Ångström smörgåsbord Niño jalapeño crêpe \
                 fiancée Motörhead Düsseldorf Málaga København Besançon Curaçao Brontë Chloë \
                 piñata coöperate protégé Malmö Århus Tromsø Genève Montréal Perón Bogotá Cádiz";
    let read = |word: &str| {
        let mut bytes = Vec::new();
        Charset::WINDOWS_1252
            .encode_strict(word, &mut bytes)
            .unwrap();
        let guess = guess(std::slice::from_ref(&bytes), CharsetPrior::AnyProgram).unwrap();
        let text = Text::new(&bytes, guess.page).decode().into_owned();
        (text != word).then(|| format!("{text} ({}, {:.2})", guess.page, guess.confidence))
    };
    let wrong: Vec<String> = words.split_whitespace().filter_map(read).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Returns the possible origins of texts in this code page: DOS code pages occur in any database
/// and in ChessBase databases; ChessBase's own code page is tried only there.
fn origins(page: Charset) -> Vec<CharsetPrior> {
    match page.name() {
        "ChessBase" => vec![CharsetPrior::ChessBaseDos],
        "MIK" | "IBM866" => vec![CharsetPrior::AnyProgram, CharsetPrior::ChessBaseDos],
        name if name.starts_with("CP") => {
            vec![CharsetPrior::AnyProgram, CharsetPrior::ChessBaseDos]
        }
        _ => vec![CharsetPrior::AnyProgram],
    }
}
