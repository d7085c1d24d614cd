//! The table that leads from a position to its page (docs/formats/ctg.md, section 4).

/// The numbers that are summed up for a hash.
#[rustfmt::skip]
const NUMBERS: [u32; 64] = [
    0x3100D2BF, 0x3118E3DE, 0x34AB1372, 0x2807A847, 0x1633F566, 0x2143B359, 0x26D56488, 0x3B9E6F59,
    0x37755656, 0x3089CA7B, 0x18E92D85, 0x0CD0E9D8, 0x1A9E3B54, 0x3EAA902F, 0x0D9BFAAE, 0x2F32B45B,
    0x31ED6102, 0x3D3C8398, 0x146660E3, 0x0F8D4B76, 0x02C77A5F, 0x146C8799, 0x1C47F51F, 0x249F8F36,
    0x24772043, 0x1FBC1E4D, 0x1E86B3FA, 0x37DF36A6, 0x16ED30E4, 0x02C3148E, 0x216E5929, 0x0636B34E,
    0x317F9F56, 0x15F09D70, 0x131026FB, 0x38C784B1, 0x29AC3305, 0x2B485DC5, 0x3C049DDC, 0x35A9FBCD,
    0x31D5373B, 0x2B246799, 0x0A2923D3, 0x08A96E9D, 0x30031A9F, 0x08F525B5, 0x33611C06, 0x2409DB98,
    0x0CA4FEB2, 0x1000B71E, 0x30566E32, 0x39447D31, 0x194E3752, 0x08233A95, 0x0F38FE36, 0x29C7CD57,
    0x0F7B3A39, 0x328E8A16, 0x1E7D1388, 0x0FBA78F5, 0x274C7E7C, 0x1E8BE65C, 0x2FA0B0BB, 0x1EB6C371,
];

/// Returns the hash of a stored board, head included (docs/formats/ctg.md, section 4).
pub fn hash(board: &[u8]) -> u32 {
    let (mut sum, mut index) = (0_u32, 0_u32);
    let mut add = |step: u32| {
        index = index.wrapping_add(step);
        let number = NUMBERS.get((index & 0x3F) as usize).copied();
        sum = sum.wrapping_add(number.unwrap_or_default());
    };
    for &byte in board {
        let byte = u32::from(byte);
        // The steps of both halves add up to one running index into the 64 numbers.
        add(((0x0F - (byte & 0x0F)) << 2) + 1);
        add(((0xF0 - (byte & 0xF0)) >> 2) + 1);
    }
    sum
}

/// The size of the head of a .cto file in bytes.
const HEAD: usize = 16;

/// The slots of a .cto file: a binary trie over the low bits of the hash, with a page at each leaf
/// and -1 elsewhere. The .ctb file repeats which slots are inner nodes; no look-up needs it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'f> {
    slots: &'f [[u8; 4]],
}

impl<'f> Table<'f> {
    /// Returns the table of a .cto file for a book with this number of pages, or the reason why it
    /// cannot be right: every page must be in exactly one slot.
    pub(crate) fn parse(bytes: &'f [u8], pages: usize) -> Result<Table<'f>, &'static str> {
        let ([0, 16, 0, 1, a, b, c, d, 0, 0, 0, 0, ..], Some(slots)) = (bytes, bytes.get(HEAD..))
        else {
            return Err("the head of the table of pages");
        };
        let (slots, []) = slots.as_chunks::<4>() else {
            return Err("the length of the table of pages");
        };
        if u32::from_be_bytes([*a, *b, *c, *d]) as usize != slots.len() {
            return Err("the number of slots in the table of pages");
        }
        let mut is_listed = vec![false; pages];
        for slot in slots {
            let page = i32::from_be_bytes(*slot);
            if page == -1 {
                continue;
            }
            let listed = usize::try_from(page).ok();
            match listed.and_then(|page| is_listed.get_mut(page)) {
                Some(is_listed) if !*is_listed => *is_listed = true,
                _ => return Err("a page in the table of pages is missing or listed twice"),
            }
        }
        if is_listed.iter().all(|&is_listed| is_listed) {
            Ok(Table { slots })
        } else {
            Err("the table of pages does not list all pages")
        }
    }

    /// Returns the .ctb file of this table: bounds, and a bit for each inner node.
    pub(crate) fn bounds(&self) -> Vec<u8> {
        let leaves = self.slots.iter().enumerate();
        let mut leaves = leaves.filter(|(_, slot)| i32::from_be_bytes(**slot) >= 0);
        let mut inner = vec![false; self.slots.len()];
        let mut lowest = None;
        for (leaf, _) in &mut leaves {
            // The slots are in the order of the trie, so the first leaf is the lowest.
            lowest.get_or_insert(leaf);
            let mut slot = leaf;
            while let Some(parent) = parent(slot) {
                match inner.get_mut(parent) {
                    Some(is_inner) if !*is_inner => *is_inner = true,
                    // The ancestors of a marked node are marked.
                    _ => break,
                }
                slot = parent;
            }
        }
        let end = inner.iter().rposition(|&is_inner| is_inner);
        let bytes = end.map_or(0, |last| last / 8 + 1);
        let mut file = vec![0, 12, 0, 1];
        // The bits begin at a whole byte.
        file.extend((lowest.unwrap_or(0) as u32 / 8 * 8).to_be_bytes());
        file.extend((8 * bytes as u32).to_be_bytes());
        file.extend(inner.chunks(8).take(bytes).map(|bits| {
            bits.iter()
                .enumerate()
                .fold(0, |byte, (n, &is_inner)| byte | u8::from(is_inner) << n)
        }));
        file
    }

    /// Returns the page where the position with this hash must be.
    pub(crate) fn page(&self, hash: u32) -> Option<usize> {
        for level in 0..=u32::BITS {
            // 2^k - 1 nodes precede level k, and the same number masks k bits of the hash.
            let nodes = 1_u64.checked_shl(level)? - 1;
            let slot = nodes + (u64::from(hash) & nodes);
            let page = self.slots.get(usize::try_from(slot).ok()?)?;
            if let Ok(page) = usize::try_from(i32::from_be_bytes(*page)) {
                return Some(page);
            }
        }
        None
    }
}

/// Returns the parent of a slot: the node with one bit of the hash less.
fn parent(slot: usize) -> Option<usize> {
    let level = slot.checked_add(1)?.ilog2();
    let nodes = (1_usize << level) - 1;
    let above = nodes.checked_sub(1)? / 2;
    Some(above + ((slot - nodes) & above))
}
