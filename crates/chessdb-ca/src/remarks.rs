//! Facts about a database that only this format has (docs/formats/chess-assistant.md, sections 1
//! and 4.3).

use chessdb_core::BaseInfo;
use chessdb_core::model::{NameRole, PlayerDetails};
use chessdb_core::store::Remark;

use crate::extras;
use crate::roles::SIDE_FILES;

/// Returns remarks about player data, side files and selections.
pub(crate) fn remarks(base: &BaseInfo) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = players(base).into_iter().collect();
    remarks.extend(side_files(base));
    remarks.extend(selections(base));
    remarks
}

/// Counts the players that have more than a name and a title.
fn players(base: &BaseInfo) -> Option<Remark> {
    let table = base.table(NameRole::Player)?;
    let detailed = table.records.iter().filter(|record| {
        let details = record.player.unwrap_or_default();
        let title = details.title;
        details
            != PlayerDetails {
                title,
                ..PlayerDetails::default()
            }
    });
    let count = detailed.count();
    let text =
        format!("{count} with rating, FIDE number, birthday or sex: `chessdb names --details`");
    (count > 0).then(|| Remark::new("players", text))
}

/// Describes the files with content that the published description does not explain.
fn side_files(base: &BaseInfo) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (field, role) in (extras::BASE_SIDE_FILE..).zip(SIDE_FILES) {
        let mut own = base
            .extras
            .iter()
            .filter(|extra| extra.format == extras::FORMAT);
        let Some(stored) = own.find(|extra| extra.field == field) else {
            continue;
        };
        let bytes = stored.bytes.len();
        let name = role.0.to_ascii_uppercase();
        let (title, text) = match role.0 {
            "a01" => {
                let numbers = bytes / 4;
                (
                    "folders",
                    format!("{name}: {numbers} addresses, probably of folders created by the user"),
                )
            }
            "d01" => (
                "folders",
                format!("{name}: {bytes} bytes, probably folders created by the user"),
            ),
            _ => (
                "other file",
                format!("{name}: {bytes} bytes without a known meaning"),
            ),
        };
        remarks.push(Remark::new(title, text));
    }
    remarks
}

/// Describes the masks of names, which may be selections of the user.
fn selections(base: &BaseInfo) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for extra in &base.extras {
        if extra.format != extras::FORMAT || extra.field != extras::BASE_INNER_FILE {
            continue;
        }
        let mut parts = extra.bytes.splitn(2, |&byte| byte == 0);
        let (Some(name), Some(mask)) = (parts.next(), parts.next()) else {
            continue;
        };
        let suffix = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
        if !matches!(&*suffix.to_ascii_lowercase(), b"axx" | b"dxx") {
            continue;
        }
        let set: u32 = mask.iter().map(|byte| byte.count_ones()).sum();
        let name = String::from_utf8_lossy(name);
        let text = format!("{name}: {set} names are marked for an unknown purpose");
        remarks.push(Remark::new("selection", text));
    }
    remarks
}
