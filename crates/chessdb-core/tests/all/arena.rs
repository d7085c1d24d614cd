//! Tests of the arena of texts.

use chessdb_core::text::{Charset, Text, TextId, Texts};
use proptest::prelude::*;

use crate::text::any_charset;

#[test]
fn the_front_of_a_record_is_a_text() {
    let mut texts = Texts::new();
    let record = *b"ab  ";
    let ids = [0, 2, 4, 9].map(|length| texts.push_front(&record, length, Charset::UTF_8));
    let stored = ids.map(|id| texts.get(id).as_bytes().to_vec());
    assert_eq!(stored, [&b""[..], b"ab", b"ab  ", b"ab  "]);
    texts.begin();
    texts.extend(b"dropped");
    let id = texts.push_front(&record, 1, Charset::UTF_8);
    assert_eq!(texts.get(id).as_bytes(), b"a");
    assert_eq!(texts.bytes_used(), 11);
}

#[test]
fn the_arena_keeps_texts_apart_and_its_memory() {
    let mut texts = Texts::new();
    assert_eq!(texts.get(TextId::NONE), Text::EMPTY);
    let kasparov = texts.push(b"Kasparov", Charset::CP437);
    let empty = texts.push(b"", Charset::LATIN_1);
    let karpov = texts.push(b"Karpov", Charset::UTF_8);
    assert!(empty.is_some() && empty != TextId::NONE && empty != karpov);
    assert_eq!(texts.get(kasparov), Text::new(b"Kasparov", Charset::CP437));
    assert_eq!(texts.get(empty), Text::new(b"", Charset::LATIN_1));
    assert_eq!(texts.get(karpov), Text::new(b"Karpov", Charset::UTF_8));
    assert_eq!((texts.len(), texts.bytes_used()), (3, 14));
    for wrong in [4, 5, u32::MAX] {
        assert_eq!(texts.get(TextId::from_raw(wrong)), Text::EMPTY);
    }
    let ids: Vec<u32> = texts.iter().map(|(id, _)| id.raw()).collect();
    assert_eq!(ids, [1, 2, 3]);

    let mut other = Texts::new();
    let copy = other.push_from(&texts, karpov);
    assert_eq!(other.get(copy), texts.get(karpov));
    assert!(other.push_from(&texts, TextId::NONE).is_none());
    assert!(other.push_from(&texts, TextId::from_raw(9)).is_none());

    texts.clear();
    assert_eq!((texts.len(), texts.bytes_used()), (0, 0));
    assert_eq!(texts.get(kasparov), Text::EMPTY);
    assert_eq!(texts.push(b"x", Charset::UTF_8).raw(), 1);
}

#[test]
fn texts_are_built_in_place() {
    let mut texts = Texts::new();
    let first = texts.push(b"first", Charset::UTF_8);
    texts.begin();
    texts.extend(b"[%x] ab");
    texts.push_byte(b'c');
    assert_eq!(texts.pending(), b"[%x] abc");
    assert_eq!(texts.len(), 1);
    texts.skip_pending(5);
    texts.truncate_pending(2);
    assert_eq!(texts.pending(), b"ab");
    let lost = texts.extend_converted(Text::new(b"\x81", Charset::CP437), Charset::UTF_8);
    assert_eq!(lost, 0);
    let second = texts.finish(Charset::UTF_8);
    assert_eq!(texts.get(second).decode(), "abü");

    // Each of these calls drops an unfinished text.
    texts.begin();
    texts.extend(b"aborted");
    texts.abort();
    assert_eq!(texts.pending(), b"");
    texts.extend(b"begun anew");
    texts.begin();
    assert_eq!(texts.pending(), b"");
    texts.extend(b"skipped");
    texts.skip_pending(usize::MAX);
    assert_eq!(texts.pending(), b"");
    texts.extend(b"pushed over");
    texts.truncate_pending(usize::MAX);
    let third = texts.push(b"third", Charset::CP850);
    assert_eq!(texts.get(first).as_bytes(), b"first");
    assert_eq!(texts.get(third).as_bytes(), b"third");
    assert_eq!(texts.bytes_used(), 5 + 4 + 5);
}

#[test]
fn numbers_are_put_in_as_decimals() {
    let mut texts = Texts::new();
    for number in [0, 7, 10, 65_535, 1_000_000_000, u32::MAX] {
        texts.begin();
        texts.extend_number(number);
        let text = texts.finish(Charset::UTF_8);
        assert_eq!(texts.get(text).as_bytes(), number.to_string().as_bytes());
    }
}

proptest! {
    #[test]
    fn arena_equals_a_list(items in proptest::collection::vec(
        (proptest::collection::vec(any::<u8>(), 0..20), any_charset(), any::<bool>()), 0..30)
    ) {
        let mut texts = Texts::new();
        let mut ids = Vec::new();
        for (bytes, charset, whole) in &items {
            ids.push(if *whole {
                texts.push(bytes, *charset)
            } else {
                texts.begin();
                bytes.iter().for_each(|&byte| texts.push_byte(byte));
                texts.finish(*charset)
            });
        }
        for (id, (bytes, charset, _)) in ids.iter().zip(&items) {
            prop_assert_eq!(texts.get(*id), Text::new(bytes, *charset));
        }
    }
}
