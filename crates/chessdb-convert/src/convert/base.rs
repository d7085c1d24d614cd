//! The database-level data of a conversion: description, name tables, collections.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use chessdb_core::model::{Extra, NameRecord, NameRole, Named, Tag};
use chessdb_core::text::TextId;
use chessdb_core::{BaseInfo, Date, Game, LossKind, Losses};

/// How much of a source's database-level data goes into the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyScope {
    /// All games of the only source, in a target of the same format. Names keep their numbers, and
    /// unused names are kept.
    Rewrite,
    /// Like `Rewrite` for some of the games; the number of the game to open first is invalid.
    RewritePart,
    /// All games, in another format or together with other games.
    Whole,
    /// Some of the games. The number of the game to open first is invalid and left out.
    Part,
}

/// Returns the database-level data for a target.
///
/// Data that the target cannot store is included, so that the target's writer counts it. Only name
/// tables are left out, unless it is a rewrite.
pub(crate) fn base_for_target(base: &BaseInfo, copy_scope: CopyScope) -> BaseInfo {
    if matches!(copy_scope, CopyScope::Rewrite | CopyScope::RewritePart) {
        let mut base = base.clone();
        base.open_first = base.open_first.filter(|_| copy_scope == CopyScope::Rewrite);
        return base;
    }
    // Ids of texts are valid in one set of texts only.
    let mut carried = BaseInfo::default();
    let mut text = |id: TextId| {
        if id.is_some() {
            carried.texts.push_from(&base.texts, id)
        } else {
            TextId::NONE
        }
    };
    let title = text(base.title);
    let description = text(base.description);
    let flag_names = base.flag_names.iter().map(|&name| text(name)).collect();
    let collections = base
        .collections
        .iter()
        .map(|collection| chessdb_core::model::Collection {
            name: text(collection.name),
            ..*collection
        })
        .collect();
    let mut info = BaseInfo::default();
    info.title = title;
    info.description = description;
    info.kind = base.kind;
    info.flag_names = flag_names;
    info.open_first = base.open_first.filter(|_| copy_scope == CopyScope::Whole);
    info.collections = collections;
    info.extras.clone_from(&base.extras);
    info.settings.clone_from(&base.settings);
    info.texts = carried.texts;
    info
}

/// Counts the database-level data of a further source that differs from the data of the first
/// source, which is in the target.
pub(crate) fn base_differences(first: &BaseInfo, further: &BaseInfo) -> Losses {
    let mut losses = Losses::new();
    let text = |base: &BaseInfo, id: TextId| base.texts.get(id).decode().into_owned();
    let differs = |a: TextId, b: TextId| {
        let b = text(further, b);
        !b.is_empty() && text(first, a) != b
    };
    // The target has the data of the first database; what a later one has in addition is lost.
    losses.add_if(LossKind::Description, differs(first.title, further.title));
    losses.add_if(
        LossKind::Description,
        differs(first.description, further.description),
    );
    losses.add_if(
        LossKind::BaseKind,
        further.kind.is_some_and(|kind| kind != 0) && further.kind != first.kind,
    );
    for (n, &name) in further.flag_names.iter().enumerate() {
        let first_name = first.flag_names.get(n).copied().unwrap_or(TextId::NONE);
        losses.add_if(LossKind::FlagNames, differs(first_name, name));
    }
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    losses.add_many(LossKind::Collection, count(further.collections.len()), None);
    let other = |extra: &&Extra| !first.extras.contains(extra);
    losses.add_many(
        LossKind::BaseExtra,
        count(further.extras.iter().filter(other).count()),
        None,
    );
    losses
}

