//! Check that every change of a tag's text is announced, and that nothing is announced for
//! unchanged tags.

use chessdb_proof::{matrix, spellings};

#[test]
fn the_text_of_every_tag_comes_back_or_its_loss_is_announced() {
    let mut problems = Vec::new();
    for target in matrix::targets() {
        let unannounced = spellings::problems(target, 1000);
        let all = unannounced.len();
        problems.extend(unannounced.into_iter().take(40));
        if all > 40 {
            problems.push(format!("{}: {all} problems in all", target.id));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
