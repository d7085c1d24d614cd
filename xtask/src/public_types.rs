//! The command `public-types`: style rule 11, that types of other packages stay private.

use std::{collections::BTreeSet, io::BufReader, process::Stdio};

use anyhow::{Context as _, anyhow};
use cargo_metadata::Message;

use crate::{Outcome, ci, cmd};

/// Packages with types that may be public, and the only crates where they may.
const PUBLIC: &[(&str, &[&str])] = &[
    // For the format crates, with a feature that is not a stable interface.
    ("nom", &["chessdb-core"]),
    (
        "arrow_array",
        &[
            "chessdb",
            "chessdb-arrow",
            "chessdb-convert",
            "chessdb-parquet",
        ],
    ),
    (
        "arrow_schema",
        &[
            "chessdb",
            "chessdb-arrow",
            "chessdb-convert",
            "chessdb-parquet",
        ],
    ),
];

/// Has the nightly compiler treat all dependencies as private, and lists every public item with a
/// type of another package.
pub(crate) fn public_types(_: &[String]) -> Outcome {
    let metadata = cmd::metadata()?;
    let mut command = cmd::nightly("check -Zpublic-dependency --all-features --lib --locked");
    command
        .args(["--message-format", "json"])
        .stdout(Stdio::piped());
    for package in ci::published(&metadata) {
        if package.targets.iter().any(|target| target.is_lib()) {
            command.args(["-p", package.name.as_str()]);
        }
    }
    println!("$ {command:?}");
    let mut child = command.spawn()?;
    let out = child
        .stdout
        .take()
        .map(BufReader::new)
        .context("no output")?;
    let mut breaches = BTreeSet::new();
    for message in Message::parse_stream(out) {
        let Message::CompilerMessage(lint) = message? else {
            continue;
        };
        let code = lint.message.code.as_ref().map(|code| code.code.as_str());
        let crate_name = metadata
            .packages
            .iter()
            .find(|package| package.id == lint.package_id);
        let (Some("exported_private_dependencies"), Some(package)) = (code, crate_name) else {
            continue;
        };
        // "type `Type` from private dependency 'package' in public interface"
        let text = &lint.message.message;
        let rest = text.split("private dependency '").nth(1);
        let on = rest
            .and_then(|rest| rest.split('\'').next())
            .unwrap_or(text);
        let mut rows = PUBLIC.iter().filter(|(name, _)| *name == on);
        let is_allowed = rows.any(|(_, crates)| crates.contains(&package.name.as_str()));
        if !on.starts_with("chessdb") && !is_allowed {
            breaches.insert(lint.message.rendered.unwrap_or_else(|| text.clone()));
        }
    }
    let status = child.wait()?;
    for breach in &breaches {
        println!("{breach}");
    }
    match (status.success(), breaches.len()) {
        (false, _) => Err(anyhow!("the check failed ({status})")),
        (true, 0) => Ok(()),
        (true, count) => Err(anyhow!("{count} types of other packages in public items")),
    }
}
