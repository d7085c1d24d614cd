//! The column Info: additional tags as `key=value;key=value`, without any escape (section 7).

/// A part of the column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InfoPart<'a> {
    /// The text before the first equals sign; `None` if there is none.
    pub(crate) name: Option<&'a [u8]>,
    pub(crate) value: &'a [u8],
}

/// Returns the non-empty parts of the column.
pub(crate) fn parts(info: &[u8]) -> impl Iterator<Item = InfoPart<'_>> {
    info.split(|&byte| byte == b';')
        .filter(|part| !part.is_empty())
        .map(|part| match part.iter().position(|&byte| byte == b'=') {
            Some(sign) => InfoPart {
                name: part.get(..sign),
                value: part.get(sign + 1..).unwrap_or_default(),
            },
            None => InfoPart {
                name: None,
                value: part,
            },
        })
}

/// The tag name of a part without an equals sign.
pub(crate) const NAMELESS: &[u8] = b"Info";

/// Appends a tag. Returns false if the column cannot hold it or has no space left.
pub(crate) fn put(name: &[u8], value: &[u8], limit: Option<usize>, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    // The column has no escape: a reader would end the tag at such a sign.
    if name.is_empty() || name.iter().any(|byte| b"=;".contains(byte)) || value.contains(&b';') {
        return false;
    }
    if start > 0 {
        out.push(b';');
    }
    // A part without an equals sign is read as the tag Info.
    if name != NAMELESS || value.is_empty() || value.contains(&b'=') {
        out.extend_from_slice(name);
        out.push(b'=');
    }
    out.extend_from_slice(value);
    if limit.is_some_and(|limit| characters(out) > limit) {
        out.truncate(start);
        return false;
    }
    true
}

/// Returns the number of UTF-8 characters in these bytes.
pub(crate) fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(info: &str) -> Vec<(Option<&str>, &str)> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        parts(info.as_bytes())
            .map(|part| (part.name.map(text), text(part.value)))
            .collect()
    }

    #[test]
    fn parts_split_at_the_first_sign() {
        assert_eq!(
            pairs("Source=made;Remark=a=b;;odd;=x;Empty="),
            [
                (Some("Source"), "made"),
                (Some("Remark"), "a=b"),
                (None, "odd"),
                (Some(""), "x"),
                (Some("Empty"), "")
            ]
        );
        assert_eq!(pairs(""), []);
    }

    #[test]
    fn put_accepts_only_readable_tags() {
        let mut out = Vec::new();
        for (name, value, fits) in [
            ("A", "1", true),
            ("B", "x=y", true),
            ("C", "x;y", false),
            ("D=", "x", false),
            ("", "x", false),
            ("Info", "odd", true),
            ("Info", "a=b", true),
            ("Info", "", true),
            ("Long", "12345678901234567890", false),
        ] {
            assert_eq!(
                put(name.as_bytes(), value.as_bytes(), Some(36), &mut out),
                fits
            );
        }
        let info = std::str::from_utf8(&out).unwrap();
        assert_eq!(info, "A=1;B=x=y;odd;Info=a=b;Info=");
        assert_eq!(
            pairs(info),
            [
                (Some("A"), "1"),
                (Some("B"), "x=y"),
                (None, "odd"),
                (Some("Info"), "a=b"),
                (Some("Info"), "")
            ]
        );
    }
}
