//! The subset of Python's pickles that Lucas Chess writes (docs/formats/lucaschess.md, section 4).
//!
//! A pickle is a program. Only the instructions that build plain values are known here; all others,
//! such as those that load classes or call functions, end the reading.

use chessdb_core::ErrorKind;

/// The values of a pickle. Containers refer to their members by number, so no depth of nesting costs
/// more than its bytes.
#[derive(Debug)]
pub(super) struct Pickle {
    nodes: Vec<Node>,
    root: usize,
    instructions: u64,
}

#[derive(Debug)]
enum Node {
    Nothing,
    Int(i64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    List(Vec<usize>),
    Dict(Vec<(usize, usize)>),
}

/// A value of a pickle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'p> {
    pickle: &'p Pickle,
    node: usize,
}

impl<'p> Item<'p> {
    fn node(self) -> &'p Node {
        self.pickle.nodes.get(self.node).unwrap_or(&Node::Nothing)
    }

    /// Returns the value of a key of a dictionary.
    pub(super) fn get(self, key: &str) -> Option<Item<'p>> {
        let Node::Dict(pairs) = self.node() else {
            return None;
        };
        let is_key = |&&(name, _): &&(usize, usize)| matches!(self.pickle.nodes.get(name), Some(Node::Text(text)) if text == key.as_bytes());
        // The last of equal keys counts.
        let &(_, node) = pairs.iter().rev().find(is_key)?;
        Some(Item { node, ..self })
    }

    /// Returns the pairs of a dictionary.
    pub(super) fn pairs(self) -> impl Iterator<Item = (Item<'p>, Item<'p>)> {
        let pairs = match self.node() {
            Node::Dict(pairs) => pairs.as_slice(),
            _ => &[],
        };
        let item = move |node| Item { node, ..self };
        pairs
            .iter()
            .map(move |&(key, value)| (item(key), item(value)))
    }

    /// Returns a member of a list or tuple by its number.
    pub(super) fn member(self, n: usize) -> Option<Item<'p>> {
        match self.node() {
            Node::List(members) => members.get(n).map(|&node| Item { node, ..self }),
            _ => None,
        }
    }

    /// Returns whether this is no value (`None`).
    pub(super) fn is_nothing(self) -> bool {
        matches!(self.node(), Node::Nothing)
    }

    /// Returns the members of a list or tuple.
    pub(super) fn members(self) -> impl Iterator<Item = Item<'p>> {
        let members = match self.node() {
            Node::List(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(move |&node| Item { node, ..self })
    }

    /// Returns a text in UTF-8.
    pub(super) fn text(self) -> Option<&'p [u8]> {
        match self.node() {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns bytes.
    pub(super) fn bytes(self) -> Option<&'p [u8]> {
        match self.node() {
            Node::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns an integer.
    pub(super) fn int(self) -> Option<i64> {
        match *self.node() {
            Node::Int(number) => Some(number),
            _ => None,
        }
    }
}

impl Pickle {
    /// Runs a pickle.
    ///
    /// # Errors
    ///
    /// Returns an error with the offset if the pickle is cut, has an instruction that is not known
    /// here, does not leave a value, or has more than `limit` instructions.
    pub(super) fn read(bytes: &[u8], limit: u64) -> Result<Pickle, ErrorKind> {
        let mut machine = Machine::default();
        let mut rest = bytes;
        for instructions in 1..=limit {
            let offset = bytes.len() - rest.len();
            let fail = |fault: Fault| fault.into_kind(rest.first().copied(), offset);
            let (&code, after) = rest.split_first().ok_or_else(|| fail(Fault::Cut))?;
            if code == b'.' {
                let root = machine.pop().map_err(fail)?;
                return Ok(Pickle {
                    nodes: machine.nodes,
                    root,
                    instructions,
                });
            }
            rest = machine.step(code, after).map_err(fail)?;
        }
        Err(ErrorKind::over_limit("instructions in a pickle", limit))
    }

    /// Returns the number of instructions, which bounds the memory of the values.
    pub(super) fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Returns the value that the pickle leaves.
    pub(super) fn root(&self) -> Item<'_> {
        Item {
            pickle: self,
            node: self.root,
        }
    }
}

/// A reason why a pickle cannot be read.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// It ends within an instruction.
    Cut,
    /// An instruction takes values that are not there or of another type.
    Broken,
    /// An instruction that no plain value needs.
    Foreign,
}

impl Fault {
    /// Returns the error for the instruction with this code at this offset.
    fn into_kind(self, code: Option<u8>, offset: usize) -> ErrorKind {
        let shown = code.map_or_else(String::new, |code| format!(" {code:#04x}"));
        ErrorKind::Other(
            match self {
                Fault::Cut => format!("the pickle is cut at its byte {offset:#x}"),
                Fault::Broken => format!(
                    "the instruction{shown} at byte {offset:#x} of the pickle has no values to work on"
                ),
                Fault::Foreign => format!(
                    "the instruction{shown} at byte {offset:#x} of the pickle builds no plain value"
                ),
            }
            .into(),
        )
    }
}

#[derive(Default)]
struct Machine {
    nodes: Vec<Node>,
    stack: Vec<usize>,
    /// The sizes of the stack at the open marks.
    marks: Vec<usize>,
    memo: Vec<Option<usize>>,
}

impl Machine {
    fn push(&mut self, node: Node) {
        self.stack.push(self.nodes.len());
        self.nodes.push(node);
    }

    fn pop(&mut self) -> Result<usize, Fault> {
        // Values below the last mark belong to an outer container.
        let bottom = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() > bottom {
            self.stack.pop().ok_or(Fault::Broken)
        } else {
            Err(Fault::Broken)
        }
    }

