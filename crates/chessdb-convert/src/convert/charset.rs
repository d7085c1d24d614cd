//! The choice of the code page of a new database (docs/encodings.md, section 7).

use std::collections::{BTreeMap, BTreeSet};

use chessdb_core::format::Charsets;
use chessdb_core::text::EncodingDetector;
#[cfg(feature = "ascii")]
use chessdb_core::text::{Text, Texts};
use chessdb_core::{BaseInfo, Charset, Format};
use chessdb_database::Database;
use chessdb_database::texts::{sample_games, texts_of};
use chessdb_files::report::Written;

use super::conversion::Conversion;
use super::converter::Input;
use super::read_back::ReadBack;

/// Maximum number of unrepresentable texts shown as samples.
const SAMPLES: usize = 5;

impl Conversion<'_> {
    /// Chooses the charset of texts, once the first source is open.
    pub(super) fn choose_charset(&mut self, db: &Database) {
        let keeps = self.is_only_source || self.kept.is_some();
        let same = db.format().id == self.format.id && keeps;
        let named = self.charset;
        if same && named.is_none() {
            // Copied texts keep their bytes.
            self.detector = Some(detector_of(db));
            return;
        }
        // Bytes in the code page that the caller set for reading are copied, regardless of any
        // guess.
        let is_copied = same && named.is_some() && db.reading().charset == named;
        self.reads_back = self.format.charset_prior.is_some() && !is_copied;
        if !depends_on_texts(self.format) {
            return;
        }
        // A target has one code page for all sources.
        let mut sample = std::mem::take(&mut self.others);
        sample.add(db);
        let SourceSample { texts, games } = sample;
        let settings = &self.options.settings;
        let own = db.charset().map(|guess| guess.page);
        let misread = |page: Charset| {
            let is_usual =
                self.format.pages.is_empty() && self.format.default_charset == Some(page);
            // The default is not passed, so that the sample is written as it would be without a
            // choice.
            let page = Some(page).filter(|_| !is_usual);
            let losses = games.losses(self.format, page, &BaseInfo::default(), settings);
            losses.iter().map(|loss| loss.count).sum::<u32>()
        };
        if let Some(written) = choose(self.format, &texts, named, own, &misread) {
            self.charset = Some(written.charset);
            self.written = Some(written);
        }
    }
}

/// Returns the detector with which the texts of a database are read, so that unchanged texts keep
/// their bytes, and new ones get the same code page.
pub(super) fn detector_of(db: &Database) -> EncodingDetector {
    let format = db.format();
    let usual = format.default_charset.unwrap_or(Charset::WINDOWS_1252);
    match format.pages {
        [] => db.reading().detector(usual),
        _ => db.reading().uniform_detector(usual),
    }
}

/// Returns whether the code page of this format depends on the texts. Only then are texts sampled
/// in advance.
pub(super) fn depends_on_texts(format: &Format) -> bool {
    format.charsets == Charsets::Undeclared || !format.pages.is_empty()
}

/// Sampled texts and games of the sources.
#[derive(Default)]
pub(super) struct SourceSample {
    texts: BTreeSet<String>,
    games: ReadBack,
}

impl SourceSample {
    fn add(&mut self, db: &Database) {
        self.texts.extend(texts_of(db));
        // ASCII texts read the same in every code page.
        if !self.texts.is_empty() {
            sample_games(db, &mut |game| self.games.see(game));
        }
    }

    /// Adds a source that can be opened twice.
    pub(super) fn add_source(&mut self, source: &Input<'_>) {
        match source {
            Input::Open(db, _) => self.add(db),
            Input::Found(database, options) if !database.is_pipe() => {
                // A source that cannot be opened is reported when it is converted.
                if let Ok(db) = options.clone().streaming(true).open_found(database.again()) {
                    self.add(&db);
                }
            }
            _ => {}
        }
    }
}

