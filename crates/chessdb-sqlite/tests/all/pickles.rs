//! A writer of Python's pickles, protocol 4, for made databases.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A value.
#[derive(Clone)]
pub(crate) enum Py {
    None,
    Int(i32),
    Text(&'static str),
    Bytes(Vec<u8>),
    List(Vec<Py>),
    Dict(Vec<(&'static str, Py)>),
}

impl Py {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Py::None => out.push(b'N'),
            Py::Int(number) => {
                out.push(b'J');
                out.extend(number.to_le_bytes());
            }
            Py::Text(text) => {
                out.push(b'X');
                out.extend((text.len() as u32).to_le_bytes());
                out.extend(text.as_bytes());
                out.push(0x94);
            }
            Py::Bytes(bytes) => {
                out.push(b'B');
                out.extend((bytes.len() as u32).to_le_bytes());
                out.extend(bytes);
                out.push(0x94);
            }
            Py::List(members) => {
                out.extend(b"]\x94(");
                members.iter().for_each(|member| member.write(out));
                out.push(b'e');
            }
            Py::Dict(pairs) => {
                out.extend(b"}\x94(");
                for (key, value) in pairs {
                    Py::Text(key).write(out);
                    value.write(out);
                }
                out.push(b'u');
            }
        }
    }

    pub(crate) fn pickle(&self) -> Vec<u8> {
        let mut out = b"\x80\x04".to_vec();
        self.write(&mut out);
        out.push(b'.');
        out
    }

    pub(crate) fn packed(&self) -> Vec<u8> {
        zlib(&self.pickle())
    }
}

pub(crate) fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A packed move.
pub(crate) fn mv(uci: &'static str, more: Vec<(&'static str, Py)>) -> Py {
    let mut pairs = more;
    pairs.push(("move", Py::Text(uci)));
    Py::Bytes(Py::Dict(pairs).packed())
}

/// A packed line.
pub(crate) fn line(first_comment: &'static str, moves: Vec<Py>) -> Vec<u8> {
    Py::Dict(vec![
        ("first_comment", Py::Text(first_comment)),
        ("li_moves", Py::List(moves)),
        ("result", Py::Text("*")),
    ])
    .packed()
}
