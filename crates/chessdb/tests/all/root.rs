//! The crate's top level stays small.

/// The number of items that `lib.rs` makes public (modules, crates, items) and that the crate's
/// documentation page lists is limited. A module counts as one, with all that it re-exports.
#[test]
fn the_root_has_at_most_forty_names() {
    let statements = include_str!("../../src/lib.rs").split(';');
    let names = statements.filter_map(|statement| {
        let public = statement.rsplit_once("\npub ")?.1;
        let list = public
            .strip_prefix("use ")
            .and_then(|path| path.rsplit_once("::{"))
            .map_or("", |(_, list)| list);
        Some(list.matches(',').count() - usize::from(list.contains(",\n}")) + 1)
    });
    let names: Vec<_> = names.collect();
    let count: usize = names.iter().sum();
    assert!((21..=40).contains(&count), "{count} names: {names:?}");
}
