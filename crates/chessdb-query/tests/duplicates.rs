//! Games that are in a list twice, by each rule.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use chessdb_core::Game;
use chessdb_query::{Candidate, Sameness, find_duplicates};

const LINE: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7 \
    Bc2 Re8 Nf1 Bf8 Ng3 g6";

struct Head(&'static str, &'static str, &'static str, &'static str);

const HEAD: Head = Head("Karpov, Anatoly", "Kasparov, Garry", "1985.11.09", "24");

fn game(head: &Head, moves: &str) -> Game {
    let game = Game::builder().event("Moscow").white(head.0).black(head.1);
    let game = game.date(head.2).round(head.3);
    game.sans(moves.split_whitespace()).unwrap().build()
}

/// Which of the others are the same as the first game, by each rule.
fn same(games: &[Game]) -> [Vec<usize>; 3] {
    let games: Vec<Candidate> = games.iter().map(Candidate::of).collect();
    [Sameness::Moves, Sameness::Prefix, Sameness::Similar].map(|by| {
        let found = find_duplicates(&games, by);
        let of_first = found.into_iter().find_map(|group| {
            let mut all = group.others;
            all.push(group.kept);
            all.sort_unstable();
            all.contains(&0).then_some(all)
        });
        of_first
            .unwrap_or_default()
            .into_iter()
            .filter(|n| *n > 0)
            .collect()
    })
}

#[test]
fn each_rule_finds_more() {
    let cut = LINE.rsplitn(3, ' ').last().unwrap();
    let typed = LINE.replace("h3 Nb8", "h3 Na5").replace("Nbd7 ", "c5 ");
    let other = "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nxc6 bxc6 e5 Qe7 Qe2 Nd5 c4 Ba6 b3 g6";
    let games = [
        game(&HEAD, LINE),
        game(&HEAD, LINE),
        game(&HEAD, cut),
        game(&Head("Karpov, A", "Kasparow,G", "1985.??.??", "?"), LINE),
        game(&Head(HEAD.0, HEAD.1, "1985.11.09", "24"), &typed),
        // None of these is the same game.
        game(&Head(HEAD.0, HEAD.1, "1985.10.03", "23"), LINE),
        game(&Head(HEAD.1, HEAD.0, HEAD.2, HEAD.3), LINE),
        game(&Head("Short, N", HEAD.1, HEAD.2, HEAD.3), LINE),
        game(&HEAD, other),
    ];
    let [moves, prefix, similar] = same(&games);
    assert_eq!(moves, [1]);
    assert_eq!(prefix, [1, 2]);
    assert_eq!(similar, [1, 2, 3, 4]);
}

#[test]
fn few_moves_alone_do_not_make_a_game() {
    let round = |round| Head(HEAD.0, HEAD.1, "????.??.??", round);
    let games = [
        game(&round("1"), "d4 d5"),
        game(&round("2"), "d4 d5"),
        game(&round("1"), "d4 d5"),
        game(&round("?"), "d4 d5"),
    ];
    assert_eq!(same(&games)[0], [2]);
}

#[test]
fn the_richer_game_is_kept() {
    let mut annotated = Game::builder()
        .event("Moscow")
        .round("24")
        .white("A")
        .black("B");
    annotated = annotated
        .sans(LINE.split_whitespace())
        .unwrap()
        .comment("good");
    let short: Vec<&str> = LINE.split_whitespace().take(20).collect();
    let head = Head("A", "B", "????.??.??", "24");
    let games = [
        game(&head, LINE),
        game(&head, &short.join(" ")),
        annotated.build(),
    ];
    let games: Vec<Candidate> = games.iter().map(Candidate::of).collect();
    let found = find_duplicates(&games, Sameness::Prefix);
    assert_eq!((found.len(), found[0].kept), (1, 2));
    assert_eq!(found[0].others, [0, 1]);
}
