//! Merging of the annotations and tags of one game into another copy of it.

mod game_tree;
mod notes;
mod written_tree;

use crate::model::Game;

pub use game_tree::GameTree;
pub use written_tree::{TreeComments, WrittenTree};

/// Tags that follow from the moves or the start position of the game that has them.
const OF_THE_MOVES: [&str; 3] = ["FEN", "PlyCount", "SetUp"];

/// Returns whether the value of a tag is only a placeholder: empty, `?`, `-`, `*`, `????.??.??` and
/// the like.
pub fn is_placeholder(value: &str) -> bool {
    value.bytes().all(|byte| b"?.-*: ".contains(&byte))
}

impl Game {
    /// Adds the tags of another copy of the game that this one lacks or has without a known value, such
    /// as `?` or the result `*`. A partly unknown date is replaced by a full one that agrees with it.
    /// Returns the number of tags.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let mut game = Game::builder().white("Tal").tag("Date", "1960.??.??").build();
    /// let other = Game::builder().white("Tal, M").tag("Date", "1960.03.15").tag("Board", "1").build();
    /// assert_eq!(game.take_tags(&other), 2);
    /// assert_eq!((&*game.white(), &*game.tag("Date").unwrap()), ("Tal", "1960.03.15"));
    /// ```
    pub fn take_tags(&mut self, other: &Game) -> usize {
        let is_known = |value: &str| !is_placeholder(value);
        let mut taken = 0;
        for (name, value) in other.tags() {
            let is_lacking = match self.tag(&name) {
                Some(own) if is_known(&own) => completes_date(&own, &value),
                _ => is_known(&value) && !OF_THE_MOVES.contains(&&*name),
            };
            if is_lacking {
                self.set_tag(&name, &value);
                taken += 1;
            }
        }
        taken
    }

    /// Adds the annotations of another game, for the moves that both have in common: NAGs, comments,
    /// clocks, evaluations and arrows, move by move, and variations that begin at these moves or
    /// continue an own one.
    ///
    /// Annotations that this game already has are skipped: equal NAGs, and comments contained in an
    /// existing one. A longer comment replaces those that it contains. A move keeps its own clock,
    /// evaluation and arrows if it has any. Returns the number of annotations and variations added;
    /// 0 if the start positions differ.
    ///
    /// ```
    /// use chessdb_core::Game;
    ///
    /// let mut game = Game::builder().sans(["e4", "e5"])?.comment("Open").build();
    /// let other = Game::builder().san("e4")?.nag(1).san("e5")?.comment("Open");
    /// let other = other.san("Nf3")?.build();
    /// assert_eq!((game.take_notes(&other), game.take_notes(&other)), (1, 0));
    /// assert_eq!(game.tree().mainline().next().unwrap().nags(), [1]);
    /// # Ok::<(), chessdb_core::Error>(())
    /// ```
    pub fn take_notes(&mut self, other: &Game) -> usize {
        if self.start_board() != other.start_board() {
            return 0;
        }
        GameTree::join(self, other)
    }
}

/// Returns whether a date states parts that another one leaves open, such as the day of
/// `1960.03.??`, and the same others.
fn completes_date(partial: &str, full: &str) -> bool {
    let is_open = |byte: u8| byte == b'?';
    let is_date = partial.len() == 10 && full.len() == 10;
    let mut pairs = partial.bytes().zip(full.bytes());
    is_date
        && partial.bytes().any(is_open)
        && !full.bytes().any(is_open)
        && pairs.all(|(own, other)| is_open(own) || own == other)
}

#[cfg(test)]
mod tests {
    use crate::Game;

    fn game(notes: bool) -> Game {
        let line = Game::builder().san("e4").unwrap();
        let line = if notes { line.comment("Best").nag(1) } else { line };
        let line = line.san("e5").unwrap();
        let line = if notes {
            line.variation(|line| line.sans(["c5", "Nf3"]))
                .unwrap()
                .comment("Open")
        } else {
            line
        };
        line.sans(["Nf3", "Nc6"]).unwrap().build()
    }

