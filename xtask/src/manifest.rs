//! Reads fixtures/MANIFEST.toml: the part of TOML that it uses.

/// One `[[file]]` block: the keys with their values (strings unquoted, the rest as written) and
/// the line of its heading, for messages.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Block {
    pub(crate) line: usize,
    pub(crate) keys: Vec<(String, String)>,
}

impl Block {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.keys
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }
}

/// The `[[file]]` blocks of the text. Other tables are read over; a line that is no comment, no
/// heading and no `key = value` is an error that names it.
pub(crate) fn parse(text: &str) -> Result<Vec<Block>, String> {
    let mut files: Vec<Block> = Vec::new();
    let mut inside = false;
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            inside = heading(line) == "[[file]]";
            if inside {
                files.push(Block {
                    line: number,
                    keys: Vec::new(),
                });
            }
            continue;
        }
        let (key, value) = line
            .split_once('=')
            .ok_or_else(|| format!("line {number}: neither `key = value` nor a heading"))?;
        let mut value = value.trim().to_owned();
        // A list may go over several lines; it ends with the bracket at a line's end.
        while value.starts_with('[') && !heading(&value).ends_with(']') {
            let (_, next) = lines
                .next()
                .ok_or_else(|| format!("line {number}: list without end"))?;
            value.push(' ');
            value.push_str(next.trim());
        }
        let value = unquote(&value).map_err(|fault| format!("line {number}: {fault}"))?;
        if let (true, Some(block)) = (inside, files.last_mut()) {
            let key = key.trim().to_owned();
            if block.get(&key).is_some() {
                return Err(format!("line {number}: `{key}` stands twice in one block"));
            }
            block.keys.push((key, value));
        }
    }
    Ok(files)
}

/// A heading without the comment behind it.
fn heading(line: &str) -> &str {
    line.split(" #").next().unwrap_or(line).trim_end()
}

/// The value of a string, basic or literal; anything else without the comment behind it.
fn unquote(value: &str) -> Result<String, String> {
    if let Some(rest) = value.strip_prefix('\'') {
        let (text, after) = rest.split_once('\'').ok_or("string without end")?;
        return only_comment(after).map(|()| text.to_owned());
    }
    let Some(rest) = value.strip_prefix('"') else {
        return Ok(heading(value).to_owned());
    };
    let mut text = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next().ok_or("string without end")? {
            '"' => return only_comment(chars.as_str()).map(|()| text),
            '\\' => text.push(match chars.next().ok_or("string without end")? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                c @ ('"' | '\\') => c,
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16)
                        .ok()
                        .and_then(char::from_u32);
                    code.ok_or("bad \\u escape")?
                }
                other => return Err(format!("unknown escape \\{other}")),
            }),
            other => text.push(other),
        }
    }
}

fn only_comment(rest: &str) -> Result<(), String> {
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') {
        Ok(())
    } else {
        Err(format!("text after the value: {rest}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_values() {
        let text = "# about\nversion = 1\n\n[[file]]\npath = \"pgn/a.pgn\" # why\nsha256 = 'ab'\n\
                    games = 60 # all\nnote = \"say \\\"hi\\\" \\u00e9 # no comment\"\n\n[other]\nx = 1\n\
                    [[file]] # second\npath = \"b\"\nkinds = [\n  \"x\",\n  \"y\"\n]\n";
        let blocks = parse(text).unwrap();
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].line, 4);
        assert_eq!(blocks[0].get("path"), Some("pgn/a.pgn"));
        assert_eq!(blocks[0].get("sha256"), Some("ab"));
        assert_eq!(blocks[0].get("games"), Some("60"));
        assert_eq!(blocks[0].get("note"), Some("say \"hi\" é # no comment"));
        assert_eq!(blocks[0].get("x"), None);
        assert_eq!(blocks[1].get("kinds"), Some("[ \"x\", \"y\" ]"));
    }

    #[test]
    fn faults_name_the_line() {
        for (text, line) in [
            ("[[file]]\npath", "line 2"),
            ("a = \"open", "line 1"),
            ("a = \"x\" y", "line 1"),
            ("a = \"\\q\"", "line 1"),
            ("\n[[file]]\na = 1\na = 2", "line 4"),
            ("a = [1,\n2", "line 1"),
        ] {
            assert!(parse(text).unwrap_err().starts_with(line), "{text}");
        }
    }
}