/// The use of the names in a database's tables. Finds table data that is not in any game: unused
/// names, and birthdays, genders and ratings of players. This data is lost if the tables are not
/// copied, and the unused names also if they are removed
/// ([`Converter::names_in_use`](super::Converter::names_in_use)).
#[derive(Clone, Debug, Default)]
pub struct NamesInUse {
    tables: Vec<(NameRole, NameUses)>,
    /// The keys of openings by name; games store the opening as a tag without key.
    openings: HashMap<String, u32>,
    /// The hashes of names that games have without the key of a record.
    unnumbered: HashSet<u64>,
}

/// The use and data of a name in a table.
#[derive(Clone, Copy, Debug)]
struct NameUse {
    /// Whether a game uses it by its key.
    used: bool,
    /// The hash of the name.
    name: u64,
    /// Whether the table has data that no game has. Titles and FIDE numbers are in the games.
    details: bool,
}

impl NamesInUse {
    /// Creates the list of the names of this database, all unused.
    pub fn new(base: &BaseInfo) -> NamesInUse {
        let tables = base.names.iter().map(|table| {
            let named = table
                .records
                .iter()
                .filter(|record| !base.texts.get(record.text).is_empty());
            let named = named.map(|record| {
                let name = hash(base.texts.get(record.text).as_bytes());
                (record.key, NameUse::new(record, name))
            });
            (table.role, NameUses::new(named.collect()))
        });
        let openings = base.table(NameRole::Opening);
        let openings = openings.into_iter().flat_map(|table| &table.records);
        NamesInUse {
            tables: tables.collect(),
            openings: openings
                .map(|record| (base.texts.get(record.text).decode().into(), record.key))
                .collect(),
            unnumbered: HashSet::new(),
        }
    }

