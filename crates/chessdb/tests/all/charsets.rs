//! Charset detection with little evidence: moves in the piece letters of a language, truncated
//! UTF-8, ChessBase's symbols (docs/encodings.md).

use std::io::Read;

use chessdb::core::{Charset, MemorySet};
use chessdb::{Converter, Database};

fn encoded(text: &str, charset: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let charset = Charset::by_name(charset).unwrap();
    charset.encode_strict(text, &mut bytes).unwrap();
    bytes
}

/// Returns all non-ASCII texts in order.
fn texts(db: &Database) -> Vec<String> {
    let mut texts = Vec::new();
    for game in db.games() {
        let game = game.unwrap();
        let decoded = game
            .texts
            .iter()
            .map(|(_, text)| text.decode().into_owned());
        texts.extend(decoded.filter(|text| !text.is_ascii()));
    }
    texts
}

/// Returns games with these names and comments in turn.
fn pgn(names: &[&str], comments: &[&str]) -> String {
    let mut text = String::new();
    for n in 0..4 {
        let name = |more: usize| names[(n + more) % names.len()];
        text += &format!(
            "[Event \"Open {n}\"]\n[White \"{}\"]\n[Black \"{}\"]\n[Result \"*\"]\n\n",
            name(0),
            name(1)
        );
        for (ply, mv) in ["1. e4", "e5", "2. Nf3", "Nc6", "3. Bb5", "a6"]
            .iter()
            .enumerate()
        {
            let comment = comments[(n * 6 + ply) % comments.len()];
            text += &format!("{mv} {{{comment}}} ");
        }
        text += "*\n\n";
    }
    text
}

