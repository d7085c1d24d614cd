//! CESU-8: UTF-8 in which a character above U+FFFF is stored as two surrogates of three bytes each
//! (docs/formats/bytecode.md, texts).

/// Passes decoded pieces to `sink` and returns the number of malformed sequences, each decoded as
/// U+FFFD.
///
/// Four-byte sequences of plain UTF-8 are accepted. A surrogate without its partner is one
/// malformed sequence.
pub(super) fn decode(bytes: &[u8], sink: &mut impl FnMut(&str)) -> usize {
    let mut malformed = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let (valid, tail) = valid_prefix(rest);
        if !valid.is_empty() {
            sink(valid);
        }
        let Some(&first) = tail.first() else { break };
        // A surrogate or a malformed sequence.
        let length = match pair(tail) {
            Some(c) => {
                sink(c.encode_utf8(&mut [0; 4]));
                6
            }
            None => {
                malformed += 1;
                sink("\u{FFFD}");
                match surrogate(tail) {
                    Some(_) => 3,
                    None => malformed_length(first, tail),
                }
            }
        };
        rest = tail.get(length..).unwrap_or_default();
    }
    malformed
}

/// Returns the character of the surrogate pair at the start, which has six bytes.
pub(super) fn pair(bytes: &[u8]) -> Option<char> {
    match (surrogate(bytes)?, bytes.get(3..).and_then(surrogate)?) {
        (high @ 0xD800..=0xDBFF, low @ 0xDC00..=0xDFFF) => {
            char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        }
        _ => None,
    }
}

/// Returns the longest prefix that is UTF-8, and the rest.
fn valid_prefix(bytes: &[u8]) -> (&str, &[u8]) {
    match bytes.utf8_chunks().next() {
        Some(chunk) => {
            let valid = chunk.valid();
            (valid, bytes.get(valid.len()..).unwrap_or_default())
        }
        None => ("", bytes),
    }
}

/// Returns the surrogate at the start, which has three bytes.
fn surrogate(bytes: &[u8]) -> Option<u32> {
    match *bytes {
        [0xED, b @ 0xA0..=0xBF, c @ 0x80..=0xBF, ..] => {
            Some(0xD000 | u32::from(b & 0x3F) << 6 | u32::from(c & 0x3F))
        }
        _ => None,
    }
}

/// Returns the length of a malformed sequence in bytes, as for UTF-8.
fn malformed_length(first: u8, bytes: &[u8]) -> usize {
    if first == 0xED {
        // The bytes after ED may begin a surrogate; only ED itself is skipped.
        return 1;
    }
    bytes
        .utf8_chunks()
        .next()
        .map_or(1, |chunk| chunk.invalid().len().max(1))
}

/// Appends the characters; every character can be encoded.
pub(super) fn encode(text: &str, out: &mut Vec<u8>) {
    for c in text.chars() {
        let mut units = [0; 2];
        match c.encode_utf16(&mut units) {
            &mut [high, low] => {
                for unit in [high, low] {
                    // Three bytes of 4, 6 and 6 bits; a surrogate starts with the bits 1101.
                    out.push(0xED);
                    out.push(0x80 | (unit >> 6 & 0x3F) as u8);
                    out.push(0x80 | (unit & 0x3F) as u8);
                }
            }
            _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}