/// Chooses the code page of the target: `named` if set, otherwise the one that can represent the
/// most texts. Returns `None` if there are no non-ASCII texts. `own`, the code page of the sources,
/// is preferred among equals. Among pages that fit equally well, the one is chosen for which
/// `misread` counts the fewest texts that a reader would decode incorrectly.
fn choose(
    format: &Format,
    texts: &BTreeSet<String>,
    named: Option<Charset>,
    own: Option<Charset>,
    misread: &dyn Fn(Charset) -> u32,
) -> Option<Written> {
    if texts.is_empty() {
        return None;
    }
    if format.pages.is_empty() {
        return utf8_if_better(format, texts, named, misread);
    }
    let own = own.filter(|own| format.pages.contains(own));
    let pages = own.into_iter().chain(format.pages.iter().copied());
    let counted: Vec<(Charset, PageFit)> = pages
        .map(|page| (page, PageFit::new(page, texts)))
        .collect();
    let order = |fit: &PageFit| (fit.letters, fit.signs);
    let best_order = counted.iter().map(|(_, fit)| order(fit)).min()?;
    let mut equals = counted.iter().filter(|(_, fit)| order(fit) == best_order);
    // Among equals, the first that readers decode correctly.
    let first = equals.next()?;
    let mut best = (first, named.map_or_else(|| misread(first.0), |_| 0));
    for next in equals {
        // No page can be better than one without errors.
        if best.1 == 0 {
            break;
        }
        let wrong = misread(next.0);
        if wrong < best.1 {
            best = (next, wrong);
        }
    }
    let best = best.0;
    let charset = named.unwrap_or(best.0);
    let fit = PageFit::new(charset, texts);
    Some(Written {
        charset,
        texts: texts.len(),
        fit: texts.len() - fit.lost,
        better: (best.1.lost < fit.lost).then(|| (best.0, texts.len() - best.1.lost)),
        samples: fit.samples,
    })
}

/// Returns UTF-8 for a format that writes it only where its standard code page lacks a letter, if a
/// reader would decode the mixture of the two incorrectly.
fn utf8_if_better(
    format: &Format,
    texts: &BTreeSet<String>,
    named: Option<Charset>,
    misread: &dyn Fn(Charset) -> u32,
) -> Option<Written> {
    let usual = format.default_charset?;
    let wrong = match named {
        None => misread(usual),
        Some(_) => 0,
    };
    (wrong > 0 && misread(Charset::UTF_8) < wrong).then(|| Written {
        charset: Charset::UTF_8,
        texts: texts.len(),
        fit: texts.len(),
        samples: Vec::new(),
        better: None,
    })
}

/// How many texts a code page can represent.
struct PageFit {
    /// Numbers of texts that lose a letter, that lose another character, and that lose either.
    letters: usize,
    signs: usize,
    lost: usize,
    samples: Vec<String>,
}

impl PageFit {
    fn new(page: Charset, texts: &BTreeSet<String>) -> PageFit {
        let mut encodable: BTreeMap<char, bool> = BTreeMap::new();
        let mut lacks = |c: char| !*encodable.entry(c).or_insert_with(|| can_encode(page, c));
        let mut fit = PageFit {
            letters: 0,
            signs: 0,
            lost: 0,
            samples: Vec::new(),
        };
        for text in texts {
            let (mut letters, mut signs) = (false, false);
            for c in text.chars().filter(|c| !c.is_ascii()) {
                let lost = lacks(c);
                letters |= lost && c.is_alphabetic();
                signs |= lost && !c.is_alphabetic();
            }
            fit.letters += usize::from(letters);
            fit.signs += usize::from(signs);
            if letters || signs {
                fit.lost += 1;
                if fit.samples.len() < SAMPLES {
                    fit.samples.push(text.clone());
                }
            }
        }
        fit
    }
}

fn can_encode(page: Charset, c: char) -> bool {
    let mut utf8 = [0; 4];
    page.encode_strict(c.encode_utf8(&mut utf8), &mut Vec::new())
        .is_ok()
}

/// Transliterates texts with letters that the code page lacks; returns the number of changed texts.
#[cfg(feature = "ascii")]
pub(super) fn transliterate(game: &mut chessdb_core::Game, page: Charset, old: &mut Texts) -> u32 {
    let fits = |text: Text<'_>| {
        let decoded = text.decode();
        page.encode_strict(&decoded, &mut Vec::new()).is_ok()
    };
    let beyond = |text: Text<'_>| text.charset() != page && !text.as_bytes().is_ascii();
    if !game
        .texts
        .iter()
        .any(|(_, text)| beyond(text) && !fits(text))
    {
        return 0;
    }
    // Ids of texts must stay, so all texts are added again in their order.
    std::mem::swap(&mut game.texts, old);
    game.texts.clear();
    let mut changed = 0;
    for (_, text) in old.iter() {
        if !beyond(text) || fits(text) {
            game.texts.push(text.as_bytes(), text.charset());
            continue;
        }
        changed += 1;
        let mut plain = String::new();
        for c in text.decode().chars() {
            if can_encode(page, c) {
                plain.push(c)
            } else {
                plain.push_str(any_ascii::any_ascii_char(c))
            }
        }
        game.texts.push(plain.as_bytes(), Charset::UTF_8);
    }
    changed
}