/// Languages with their code pages: names, and comments with moves only, with few other words, and
/// with many.
const NOTATION: [(&str, [&[&str]; 5]); 10] = [
    (
        "cp1251 koi8-r cp866 mac-cyrillic iso-8859-5 utf-8",
        [
            &["Каспаров, Гарри", "Карпов, Анатолий", "Таль, Михаил"],
            &[
                "Кd4",
                "Фb8",
                "Лh7",
                "Сg5",
                "Крg1, 0-0",
                "0-0-0",
                "Кbd7",
                "Л:e8",
                "e8Ф",
            ],
            &["Кd4", "Фb8", "Лad1", "Ф-h5", "п:d5", "Сf1-b5", "Кр:f2"],
            &[
                "и Кd4",
                "с угрозой Фb8",
                "под боем Лh7 и Сg5",
                "0-0",
                "Кf3 и ход белых",
            ],
            &[
                "и Фa1",
                "белые получили сильный фланг, грозит Лh7 с матом",
                "защиты от Сg5 не видно",
                "теперь следует королевский гамбит и Кd4",
            ],
        ],
    ),
    (
        "cp1251 cp866 mik",
        [
            &[
                "Топалов, Веселин",
                "Стефанова, Антоанета",
                "Чепаринов, Иван",
            ],
            &["Дd8", "Тa1", "Оf5", "Кc3", "Цg1", "0-0"],
            &["Дd8", "Оf5", "Тfe1", "Цh2"],
            &["с идея Дd8", "заплаха Оf5", "0-0", "и Тa1"],
            &[
                "белите стоят по-добре след Дd8",
                "черните печелят с Кc3",
                "ход на белите",
            ],
        ],
    ),
    (
        "cp1251 koi8-u",
        [
            &["Іванчук, Василь", "Пономарьов, Руслан", "Ельянов, Павло"],
            &["Фd8", "Тa1", "Сf5", "Кc3", "Крg1", "0-0"],
            &["Фd8", "Сf5", "Тfe1", "Крh2"],
            &["з ідеєю Фd8", "загроза Сf5", "0-0", "і Тa1"],
            &[
                "білі стоять краще після Фd8",
                "чорні виграють",
                "хід білих і Кc3",
            ],
        ],
    ),
    (
        "cp1253 iso-8859-7 cp737 utf-8",
        [
            &[
                "Παπαδόπουλος, Γιάννης",
                "Κοτρωνιάς, Βασίλης",
                "Σκέμπρης, Σπύρος",
            ],
            &["Βd8", "Πa1", "Αf5", "Ιc3", "Ρg1", "0-0"],
            &["Βd8", "Αf5", "Πfe1"],
            &["με ιδέα Βd8", "απειλή Αf5", "0-0", "και Πa1"],
            &[
                "τα λευκά είναι καλύτερα μετά το Βd8",
                "ο μαύρος κερδίζει με Ιc3",
            ],
        ],
    ),
    (
        "cp1255 iso-8859-8 cp862 utf-8",
        [
            &["גלפנד בוריס", "סמירין איליה", "סוטובסקי אמיל"],
            &["מהd8", "צa1", "רf5", "פc3", "מg1"],
            &["צa1", "רf5", "פc3"],
            &["לבן מאיים צa1", "שחור מנצח", "רf5"],
            &["לבן עומד טוב יותר אחרי פc3", "שחור מנצח עם צa1"],
        ],
    ),
    (
        "cp1250 iso-8859-2 cp852 utf-8",
        [
            &["Wojtaszek, Radosław", "Święcz, Bogdan", "Bartosz, Soćko"],
            &["Hd4", "Gf5", "Wa1", "Sc3"],
            &["Hd4 i białe wygrywają", "Gf5"],
            &["białe stoją lepiej, Hd4", "czarne grożą Gf5", "0-0"],
            &[
                "białe stoją lepiej po Hd4",
                "czarne grożą matem na siódmej linii",
                "skoczek",
            ],
        ],
    ),
    (
        "cp1252 cp850 utf-8",
        [
            &["Hübner, Robert", "Müller, Jürgen", "Weiß, Günther"],
            &["Dd4", "Lf5", "Ta1", "Sc3"],
            &["Dd4 mit Vorteil für Weiß", "Lf5"],
            &["Weiß droht Dd4", "für Schwarz günstig ist Lf5", "0-0"],
            &[
                "Weiß steht besser nach Dd4",
                "Schwarz hätte Lf5 spielen müssen",
                "natürlich",
            ],
        ],
    ),
    (
        "cp1252 cp850 utf-8",
        [
            &["Vachier, Rémi", "Lautier, Joël", "Bacrot, Étienne"],
            &["Dd4", "Ff5", "Ta1", "Cc3"],
            &["Dd4 échec", "Ff5"],
            &["avec l'idée Dd4", "à noter Ff5", "0-0"],
            &[
                "les Blancs sont mieux après Dd4",
                "la dernière défense était Cc3",
                "échec",
            ],
        ],
    ),
    (
        "cp1254 cp857 utf-8",
        [
            &["Şahin, Çağlar", "Yılmaz, Mustafa", "Güneş, Oğuz"],
            &["Şg1", "Vd4", "Fb5", "Şf2"],
            &["Şg1 ve beyaz üstün", "Vd4"],
            &["beyaz daha iyi, Şg1", "siyah kazanıyor Fb5", "0-0"],
            &[
                "beyaz Vd4 ile kazanıyor",
                "siyahın şahı açık, Şg1",
                "çok güçlü",
            ],
        ],
    ),
    (
        "cp1257 utf-8",
        [
            &[
                "Šarūnas, Šulskis",
                "Čmilytė, Viktorija",
                "Rozentalis, Žydrūnas",
            ],
            &["Žf3", "Vd4", "Rb5", "Žc3"],
            &["Žf3 ir baltųjų pozicija geresnė", "Vd4"],
            &["baltieji grasina Žf3", "juodųjų gynyba", "0-0"],
            &["baltųjų pozicija geresnė po Žf3", "juodieji laimi šachą"],
        ],
    ),
];

/// Tests every language in each of its code pages, with names in Latin letters and in the
/// language's own, and with four kinds of comments: the result must be correct, or reported as
/// doubtful.
#[test]
fn moves_in_the_letters_of_a_language_say_which_page_it_is() {
    let latin = ["Kasparov, G", "Karpov, A", "Tal, M"];
    let (mut all, mut doubtful, mut wrong) = (0, 0, Vec::new());
    for (pages, [own, kinds @ ..]) in NOTATION {
        for page in pages.split(' ') {
            for (kind, comments) in kinds.iter().enumerate() {
                for (names, of_names) in [(&latin[..], "latin"), (own, "own")] {
                    let text = pgn(names, comments);
                    let open = |bytes: Vec<u8>| {
                        Database::options().open_files([("a.pgn", bytes)]).unwrap()
                    };
                    let expected = texts(&open(text.clone().into_bytes()));
                    let db = open(encoded(&text, page));
                    let found = texts(&db);
                    let low = db.charset().is_some_and(|guess| guess.low);
                    all += 1;
                    doubtful += usize::from(low);
                    if found != expected && !low {
                        let guess = db.charset();
                        let pair = found.iter().zip(&expected).find(|(a, b)| a != b);
                        wrong.push(format!(
                            "{page}, kind {kind}, {of_names}: {pair:?}: {guess:?}"
                        ));
                    }
                }
            }
        }
    }
    println!("{doubtful} of {all} are doubtful");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(doubtful * 5 < all, "{doubtful} of {all} are doubtful");
}

