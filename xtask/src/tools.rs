//! The programs that the steps of `ci` need, listed by `.ci/tools`.

use std::{
    collections::BTreeSet,
    process::{Command, Stdio},
};

use anyhow::bail;

use crate::{Outcome, cmd};

/// A program that this machine lacks.
#[derive(PartialEq, Eq, Debug)]
struct MissingTool {
    /// The step of `ci` that needs it.
    step: String,
    name: String,
    /// The command that installs it.
    command: String,
}

/// Checks the programs before anything is compiled. Returns the steps that cannot run, after
/// printing which programs they lack and the commands that install these.
///
/// # Errors
///
/// Unless `available` is set, returns an error if any is missing.
pub(crate) fn missing_steps(available: bool) -> Outcome<BTreeSet<String>> {
    let mut script = Command::new("bash");
    script.arg(".ci/tools").current_dir(cmd::root());
    let list = match script
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
    {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(error) => {
            println!("bash did not start ({error}), so the programs were not checked");
            return Ok(BTreeSet::new());
        }
    };
    let missing = parsed(&list);
    if missing.is_empty() {
        return Ok(BTreeSet::new());
    }
    println!("missing programs, each with the command that installs it:\n");
    for MissingTool {
        step,
        name,
        command,
    } in &missing
    {
        println!("  {name} (step {step})\n      {command}");
    }
    println!();
    if !available {
        bail!(
            "install the programs listed above, or run only the other steps with `cargo xtask ci \
             --available`; `cargo xtask test` needs none of them"
        );
    }
    Ok(missing.into_iter().map(|tool| tool.step).collect())
}

/// Parses the lines of `.ci/tools`.
fn parsed(list: &str) -> Vec<MissingTool> {
    let tool = |line: &str| {
        let mut fields = line.splitn(3, '\t').map(str::to_owned);
        Some(MissingTool {
            step: fields.next()?,
            name: fields.next()?,
            command: fields.next()?,
        })
    };
    list.lines().filter_map(tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::STEPS;

    /// On a machine without any program everything is listed, for steps that exist.
    #[test]
    #[cfg(unix)]
    fn every_missing_tool_belongs_to_a_step() {
        let list = |path: &str, words: &[&str]| {
            let mut script = Command::new("/bin/bash");
            let script = script.arg(".ci/tools").args(words).current_dir(cmd::root());
            let output = script.env("PATH", path).output().unwrap();
            (
                output.status.code(),
                String::from_utf8(output.stdout).unwrap(),
            )
        };
        let (code, lines) = list("/nonexistent", &[]);
        let missing = parsed(&lines);
        assert_eq!((code, missing.len()), (Some(1), lines.lines().count()));
        for tool in &missing {
            assert!(STEPS.iter().any(|(name, _)| *name == tool.step), "{tool:?}");
            assert!(!tool.command.is_empty(), "{tool:?}");
        }
        for name in ["Node.js", "npm", "clippy", "Python's venv"] {
            let lines = missing.iter().filter(|tool| tool.name == name);
            assert_eq!(lines.count(), 1, "{name}");
        }
        let (_, all) = list("/nonexistent", &["all"]);
        assert!(all.starts_with(&lines) && all.len() > lines.len(), "{all}");
        assert_eq!(list("/nonexistent", &["some"]).0, Some(2));
    }
}
