//! Regular expressions over ASCII letters, whatever their case, in linear time and bounded memory.

/// The most that an expression may grow to.
const MOST: usize = 1 << 20;

/// An expression. On the web it is one of the small engine, which weighs a fourth of the fast one.
#[cfg(not(target_family = "wasm"))]
#[derive(Clone, Debug)]
pub(crate) struct Regex(regex::bytes::Regex);

#[cfg(not(target_family = "wasm"))]
impl Regex {
    /// The expression, or what is wrong with it.
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

/// An expression of the small engine.
#[cfg(target_family = "wasm")]
#[derive(Clone, Debug)]
pub(crate) struct Regex(regex_lite::Regex);

#[cfg(target_family = "wasm")]
impl Regex {
    /// The expression, or what is wrong with it.
    pub(crate) fn new(text: &str) -> Result<Regex, String> {
        let mut regex = regex_lite::RegexBuilder::new(text);
        let regex = regex.case_insensitive(true).size_limit(MOST).build();
        regex.map(Regex).map_err(|error| error.to_string())
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}
