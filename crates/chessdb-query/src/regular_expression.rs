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
        let mut regex = regex::bytes::RegexBuilder::new(text);
        let regex = regex.unicode(false).case_insensitive(true);
        let regex = regex.size_limit(MOST).dfa_size_limit(MOST).build();
        regex.map(Regex).map_err(|error| {
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
        let mut regex = regex_lite::RegexBuilder::new(text);
        let regex = regex.case_insensitive(true).size_limit(MOST).build();
        regex.map(Regex).map_err(|error| error.to_string())
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}
