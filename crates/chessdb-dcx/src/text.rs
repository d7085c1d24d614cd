//! Texts: UTF-8 in records of 36 bytes and in comments (docs/formats/dcx.md, sections 4, 5.5, 14).

use chessdb_core::text::whole_characters;
use chessdb_core::{Charset, LossKind, Losses, Text};

use crate::raw::NameFile;

/// An irregularity of a record in a name table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecordIrregularity {
    /// Not padded with blanks after the text, blanks before it, or an incomplete character at the
    /// end.
    Padding,
    /// Not UTF-8.
    Charset,
}

/// Returns the text of a record and its irregularity, if any.
///
/// The text ends at the first NUL, without an incomplete character and without white space at both
/// ends.
pub(crate) fn record_text(record: &[u8]) -> (&[u8], Option<RecordIrregularity>) {
    // Nearly all records are visible ASCII, padded with blanks.
    let end = record.iter().rposition(|&b| b != b' ');
    let text = end.and_then(|end| record.get(..=end)).unwrap_or_default();
    let is_plain = |b: &u8| matches!(b, b' '..=b'~');
    if text.first().is_some_and(u8::is_ascii_graphic) && text.iter().all(is_plain) {
        return (text, None);
    }
    any_record_text(record)
}

/// Returns what [`record_text`] does, for any bytes.
fn any_record_text(record: &[u8]) -> (&[u8], Option<RecordIrregularity>) {
    let text = record.split(|&b| b == 0).next().unwrap_or_default();
    let (text, charset_fault) = match std::str::from_utf8(text) {
        Ok(text) => (text.trim().as_bytes(), None),
        // The reference writer cuts inside characters (section 4).
        Err(error) if error.error_len().is_none() => {
            let whole = text.get(..error.valid_up_to()).unwrap_or_default();
            let trimmed = std::str::from_utf8(whole).map_or(whole, |text| text.trim().as_bytes());
            (trimmed, None)
        }
        Err(_) => (text.trim_ascii(), Some(RecordIrregularity::Charset)),
    };
    let padded = record
        .strip_prefix(text)
        .is_some_and(|rest| rest.iter().all(|&b| b == b' '));
    let irregularity = charset_fault.or((!padded).then_some(RecordIrregularity::Padding));
    (text, irregularity)
}

/// Returns the record of a text that fits, as made by [`fit_name`].
pub(crate) fn record_of(text: &[u8]) -> [u8; NameFile::RECORD] {
    let mut record = [b' '; NameFile::RECORD];
    for (to, from) in record.iter_mut().zip(text) {
        *to = *from;
    }
    record
}

/// Makes a name fit into a record and counts the changes.
pub(crate) fn fit_name(text: Text<'_>, losses: &mut Losses) -> Vec<u8> {
    let mut name = Vec::with_capacity(NameFile::RECORD);
    let mut replaced = text.convert_into(Charset::UTF_8, &mut name) > 0;
    let mut layout = false;
    // A text that begins and ends with visible ASCII needs no trimming.
    let ends = [name.first(), name.last()];
    if !replaced
        && name.len() <= NameFile::RECORD
        && ends.iter().flatten().all(|byte| byte.is_ascii_graphic())
        && !name.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0))
    {
        return name;
    }
    for byte in &mut name {
        match byte {
            b'\r' | b'\n' => layout = true,
            0 => replaced = true,
            _ => continue,
        }
        *byte = b' ';
    }
    let trimmed = trim(&name);
    let cut = cut_between_characters(trimmed, NameFile::RECORD);
    if cut.len() < trimmed.len() {
        losses.add(LossKind::NameCut, None);
        // Blanks at the end would have been cut as well.
        layout |= !name.starts_with(trimmed);
    } else {
        layout |= trimmed.len() != name.len();
    }
    losses.add_if(LossKind::NameText, replaced);
    losses.add_if(LossKind::TextLayout, layout);
    trim(cut).to_vec()
}

