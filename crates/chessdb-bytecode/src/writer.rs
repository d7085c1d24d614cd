//! Writing games as rows, one after another.

use std::collections::HashMap;

use chessdb_core::legacy::jose::JoseNumbering;
use chessdb_core::model::Named;
use chessdb_core::store::{EncodeGame, WriteEncoded, WriterState};
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Charset, Game, LossKind, Losses, Result, WriteOptions};

use crate::header::{ColumnWidths, HeaderCells, write_header};
use crate::info::{CollectionPaths, META};
use crate::moves::{Layout, MoveEncoder};
use crate::names::{NameTableBuilder, ROLES};
use crate::raw::{Attributes, Cell, RowSink, StoredDate, Table, unpack_all};
use crate::{extras, text};

/// Whether texts are cut to the widths of jose's columns.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Width {
    /// Cut to the widths of jose's tables; a server would reject or cut longer texts.
    #[default]
    Jose,
    /// Not cut: SQLite ignores widths.
    Any,
}

/// Maximum size in bytes of a mediumtext or mediumblob column.
const MOST_BYTES: usize = 0xFF_FFFF;

/// A database that is being written.
pub struct Writer<'a> {
    sink: Box<dyn RowSink + 'a>,
    state: WriterState<GameEncoder>,
    base: BaseInfo,
    names: [NameTableBuilder; 4],
    /// HashKey, Ply and ECO of openings, by number.
    openings: HashMap<i64, Box<[u8]>>,
    /// Number of games in each collection.
    collections: HashMap<i64, u32>,
}

/// The encoder of games.
#[derive(Clone, Debug)]
pub struct GameEncoder {
    widths: ColumnWidths,
    layout: Layout,
}

/// An encoded game without its numbers.
#[derive(Default)]
pub struct Work {
    /// The collection of the game.
    collection: i64,
    cells: HeaderCells,
    moves: MoveEncoder,
    plies: u32,
    /// Which of the long columns are not NULL.
    comments: bool,
    evals: bool,
}

impl EncodeGame for GameEncoder {
    type Encoded = Work;

    fn encode(&self, game: &Game, work: &mut Work, losses: &mut Losses) -> Result<bool> {
        work.cells = write_header(game, self.widths, losses);
        let numbering = JoseNumbering::default();
        let facts = match work.moves.encode(game, numbering, self.layout, losses) {
            Ok(facts) => facts,
            Err(kind) => {
                losses.add(kind, None);
                return Ok(false);
            }
        };
        let columns = [&work.moves.bin, &work.moves.comments, &work.moves.evals];
        // A server would cut or reject a longer value.
        if columns.iter().any(|bytes| bytes.len() > MOST_BYTES) {
            return Ok(false);
        }
        for (attribute, is_set) in [
            (Attributes::VARIATIONS, facts.variations),
            (Attributes::COMMENTS, facts.comments),
            (Attributes::ERRORS, facts.faults),
        ] {
            work.cells.attributes.set(attribute, is_set);
        }
        work.plies = facts.plies;
        work.comments = facts.texts && self.layout == Layout::Separate;
        work.evals = facts.evals;
        Ok(true)
    }
}