    /// Takes everything above the last mark.
    fn pop_marked(&mut self) -> Result<Vec<usize>, Fault> {
        let mark = self.marks.pop().ok_or(Fault::Broken)?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn top(&mut self) -> Result<&mut Node, Fault> {
        let top = self.stack.last().ok_or(Fault::Broken)?;
        self.nodes.get_mut(*top).ok_or(Fault::Broken)
    }

    fn append(&mut self, items: Vec<usize>) -> Result<(), Fault> {
        match self.top()? {
            Node::List(members) => members.extend(items),
            _ => return Err(Fault::Broken),
        }
        Ok(())
    }

    fn set(&mut self, items: &[usize]) -> Result<(), Fault> {
        let Node::Dict(pairs) = self.top()? else {
            return Err(Fault::Broken);
        };
        for pair in items.chunks(2) {
            let &[key, value] = pair else {
                return Err(Fault::Broken);
            };
            pairs.push((key, value));
        }
        Ok(())
    }

    fn tuple(&mut self, length: usize) -> Result<(), Fault> {
        let mut members = Vec::with_capacity(length);
        for _ in 0..length {
            members.push(self.pop()?);
        }
        members.reverse();
        self.push(Node::List(members));
        Ok(())
    }

    fn store(&mut self, place: usize) -> Result<(), Fault> {
        let &top = self.stack.last().ok_or(Fault::Broken)?;
        // Places are numbered without gaps by every writer of pickles.
        if place > self.nodes.len() {
            return Err(Fault::Broken);
        }
        if place >= self.memo.len() {
            self.memo.resize(place + 1, None);
        }
        if let Some(slot) = self.memo.get_mut(place) {
            *slot = Some(top);
        }
        Ok(())
    }

    fn load(&mut self, place: usize) -> Result<(), Fault> {
        let node = self
            .memo
            .get(place)
            .copied()
            .flatten()
            .ok_or(Fault::Broken)?;
        self.stack.push(node);
        Ok(())
    }

    /// Executes an instruction. Returns the bytes after its arguments.
    fn step<'b>(&mut self, code: u8, bytes: &'b [u8]) -> Result<&'b [u8], Fault> {
        match code {
            // PROTO and FRAME, whose arguments say nothing about values.
            0x80 => return Ok(cut(bytes, 1)?.1),
            0x95 => return Ok(cut(bytes, 8)?.1),
            b'}' => self.push(Node::Dict(Vec::new())),
            b']' | b')' => self.push(Node::List(Vec::new())),
            b'N' => self.push(Node::Nothing),
            0x88 => self.push(Node::Int(1)),
            0x89 => self.push(Node::Int(0)),
            b'(' => self.marks.push(self.stack.len()),
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' => {
                let items = self.pop_marked()?;
                self.append(items)?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set(&[key, value])?;
            }
            b'u' => {
                let items = self.pop_marked()?;
                self.set(&items)?;
            }
            b't' => {
                let items = self.pop_marked()?;
                self.push(Node::List(items));
            }
            0x85..=0x87 => self.tuple(usize::from(code - 0x84))?,
            0x94 => {
                let next = self.memo.len();
                self.store(next)?;
            }
            b'q' | b'r' | b'h' | b'j' => {
                let size = if matches!(code, b'q' | b'h') { 1 } else { 4 };
                let (place, rest) = cut(bytes, size)?;
                let place = unsigned(place) as usize;
                match code {
                    b'q' | b'r' => self.store(place)?,
                    _ => self.load(place)?,
                }
                return Ok(rest);
            }
            b'K' | b'M' | b'J' => {
                let size = match code {
                    b'K' => 1,
                    b'M' => 2,
                    _ => 4,
                };
                let (number, rest) = cut(bytes, size)?;
                self.push(Node::Int(match code {
                    b'J' => signed(number),
                    _ => unsigned(number) as i64,
                }));
                return Ok(rest);
            }
            // LONG1: a number of up to eight bytes.
            0x8a => {
                let (length, rest) = cut(bytes, 1)?;
                let (number, rest) = cut(rest, unsigned(length) as usize)?;
                self.push(match number.len() {
                    0..=8 => Node::Int(signed(number)),
                    // Nothing in a game needs a larger number.
                    _ => Node::Nothing,
                });
                return Ok(rest);
            }
            // A float. Times are integers, but nothing else of interest is a number of this size.
            b'G' => {
                let (number, rest) = bytes.split_first_chunk().ok_or(Fault::Cut)?;
                self.push(match f64::from_be_bytes(*number).round() {
                    whole if whole.abs() < 9e15 => Node::Int(whole as i64),
                    _ => Node::Nothing,
                });
                return Ok(rest);
            }
            0x8c | b'X' | 0x8d | b'C' | b'B' | 0x8e => {
                let size = match code {
                    0x8c | b'C' => 1,
                    b'X' | b'B' => 4,
                    _ => 8,
                };
                let (length, rest) = cut(bytes, size)?;
                let length = usize::try_from(unsigned(length)).map_err(|_| Fault::Cut)?;
                let (content, rest) = cut(rest, length)?;
                self.push(match code {
                    b'C' | b'B' | 0x8e => Node::Bytes(content.to_vec()),
                    _ => Node::Text(content.to_vec()),
                });
                return Ok(rest);
            }
            _ => return Err(Fault::Foreign),
        }
        Ok(bytes)
    }
}

fn cut(bytes: &[u8], length: usize) -> Result<(&[u8], &[u8]), Fault> {
    bytes.split_at_checked(length).ok_or(Fault::Cut)
}

/// Returns a number of up to eight bytes, low byte first.
fn unsigned(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let start = if negative { -1 } else { 0 };
    bytes
        .iter()
        .rev()
        .fold(start, |value: i64, &byte| value << 8 | i64::from(byte))
}

#[cfg(test)]
mod tests;
