//! Round trips of texts through every format: read back, they must be equal, or the change must be
//! announced.
//!
//! The code page is guessed over a whole database (docs/encodings.md). These databases are small,
//! so the guess has little to go by.

use chessdb::convert::{GameRef, Observer};
use chessdb::core::loss::Loss;
use chessdb::core::{MemorySet, compare};
use chessdb::{Converter, Database, Format, Losses};
use chessdb_proof::matrix::targets;
use chessdb_testkit::judge::{Excused, Problem, judge};
use chessdb_testkit::rng::Rng;
use chessdb_testkit::time::one_of;

/// Words of twenty-four languages in ten scripts, and other characters found in texts.
const WORDS: [&[&str]; 25] = [
    &["Müller", "Größe", "über", "Weiß", "Schröder", "Köln"],
    &["naïve", "déjà", "Étienne", "garçon", "crêpe", "Joël", "où"],
    &["São", "Leitão", "João", "peão", "Conceição", "não"],
    &["señor", "Núñez", "jugó", "¿qué?", "José", "más"],
    &["Łódź", "Święcz", "białe", "stoją", "są", "Wałęsa"],
    &["Štěpán", "Řehoř", "Dvořák", "bílý", "věž", "Žďár"],
    &["Szőke", "világos", "Győr", "hű", "Lékó", "Csőke"],
    &["Đorđe", "Čačak", "Žarko", "Šahović", "kraljević"],
    &["Şahin", "Çağlar", "Yılmaz", "ığdır", "Güneş"],
    &["Məmmədov", "Əliyev", "Şəhriyar", "Bakı"],
    &["Šarūnas", "Čmilytė", "baltųjų", "Žydrūnas", "ėjimas"],
    &["Guðmundur", "Þór", "Ægir", "Jóhann", "skák"],
    &["Århus", "Bjørn", "Malmö", "Tromsø", "løber", "går"],
    &[
        "Каспаров",
        "слон",
        "ферзь",
        "белые",
        "и",
        "Кd4",
        "Ёлкин",
        "Фb8",
    ],
    &["Іванчук", "білі", "Їжак", "ґанок", "є"],
    &["Παπαδόπουλος", "λευκά", "Γιάννης", "ο", "Βd8"],
    &["גלפנד", "לבן", "צריח", "א", "בוריס"],
    &["محمد", "أمين", "باسم", "و"],
    &["Պետրոսյան", "Լևոն", "և"],
    &["ჯობავა", "ნონა", "და"],
    &["आनंद", "गुकेश", "और"],
    &["สมชาย", "หมากรุก", "ก"],
    &[
        "丁立人",
        "侯逸凡",
        "王",
        "宫",
        "羽生善治",
        "カタカナ",
        "김지훈",
    ],
    &["Nguyễn", "Lê", "Trần", "Hưng", "đúng"],
    &[
        "♘f3",
        "±",
        "½",
        "—",
        "“so”",
        "’s",
        "№ 7",
        "co\u{AD}op",
        "50 €",
        "…",
    ],
];

const PLAIN: [&str; 8] = [
    "the",
    "White",
    "better",
    "plan",
    "Tal",
    "a",
    "Open 2013",
    "was",
];

struct Texts<'r> {
    rng: &'r mut Rng,
    languages: Vec<usize>,
    /// The percentage of plain words.
    plain: usize,
}

impl Texts<'_> {
    fn words(&mut self, max_words: usize) -> String {
        let count = 1 + self.rng.below(max_words);
        let words: Vec<&str> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn word(&mut self) -> &'static str {
        if self.rng.below(100) < self.plain {
            return PLAIN[self.rng.below(PLAIN.len())];
        }
        let words = WORDS[self.languages[self.rng.below(self.languages.len())]];
        words[self.rng.below(words.len())]
    }

    fn tag(&mut self, name: &str, text: &mut String) {
        let words = if self.rng.below(8) == 0 { 9 } else { 2 };
        if self.rng.below(3) > 0 {
            *text += &format!("[{name} \"{}\"]\n", self.words(words));
        }
    }

    fn comment(&mut self, text: &mut String) {
        if self.rng.below(2) == 0 {
            let words = if self.rng.below(6) == 0 { 40 } else { 3 };
            *text += &format!("{{{}}} ", self.words(words));
        }
    }
}

