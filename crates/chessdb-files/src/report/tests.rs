use super::*;

#[test]
fn losses_are_counted_by_kind_with_examples() {
    let mut report = Report::default();
    for game in 1..=9 {
        let loss = Loss {
            kind: LossKind::Nag,
            count: 2,
            ply: None,
        };
        report.add_loss(GameRef { source: 0, game }, &loss);
    }
    let [entry] = report.losses.as_slice() else {
        panic!("one kind")
    };
    assert_eq!((entry.count, entry.games), (18, 9));
    assert_eq!(
        entry.first.iter().map(|one| one.game).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(
        entry.to_string(),
        "18 NAGs left out (games 1, 2, 3, 4, 5, …)"
    );
    assert_eq!(report.lost(LossKind::Nag), 18);
    assert!(report.has_losses());
}

#[test]
fn diagnostics_are_grouped_by_reason() {
    let mut report = Report::default();
    for text in ["Nf9", "Kx"] {
        for why in ["no such square", "not legal"] {
            let kind = ErrorKind::BadMove {
                found: text.into(),
                why,
            };
            report.add_kind(0, Severity::Lost, &kind, || kind.to_string());
        }
    }
    assert_eq!(report.diagnostics.len(), 2);
    assert!(
        report
            .diagnostics
            .iter()
            .all(|diagnostic| diagnostic.count == 2)
    );
    assert_eq!(
        report.diagnostics[0].to_string(),
        "bad-move: no such square"
    );
    assert_eq!(
        report.diagnostics[0].first[0].1,
        "move \"Nf9\": no such square"
    );
}