    #[test]
    fn merge_takes_notes_once_and_keeps_moves() {
        let mut plain = game(false);
        let moves = plain.sans();
        assert_eq!(plain.take_notes(&game(true)), 4);
        assert_eq!(plain.sans(), moves);
        assert_eq!(plain.tree(), game(true).tree());
        assert_eq!(plain.take_notes(&game(true)), 0);
        let before = plain.tree();
        assert_eq!(plain.take_notes(&game(false)), 0);
        assert_eq!(plain.tree(), before);
    }

    #[test]
    fn merge_ignores_notes_on_other_moves() {
        let mut game = game(true);
        let other = Game::builder().sans(["e4", "e5", "f4"]).unwrap();
        let other = other.comment("King's Gambit").nag(3).build();
        assert_eq!(game.take_notes(&other), 0);
        let fen = Game::builder()
            .fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
            .unwrap();
        let fen = fen.san("e4").unwrap().comment("Alone").build();
        assert_eq!(game.take_notes(&fen), 0);
    }

    #[test]
    fn merge_drops_comment_within_another() {
        let with = |text: &str| Game::builder().san("d4").unwrap().comment(text).build();
        let mut long = with("A good move, and\nan old one");
        assert_eq!(long.take_notes(&with("and an  old")), 0);
        assert_eq!(long.take_notes(&with("Rare")), 1);
        let comments: Vec<String> = long.comments().map(|text| text.into_owned()).collect();
        assert_eq!(comments, ["A good move, and\nan old one", "Rare"]);
        let mut short = with("and an old");
        assert_eq!(short.take_notes(&with("A good move, and an old one")), 1);
        assert_eq!(
            short.comments().collect::<Vec<_>>(),
            ["A good move, and an old one"]
        );
    }

    #[test]
    fn variations_merge_move_by_move() {
        let with = |variation: &[&str], comment: &str| {
            let line = Game::builder().sans(["e4", "e5"]).unwrap();
            let line = line.variation(|line| Ok(line.sans(variation)?.comment(comment)));
            line.unwrap().san("Nf3").unwrap().build()
        };
        let mut game = with(&["c5", "Nf3", "d6"], "");
        assert_eq!(game.take_notes(&with(&["c5", "Nf3"], "Open")), 1);
        assert_eq!(game.take_notes(&with(&["c5", "Nf3", "d6", "d4"], "")), 1);
        assert_eq!(game.take_notes(&with(&["c5", "Nc3", "Nc6"], "")), 1);
        let lines: Vec<String> = game.lines().map(|line| line.sans().join(" ")).collect();
        assert_eq!(lines, ["e4 e5 Nf3", "e4 c5 Nf3 d6 d4", "e4 c5 Nc3 Nc6"]);
        assert_eq!(game.comments().collect::<Vec<_>>(), ["Open"]);
        // A line that this game has as its mainline continues there.
        let other = with(&["c5", "Nc3", "Nc6"], "");
        let mut short = Game::builder().sans(["e4", "c5"]).unwrap().build();
        assert_eq!(short.take_notes(&other), 1);
        assert_eq!(short.sans(), ["e4", "c5", "Nc3", "Nc6"]);
    }

    #[test]
    fn many_notes_at_one_move_merge_fast() {
        // Comparing all pairs would take minutes.
        const NOTES: u32 = 40_000;
        let with = |first: u32| {
            let game = Game::builder().san("d4").unwrap();
            let numbers = first..first + NOTES;
            numbers
                .fold(game, |game, n| {
                    game.comment(&format!("Comment {n}.")).nag(n as u16)
                })
                .build()
        };
        let mut game = with(0);
        let nags = NOTES / 2;
        assert_eq!(
            game.take_notes(&with(NOTES / 2)),
            (NOTES / 2 + nags) as usize
        );
        assert_eq!(game.take_notes(&with(NOTES / 2)), 0);
        assert_eq!(game.comments().count() as u32, NOTES / 2 * 3);
    }
}
