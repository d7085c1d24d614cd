//! Case-insensitive regular expressions over ASCII letters, in linear time and bounded memory.

/// The largest size of a compiled expression, in bytes.
const MOST: usize = 1 << 20;

/// A regular expression. WebAssembly builds use the small engine, a fourth of the size of the fast
/// one.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Debug)]
pub(crate) struct Regex(regex::bytes::Regex);

#[cfg(not(target_family = "wasm"))]
impl Regex {
    /// Compiles the expression, or returns the error message.
    pub(crate) fn new(text: &str) -> Result<Regex, String> {
        let mut builder = regex::bytes::RegexBuilder::new(text);
        // Texts are folded to ASCII letters, so bytes are enough.
        builder.unicode(false).case_insensitive(true);
        let compiled = builder.size_limit(MOST).dfa_size_limit(MOST).build();
        compiled.map(Regex).map_err(|error| {
            // The lines before the last one repeat the expression.
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            last.trim_start_matches("error: ").to_owned()
        })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text.as_bytes())
    }
}

/// A regular expression of the small engine.
#[cfg(target_family = "wasm")]
#[derive(Clone, Debug)]
pub(crate) struct Regex(regex_lite::Regex);

#[cfg(target_family = "wasm")]
impl Regex {
    /// Compiles the expression, or returns the error message.
    pub(crate) fn new(text: &str) -> Result<Regex, String> {
        let mut builder = regex_lite::RegexBuilder::new(text);
        let compiled = builder.case_insensitive(true).size_limit(MOST).build();
        compiled.map(Regex).map_err(|error| error.to_string())
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}
