//! The writer of a page.

use chessdb_core::files::{FileId, FileSink};
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::{Game, Losses, Result, WriteOptions};
use chessdb_pgn::GameText;

use crate::bulletin::{Bulletin, BulletinEntry};
use crate::diagrams::Diagrams;
use crate::format::{BULLETIN, DIAGRAMS, HTML_FILE};
use crate::game::{GameHeading, push_game, title_of};
use crate::page::{self, push_escaped};

/// The number of bytes buffered before they are written to the sink.
const PORTION: usize = 256 << 10;

/// The largest number of lines in the table of contents, which is kept in memory.
const CONTENTS: u32 = 10_000;

/// The encoder of a game.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    diagrams: Diagrams,
    heading: GameHeading,
}

/// A game in HTML. Its place in the page is not known yet.
#[derive(Default)]
pub(crate) struct EncodedGame {
    text: GameText,
    pgn: Vec<u8>,
    /// The title, as in the table of contents.
    title: String,
    /// Everything between the tags of the article.
    html: String,
    /// The contribution to a bulletin; nothing for other pages.
    bulletin: BulletinEntry,
}

impl EncodeGame for Encoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        encoded.pgn.clear();
        *losses = encoded.text.append(game, &mut encoded.pgn);
        encoded.title = title_of(game);
        encoded.html.clear();
        let (heading, title) = (self.heading, &encoded.title);
        push_game(game, heading, &self.diagrams, title, &mut encoded.html);
        if heading == GameHeading::OfRound {
            encoded.bulletin = BulletinEntry::from_game(game);
        }
        encoded.html += "<details><summary>PGN</summary><pre>";
        push_escaped(&String::from_utf8_lossy(&encoded.pgn), &mut encoded.html);
        encoded.html += "</pre></details>\n";
        Ok(true)
    }
}

/// Writes a page in portions.
pub(crate) struct Writer<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    buffer: String,
    contents: String,
    /// The title of the page, until its beginning is written.
    title: Option<String>,
    bulletin: Option<Bulletin>,
    state: WriterState<Encoder>,
}

impl<'a> Writer<'a> {
    pub(crate) fn create(
        sink: &'a mut dyn FileSink,
        mut options: WriteOptions,
    ) -> Result<Writer<'a>> {
        // The page has the title of the database.
        let title = std::mem::take(&mut options.base.title);
        let title = options.base.texts.get(title).decode().into_owned();
        let base_losses = options.base.losses_in_text();
        let diagrams = options
            .setting(DIAGRAMS)
            .map_or(Ok(Diagrams::default()), str::parse)?;
        let bulletin = options.setting(BULLETIN).map(Bulletin::new).transpose()?;
        let heading = match bulletin {
            Some(_) => GameHeading::OfRound,
            None => GameHeading::Complete,
        };
        Ok(Writer {
            file: sink.create(HTML_FILE)?,
            sink,
            buffer: String::new(),
            contents: String::new(),
            title: Some(title),
            bulletin,
            state: WriterState::new(Encoder { diagrams, heading }, options.allow, base_losses)?,
        })
    }

    /// Writes the beginning of the page if it is missing.
    fn begin(&mut self) {
        if let Some(title) = self.title.take() {
            let title = if title.is_empty() { "Games" } else { &title };
            self.buffer += &page::beginning(title);
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.sink.write(self.file, self.buffer.as_bytes())?;
        self.buffer.clear();
        Ok(())
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(Encoder);

    fn put(&mut self, _: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let number = self.state.games().saturating_add(1);
        if let (Some(bulletin), Some(title)) = (&mut self.bulletin, &mut self.title) {
            // The first game names the event.
            bulletin.set_title(&encoded.bulletin.event);
            encoded.bulletin.event.clone_into(title);
        }
        self.begin();
        if let Some(bulletin) = &mut self.bulletin {
            let heading = bulletin.add(&mut encoded.bulletin, number, number <= CONTENTS)?;
            self.buffer += &heading.unwrap_or_default();
        }
        self.buffer += &format!("<article id=\"game{number}\">\n");
        self.buffer += &encoded.html;
        self.buffer += "</article>\n";
        if number <= CONTENTS && self.bulletin.is_none() {
            let line = format!("<li><a href=\"#game{number}\">{}</a></li>\n", encoded.title);
            self.contents += &line;
        }
        if self.buffer.len() >= PORTION { self.flush() } else { Ok(()) }
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.begin();
        let others = self.state.games().saturating_sub(CONTENTS);
        let (tables, lists) = match self.bulletin.take() {
            Some(bulletin) => bulletin.finish()?,
            None => (String::new(), format!("<ol>\n{}</ol>\n", self.contents)),
        };
        self.buffer += &page::end(&(tables + &page::contents(&lists, others)));
        self.flush()?;
        self.sink.commit()
    }
}
