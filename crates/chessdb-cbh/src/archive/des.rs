//! The cipher of .cbz (docs/formats/cbh.md, section 14): DES in ECB mode.

use std::fmt;
use std::io::{self, Read};

use des::Des;
use des::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};

/// A key derived from a password.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; BLOCK]);

/// Hides the key, which is as secret as the password.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// The size of a block in bytes.
pub(super) const BLOCK: usize = 8;

impl Key {
    /// Derives the key of a password: a short one is repeated, a long one folded.
    pub fn new(password: &[u8]) -> Key {
        let mut key = [0u8; BLOCK];
        if password.len() > BLOCK {
            for part in password.chunks(BLOCK) {
                for (place, byte) in key.iter_mut().zip(part) {
                    *place = (*place << 1) ^ byte;
                }
            }
        } else {
            for (place, byte) in key.iter_mut().zip(password.iter().cycle()) {
                *place = *byte;
            }
        }
        Key(key)
    }

    /// Deciphers a block.
    pub fn decipher(&self, mut block: [u8; BLOCK]) -> [u8; BLOCK] {
        self.cipher().decrypt_block((&mut block).into());
        block
    }

    /// Enciphers all complete blocks.
    pub(super) fn encipher_all(&self, bytes: &mut [u8]) {
        let cipher = self.cipher();
        for block in bytes.as_chunks_mut::<BLOCK>().0 {
            cipher.encrypt_block(block.into());
        }
    }

    fn cipher(&self) -> Des {
        Des::new(&self.0.into())
    }
}

/// A reader that deciphers complete blocks from another reader. An incomplete block at the end is
/// dropped.
pub struct Deciphered<R> {
    inner: R,
    cipher: Des,
    ready: Vec<u8>,
    at: usize,
}

impl<R: fmt::Debug> fmt::Debug for Deciphered<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Deciphered");
        shown.field("inner", &self.inner).finish_non_exhaustive()
    }
}

impl<R: Read> Deciphered<R> {
    /// Creates a reader that deciphers with `key`.
    pub fn new(inner: R, key: Key) -> Deciphered<R> {
        Deciphered {
            inner,
            cipher: key.cipher(),
            ready: Vec::new(),
            at: 0,
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        const PIECE: usize = 8 << 10;
        self.at = 0;
        self.ready.clear();
        self.inner
            .by_ref()
            .take(PIECE as u64)
            .read_to_end(&mut self.ready)?;
        let whole = self.ready.len() / BLOCK * BLOCK;
        self.ready.truncate(whole);
        for block in self.ready.as_chunks_mut::<BLOCK>().0 {
            self.cipher.decrypt_block(block.into());
        }
        Ok(())
    }
}

impl<R: Read> Read for Deciphered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() {
            self.fill()?;
        }
        let mut ready = self.ready.get(self.at..).unwrap_or_default();
        let count = ready.read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;

    use super::*;

    /// A widely published example.
    #[test]
    fn the_cipher_is_des() {
        let key = Key::new(&hex!("133457799BBCDFF1"));
        let open = hex!("0123456789ABCDEF");
        let hidden = hex!("85E813540F0AB405");
        let mut bytes = open;
        key.encipher_all(&mut bytes);
        assert_eq!(bytes, hidden);
        assert_eq!(key.decipher(hidden), open);
    }

    #[test]
    fn keys_of_passwords() {
        assert_eq!(Key::new(b"pass"), Key::new(b"passpass"));
        assert_ne!(Key::new(b"password1"), Key::new(b"password"));
        // The ninth byte is combined with the shifted first byte.
        let folded = [&[(b'p' << 1) ^ b'1'][..], b"assword"].concat();
        assert_eq!(Key::new(b"password1"), Key::new(&folded));
        assert_eq!(format!("{:?}", Key::new(b"secret")), "Key(..)");
    }
}