/// Removes white space at both ends, as the reader does.
fn trim(text: &[u8]) -> &[u8] {
    match std::str::from_utf8(text) {
        Ok(text) => text.trim().as_bytes(),
        Err(_) => text.trim_ascii(),
    }
}

/// Cuts a text to at most `limit` bytes, without an incomplete character at the end.
pub(crate) fn cut_between_characters(text: &[u8], limit: usize) -> &[u8] {
    text.get(..whole_characters(text, limit)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn padded(text: &[u8], with: u8) -> Vec<u8> {
        let mut record = text.to_vec();
        record.resize(36, with);
        record
    }

    proptest! {
        #[test]
        fn plain_records_are_read_like_any(
            record in prop::collection::vec(prop_oneof![Just(b' '), Just(b'A'), Just(0), any::<u8>()], 0..12),
        ) {
            prop_assert_eq!(record_text(&record), any_record_text(&record));
        }
    }

    /// Section 4.
    #[test]
    fn records_are_trimmed_and_repaired() {
        let text = |record: &[u8]| {
            let (text, irregularity) = record_text(record);
            (text.to_vec(), irregularity)
        };
        assert_eq!(text(&padded(b"Wn", b' ')), (b"Wn".to_vec(), None));
        let irregularity = Some(RecordIrregularity::Padding);
        assert_eq!(text(&padded(b"Wn", 0)), (b"Wn".to_vec(), irregularity));
        assert_eq!(
            text(&padded(b"  lead", b' ')),
            (b"lead".to_vec(), irregularity)
        );
        let mut half = vec![b'A'; 35];
        half.push(0xC3);
        assert_eq!(text(&half), (vec![b'A'; 35], irregularity));
        assert_eq!(text(&padded(b"", b' ')), (vec![], None));
        let latin = Some(RecordIrregularity::Charset);
        assert_eq!(
            text(&padded(b"M\xFCller", b' ')),
            (b"M\xFCller".to_vec(), latin)
        );
        assert_eq!(text(b"short"), (b"short".to_vec(), None));
    }

    #[test]
    fn names_are_cut_between_characters() {
        let fit = |text: &str| {
            let mut losses = Losses::new();
            let name = fit_name(Text::new(text.as_bytes(), Charset::UTF_8), &mut losses);
            let kinds: Vec<_> = losses.iter().map(|loss| loss.kind).collect();
            (String::from_utf8(name).unwrap(), kinds)
        };
        let a35 = "A".repeat(35);
        assert_eq!(
            fit(&format!("{a35}ü")),
            (a35.clone(), vec![LossKind::NameCut])
        );
        assert_eq!(fit(&format!("{a35}x")), (format!("{a35}x"), vec![]));
        assert_eq!(fit(&format!("{a35} x")), (a35, vec![LossKind::NameCut]));
        assert_eq!(fit(" a\nb "), ("a b".into(), vec![LossKind::TextLayout]));
        assert_eq!(fit("a\0b"), ("a b".into(), vec![LossKind::NameText]));
        assert_eq!(fit(""), (String::new(), vec![]));
    }

    proptest! {
        #[test]
        fn fitted_names_are_read_back(text in "\\PC{0,60}") {
            let name = fit_name(Text::new(text.as_bytes(), Charset::UTF_8), &mut Losses::new());
            prop_assert!(name.len() <= 36);
            let record = record_of(&name);
            prop_assert_eq!(record_text(&record), (&name[..], None));
        }

        #[test]
        fn a_cut_is_a_prefix(text in "\\PC{0,60}", limit in 0usize..40) {
            let cut = cut_between_characters(text.as_bytes(), limit);
            prop_assert!(text.starts_with(std::str::from_utf8(cut).unwrap()));
            prop_assert!(cut.len() <= limit && cut.len() + 3 >= limit.min(text.len()));
        }
    }
}
