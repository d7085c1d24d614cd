//! Small text files of the user: lists of games and names, passwords, edited games.

use std::fs;
use std::io;
use std::path::Path;

/// Reads a text file.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    fs::read(path).map(decode)
}

/// Decodes a text as programs of all systems write it. PowerShell and editors of Windows write UTF-16,
/// or a byte order mark before UTF-8. Other bytes are read as Latin-1, as in Scid's spelling file.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = rest.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16_lossy(&units)
    };
    match &bytes[..] {
        [0xFF, 0xFE, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => units(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode(rest.to_vec()),
        _ => String::from_utf8(bytes).unwrap_or_else(|error| {
            let bytes = error.as_bytes().iter();
            bytes.map(|&byte| char::from(byte)).collect()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_system_are_read() {
        let text = "Réti\r\n1-3";
        let utf16: Vec<u16> = text.encode_utf16().collect();
        let with_mark = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
            let units = utf16.iter().flat_map(|&unit| bytes(unit));
            mark.into_iter().chain(units).collect::<Vec<u8>>()
        };
        let latin1 = text.chars().map(|c| c as u8).collect();
        for bytes in [
            text.as_bytes().to_vec(),
            ["\u{feff}", text].concat().into_bytes(),
            with_mark([0xFF, 0xFE], u16::to_le_bytes),
            with_mark([0xFE, 0xFF], u16::to_be_bytes),
            latin1,
        ] {
            assert_eq!(decode(bytes), text);
        }
        assert_eq!(decode(vec![0xFF, 0xFE, b'1']), "");
    }
}