impl<'a> Writer<'a> {
    /// Starts a database. The parts of [`WriteOptions::base`] that cannot be stored are counted in
    /// [`chessdb_core::GameWrite::base_losses`].
    ///
    /// # Errors
    ///
    /// Returns an error if database data would be lost and this is not allowed.
    pub fn create(
        sink: Box<dyn RowSink + 'a>,
        width: Width,
        options: WriteOptions,
    ) -> Result<Writer<'a>> {
        Writer::create_as(sink, width, Layout::Separate, options)
    }

    /// Starts a database like [`Writer::create`], with the texts in the given layout. The sink must
    /// use the same layout ([`Naming`](crate::raw::Naming)).
    ///
    /// # Errors
    ///
    /// See [`Writer::create`].
    pub fn create_as(
        sink: Box<dyn RowSink + 'a>,
        width: Width,
        layout: Layout,
        options: WriteOptions,
    ) -> Result<Writer<'a>> {
        let widths = match width {
            Width::Jose => ColumnWidths::JOSE,
            Width::Any => ColumnWidths::default(),
        };
        let encoder = GameEncoder { widths, layout };
        let mut writer = Writer {
            sink,
            state: WriterState::new(encoder, options.allow, Losses::new())?,
            base: options.base,
            names: [(); 4].map(|()| NameTableBuilder::new()),
            openings: HashMap::new(),
            collections: HashMap::new(),
        };
        writer.take_over_names();
        writer.take_over_collections();
        writer.take_over_extras();
        writer.count_base_losses();
        writer.state.check(&writer.state.base_losses)?;
        Ok(writer)
    }

    /// Returns a text of the database in UTF-8; changes are counted as `kind`.
    fn base_text(&mut self, id: TextId, kind: LossKind) -> Vec<u8> {
        let mut out = Vec::new();
        if text::put(self.base.texts.get(id), Charset::UTF_8, &mut out) {
            self.state.base_losses.add(kind, None);
        }
        out
    }

    fn take_over_names(&mut self) {
        let tables = std::mem::take(&mut self.base.names);
        for table in &tables {
            let list = ROLES.iter().position(|&role| role == table.role);
            for record in &table.records {
                let Some(list) = list else {
                    self.state.base_losses.add(LossKind::NameTable, None);
                    continue;
                };
                if record.player.is_some() {
                    self.state.base_losses.add(LossKind::NameDetails, None);
                }
                let name = self.base_text(record.text, LossKind::NameText);
                if let Some(names) = self.names.get_mut(list) {
                    names.take_over(record.key, &name);
                }
            }
        }
        self.base.names = tables;
    }

    /// Copies the collections, or creates one named after the database.
    fn take_over_collections(&mut self) {
        if self.base.collections.is_empty() {
            let name = if self.base.title.is_some() {
                self.base.title
            } else {
                self.base.texts.push(b"Games", Charset::UTF_8)
            };
            self.base.collections.push(chessdb_core::model::Collection {
                key: 1,
                parent: None,
                name,
            });
        }
        let keys = self.base.collections.iter();
        self.collections = keys.map(|collection| (collection.key.into(), 0)).collect();
    }

    fn take_over_extras(&mut self) {
        let extras = std::mem::take(&mut self.base.extras);
        for extra in &extras {
            let is_own = extra.format == extras::FORMAT;
            let cells = unpack_all(&extra.bytes);
            match (extra.field, &cells[..]) {
                (extras::OPENING, [Cell::Int(id), _, _, _]) if is_own => {
                    self.openings.insert(*id, extra.bytes.clone());
                }
                (extras::COLLECTION_ROW, [Cell::Int(_), _, _, _, _, _]) if is_own => {}
                (extras::META, [_, _, _, _, _]) if is_own => {}
                _ => self.state.base_losses.add(LossKind::BaseExtra, None),
            }
        }
        self.base.extras = extras;
    }

    fn count_base_losses(&mut self) {
        let base = &self.base;
        let is_text = |&id: &TextId| !base.texts.get(id).is_empty();
        let counts = [
            (LossKind::BaseTitle, usize::from(is_text(&base.title))),
            (
                LossKind::Description,
                usize::from(is_text(&base.description)),
            ),
            (
                LossKind::BaseKind,
                usize::from(base.kind.is_some_and(|kind| kind != 0)),
            ),
            (
                LossKind::FlagNames,
                base.flag_names.iter().filter(|name| is_text(name)).count(),
            ),
            (
                LossKind::OpenFirst,
                usize::from(base.open_first.is_some_and(|game| game > 1)),
            ),
        ];
        for (kind, count) in counts {
            self.state.base_losses.add_many(kind, count as u32, None);
        }
    }

    fn insert(&mut self, game: &Game, work: &Work) -> Result<()> {
        let id = i64::from(self.state.number());
        let index = self.next_index(work.collection);
        let (cells, moves) = (&work.cells, &work.moves);
        let [white, black, event, site, opening, annotator] = self.name_ids(game, cells);
        let [white_elo, black_elo] = cells.elo;
        let date = |stored: StoredDate| stored.date.map_or(Cell::Null, Cell::Date);
        let unknown = [cells.date.unknown.bits(), cells.event_date.unknown.bits()];
        let [origin, origin_index] = cells.origin;
        let game_row = [
            Cell::Int(id),
            Cell::Int(work.collection),
            Cell::Int(index),
            // SMALLINT is signed.
            Cell::Int((cells.attributes.bits() as i16).into()),
            Cell::number(origin),
            Cell::number(origin_index),
            Cell::Int(work.plies.into()),
            Cell::Int(cells.result),
            Cell::Int(white),
            Cell::Int(black),
            Cell::number(white_elo),
            Cell::number(black_elo),
            Cell::Int(event),
            Cell::Int(site),
            Cell::Int(opening),
            date(cells.date),
            date(cells.event_date),
            Cell::Int(u16::from_le_bytes(unknown).into()),
            Cell::optional(cells.eco.as_deref()),
            Cell::Int(annotator),
        ];
        let [white_title, black_title] = &cells.titles;
        let long = |bytes, is_present| Cell::optional(Some(bytes).filter(|_| is_present));
        let more_row = [
            Cell::Int(id),
            Cell::optional(white_title.as_deref()),
            Cell::optional(black_title.as_deref()),
            Cell::optional(cells.round.as_deref()),
            Cell::optional(cells.board.as_deref()),
            Cell::optional(cells.fen.as_deref()),
            long(&*cells.info, !cells.info.is_empty()),
            Cell::bytes(&moves.bin),
            long(&*moves.comments, work.comments),
            Cell::optional(cells.pos_main.as_deref()),
            Cell::optional(cells.pos_var.as_deref()),
            long(&*moves.evals, work.evals),
        ];
        self.sink.insert(Table::Game, &game_row)?;
        self.sink.insert(Table::MoreGame, &more_row)
    }

    fn next_index(&mut self, collection: i64) -> i64 {
        match self.collections.get_mut(&collection) {
            Some(games) => {
                *games = games.saturating_add(1);
                (*games).into()
            }
            None => 0,
        }
    }

    fn name_ids(&mut self, game: &Game, cells: &HeaderCells) -> [i64; 6] {
        let header = &game.header;
        let keys = [
            header.white.name,
            header.black.name,
            header.event,
            header.site,
            Named::default(),
            header.annotator,
        ];
        let [players, events, sites, openings] = &mut self.names;
        let [white, black, event, site, opening, annotator] = &cells.names;
        let [k_white, k_black, k_event, k_site, k_opening, k_annotator] = keys.map(|name| name.key);
        [
            players.id(k_white, white.as_deref()),
            players.id(k_black, black.as_deref()),
            events.id(k_event, event.as_deref()),
            sites.id(k_site, site.as_deref()),
            openings.id(k_opening, opening.as_deref()),
            players.id(k_annotator, annotator.as_deref()),
        ]
    }

    fn insert_names(&mut self) -> Result<()> {
        let tables = [Table::Player, Table::Event, Table::Site, Table::Opening];
        let Writer {
            sink,
            names,
            openings,
            ..
        } = self;
        for (table, names) in tables.into_iter().zip(names) {
            for (id, name) in names.rows() {
                let number = Cell::Int(id);
                let name = Cell::bytes(name);
                let soundex = Cell::bytes(b"");
                if table != Table::Opening {
                    sink.insert(table, &[number, name, soundex])?;
                    continue;
                }
                let details = openings.get(&id).map(|bytes| unpack_all(bytes));
                let [hash, ply, eco] = match details.as_deref() {
                    Some([_, hash, ply, eco]) => [hash, ply, eco].map(Cell::clone),
                    _ => [Cell::Int(0), Cell::Int(0), Cell::Null],
                };
                sink.insert(table, &[number, hash, ply, eco, name, soundex])?;
            }
        }
        Ok(())
    }

    fn insert_collections(&mut self) -> Result<()> {
        let collections = std::mem::take(&mut self.base.collections);
        let paths = CollectionPaths::new(&collections);
        let extras = self
            .base
            .extras
            .iter()
            .filter(|extra| extra.is_of(extras::FORMAT, extras::COLLECTION_ROW));
        let mut rows: HashMap<i64, Vec<Cell<'_>>> = HashMap::new();
        for cells in extras.map(|extra| unpack_all(&extra.bytes)) {
            if let Some(&Cell::Int(key)) = cells.first() {
                rows.entry(key).or_insert(cells);
            }
        }
        for collection in &collections {
            let key = i64::from(collection.key);
            let games = self.collections.get(&key).copied().unwrap_or(0);
            let mut name = Vec::new();
            text::put(
                self.base.texts.get(collection.name),
                Charset::UTF_8,
                &mut name,
            );
            let [origin, path, attributes, source, modified] =
                match rows.get(&key).map(|row| &row[..]) {
                    Some([_, a, b, c, d, e]) => [a, b, c, d, e].map(Cell::clone),
                    _ => [Cell::Null, Cell::Null, Cell::Int(0), Cell::Null, Cell::Null],
                };
            let default_path = paths.path(collection.key);
            let path = match path {
                Cell::Null => Cell::bytes(default_path.as_bytes()),
                path => path,
            };
            let row = [
                Cell::Int(collection.key.into()),
                Cell::Int(collection.parent.unwrap_or(0).into()),
                origin,
                Cell::optional(Some(&*name).filter(|_| collection.name.is_some())),
                path,
                match attributes {
                    Cell::Null => Cell::Int(0),
                    attributes => attributes,
                },
                source,
                modified,
                Cell::Int(games.into()),
            ];
            self.sink.insert(Table::Collection, &row)?;
        }
        self.base.collections = collections;
        Ok(())
    }

    fn insert_meta(&mut self) -> Result<()> {
        let mut rows = self
            .base
            .extras
            .iter()
            .filter(|extra| extra.is_of(extras::FORMAT, extras::META))
            .map(|extra| unpack_all(&extra.bytes))
            .filter(|cells| cells.len() == META.len())
            .peekable();
        if rows.peek().is_none() {
            return self.sink.insert(Table::MetaInfo, &META);
        }
        for row in rows {
            self.sink.insert(Table::MetaInfo, &row)?;
        }
        Ok(())
    }
}

impl WriteEncoded for Writer<'_> {
    chessdb_core::writer_state!(GameEncoder);

    fn fit(&self, _: &Game, work: &mut Work, losses: &mut Losses) -> bool {
        let first = self
            .base
            .collections
            .first()
            .map_or(1, |collection| collection.key.into());
        work.collection = match work.cells.collection {
            Some(key) if self.collections.contains_key(&key) => key,
            Some(_) => {
                losses.add(LossKind::GameExtra, None);
                first
            }
            None => first,
        };
        true
    }

    fn put(&mut self, game: &Game, work: &mut Work) -> Result<()> {
        self.insert(game, work)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.insert_names()?;
        self.insert_collections()?;
        self.insert_meta()?;
        self.sink.finish()
    }
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("games", &self.state.games())
            .finish_non_exhaustive()
    }
}
