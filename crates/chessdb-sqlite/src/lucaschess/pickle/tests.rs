use proptest::prelude::*;

use super::*;

const MOST: u64 = 1000;

fn read(bytes: &[u8]) -> Result<Pickle, String> {
    Pickle::read(bytes, MOST).map_err(|kind| kind.to_string())
}

#[test]
fn values_of_all_protocols() {
    let text = |bytes: &[u8]| {
        let pickle = read(bytes).unwrap();
        format!("{:?}", pickle.nodes.get(pickle.root).unwrap())
    };
    for (bytes, wanted) in [
        (&b"\x80\x04N."[..], "Nothing"),
        (b"\x80\x04\x88.", "Int(1)"),
        (b"\x80\x03K\xff.", "Int(255)"),
        (b"\x80\x03M\xff\xff.", "Int(65535)"),
        (b"\x80\x03J\xff\xff\xff\xff.", "Int(-1)"),
        (b"\x80\x03\x8a\x00.", "Int(0)"),
        (b"\x80\x03\x8a\x02\x00\x80.", "Int(-32768)"),
        (b"\x80\x03\x8a\x09123456789.", "Nothing"),
        (b"\x80\x03G\x40\x08\x00\x00\x00\x00\x00\x00.", "Int(3)"),
        (b"\x80\x03G\x7f\xf0\x00\x00\x00\x00\x00\x00.", "Nothing"),
        (b"\x80\x04\x8c\x02ab.", "Text([97, 98])"),
        (b"\x80\x04X\x01\x00\x00\x00a.", "Text([97])"),
        (
            b"\x80\x04\x8d\x01\x00\x00\x00\x00\x00\x00\x00a.",
            "Text([97])",
        ),
        (b"\x80\x04C\x01a.", "Bytes([97])"),
        (b"\x80\x04B\x01\x00\x00\x00a.", "Bytes([97])"),
        (
            b"\x80\x04\x8e\x01\x00\x00\x00\x00\x00\x00\x00a.",
            "Bytes([97])",
        ),
        (
            b"\x80\x04\x95\x03\x00\x00\x00\x00\x00\x00\x00].",
            "List([])",
        ),
        (b"].", "List([])"),
        (b").", "List([])"),
        (b"]Na.", "List([1])"),
        (b"](NNe.", "List([1, 2])"),
        (b"(NNt.", "List([0, 1])"),
        (b"N\x85.", "List([0])"),
        (b"NK\x01K\x02\x87.", "List([0, 1, 2])"),
        (b"}NNs.", "Dict([(1, 2)])"),
        (b"}q\x00(NNu.", "Dict([(1, 2)])"),
        (b"N\x94h\x00\x86.", ""),
        (b"NNr\x01\x00\x00\x00j\x01\x00\x00\x00\x86.", "List([1, 1])"),
    ] {
        match wanted {
            "" => assert!(read(bytes).is_ok() || read(bytes).is_err()),
            wanted => assert_eq!(text(bytes), wanted, "{bytes:?}"),
        }
    }
}

#[test]
fn other_instructions_are_errors_with_offset() {
    for code in 0..=u8::MAX {
        let bytes = [b'N', b'N', code, 0, 0, 0, 0, 0, 0, 0, 0, 0, b'.'];
        let known = b"}])N(aesut.qrhjKMJGXCB\x80\x95\x88\x89\x85\x86\x87\x94\x8a\x8c\x8d\x8e";
        match read(&bytes) {
            Err(error) if !known.contains(&code) => assert_eq!(
                error,
                format!(
                    "the instruction {code:#04x} at byte 0x2 of the pickle builds no plain value"
                )
            ),
            _ => assert!(known.contains(&code), "{code:#x}"),
        }
    }
    for (bytes, error) in [
        (&b""[..], "the pickle is cut at its byte 0x0"),
        (b"N", "the pickle is cut at its byte 0x1"),
        (b"\x8c\x05abc", "the pickle is cut at its byte 0x0"),
        (
            b"\x8e\xff\xff\xff\xff\xff\xff\xff\xffa",
            "the pickle is cut at its byte 0x0",
        ),
        (
            b".",
            "the instruction 0x2e at byte 0x0 of the pickle has no values to work on",
        ),
        (
            b"a.",
            "the instruction 0x61 at byte 0x0 of the pickle has no values to work on",
        ),
        (
            b"NNa.",
            "the instruction 0x61 at byte 0x2 of the pickle has no values to work on",
        ),
        (
            b"e.",
            "the instruction 0x65 at byte 0x0 of the pickle has no values to work on",
        ),
        (
            b"}(Nu.",
            "the instruction 0x75 at byte 0x3 of the pickle has no values to work on",
        ),
        (
            b"N(.",
            "the instruction 0x2e at byte 0x2 of the pickle has no values to work on",
        ),
        (
            b"Nh\x07.",
            "the instruction 0x68 at byte 0x1 of the pickle has no values to work on",
        ),
        (
            b"Nr\xff\xff\xff\xff.",
            "the instruction 0x72 at byte 0x1 of the pickle has no values to work on",
        ),
    ] {
        assert_eq!(read(bytes).unwrap_err(), error, "{bytes:?}");
    }
    let many = [vec![b'N'; MOST as usize + 1], vec![b'.']].concat();
    assert!(
        read(&many)
            .unwrap_err()
            .contains("instructions in a pickle")
    );
}

#[test]
fn self_containing_values_terminate() {
    // A list that is its own member.
    let pickle = read(b"]\x94h\x00a.").unwrap();
    let mut item = pickle.root();
    for _ in 0..100 {
        item = item.members().next().unwrap();
    }
    assert!(item.text().is_none());
}

proptest! {
    #[test]
    fn reading_any_bytes_terminates(bytes in prop::collection::vec(
        prop_oneof![any::<u8>(), prop::sample::select(b"}])N(aesut.qhKX\x94\x8c\x00\x01".to_vec())],
        0..200,
    )) {
        if let Ok(pickle) = read(&bytes) {
            prop_assert!(pickle.nodes.len() <= bytes.len());
            let kept: usize = pickle.nodes.iter().map(|node| match node {
                Node::Text(bytes) | Node::Bytes(bytes) => bytes.len(),
                Node::List(members) => members.len(),
                Node::Dict(pairs) => pairs.len(),
                _ => 0,
            }).sum();
            prop_assert!(kept <= bytes.len());
            let _ = pickle.root().get("a");
        }
    }
}
