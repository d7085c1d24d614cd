//! Whether a reader will take the texts of a new base for what they are (docs/encodings.md, section 7).
//!
//! The guess is made over a whole base, so that no writer of a single text can know it. A sample of the
//! games is therefore written a second time, into memory, and opened as any reader opens it.

use chessdb_core::{
    BaseInfo, Charset, Charsets, Format, LossKind, Losses, MemorySet, Scratch, WriteOptions,
};

use super::ConvertOptions;
use crate::Database;
use crate::database::{TextField, each_text, header_sampling_step};
use crate::options::OpenOptions;

/// How many games are kept at most, and how many bytes of texts.
const GAMES: usize = 256;
const BYTES: usize = 1 << 22;

/// Games with texts beyond ASCII.
#[derive(Clone, Default, Debug)]
pub(super) struct ReadBack {
    games: Vec<chessdb_core::Game>,
    /// Bytes of their texts.
    bytes: usize,
    /// One in so many of such games is kept, by a power of two.
    thinned: u32,
    /// All such games.
    seen: u32,
    /// All games.
    all: u32,
    /// Such games by how many times their number can be halved.
    by_step: [u32; 8],
}

impl ReadBack {
    /// Sees a game that is written.
    pub(super) fn see(&mut self, game: &chessdb_core::Game) {
        let number = self.all;
        self.all += 1;
        if game.texts.is_ascii() {
            return;
        }
        let halved = (number.trailing_zeros() as usize).min(self.by_step.len() - 1);
        if let Some(count) = self.by_step.get_mut(halved) {
            *count += 1;
        }
        self.seen += 1;
        let bytes = game.texts.bytes_used();
        if !(self.seen - 1).is_multiple_of(1 << self.thinned) || bytes > BYTES / 2 {
            return;
        }
        self.bytes += bytes;
        self.games.push(game.clone());
        while self.games.len() > GAMES || self.bytes > BYTES {
            self.thinned += 1;
            let mut number = 0;
            self.games.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.bytes = self.games.iter().map(|game| game.texts.bytes_used()).sum();
        }
    }

    /// Texts that a reader would take for others, if these games were written so. Nothing is found where
    /// the format's texts say what they are in.
    pub(super) fn losses(
        &self,
        format: &Format,
        charset: Option<Charset>,
        base: &BaseInfo,
        options: &ConvertOptions,
    ) -> Losses {
        let meant = meant(format, charset);
        match (meant, self.games.is_empty()) {
            (Some(meant), false) => self.compare(format, charset, meant, base, options),
            _ => None,
        }
        .unwrap_or_default()
    }

    /// None if the games cannot be written or read, which is reported elsewhere.
    fn compare(
        &self,
        format: &Format,
        charset: Option<Charset>,
        meant: Charset,
        base: &BaseInfo,
        options: &ConvertOptions,
    ) -> Option<Losses> {
        let mut files = MemorySet::new();
        let mut write = WriteOptions::default();
        write.allow = chessdb_core::Allow::Everything;
        write.charset = charset;
        write.settings.clone_from(&options.settings);
        write.base.description = write.base.texts.push_from(&base.texts, base.description);
        let mut writer = (format.create?)(&mut files, write).ok()?;
        for game in &self.games {
            // A game that cannot be written was counted.
            let _ = writer.write(game);
        }
        writer.finish().ok()?;
        let open = |options: OpenOptions| options.format(format.id).open_set(files.clone()).ok();
        let named = |charset: Charset| open(Database::options().encoding(charset.name()));
        let mut found = open(Database::options())?;
        let samples_headers = format.stream.is_none() && found.info().names.is_empty();
        if samples_headers && self.is_overlooked() {
            found = named(format.usual?)?;
        }
        // Nothing differs where the page is the one that was meant.
        Some(differences(&found, &named(meant)?))
    }

    /// Whether a reader looks at none of these games: one of many.
    fn is_overlooked(&self) -> bool {
        let step = header_sampling_step(self.all).trailing_zeros() as usize;
        self.by_step.iter().skip(step).sum::<u32>() == 0
    }
}

/// The page that texts are written in; none if that is not one for all.
fn meant(format: &Format, charset: Option<Charset>) -> Option<Charset> {
    format.origin?;
    let usual = match (format.charsets, format.pages) {
        (Charsets::Own | Charsets::Choice, []) => Some(Charset::UTF_8),
        (_, pages) => format.usual.or(pages.first().copied()),
    };
    charset.or(usual)
}

/// Texts that one base reads otherwise than the other.
fn differences(found: &Database, meant: &Database) -> Losses {
    let mut losses = Losses::new();
    let (Ok(found), Ok(meant)) = (found.store(), meant.store()) else {
        return losses;
    };
    let mut scratch = Scratch::new();
    let (mut left, mut right) = (chessdb_core::Game::new(), chessdb_core::Game::new());
    let mut comments = Vec::new();
    for n in 0..found.len() {
        scratch.diagnostics.clear();
        let read = found.game_into(n, &mut left, &mut scratch);
        if read.is_err() || meant.game_into(n, &mut right, &mut scratch).is_err() {
            continue;
        }
        comments.clear();
        each_text(TextField::Comment, &left.header, &left.moves, &mut |id| {
            comments.push(id)
        });
        for ((id, text), (_, other)) in left.texts.iter().zip(right.texts.iter()) {
            if !text.as_bytes().is_ascii() && text.decode() != other.decode() {
                let kind = match comments.contains(&id) {
                    true => LossKind::CommentText,
                    false => LossKind::NameText,
                };
                losses.add(kind, None);
            }
        }
    }
    losses
}
