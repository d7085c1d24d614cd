//! What belongs to the base as a whole: guiding texts, which stand among the games.

use chessdb_core::{
    BaseInfo, ErrorKind, Location, LossKind, Losses, ReadOptions, Result, Scratch, Severity,
};

use crate::extras::{self, extra};
use crate::raw::{Index, MoveRecord, Record};
use crate::roles::CBG_FILE;

/// Takes the guiding texts of a base, each with its index record, so that they can be written again.
/// Together they are not longer than the files: several records may name the same text.
pub(crate) fn guiding_texts(
    index: &Index<'_>,
    texts: &[u32],
    games: Option<&[u8]>,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<BaseInfo> {
    let mut base = BaseInfo::default();
    let mut room = games.map_or(0, <[u8]>::len);
    for &id in texts {
        let Some(record) = index.records.get(id as usize) else {
            continue;
        };
        let offset = Record::parse(record).offset();
        let there = games.and_then(|games| games.get(offset as usize..));
        let text = there
            .map(MoveRecord::parse)
            .and_then(std::result::Result::ok);
        let text = text.filter(|text| text.size() <= room);
        let Some(text) = text else {
            let kind = ErrorKind::Structure("a guiding text that is not there");
            let at = Location::byte(CBG_FILE, offset.into()).in_game(id.saturating_add(1));
            scratch.deviation(options, Severity::Lost, kind, at)?;
            continue;
        };
        room -= text.size();
        let mut bytes = record.to_vec();
        text.write(&mut bytes);
        base.extras.push(extra(extras::GUIDING_TEXT, &bytes));
    }
    Ok(base)
}

/// What of a base is lost when games are written into a new one.
pub(crate) fn losses(base: &BaseInfo) -> Losses {
    let mut losses = base.losses();
    // 0 and 1 are the first game in either way of counting, which opens anyway.
    if base.open_first.is_some_and(|game| game > 1) {
        losses.add(LossKind::OpenFirst, None);
    }
    losses
}
