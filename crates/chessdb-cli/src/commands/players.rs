//! The commands `names --details` and `names --players`: the stored details of players.

use chessdb::core::Date;
use chessdb::core::model::{NameRole, PlayerDetails};

use crate::args::{Jobs, Names};
use crate::csv;
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
        let table = csv_table(&players);
        let force = args.output_options.force;
        ReportFile::write(
            path,
            force,
            &args.output_options.choice.words,
            table.as_bytes(),
        )?;
    } else {
        if args.csv {
            print_text(&csv_table(&players))?
        } else if args.output_options.json {
            print_list("players", players.iter().map(Player::json).collect())?
        } else {
            print_text(&table(&players))?
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

/// Returns a table with a header row, and tabs between the columns.
fn table(players: &[Player]) -> String {
    let mut table = COLUMNS.join("\t") + "\n";
    for player in players {
        let fields = player.fields().map(|field| plain(&field));
        table += &(fields.join("\t") + "\n");
    }
    table
}

fn csv_table(players: &[Player]) -> String {
    let mut table = String::new();
    csv::push_row(&mut table, COLUMNS);
    for player in players {
        csv::push_row(&mut table, player.fields().iter().map(String::as_str));
    }
    table
}