/// Names in twenty scripts.
const SCRIPTS: [[&str; 3]; 20] = [
    ["Müller", "Größe", "Jürgen"],
    ["Étienne", "Joël", "Rémi"],
    ["Łódź", "Święcz", "Radosław"],
    ["Məmmədov", "Əliyev", "Şəhriyar"],
    ["Šarūnas", "Čmilytė", "Žydrūnas"],
    ["Çağlar", "Yılmaz", "Şahin"],
    ["Nguyễn", "Lê Quang Liêm", "Trần Hưng"],
    ["Þórhallsson", "Guðmundur", "Ægir"],
    ["Каспаров", "Таль", "Ёлкин"],
    ["Іванчук", "Ґудзь", "Їжак"],
    ["Παπαδόπουλος", "Κοτρωνιάς", "Έλλη"],
    ["גלפנד", "סמירין", "בוריס"],
    ["محمد", "باسم أمين", "غائم"],
    ["Պետրոսյան", "Արոնյան", "Լևոն"],
    ["ჯობავა", "ბაადურ", "ნონა"],
    ["आनंद", "विश्वनाथन", "गुकेश"],
    ["สมชาย", "ประเทศไทย", "หมากรุก"],
    ["丁立人", "侯逸凡", "王"],
    ["ひふみん", "カタカナ", "羽生善治"],
    ["김지훈", "이준", "한국"],
];

fn of_script(names: &[&str; 3]) -> String {
    let [white, black, comment] = names;
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 {{{comment}}} *\n\n")
}

/// Truncated files: everything complete is read correctly.
#[test]
fn utf8_that_is_cut_stays_utf8() {
    for names in &SCRIPTS {
        let text = of_script(names);
        for end in 1..text.len() {
            let cut = &text.as_bytes()[..end];
            let whole = String::from_utf8_lossy(cut);
            let db = Database::options().open_files([("a.pgn", cut)]);
            let Ok(db) = db else { continue };
            let found = texts(&db);
            let is_whole = |name: &&&str| {
                whole.contains(&format!("{name}\"]")) || whole.contains(&format!("{name}}}"))
            };
            for name in names.iter().filter(is_whole) {
                let shown = found.iter().any(|text| text == name);
                assert!(
                    shown,
                    "{name} is not in {found:?} of {whole:?}, {:?}",
                    db.charset()
                );
            }
        }
    }
}

/// A tag truncated within a character: the rest is still UTF-8, and the location is reported.
#[test]
fn one_cut_character_is_a_finding() {
    for names in &SCRIPTS {
        let last = names.concat().chars().rfind(|c| !c.is_ascii()).unwrap();
        let mut bytes = of_script(names).into_bytes();
        let at = bytes.len();
        bytes.extend_from_slice(b"[White \"A");
        bytes.extend_from_slice(&last.to_string().as_bytes()[..1]);
        bytes.extend_from_slice(b"\"]\n\n1. d4 *\n");
        let db = Database::options().open_files([("a.pgn", bytes)]).unwrap();
        let guess = db.charset().unwrap();
        assert!(
            guess.page == Charset::UTF_8 && !guess.low,
            "{names:?} {guess:?}"
        );
        assert_eq!(texts(&db)[..3], names[..]);
        let game = db.game(1).unwrap();
        let found: Vec<_> = game.diagnostics().iter().collect();
        let [finding] = found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(finding.at.offset, Some(at as u64 + 9), "{finding}");
    }
}

