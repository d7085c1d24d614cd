//! `names`: the players, events, sites and annotators of databases, and one spelling for several.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chessdb::convert::NamesInUse;
use chessdb::core::Color;
use chessdb::formats::shown;
use chessdb::query::{NameUse, Query, suggest_names};
use chessdb::{Database, Game, Selection};

use crate::args::{Names, NamesOf, Writing};
use crate::commands::convert::{Arrange, run_all};
use crate::commands::gather::Gather;
use crate::exit::{Done, Failure, Outcome};
use crate::json::{Json, document, object};
use crate::output::{count, stdout};

pub(crate) fn run(args: &Names) -> Outcome {
    if let Some(path) = &args.apply {
        let mut renaming = Renaming::read(path, args.of, &args.writing)?;
        return run_all("names --apply", &args.words, &args.writing, &mut renaming);
    }
    let of = args.of;
    let mut uses: BTreeMap<String, NameUse> = BTreeMap::new();
    let gather = Gather {
        words: &args.words,
        choice: &args.writing.choice,
        reading: &args.writing.reading,
        jobs: args.writing.jobs,
    };
    let gathered = gather.each(
        |game| names(game, of),
        |found| {
            for (name, seen) in found {
                uses.entry(name).or_default().add(&seen);
            }
        },
    )?;
    let uses: Vec<(String, NameUse)> = uses.into_iter().collect();
    let mut out = stdout();
    let done = match args.suggest {
        true => print_suggestions(&uses, args.writing.json, &mut out)?,
        false => print_list(&uses, args.writing.json, &mut out)?,
    };
    out.flush()?;
    Ok(gathered.done.max(done))
}

/// The names of this kind in a game, and what the game says of each.
fn names(game: &Game, of: NamesOf) -> Vec<(String, NameUse)> {
    let year = game.date().year;
    let used = |name: &str, elo: Option<u16>| {
        let name = name.trim();
        let known = !matches!(name, "" | "?");
        known.then(|| (name.to_owned(), NameUse::of(year, elo)))
    };
    let names = match of {
        NamesOf::Players => vec![
            used(&game.white(), game.elo(Color::White)),
            used(&game.black(), game.elo(Color::Black)),
        ],
        NamesOf::Events => vec![used(&game.event(), None)],
        NamesOf::Sites => vec![used(&game.site(), None)],
        NamesOf::Annotators => vec![used(&game.annotator().unwrap_or_default(), None)],
    };
    names.into_iter().flatten().collect()
}

fn print_list(
    uses: &[(String, NameUse)],
    json: bool,
    out: &mut dyn Write,
) -> Result<Done, Failure> {
    let mut order: Vec<&(String, NameUse)> = uses.iter().collect();
    order.sort_by(|a, b| b.1.games.cmp(&a.1.games).then_with(|| a.0.cmp(&b.0)));
    if json {
        let list = order.into_iter().map(|(name, seen)| {
            object([
                ("name", name.as_str().into()),
                ("games", seen.games.into()),
                ("firstYear", year(seen.years.0)),
                ("lastYear", year(seen.years.1)),
            ])
        });
        writeln!(out, "{}", document("names", Json::Array(list.collect())))?;
    } else {
        for (name, seen) in order {
            writeln!(out, "{}\t{}\t{name}", seen.games, span(seen))?;
        }
    }
    Ok(if uses.is_empty() { Done::No } else { Done::Yes })
}

fn print_suggestions(
    uses: &[(String, NameUse)],
    json: bool,
    out: &mut dyn Write,
) -> Result<Done, Failure> {
    let found = suggest_names(uses);
    let name = |n: usize| uses.get(n).map_or("", |(name, _)| name.as_str());
    if json {
        let list = found.iter().map(|&(worse, better)| {
            object([
                ("name", name(worse).into()),
                ("better", name(better).into()),
            ])
        });
        writeln!(
            out,
            "{}",
            document("suggestions", Json::Array(list.collect()))
        )?;
    } else {
        for &(worse, better) in &found {
            let seen = |n: usize| {
                uses.get(n)
                    .map(|(_, seen)| format!("{}, {}", count(seen.games, "game"), span(seen)))
                    .unwrap_or_default()
            };
            let (one, other) = (seen(worse), seen(better));
            writeln!(out, "{}\t{}\t# {one}; {other}", name(worse), name(better))?;
        }
    }
    Ok(if found.is_empty() {
        Done::No
    } else {
        Done::Yes
    })
}

fn span(seen: &NameUse) -> String {
    match seen.years {
        (0, _) => "-".to_owned(),
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    }
}

fn year(year: u16) -> Json {
    match year {
        0 => Json::Null,
        year => u64::from(year).into(),
    }
}