/// Returns a database of one to five games as PGN in UTF-8.
fn base(rng: &mut Rng) -> String {
    let languages = [1, 1, 1, 2, 2, 3, 5][rng.below(7)];
    let languages = (0..languages).map(|_| rng.below(WORDS.len())).collect();
    let plain = [0, 30, 80, 95][rng.below(4)];
    let games = 1 + rng.below(5);
    let mut texts = Texts {
        rng,
        languages,
        plain,
    };
    let mut text = String::new();
    for _ in 0..games {
        for tag in ["Event", "Site", "White", "Black", "Annotator", "Opening"] {
            texts.tag(tag, &mut text);
        }
        text += "[Result \"*\"]\n\n";
        texts.comment(&mut text);
        for mv in ["1. e4 ", "e5 ", "2. Nf3 ", "Nc6 "] {
            text += mv;
            texts.comment(&mut text);
        }
        text += "*\n\n";
    }
    text
}

struct Announced(Vec<Losses>);

impl Observer for Announced {
    fn loss(&mut self, game_ref: GameRef, loss: &Loss) {
        let losses = self.0.get_mut(game_ref.game as usize - 1).unwrap();
        losses.add_many(loss.kind, loss.count, loss.ply);
    }
}

/// Returns the changes that were not announced.
fn silent(source: &Database, target: &'static Format) -> Vec<String> {
    let games = source.len().unwrap() as usize;
    let mut announced = Announced(vec![Losses::new(); games]);
    let mut files = MemorySet::new();
    let report = Converter::to_sink(&mut files)
        .format(target)
        .add_database(source)
        .observer(&mut announced)
        .run()
        .unwrap();
    let back = Database::options()
        .format(target.id)
        .open_set(files)
        .unwrap();
    if back.len().unwrap() as usize != games {
        // The target joins games; the module `games` compares these one by one.
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (n, losses) in announced.0.iter_mut().enumerate() {
        losses.merge(report.base_losses());
        let (before, after) = (source.game(n as u32).unwrap(), back.game(n as u32).unwrap());
        let seen = compare::games(&before, &after);
        for problem in judge(&seen, losses, &mut Excused::new()) {
            if let Problem::NotAnnounced(what) = problem {
                problems.push(format!(
                    "{}, game {}: {what}; {:?}",
                    target.id,
                    n + 1,
                    back.charset()
                ));
            }
        }
    }
    problems
}

/// Tests forty databases; forty times as many if `CHESSDB_THOROUGH` is set.
#[test]
fn texts_come_back_or_are_announced() {
    let mut problems = Vec::new();
    let mut announced = 0;
    for seed in (0..1600).step_by(one_of(40)) {
        let text = base(&mut Rng::new(seed));
        let source = Database::options()
            .open_files([("a.pgn", text.clone())])
            .unwrap();
        // The source must be read as UTF-8.
        for game in source.games() {
            for (_, read) in game.unwrap().texts.iter() {
                assert!(
                    text.contains(&*read.decode()),
                    "{seed}: {} in {text}",
                    read.decode()
                );
            }
        }
        for target in targets() {
            let losses = silent(&source, target);
            announced += usize::from(losses.is_empty());
            problems.extend(
                losses
                    .into_iter()
                    .map(|problem| format!("{seed} {problem}")),
            );
        }
    }
    println!("{announced} conversions came back or were announced");
    let shown: Vec<_> = problems.iter().take(12).collect();
    assert!(
        problems.is_empty(),
        "{} problems: {shown:#?}",
        problems.len()
    );
}
