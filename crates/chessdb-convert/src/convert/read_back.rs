//! A check whether readers will decode the texts of a new database correctly (docs/encodings.md,
//! section 7).
//!
//! Readers guess the charset from a whole database, which the writer of a single text cannot
//! foresee. A sample of the games is therefore also written into memory and opened as any reader
//! opens it.

use chessdb_core::model::Token;
use chessdb_core::{
    BaseInfo, Charset, Format, Game, LossKind, Losses, MemorySet, Scratch, Text, WriteOptions,
};
use chessdb_database::Database;
use chessdb_database::texts::{each_text, header_sampling_step};
use chessdb_database::{OpenOptions, TextField};

/// Maximum numbers of sampled games and of bytes of their texts.
const GAMES: usize = 256;
const BYTES: usize = 1 << 22;

/// A sample of the games with non-ASCII texts.
#[derive(Clone, Default, Debug)]
pub(super) struct ReadBack {
    games: Vec<Game>,
    /// Bytes of the texts of the sampled games.
    bytes: usize,
    /// One in `1 << sampling_shift` games with non-ASCII texts is sampled.
    sampling_shift: u32,
    /// Number of games with non-ASCII texts.
    seen: u32,
    /// Number of all games.
    all: u32,
    /// Numbers of games with non-ASCII texts, by the trailing zero bits of the game's index (the
    /// last entry counts 7 or more).
    by_step: [u32; 8],
}

impl ReadBack {
    /// Adds a game that is written.
    pub(super) fn see(&mut self, game: &Game) {
        let number = self.all;
        self.all += 1;
        if game.texts.is_ascii() {
            return;
        }
        // A sample of every `n`-th header, with `n` a power of two, has the games whose numbers it
        // divides.
        let halved = (number.trailing_zeros() as usize).min(self.by_step.len() - 1);
        if let Some(count) = self.by_step.get_mut(halved) {
            *count += 1;
        }
        self.seen += 1;
        let bytes = game.texts.bytes_used();
        if !(self.seen - 1).is_multiple_of(1 << self.sampling_shift) || bytes > BYTES / 2 {
            return;
        }
        self.bytes += bytes;
        self.games.push(sample(game));
        // Dropping every second game keeps the sample even over the whole database.
        while self.games.len() > GAMES || self.bytes > BYTES {
            self.sampling_shift += 1;
            let mut number = 0;
            self.games.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.bytes = self.games.iter().map(|game| game.texts.bytes_used()).sum();
        }
    }

    /// Returns the texts that a reader would decode incorrectly if these games were written in this
    /// charset. Returns no losses for formats that declare the charset of texts.
    pub(super) fn losses(
        &self,
        format: &Format,
        charset: Option<Charset>,
        base: &BaseInfo,
        settings: &[(&'static str, String)],
    ) -> Losses {
        let intended = format
            .charset_prior
            .and(charset.or_else(|| format.written_charset()));
        match (intended, self.games.is_empty()) {
            (Some(intended), false) => self.compare(format, charset, intended, base, settings),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// Returns `None` if the games cannot be written or read, which is reported elsewhere.
    fn compare(
        &self,
        format: &Format,
        charset: Option<Charset>,
        intended: Charset,
        base: &BaseInfo,
        settings: &[(&'static str, String)],
    ) -> Option<Losses> {
        let mut files = MemorySet::new();
        let mut write = WriteOptions::default();
        write.allow = chessdb_core::options::Allow::Everything;
        write.charset = charset;
        write.settings = settings.to_vec();
        write.base.description = write.base.texts.push_from(&base.texts, base.description);
        let mut writer = (format.create?)(&mut files, write).ok()?;
        for game in &self.games {
            // A game that cannot be written has already been counted.
            let _ = writer.write(game);
        }
        writer.finish().ok()?;
        let open = |options: OpenOptions| options.format(format.id).open_set(files.clone()).ok();
        let named = |charset: Charset| open(Database::options().encoding(charset.name()));
        let mut unnamed = open(Database::options())?;
        let samples_headers = format.stream.is_none() && unnamed.info().names.is_empty();
        if samples_headers && self.is_missed_by_sampling() {
            unnamed = named(format.default_charset?)?;
        }
        // Named readers may read a text as UTF-8 although another charset is named, but not the
        // other way round.
        let named = match intended {
            Charset::UTF_8 => None,
            intended => Some(named(intended)?),
        };
        // No difference if the guessed page is the one that was used.
        Some(differences(&unnamed, named.as_ref()))
    }

    /// Returns whether a reader that samples headers would read none of these games.
    fn is_missed_by_sampling(&self) -> bool {
        let step = header_sampling_step(self.all).trailing_zeros() as usize;
        self.by_step.iter().skip(step).sum::<u32>() == 0
    }
}

/// Returns a copy of a game, without the moves if they have no texts.
fn sample(game: &Game) -> Game {
    let mut sample = Game::new();
    sample.header.clone_from(&game.header);
    sample.texts.clone_from(&game.texts);
    let has_text = |token| {
        matches!(
            token,
            Token::Comment(..) | Token::Fault(..) | Token::Extra(..)
        )
    };
    // Moves without texts do not influence the guess.
    if game.moves.tokens().any(has_text) {
        sample.moves.clone_from(&game.moves);
    }
    sample
}

/// Returns the texts that are decoded differently in the intended charset: as `named` decodes them,
/// or else in UTF-8.
fn differences(unnamed: &Database, named: Option<&Database>) -> Losses {
    let mut losses = Losses::new();
    let (Ok(unnamed), Ok(named)) = (unnamed.store(), named.map(Database::store).transpose()) else {
        return losses;
    };
    let mut scratch = Scratch::new();
    let (mut left, mut right) = (Game::new(), Game::new());
    let mut comments = Vec::new();
    for n in 0..unnamed.len() {
        scratch.diagnostics.clear();
        let mut read = unnamed.game_into(n, &mut left, &mut scratch);
        if let (Ok(()), Some(named)) = (&read, named) {
            read = named.game_into(n, &mut right, &mut scratch);
        }
        if read.is_err() {
            continue;
        }
        comments.clear();
        each_text(TextField::Comment, &left.header, &left.moves, &mut |id| {
            comments.push(id)
        });
        for (id, text) in left.texts.iter() {
            let other = match named {
                Some(_) => right.texts.get(id),
                None => Text::new(text.as_bytes(), Charset::UTF_8),
            };
            if !text.as_bytes().is_ascii() && text != other && text.decode() != other.decode() {
                let kind =
                    if comments.contains(&id) { LossKind::CommentText } else { LossKind::NameText };
                losses.add(kind, None);
            }
        }
    }
    losses
}
