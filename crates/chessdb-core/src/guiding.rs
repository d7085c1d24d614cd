//! Texts that a database contains besides its games, such as the guiding texts of ChessBase: their
//! titles and contents in each language.
//!
//! The model stores them as the source format does. [`Format::texts`](crate::Format) converts them
//! into this form for people.

/// A text of a database.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GuidingText {
    /// The titles, each with the two-letter code of its language, or an empty code if the language
    /// is not stated.
    pub titles: Vec<(&'static str, String)>,
    /// The contents in each language. Languages with empty contents are left out.
    pub contents: Vec<GuidingContent>,
}

/// The contents of a text in one language.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct GuidingContent {
    /// The two-letter code of the language, or empty.
    pub language: &'static str,
    /// The text as it is stored.
    pub text: String,
    /// Whether the text is HTML; otherwise it is plain text.
    pub is_html: bool,
    /// The text as Markdown, converted by the reader of the format; empty if it contains no letter
    /// and no picture.
    pub markdown: String,
}

impl GuidingText {
    /// Creates a text. Contents without any letter or picture are left out.
    pub fn new(
        titles: Vec<(&'static str, String)>,
        contents: impl IntoIterator<Item = GuidingContent>,
    ) -> GuidingText {
        let has_content = |content: &GuidingContent| !content.markdown.is_empty();
        GuidingText {
            titles,
            contents: contents.into_iter().filter(has_content).collect(),
        }
    }

    /// Returns the title in this language, or the first title that is not empty.
    pub fn title(&self, language: &str) -> &str {
        let mut titles = self.titles.iter().filter(|(_, title)| !title.is_empty());
        titles
            .clone()
            .find(|(code, _)| *code == language)
            .or_else(|| titles.next())
            .map_or("", |(_, title)| title)
    }
}

impl GuidingContent {
    /// Creates the contents in one language.
    pub fn new(
        language: &'static str,
        text: String,
        is_html: bool,
        markdown: String,
    ) -> GuidingContent {
        GuidingContent {
            language,
            text,
            is_html,
            markdown,
        }
    }
}
