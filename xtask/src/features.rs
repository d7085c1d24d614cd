//! `features`: the facade compiles with every feature alone, or with every set of them.

use crate::{
    Outcome,
    cmd::{self, cargo},
    metadata::{Feature, Metadata},
};

/// The facade with no feature and with each feature alone: a feature that leans on another one
/// without saying so does not compile. With `--powerset` every set of features instead, which finds
/// two features that do not go together.
pub(crate) fn features(args: &[String]) -> Outcome {
    let metadata = Metadata::of_workspace()?;
    let facade = metadata
        .package("chessdb")
        .ok_or("no package `chessdb` in the workspace")?;
    let features: Vec<&Feature> = facade
        .features
        .iter()
        .filter(|feature| feature.name != "default")
        .collect();
    let (sets, note) = match args {
        [] => (alone(&features), String::new()),
        [word] if word == "--powerset" => {
            let sets = different(&features);
            let same = (1_usize << features.len()) - sets.len();
            (
                sets,
                format!("; {same} more sets turn on the same as one of them"),
            )
        }
        _ => return Err("only --powerset is known".to_owned()),
    };
    for set in &sets {
        let line = [
            "check",
            "--quiet",
            "-p",
            "chessdb",
            "--lib",
            "--locked",
            "--no-default-features",
        ];
        let mut command = cargo(line);
        // Each set is compiled once: what would speed up the next time only fills the disk.
        command.env("CARGO_INCREMENTAL", "0");
        cmd::run(command.args(["--features", set]))?;
    }
    println!(
        "{} sets of {} features compile{note}",
        sets.len(),
        features.len()
    );
    Ok(())
}

/// No feature, and each one.
fn alone(features: &[&Feature]) -> Vec<String> {
    let mut sets = vec![String::new()];
    sets.extend(features.iter().map(|feature| feature.name.clone()));
    sets
}

/// Every set of features, names joined by commas, that names all it turns on. One that does not is
/// the same to the compiler as the set with the missing names.
fn different(features: &[&Feature]) -> Vec<String> {
    let mut sets: Vec<Vec<&Feature>> = vec![Vec::new()];
    for feature in features {
        let with: Vec<Vec<&Feature>> = sets
            .iter()
            .map(|set| set.iter().copied().chain([*feature]).collect())
            .collect();
        sets.extend(with);
    }
    let has = |set: &[&Feature], name: &String| set.iter().any(|feature| feature.name == *name);
    let known = |name: &&String| has(features, name);
    sets.retain(|set| {
        let mut enabled = set.iter().flat_map(|feature| &feature.enables);
        enabled.by_ref().filter(known).all(|name| has(set, name))
    });
    let joined = |set: &Vec<&Feature>| {
        let names: Vec<&str> = set.iter().map(|feature| feature.name.as_str()).collect();
        names.join(",")
    };
    sets.iter().map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &str, enables: &[&str]) -> Feature {
        Feature {
            name: name.to_owned(),
            enables: enables.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    #[test]
    fn every_set_that_is_a_set_of_its_own_is_there_once() {
        let [a, b, c] = [
            feature("a", &[]),
            feature("b", &["dep:x"]),
            feature("c", &["a", "dep:y"]),
        ];
        assert_eq!(alone(&[&a, &c]), ["", "a", "c"]);
        assert_eq!(different(&[&a, &b]), ["", "a", "b", "a,b"]);
        // `c` turns on `a`, so that `c` is `a,c` and `b,c` is `a,b,c`.
        assert_eq!(
            different(&[&a, &b, &c]),
            ["", "a", "b", "a,b", "a,c", "a,b,c"]
        );
    }
}
