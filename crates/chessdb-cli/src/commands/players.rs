//! The commands `names --details` and `names --players`: the stored details of players.

use std::fmt::Write as _;

use chessdb::core::Date;
use chessdb::core::model::{NameRole, PlayerDetails};

use crate::args::{Jobs, Names};
use crate::exit::{Completion, Outcome};
use crate::input::{self, Access};
use crate::inputs::Inputs;
use crate::json::{Json, object, text_or_null};
use crate::output::{plain, print_list, print_text};
use crate::report_file::ReportFile;

/// One player of one database.
struct Player {
    name: String,
    title: String,
    details: PlayerDetails,
}

/// The columns, in the order of [`Player::fields`].
const COLUMNS: [&str; 6] = ["Name", "Title", "Rating", "FideId", "Birthday", "Sex"];

pub(crate) fn run(args: &Names) -> Outcome {
    let inputs = Inputs::new(
        &args.output_options.choice.words,
        &args.output_options.input_options,
    );
    let mut players = Vec::new();
    let done = inputs.each(
        |base| {
            let jobs = Jobs { jobs: None };
            let db = input::open(
                &base.path,
                &args.output_options.input_options,
                jobs,
                Access::Random,
            )?;
            let info = db.info();
            let text = |id| info.texts.get(id).decode().into_owned();
            let table = info.table(NameRole::Player);
            for record in table.iter().flat_map(|table| &table.records) {
                let Some(details) = record.player else {
                    continue;
                };
                let (name, title) = (text(record.text), text(details.title));
                // The title is an index of a text, and that text may be empty.
                let is_known = PlayerDetails {
                    title: PlayerDetails::default().title,
                    ..details
                } != PlayerDetails::default();
                if is_known || !title.is_empty() {
                    players.push(Player {
                        name,
                        title,
                        details,
                    });
                }
            }
            Ok(Completion::Success)
        },
        |_, _| {},
    )?;
    if let Some(path) = &args.players {
        let table = table(&players, ',');
        let force = args.output_options.force;
        ReportFile::write(
            path,
            force,
            &args.output_options.choice.words,
            table.as_bytes(),
        )?;
    } else {
        if args.output_options.json {
            print_list("players", players.iter().map(Player::json).collect())?
        } else {
            print_text(&table(&players, '\t'))?
        }
    }
    Ok(done.max(Completion::of_search(players.len() as u64)))
}

impl Player {
    fn fields(&self) -> [String; 6] {
        let number = |number: u32| match number {
            0 => String::new(),
            number => number.to_string(),
        };
        let details = &self.details;
        [
            self.name.clone(),
            self.title.clone(),
            number(details.rating.into()),
            number(details.fide_id),
            match details.birthday {
                Date::UNKNOWN => String::new(),
                date => date.to_string(),
            },
            sex(details.gender),
        ]
    }

    fn json(&self) -> Json {
        let [name, title, rating, fide_id, birthday, sex] = self.fields();
        let number = |text: String| text.parse::<u64>().ok();
        object! {
            "name": name, "title": text_or_null(&title), "rating": number(rating), "fideId": number(fide_id),
            "birthday": text_or_null(&birthday), "sex": text_or_null(&sex),
        }
    }
}

fn sex(stored: u8) -> String {
    match stored {
        0 => String::new(),
        1 => "male".to_owned(),
        2 => "female".to_owned(),
        other => other.to_string(),
    }
}

/// Returns a table with a header row. With commas, fields are quoted according to RFC 4180.
fn table(players: &[Player], separator: char) -> String {
    let mut table = String::new();
    let mut row = |fields: &[String]| {
        for (n, field) in fields.iter().enumerate() {
            if n > 0 {
                table.push(separator);
            }
            let is_special = |c: char| c == separator || matches!(c, '"' | '\n' | '\r');
            if separator == '\t' {
                table.push_str(&plain(field));
            } else if field.contains(is_special) {
                let _ = write!(table, "\"{}\"", field.replace('"', "\"\""));
            } else {
                table.push_str(field);
            }
        }
        table.push('\n');
    };
    row(&COLUMNS.map(str::to_owned));
    for player in players {
        row(&player.fields());
    }
    table
}
