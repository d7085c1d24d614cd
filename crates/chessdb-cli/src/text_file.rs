//! Small text files of the user: lists of games and names, passwords, edited games.

use std::fs;
use std::io;
use std::path::Path;

use chessdb::core::utf16::utf_8;

/// Reads a text file.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    decode(&fs::read(path)?)
}

/// Decodes a text in UTF-8 or UTF-16, with or without a byte order mark, as PowerShell and editors of
/// Windows write it. Other bytes are an error, because a guess could change what the user wrote.
pub(crate) fn decode(bytes: &[u8]) -> io::Result<String> {
    let (text, utf_16) = utf_8(bytes);
    let text = str::from_utf8(&text).ok();
    match text.filter(|_| utf_16.is_none_or(|decoder| decoder.is_exact())) {
        Some(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()),
        None => {
            let message = "not valid UTF-8 or UTF-16";
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
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
        for bytes in [
            text.as_bytes().to_vec(),
            ["\u{feff}", text].concat().into_bytes(),
            with_mark([0xFF, 0xFE], u16::to_le_bytes),
            with_mark([0xFE, 0xFF], u16::to_be_bytes),
        ] {
            assert_eq!(decode(&bytes).unwrap(), text);
        }
        let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let cut_unit = [0xFF, 0xFE, b'1'].to_vec();
        let lone_surrogate = [0xFF, 0xFE, 0x00, 0xD8].to_vec();
        for bytes in [latin1, cut_unit, lone_surrogate] {
            decode(&bytes).unwrap_err();
        }
    }
}