    /// Marks the names of this game as used.
    pub fn see(&mut self, game: &Game) {
        let header = &game.header;
        let unnumbered = &mut self.unnumbered;
        for (role, keys) in &mut self.tables {
            let mut mark = |named: &Named| match named.key {
                Some(key) => {
                    if let Some(name_use) = keys.get_mut(key) {
                        name_use.used = true;
                    }
                }
                // Empty names are in no table.
                None if named.text.is_some() => {
                    unnumbered.insert(hash(game.text(named.text).as_bytes()));
                }
                None => {}
            };
            match role {
                NameRole::Player => {
                    mark(&header.white.name);
                    mark(&header.black.name);
                    mark(&header.annotator);
                }
                NameRole::Event => mark(&header.event),
                NameRole::Site => mark(&header.site),
                NameRole::Round => mark(&header.round),
                NameRole::Source => mark(&header.source),
                NameRole::Annotator => mark(&header.annotator),
                NameRole::Opening => {
                    for tag in &header.tags {
                        if let Tag::Other { name, value } = *tag
                            && game.text(name).as_bytes() == b"Opening"
                        {
                            let key = self.openings.get(&*game.text(value).decode()).copied();
                            mark(&Named { text: value, key });
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns whether a game has the name, with its key or, for example after an edit, without one.
    fn is_used(&self, name: &NameUse) -> bool {
        name.used || self.unnumbered.contains(&name.name)
    }

    /// Returns the number of unused names.
    pub fn count(&self) -> u32 {
        let unused = self
            .tables
            .iter()
            .flat_map(|(_, keys)| keys.values())
            .filter(|name| !self.is_used(name));
        u32::try_from(unused.count()).unwrap_or(u32::MAX)
    }

    /// Removes unused names from the tables of a database.
    pub(crate) fn retain(&self, base: &mut BaseInfo) {
        for table in &mut base.names {
            let uses = self.tables.iter().find(|(role, _)| *role == table.role);
            if let Some((_, keys)) = uses {
                let is_used = |record: &NameRecord| {
                    let name = keys.get(record.key);
                    name.is_none_or(|name| self.is_used(name))
                };
                table.records.retain(is_used);
            }
        }
    }

    /// Returns the number of names with data that no game has: of all names, or only of used ones.
    pub(crate) fn details(&self, all: bool) -> u32 {
        let with = self
            .tables
            .iter()
            .flat_map(|(_, keys)| keys.values())
            .filter(|name| name.details && (all || self.is_used(name)));
        u32::try_from(with.count()).unwrap_or(u32::MAX)
    }
}

/// The names of a table by key. Keys are nearly always 0, 1, 2 and so on.
#[derive(Clone, Debug, Default)]
struct NameUses(Vec<(u32, NameUse)>);

impl NameUses {
    /// Creates the table; for duplicate keys the last entry counts.
    fn new(mut uses: Vec<(u32, NameUse)>) -> NameUses {
        // A stable sort then puts the last of several entries with a key first, and that one stays.
        uses.reverse();
        uses.sort_by_key(|&(key, _)| key);
        uses.dedup_by_key(|&mut (key, _)| key);
        NameUses(uses)
    }

    fn position(&self, key: u32) -> Option<usize> {
        match self.0.get(key as usize) {
            // Most tables are numbered without gaps, so the key is the place.
            Some(&(stored, _)) if stored == key => Some(key as usize),
            _ => self.0.binary_search_by_key(&key, |&(key, _)| key).ok(),
        }
    }

    fn get(&self, key: u32) -> Option<&NameUse> {
        self.0.get(self.position(key)?).map(|(_, name)| name)
    }

    fn get_mut(&mut self, key: u32) -> Option<&mut NameUse> {
        let position = self.position(key)?;
        self.0.get_mut(position).map(|(_, name)| name)
    }

    fn values(&self) -> impl Iterator<Item = &NameUse> {
        self.0.iter().map(|(_, name)| name)
    }
}

impl NameUse {
    fn new(record: &NameRecord, name: u64) -> NameUse {
        let details = record.player.is_some_and(|player| {
            player.rating != 0 || player.gender != 0 || player.birthday != Date::default()
        });
        NameUse {
            used: false,
            name,
            details,
        }
    }
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use chessdb_core::Charset;
    use chessdb_core::model::PlayerDetails;

    use super::*;

    fn base(description: &str) -> BaseInfo {
        let mut base = BaseInfo::default();
        base.open_first = Some(2);
        base.kind = Some(3);
        base.description = base.texts.push(description.as_bytes(), Charset::UTF_8);
        crate::convert::tests::add_players(&mut base, ["", "Tal", "Ivkov"].into_iter());
        base
    }

    #[test]
    fn names_go_along_only_in_a_rewrite() {
        let source = base("old games");
        assert_eq!(base_for_target(&source, CopyScope::Rewrite).names.len(), 1);
        let whole = base_for_target(&source, CopyScope::Whole);
        assert_eq!(whole.texts.get(whole.description).decode(), "old games");
        assert_eq!(
            (whole.open_first, whole.kind, whole.names.len()),
            (Some(2), Some(3), 0)
        );
        assert_eq!(base_for_target(&source, CopyScope::Part).open_first, None);
    }

    #[test]
    fn names_that_no_game_uses_are_counted() {
        let mut source = base("");
        for record in &mut source.names[0].records {
            record.player = Some(PlayerDetails {
                gender: 1,
                ..PlayerDetails::default()
            });
        }
        let mut unused = NamesInUse::new(&source);
        assert_eq!(unused.count(), 2, "the empty name is not missed");
        assert_eq!((unused.details(true), unused.details(false)), (2, 0));
        let mut game = Game::new();
        game.header.black.name.key = Some(2);
        unused.see(&game);
        assert_eq!(unused.count(), 1);
        assert_eq!(unused.details(false), 1);
    }

    #[test]
    fn a_second_base_cannot_have_its_say() {
        let losses = base_differences(&base("mine"), &base("yours"));
        assert_eq!(losses.count(LossKind::Description), 1);
        assert_eq!(losses.count(LossKind::BaseKind), 0);
        assert!(base_differences(&base("same"), &base("same")).is_empty());
        assert!(base_differences(&base("mine"), &BaseInfo::default()).is_empty());
    }
}
