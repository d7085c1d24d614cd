//! Texts that stand in a base beside its games, such as the guiding texts of ChessBase: what they are called,
//! and what they say in which language.
//!
//! The model keeps them as the format that they are of has them; [`Format::texts`](crate::Format) makes
//! this of them, for people.

mod markdown;

/// A text of a base.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GuidingText {
    /// What it is called, by language; a language is its code of two letters, or empty if it is not said.
    pub titles: Vec<(&'static str, String)>,
    /// What it says, by language. Languages in which it says nothing are left out.
    pub contents: Vec<GuidingContent>,
}

/// What a text of a base says in one language.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GuidingContent {
    /// The code of two letters, or empty.
    pub language: &'static str,
    /// The text as it is stored.
    pub text: String,
    /// Whether that is HTML; otherwise it is plain.
    pub is_html: bool,
}

impl GuidingText {
    /// Contents without a letter or picture are left out.
    pub fn new(
        titles: Vec<(&'static str, String)>,
        contents: impl IntoIterator<Item = GuidingContent>,
    ) -> GuidingText {
        let says = |content: &GuidingContent| !content.to_markdown().is_empty();
        GuidingText {
            titles,
            contents: contents.into_iter().filter(says).collect(),
        }
    }

    /// The title in this language, or else the first that there is.
    pub fn title(&self, language: &str) -> &str {
        let mut titles = self.titles.iter().filter(|(_, title)| !title.is_empty());
        let own = titles.clone().find(|(known, _)| *known == language);
        own.or_else(|| titles.next()).map_or("", |(_, title)| title)
    }
}

impl GuidingContent {
    /// A text in a language.
    pub fn new(language: &'static str, text: String, is_html: bool) -> GuidingContent {
        GuidingContent {
            language,
            text,
            is_html,
        }
    }

    /// The same as Markdown: paragraphs, headings, lists, bold and italic letters, links and pictures.
    pub fn to_markdown(&self) -> String {
        match self.is_html {
            true => markdown::of_html(&self.text),
            false => markdown::of_plain(&self.text),
        }
    }
}
