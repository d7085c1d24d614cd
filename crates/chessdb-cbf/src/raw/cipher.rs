//! The three ciphers (docs/formats/cbf.md, section 4). Each byte is XORed with a key that is
//! multiplied after each byte, starting from the last byte.

/// The size of a game's header in bytes.
pub(super) const HEADER: usize = 14;

/// XORs the bytes from the last to the first. The function is its own inverse.
fn run(bytes: &mut [u8], mut key: u8, factor: u8) {
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(factor);
    }
}

/// Applies the second key of byte 11 of the header. The key consists of the lengths in bytes 4 and
/// 5, which must be deciphered.
fn mask_length(bytes: &mut [u8; HEADER]) {
    let [.., players, source, _, _, _, _, _, masked, _, _] = bytes;
    *masked ^= 14 + (*players & 63) + (*source & 63);
}

/// Deciphers a header.
pub fn decode_raw_header(bytes: &mut [u8; HEADER]) {
    run(bytes, 101, 3);
    mask_length(bytes);
}

/// Enciphers a header.
pub fn encode_raw_header(bytes: &mut [u8; HEADER]) {
    mask_length(bytes);
    run(bytes, 101, 3);
}

/// Enciphers or deciphers players and source, which the cipher treats as one text.
pub fn text(bytes: &mut [u8]) {
    run(bytes, (bytes.len() as u8).wrapping_mul(3), 3);
}

/// Enciphers or deciphers moves. The first byte is always in plain.
pub fn moves(bytes: &mut [u8]) {
    // The key is derived from the length in the header, which is the number of bytes plus 1.
    let word = (bytes.len() as u8).wrapping_add(1);
    if let Some((_, rest)) = bytes.split_first_mut() {
        run(rest, word.wrapping_mul(49), 7);
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// Section 13, example 1.
    #[test]
    fn the_page_agrees() {
        let mut raw_header = hex!("55 02 00 0A 13 4E 00 11 DC E0 2E 40 03 4A");
        encode_raw_header(&mut raw_header);
        assert_eq!(
            raw_header,
            hex!("6A 17 07 A7 9C CB D7 8C 03 15 89 E2 2C 2F")
        );
        decode_raw_header(&mut raw_header);
        assert_eq!(
            raw_header,
            hex!("55 02 00 0A 13 4E 00 11 DC E0 2E 40 03 4A")
        );
        let mut stream = hex!("0B 07 99 09 FF 06 91 80 0A");
        moves(&mut stream);
        assert_eq!(stream, hex!("0B C1 13 AF 55 80 5B E6 E0"));
        let mut players = *b"Kasparov,G-Karpov,AMoskva wm (16)";
        text(&mut players);
        let stored = hex!(
            "A8 C0 F8 A9 92 23 74 7F 2F 46 86 72 72 C3 4B 06 55 4D 8A D4 5C 62 30 BF 22 E1 9C 94 73 59 4A 1F 4A"
        );
        assert_eq!(players, stored);
    }

    proptest! {
        #[test]
        fn each_is_its_own_inverse(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            for cipher in [text, moves] {
                let mut twice = bytes.clone();
                cipher(&mut twice);
                // With some lengths the key is 0.
                let keyed = !matches!(bytes.len() % 256, 0 | 1 | 255);
                prop_assert!(!keyed || twice != bytes);
                cipher(&mut twice);
                prop_assert_eq!(&twice, &bytes);
            }
        }

        #[test]
        fn headers_come_back(bytes in any::<[u8; HEADER]>()) {
            let mut twice = bytes;
            decode_raw_header(&mut twice);
            encode_raw_header(&mut twice);
            prop_assert_eq!(twice, bytes);
            encode_raw_header(&mut twice);
            decode_raw_header(&mut twice);
            prop_assert_eq!(twice, bytes);
        }
    }
}