/// Text that arrives, or is sampled, in pieces that end anywhere in it.
#[test]
fn pieces_end_between_words() {
    struct Pieces(Vec<u8>, usize);
    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0.drain(..length);
            Ok(length)
        }
    }
    for names in &SCRIPTS {
        let text = of_script(names);
        for before in 0..text.len() {
            // The non-ASCII text crosses byte 4096, on one long line or on short ones.
            for filler in ["x ", "x\n"] {
                let rest = 4096 - before.min(4000);
                let mut bytes = b"[Event \"x\"]\n\n1. e4 {".to_vec();
                let filler = filler.repeat(rest);
                bytes.extend_from_slice(&filler.as_bytes()[..rest - bytes.len() - 5]);
                bytes.extend_from_slice(b"} *\n\n");
                bytes.extend_from_slice(text.as_bytes());
                let db = Database::options().open_files([("a.pgn", bytes)]).unwrap();
                assert_eq!(texts(&db), names[..], "{before}");
                assert_eq!(
                    db.charset().unwrap().page,
                    Charset::UTF_8,
                    "{names:?} {before}"
                );
            }
        }
        for piece in (1..60).chain([100, 1000]) {
            let bytes = text.clone().into_bytes();
            let db = Database::from_reader(Pieces(bytes, piece)).unwrap();
            assert_eq!(texts(&db), names[..], "pieces of {piece}");
        }
    }
    // In a single-byte code page no word is lost at the end of a piece.
    for before in 0..40 {
        let mut bytes = b"[Event \"x\"]\n\n1. e4 {".to_vec();
        bytes.resize(4096 - before, b' ');
        bytes.extend(encoded("Каспаров, Карпов", "cp1251"));
        bytes.extend_from_slice(b"} *\n\n");
        let db = Database::options().open_files([("a.pgn", bytes)]).unwrap();
        assert_eq!(
            db.charset().unwrap().page,
            Charset::WINDOWS_1251,
            "{before}"
        );
    }
}

/// ChessBase's symbols are not Hebrew, and UTF-8 in its comments is not read as symbols.
#[test]
fn signs_in_comments_are_no_letters() {
    let read = |comments: [&[u8]; 2]| {
        let mut files = MemorySet::new();
        let placeholder = ["A".repeat(comments[0].len()), "B".repeat(comments[1].len())];
        let text = format!("1. e4 {{{}}} e5 {{{}}} *\n", placeholder[0], placeholder[1]);
        let db = Database::options().open_files([("a.pgn", text)]).unwrap();
        let converter = Converter::to_sink(&mut files)
            .format("cbh")
            .add_database(&db);
        converter.run().unwrap();
        let mut changed = MemorySet::new();
        for (role, bytes) in files.iter() {
            let mut bytes = bytes.to_vec();
            for (from, to) in placeholder.iter().zip(comments) {
                let found = bytes
                    .windows(from.len())
                    .position(|at| at == from.as_bytes());
                if let Some(at) = found {
                    bytes[at..at + to.len()].copy_from_slice(to);
                }
            }
            changed.insert(role, bytes);
        }
        texts(&Database::from_files(changed).unwrap())
    };
    assert_eq!(
        read([b"is \x82\xD7\xBB now", b"after \xD7\xA5 it"]),
        ["is →×⟫ now", "after ×♗ it"]
    );
    assert_eq!(
        read([b"\xA4\xD7\xA6 \xB1", b"na\xEFve"]),
        ["♘×♖ ±", "naïve"]
    );
    assert_eq!(read(["слон".as_bytes(), b"na\xEFve"]), ["слон", "naïve"]);
    assert_eq!(
        read(["טוב מאוד".as_bytes(), b"after \xD7\xA5 it"])[0],
        "טוב מאוד"
    );
    assert_eq!(read(["平".as_bytes(), "Weiß".as_bytes()]), ["平", "Weiß"]);
}

/// Moves with Russian piece letters are moves of the game, not words in comments.
#[test]
fn movetext_in_russian_letters_says_which_page_it_is() {
    let game = "[White \"Kasparov\"]\n[Black \"Karpov\"]\n\n1. e4 e5 2. Кf3 Кc6 3. Сb5 a6 4. Сa4 Кf6 5. 0-0 Сe7 6. Лe1 b5 *\n\n";
    for page in ["cp1251", "koi8-r", "cp866", "mac-cyrillic", "utf-8"] {
        let bytes = encoded(&game.repeat(3), page);
        let db = Database::options().open_files([("a.pgn", bytes)]).unwrap();
        let guess = db.charset().unwrap();
        let page = Charset::by_name(page).unwrap();
        // Code page 866 and Mac Cyrillic have the same capitals.
        let twin = page == Charset::MAC_CYRILLIC && guess.page == Charset::IBM866;
        assert!(guess.page == page || twin, "{page}: {guess:?}");
        for n in 0..3 {
            let game = db.game(n).unwrap();
            assert_eq!(game.plies(), 12, "{page}");
        }
    }
}