/// Names that become others.
struct Renaming<'a> {
    of: NamesOf,
    writing: &'a Writing,
    renamed: HashMap<String, String>,
    names: u64,
    /// Those that are left, of one base.
    in_use: Option<NamesInUse>,
}

impl<'a> Renaming<'a> {
    /// Reads lines of a name, a tab and a better one, or a spelling file of Scid: names, and below each, behind `=`,
    /// the spellings that it replaces, by sections `@PLAYER`, `@EVENT`, `@SITE`.
    fn read(path: &Path, of: NamesOf, writing: &'a Writing) -> Result<Renaming<'a>, Failure> {
        let failed = |error| Failure::Input(format!("{}: {error}", shown(&path)));
        let bytes = fs::read(path).map_err(failed)?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            // Scid's file is older than its UTF-8.
            Err(error) => error
                .as_bytes()
                .iter()
                .map(|&byte| char::from(byte))
                .collect(),
        };
        let section = match of {
            NamesOf::Players => "@PLAYER",
            NamesOf::Events => "@EVENT",
            NamesOf::Sites => "@SITE",
            NamesOf::Annotators => "@PLAYER",
        };
        let mut renaming = Renaming {
            of,
            writing,
            renamed: HashMap::new(),
            names: 0,
            in_use: None,
        };
        let mut better = None;
        let mut inside = true;
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim_end();
            if line.starts_with('@') {
                inside = line.trim() == section;
                continue;
            }
            let rename = match (line.split_once('\t'), line.trim_start().strip_prefix('=')) {
                (Some((old, new)), _) => Some((old, new)),
                (None, Some(old)) => better.map(|new| (old, new)),
                (None, None) if !line.is_empty() && !line.starts_with('%') => {
                    better = Some(line);
                    None
                }
                _ => None,
            };
            if let Some((old, new)) = rename.filter(|_| inside) {
                let (old, new) = (old.trim(), new.trim());
                if !old.is_empty() && !new.is_empty() && old != new {
                    renaming.renamed.insert(old.to_owned(), new.to_owned());
                }
            }
        }
        match renaming.renamed.is_empty() {
            true => Err(Failure::Input(format!("{}: renames nothing", shown(&path)))),
            false => Ok(renaming),
        }
    }

    fn better(&mut self, name: &str) -> Option<String> {
        let better = self.renamed.get(name.trim()).cloned();
        self.names += u64::from(better.is_some());
        better
    }
}

impl Arrange for Renaming<'_> {
    fn chooses(&self) -> bool {
        true
    }

    /// Everything that fits; of one base the names are looked at that are left, so that a new one in the
    /// same format does not keep the old spellings.
    fn choose(
        &mut self,
        bases: &[Database],
        query: &Arc<Query>,
    ) -> Result<Option<Vec<Selection>>, Failure> {
        let all = query.is_empty();
        let mut chosen = Vec::new();
        for base in bases {
            let mut numbers = Vec::new();
            let mut names = NamesInUse::new(base.info());
            let scan = base.scan().select(self.writing.choice.games.clone());
            let scan = scan.filter(Arc::clone(query)).heads();
            scan.for_each(|game, _| {
                if !all {
                    numbers.push(game.number());
                }
                let mut game = game.clone();
                self.edit(&mut game);
                names.see(&game);
                ControlFlow::Continue(())
            })?;
            chosen.push(match all {
                true => self.writing.choice.games.clone(),
                false => Selection::in_order(numbers),
            });
            self.in_use = (bases.len() == 1).then_some(names);
        }
        self.names = 0;
        Ok(Some(chosen))
    }

    fn in_use(&mut self) -> Option<NamesInUse> {
        self.in_use.take()
    }

    fn edit(&mut self, game: &mut Game) {
        match self.of {
            NamesOf::Players => {
                for color in Color::ALL {
                    let name = match color {
                        Color::White => game.white(),
                        Color::Black => game.black(),
                    };
                    if let Some(better) = self.better(&name) {
                        let text = game.add_text(&better);
                        game.head.player_mut(color).name = text.into();
                    }
                }
            }
            NamesOf::Events => {
                if let Some(better) = self.better(&game.event()) {
                    game.head.event = game.add_text(&better).into();
                }
            }
            NamesOf::Sites => {
                if let Some(better) = self.better(&game.site()) {
                    game.head.site = game.add_text(&better).into();
                }
            }
            NamesOf::Annotators => {
                if let Some(better) = self.better(&game.annotator().unwrap_or_default()) {
                    game.head.annotator = game.add_text(&better).into();
                }
            }
        }
    }

    fn summary(&self) -> Option<String> {
        Some(format!(
            "{} spelled otherwise now",
            count(self.names, "name")
        ))
    }
}
