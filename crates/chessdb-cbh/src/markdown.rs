//! Conversion of the HTML of ChessBase's guiding texts into Markdown, limited to what is needed to
//! read it.

/// Output that places spaces and empty lines as Markdown requires.
#[derive(Default)]
struct MarkdownWriter {
    text: String,
    /// Whether a space comes before the next letter.
    blank: bool,
    /// Number of line ends before the next letter.
    lines: usize,
    /// A mark before the next letter, at the beginning of its line.
    mark: String,
}

impl MarkdownWriter {
    fn open(&mut self) {
        // A text does not begin with empty lines.
        if self.text.is_empty() {
            self.lines = 0;
        }
        if self.lines > 0 {
            self.text.extend(std::iter::repeat_n('\n', self.lines));
        } else if self.blank && !self.text.is_empty() {
            self.text.push(' ');
        }
        (self.lines, self.blank) = (0, false);
        self.text.push_str(&std::mem::take(&mut self.mark));
    }

    fn letter(&mut self, c: char) {
        self.open();
        // Markdown would read these letters as markup.
        if matches!(c, '\\' | '*' | '_' | '[' | ']' | '<' | '`') {
            self.text.push('\\');
        }
        self.text.push(c);
    }

    fn sign(&mut self, sign: &str) {
        self.open();
        self.text.push_str(sign);
    }

    fn end_line(&mut self, lines: usize) {
        self.lines = self.lines.max(lines);
    }

    fn finish(self) -> String {
        self.text
    }
}

/// Converts a text without markup.
pub(crate) fn from_plain(text: &str) -> String {
    let mut out = MarkdownWriter::default();
    for line in text.lines() {
        if line.trim().is_empty() {
            out.end_line(2)
        } else {
            for c in line.chars() {
                match c {
                    c if c.is_whitespace() || c.is_control() => out.blank = true,
                    c => out.letter(c),
                }
            }
            out.blank = false;
            // Markdown ignores a single line end.
            out.end_line(2);
        }
    }
    out.finish()
}

/// Elements with contents that are not shown to readers.
const HIDDEN_ELEMENTS: &[&str] = &["head", "script", "style", "title"];

/// Converts HTML: paragraphs, headings, lists, bold and italic text, links and pictures.
pub(crate) fn from_html(html: &str) -> String {
    let mut out = MarkdownWriter::default();
    let mut hidden: Option<String> = None;
    // The targets of open links; `None` for a link that leads to no web or mail address.
    let mut links: Vec<Option<String>> = Vec::new();
    let mut rest = html;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.split_once("-->").map_or("", |(_, rest)| rest);
            continue;
        }
        // Any other `<` is a letter, as in browsers.
        let is_tag = c == '<'
            && rest
                .chars()
                .nth(1)
                .is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c));
        if !is_tag {
            let (c, length) = match c {
                '&' => entity(rest).unwrap_or(('&', 1)),
                c => (c, c.len_utf8()),
            };
            rest = rest.get(length..).unwrap_or_default();
            match c {
                _ if hidden.is_some() => {}
                c if c.is_whitespace() || c.is_control() => out.blank = true,
                c => out.letter(c),
            }
            continue;
        }
        let tag = Tag::parse(rest);
        rest = tag.rest;
        let name = tag.name.as_str();
        match &hidden {
            // Scripts contain `<` that begins no tag, so only the element's own end counts.
            Some(open) if tag.closes && open == name => hidden = None,
            Some(_) => {}
            None if !tag.closes && HIDDEN_ELEMENTS.contains(&name) => hidden = Some(tag.name),
            None => tag.write(&mut out, &mut links),
        }
    }
    out.finish()
}

/// A tag: `<name attributes>` or `</name>`.
struct Tag<'t> {
    name: String,
    closes: bool,
    attributes: &'t str,
    /// The text after the tag.
    rest: &'t str,
}

impl<'t> Tag<'t> {
    /// Parses the tag at the start of a text that begins with `<`.
    fn parse(text: &'t str) -> Tag<'t> {
        let inner = text.get(1..).unwrap_or_default();
        let mut quote = None;
        let end = inner.find(|c| match (quote, c) {
            // A `>` within quotes does not end the tag.
            (None, '>') => true,
            (None, '"' | '\'') => {
                quote = Some(c);
                false
            }
            (Some(open), c) if open == c => {
                quote = None;
                false
            }
            _ => false,
        });
        let (inside, rest) = match end {
            Some(end) => (inner.get(..end), inner.get(end + 1..)),
            None => (Some(inner), None),
        };
        let whole = inside.unwrap_or_default();
        let (inside, closes) = match whole.strip_prefix('/') {
            Some(inside) => (inside, true),
            None => (whole, false),
        };
        let length = inside.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, attributes) = inside.split_at(length.unwrap_or(inside.len()));
        Tag {
            name: name.to_ascii_lowercase(),
            closes,
            attributes,
            rest: rest.unwrap_or_default(),
        }
    }

    fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
            let end = rest.find(|c: char| c.is_whitespace() || c == '=')?;
            let (name, after) = rest.split_at(end);
            let Some(value) = after.trim_start().strip_prefix('=') else {
                rest = after;
                continue;
            };
            let written = value.trim_start();
            let (value, after) = match written.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let quoted = written.get(1..).unwrap_or_default();
                    quoted.split_once(quote).unwrap_or((quoted, ""))
                }
                _ => {
                    let end = written.find(char::is_whitespace);
                    written.split_at(end.unwrap_or(written.len()))
                }
            };
            if name.eq_ignore_ascii_case(wanted) {
                return Some(decode_entities(value));
            }
            rest = after;
        }
    }

    fn write(&self, out: &mut MarkdownWriter, links: &mut Vec<Option<String>>) {
        match self.name.as_str() {
            "b" | "strong" => out.emphasis("**", self.closes),
            "i" | "em" => out.emphasis("*", self.closes),
            "br" => out.end_line(2),
            "li" => {
                out.end_line(1);
                if !self.closes {
                    "- ".clone_into(&mut out.mark);
                }
            }
            "p" | "div" | "ul" | "ol" | "table" | "tr" | "blockquote" | "hr" | "center" => {
                out.end_line(2);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                out.end_line(2);
                out.mark.clear();
                if !self.closes {
                    let level = self.name.as_bytes().get(1).map_or(1, |digit| digit - b'0');
                    out.mark = "#".repeat(level.into()) + " ";
                }
            }
            "td" | "th" => out.blank = true,
            "img" if !self.closes => {
                let attribute = |name| self.attribute(name).unwrap_or_default();
                let (text, place) = (attribute("alt"), attribute("src").replace('\\', "/"));
                out.sign("![");
                text.chars().for_each(|c| out.letter(c));
                // These letters would end the target of the link.
                out.sign(&format!("](<{}>)", place.replace(['<', '>', '\n'], "")));
            }
            "a" if !self.closes => {
                let place = self.attribute("href");
                let leads = |place: &String| {
                    let schemes = ["http:", "https:", "mailto:"];
                    schemes.iter().any(|scheme| place.starts_with(scheme))
                };
                let target = place.filter(leads);
                if target.is_some() {
                    out.sign("[");
                }
                links.push(target);
            }
            "a" => {
                if let Some(place) = links.pop().flatten() {
                    out.text
                        .push_str(&format!("](<{}>)", place.replace(['<', '>', '\n'], "")));
                }
            }
            _ => {}
        }
    }
}

impl MarkdownWriter {
    /// Appends a sign around emphasised letters. A closing sign comes directly after the last
    /// letter, before any pending space or line end.
    fn emphasis(&mut self, sign: &str, closes: bool) {
        if closes { self.text.push_str(sign) } else { self.sign(sign) }
    }
}

fn decode_entities(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let (c, length) = entity(rest).unwrap_or((c, c.len_utf8()));
        text.push(c);
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// Returns the character of the entity at the start of a text, and the length of the entity.
fn entity(text: &str) -> Option<(char, usize)> {
    let inner = text.strip_prefix('&')?;
    // No entity listed here is longer. A lone `&` must not search the rest of the text.
    let end = inner.bytes().take(12).position(|byte| byte == b';')?;
    let name = inner.get(..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "auml" => 'ä',
        "ouml" => 'ö',
        "uuml" => 'ü',
        "Auml" => 'Ä',
        "Ouml" => 'Ö',
        "Uuml" => 'Ü',
        "szlig" => 'ß',
        "eacute" => 'é',
        "egrave" => 'è',
        "agrave" => 'à',
        "ccedil" => 'ç',
        "ntilde" => 'ñ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "copy" => '©',
        name => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            let code = match hex {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((c, end + 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn html_of_chessbase_becomes_markdown() {
        for (html, markdown) in [
            (
                "<html><head><title>x</title><meta charset=\"utf-8\"></head><body bgcolor=\"#fff\">Simple \
                 text</body></html>",
                "Simple text",
            ),
            (
                "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD\"><HTML><HEAD><TITLE></TITLE></HEAD><BODY ></BODY></HTML>",
                "",
            ),
            (
                "<p>Some  text</p>\n<p><strong>Bold</strong> <em>italics</em> <u>under</u></p><p><br></p>",
                "Some text\n\n**Bold** *italics* under",
            ),
            (
                "<img alt=\"fen:8/8 w > 1;\" src=\"text.html\\13.jpg\">",
                "![fen:8/8 w > 1;](<text.html/13.jpg>)",
            ),
            (
                "<a href=\"javascript:CBLink(tag_game)\">M&auml;rdell</a> a&nbsp;&#8212; <a \
                 href='https://x.se?a=1&amp;b=2' target=_blank>home</a>",
                "Märdell a — [home](<https://x.se?a=1&b=2>)",
            ),
            (
                "<h2>Head</h2><ul><li>one<li>two</ul>1 < 2 & 3 <!-- no --> * x_y",
                "## Head\n\n- one\n- two\n\n1 \\< 2 & 3 \\* x\\_y",
            ),
        ] {
            assert_eq!(from_html(html), markdown, "{html}");
        }
        assert_eq!(from_plain("a*b\r\n\r\n\r\n\u{1}c  d \n"), "a\\*b\n\nc d");
    }

    proptest! {
        #[test]
        fn any_text_is_read_to_its_end(text in "[<>/a-z&;#\"'=! é-]{0,60}") {
            from_html(&text);
            from_plain(&text);
        }
    }
}
