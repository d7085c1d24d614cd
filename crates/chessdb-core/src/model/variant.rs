//! The start position and rules of a game according to its tags.

use crate::Text;
use crate::model::{Field, Game, Header, Start, Tag};
use crate::text::Texts;

impl Header {
    /// Returns whether the start position is known.
    ///
    /// It is unknown if a tag `FEN` cannot be read, or if the tag `SetUp` announces a position that
    /// no tag contains. [`Header::start`] is then the standard position, but the game did not start
    /// there.
    pub fn has_known_start(&self, texts: &Texts) -> bool {
        self.start != Start::Standard
            || !self.tags.iter().any(|tag| match *tag {
                Tag::Verbatim(field, _) => field == Field::Fen,
                Tag::Place(_) => false,
                Tag::Other { name, value } => match texts.get(name).as_bytes() {
                    b"SetUp" => texts.get(value).as_bytes().trim_ascii() == b"1",
                    name => name.eq_ignore_ascii_case(b"FEN"),
                },
            })
    }

    /// Returns whether the game follows the rules of chess, including Chess960: no tag `Variant`
    /// names other rules.
    pub fn has_standard_rules(&self, texts: &Texts) -> bool {
        self.tags.iter().all(|tag| match *tag {
            Tag::Other { name, value } => {
                texts.get(name).as_bytes() != b"Variant" || texts.get(value).names_standard_rules()
            }
            _ => true,
        })
    }
}

impl Game {
    /// Returns whether the start position is known ([`Header::has_known_start`]).
    pub fn has_known_start(&self) -> bool {
        self.header.has_known_start(&self.texts)
    }

    /// Returns whether the game follows the rules of chess ([`Header::has_standard_rules`]).
    pub fn has_standard_rules(&self) -> bool {
        self.header.has_standard_rules(&self.texts)
    }

    /// Returns whether the game is one of Chess960, by its start position or by its tags.
    pub fn is_chess960(&self) -> bool {
        let is_set_up = matches!(&self.header.start, Start::Setup(setup) if setup.chess960);
        is_set_up || self.header.names_chess960(&self.texts)
    }
}

impl Text<'_> {
    /// Returns whether a variant of this name has the rules of chess, including Chess960. An
    /// unknown name means other rules.
    pub fn names_standard_rules(self) -> bool {
        let letters = self.as_bytes().iter().filter(|b| b.is_ascii_alphanumeric());
        let name: Vec<u8> = letters.map(u8::to_ascii_lowercase).take(32).collect();
        let is_standard = matches!(
            &*name,
            b"" | b"chess"
                | b"standard"
                | b"standardchess"
                | b"normal"
                | b"normalchess"
                | b"regular"
                | b"classical"
                | b"orthodox"
                | b"fromposition"
                | b"freestyle"
        );
        is_standard || self.names_chess960()
    }
}

#[cfg(test)]
mod tests {
    use crate::Game;

    #[test]
    fn tags_show_unknown_start() {
        for (tags, is_known) in [
            (&[("White", "A")][..], true),
            (&[("SetUp", "0")], true),
            (&[("SetUp", "1")], false),
            (&[("SetUp", " 1 ")], false),
            (&[("FEN", "?")], false),
            (&[("fen", "8/8/8/8/8/8/8/8 w - - 0 1")], false),
            (&[("FEN", "4k3/8/8/8/8/8/8/4K3 w - - 0 1")], true),
            (
                &[("SetUp", "1"), ("FEN", "4k3/8/8/8/8/8/8/4K3 w - - 0 1")],
                true,
            ),
        ] {
            let game = tags.iter().fold(Game::builder(), |builder, (name, value)| {
                builder.tag(name, value)
            });
            assert_eq!(game.build().has_known_start(), is_known, "{tags:?}");
        }
    }

    #[test]
    fn variant_names_select_rules() {
        for (variant, is_standard) in [
            ("Standard", true),
            ("From Position", true),
            ("normal", true),
            ("chess", true),
            ("", true),
            ("Chess960", true),
            ("Fischerandom", true),
            ("Crazyhouse", false),
            ("Atomic", false),
            ("Antichess", false),
            ("Horde", false),
            ("King of the Hill", false),
            ("Three-check", false),
            ("Racing Kings", false),
            ("bughouse", false),
            ("anything else", false),
        ] {
            let game = Game::builder().tag("Variant", variant).build();
            assert_eq!(game.has_standard_rules(), is_standard, "{variant}");
        }
    }
}
