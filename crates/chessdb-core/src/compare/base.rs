//! Differences between two databases in the data outside their games.

use std::collections::{HashMap, HashSet};

use super::{Difference, Differences, extras};
use crate::model::{NameRole, PlayerDetails};
use crate::text::TextId;
use crate::{BaseInfo, Date, LossKind};

pub(super) fn compare(
    before: &BaseInfo,
    after: &BaseInfo,
    names: &HashSet<(NameRole, String)>,
) -> Vec<Difference> {
    use LossKind as L;
    let mut differences = Differences::default();
    let text = |base: &BaseInfo, id: TextId| base.texts.get(id).decode().into_owned();
    let mut differ = |what: &str, x: String, y: String, kinds: &[L]| {
        if x != y && !x.is_empty() {
            differences.add(Difference::new(what, x, y), kinds);
        }
    };
    let title = (text(before, before.title), text(after, after.title));
    differ("database title", title.0, title.1, &[L::BaseTitle]);
    let description = (
        text(before, before.description),
        text(after, after.description),
    );
    differ(
        "description",
        description.0,
        description.1,
        &[L::Description],
    );
    let number = |number: Option<u32>| {
        number
            .filter(|&number| number != 0)
            .map_or(String::new(), |n| n.to_string())
    };
    differ(
        "type",
        number(before.kind),
        number(after.kind),
        &[L::BaseKind],
    );
    differ(
        "game to open first",
        number(before.open_first),
        number(after.open_first),
        &[L::OpenFirst],
    );
    for (n, &name) in before.flag_names.iter().enumerate() {
        let now = after.flag_names.get(n).copied().unwrap_or(TextId::NONE);
        differ(
            "name of a flag",
            text(before, name),
            text(after, now),
            &[L::FlagNames],
        );
    }
    let collections = |base: &BaseInfo| -> String {
        base.collections
            .iter()
            .map(|collection| text(base, collection.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    differ(
        "collections",
        collections(before),
        collections(after),
        &[L::Collection],
    );
    extras(
        &before.extras,
        &after.extras,
        L::BaseExtra,
        &mut differences,
    );
    tables(before, after, names, &mut differences);
    differences.0
}

/// Compares the names that no game uses, and the details of all names.
fn tables(
    before: &BaseInfo,
    after: &BaseInfo,
    names: &HashSet<(NameRole, String)>,
    differences: &mut Differences,
) {
    let records = |base: &BaseInfo| -> Vec<(NameRole, String, Option<PlayerDetails>)> {
        let all = base.names.iter().flat_map(|table| {
            let records = table.records.iter();
            records.map(|record| {
                let name = base.texts.get(record.text).decode().into_owned();
                (table.role, name, record.player)
            })
        });
        all.collect()
    };
    let stored = records(after);
    let mut by_name: HashMap<(NameRole, &str), Vec<PlayerDetails>> = HashMap::new();
    for (role, name, details) in &stored {
        by_name
            .entry((*role, name))
            .or_default()
            .push(details.unwrap_or_default());
    }
    for (role, name, details) in &records(before) {
        let now = by_name.get(&(*role, name.as_str()));
        let is_used = names.contains(&(*role, name.clone()));
        if now.is_none() && !name.is_empty() && !is_used {
            differences.add(
                Difference::new("name used by no game", name, ""),
                &[LossKind::NameTable],
            );
        }
        // The headers contain the titles and FIDE numbers of players who have games.
        let in_headers = is_used;
        let numbers = |details: PlayerDetails| {
            let PlayerDetails {
                title,
                rating,
                fide_id,
                birthday,
                gender,
            } = details;
            let own = (rating, birthday, gender);
            (
                own,
                !in_headers && title.is_some(),
                if in_headers { 0 } else { fide_id },
            )
        };
        let details = numbers(details.unwrap_or_default());
        // Several players may have the same name.
        let now: Vec<_> = now.into_iter().flatten().copied().map(numbers).collect();
        if !now.contains(&details) && details != numbers(PlayerDetails::default()) {
            let shown = |list: &[_]| {
                list.iter()
                    .map(details_in_words)
                    .collect::<Vec<_>>()
                    .join("; ")
            };
            let what = format!("details of {name:?}");
            let what = Difference::in_words(what, shown(&[details]), shown(&now));
            differences.add(what, &[LossKind::NameDetails, LossKind::NameTable]);
        }
    }
}

/// Details of a player that a difference shows: rating, birthday and sex; whether there is a title
/// and the FIDE number, if no header has them.
type OwnDetails = ((u16, Date, u8), bool, u32);

/// Returns the known details, separated by commas.
fn details_in_words(details: &OwnDetails) -> String {
    let ((rating, birthday, gender), has_title, fide_id) = *details;
    [
        (rating > 0).then(|| format!("rating {rating}")),
        (birthday != Date::UNKNOWN).then(|| format!("born {birthday}")),
        (gender > 0).then(|| if gender == 1 { "male" } else { "female" }.to_owned()),
        has_title.then(|| "a title".to_owned()),
        (fide_id > 0).then(|| format!("FIDE number {fide_id}")),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join(", ")
}
