//! Times and evaluations (docs/formats/scidb.md, section 8).

use chessdb_core::commands::{Clock, ClockKind, Command, Eval, EvalValue};

use crate::raw::TimeItem;

/// Returns the time or evaluation of an item, if the model has it; the engine is in the lowest four
/// bits of an evaluation or of a time in seconds.
pub(crate) fn read(item: TimeItem) -> Option<Command<'static>> {
    let TimeItem { kind, low, value } = item;
    let read = match kind {
        TimeItem::EVALUATION => {
            // Pawns have ten bits, hundredths seven (section 8).
            let points = (value >> 7 & 0x3FF) * 100 + (value & 0x7F);
            let points = i32::try_from(points).ok()?;
            let is_negative = value >> 17 & 1 != 0;
            let depth = u16::try_from(value >> 18).ok()?;
            Command::Eval(Eval {
                value: EvalValue::Centipawns(if is_negative { -points } else { points }),
                depth: (depth > 0).then_some(depth),
            })
        }
        TimeItem::CLOCK | TimeItem::ELAPSED => {
            let (hours, minutes, seconds) = (value >> 12 & 15, value >> 6 & 63, value & 63);
            clock(kind, (hours * 3600 + minutes * 60 + seconds) * 1000)
        }
        TimeItem::ELAPSED_MS => {
            let seconds = u32::from(low) << 14 | value >> 10;
            clock(kind, seconds * 1000 + (value & 0x3FF))
        }
        _ => return None,
    };
    // An item that is not as Scidb writes it, such as 70 seconds, is kept as it is.
    let engine = if kind == TimeItem::ELAPSED_MS { 0 } else { low };
    let again = write(&read, engine).map(|again| (again.value, again.low));
    // Whole seconds would be written as the shorter kind; the time is the same.
    let is_short = kind == TimeItem::ELAPSED_MS && value & 0x3FF == 0;
    (again == Some((value, low)) || is_short).then_some(read)
}

fn clock(kind: u8, milliseconds: u32) -> Command<'static> {
    let kind = match kind {
        TimeItem::CLOCK => ClockKind::Clock,
        _ => ClockKind::Elapsed,
    };
    Command::Clock(Clock { kind, milliseconds })
}

/// Returns the item for a time or an evaluation, with the number of its engine or 0. `None` if it
/// has no item.
pub(crate) fn write(command: &Command<'_>, engine: u8) -> Option<TimeItem> {
    match *command {
        Command::Eval(Eval {
            value: EvalValue::Centipawns(points),
            depth,
        }) => {
            let depth = u32::from(depth.unwrap_or(0));
            let size = points.unsigned_abs();
            // There are ten bits for pawns and six for the depth.
            let is_stored = size < 1024 * 100 && depth < 64 && command_has_depth(command);
            is_stored.then_some(TimeItem {
                kind: TimeItem::EVALUATION,
                low: engine,
                value: (depth << 18)
                    | (u32::from(points < 0) << 17)
                    | ((size / 100) << 7)
                    | (size % 100),
            })
        }
        Command::Clock(Clock { kind, milliseconds }) => {
            let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
            // Four bits hold the hours.
            if rest == 0 && seconds < 16 * 3600 {
                return Some(TimeItem {
                    kind: match kind {
                        ClockKind::Clock => TimeItem::CLOCK,
                        ClockKind::Elapsed => TimeItem::ELAPSED,
                    },
                    low: engine,
                    value: ((seconds / 3600) << 12) | ((seconds / 60 % 60) << 6) | (seconds % 60),
                });
            }
            let is_stored = kind == ClockKind::Elapsed && seconds < 1 << 18 && engine == 0;
            is_stored.then_some(TimeItem {
                kind: TimeItem::ELAPSED_MS,
                low: (seconds >> 14) as u8,
                value: (seconds & 0x3FFF) << 10 | rest,
            })
        }
        _ => None,
    }
}

/// Returns whether the depth of an evaluation is read back: 0 represents no depth.
fn command_has_depth(command: &Command<'_>) -> bool {
    !matches!(command, Command::Eval(Eval { depth: Some(0), .. }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn time_items_round_trip(kind in 1u8..=8, low in 0u8..16, value in 0u32..1 << 24) {
            let item = TimeItem { kind, low, value };
            if let Some(command) = read(item) {
                let engine = if kind == TimeItem::ELAPSED_MS { 0 } else { low };
                let again = write(&command, engine).unwrap();
                prop_assert_eq!(read(again), Some(command));
            }
        }

        #[test]
        fn time_commands_round_trip(points in -200_000i32..200_000, depth in 0u16..80, ms in 0u32..400_000_000) {
            let eval = Command::Eval(Eval {
                value: EvalValue::Centipawns(points),
                depth: (depth > 0).then_some(depth),
            });
            let clocks = [TimeItem::CLOCK, TimeItem::ELAPSED].map(|kind| clock(kind, ms));
            for command in [eval].into_iter().chain(clocks) {
                if let Some(item) = write(&command, 0) {
                    prop_assert_eq!(read(item), Some(command));
                }
            }
        }
    }
}
