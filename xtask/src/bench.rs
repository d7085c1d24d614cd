//! `bench`: what conversions cost, ours and those of the reference programs, in the same run.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Outcome, cmd,
    metadata::Metadata,
    peers::{Tools, corpus, lab},
};

/// GNU time: the one program that tells another's processor seconds and memory everywhere.
const TIME: &str = "/usr/bin/time";

/// The program whose costs the ratios are based on.
const OWN: &str = "chessdb";

/// What one run of a program cost.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    /// Processor seconds, user and system.
    cpu: f64,
    /// Seconds on the clock.
    wall: f64,
    /// Largest memory held, MiB.
    memory: f64,
}

/// One program on one task, with what its runs cost.
#[derive(Debug)]
struct Runner {
    task: &'static str,
    name: &'static str,
    program: PathBuf,
    args: Vec<OsString>,
    /// Files of earlier runs, removed before each run.
    outputs: Vec<PathBuf>,
    costs: Vec<Cost>,
}

/// `bench [ROUNDS] [GAMES]`: 5 rounds over the whole corpus by default. In each round every
/// program runs once, in turn, so that a slower minute of the machine hits all alike.
pub(crate) fn bench(args: &[String]) -> Outcome {
    let number = |n: usize| {
        let parse = |text: &String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
        args.get(n).map(parse).transpose()
    };
    let rounds = number(0)?.unwrap_or(5).max(1);
    let limit = number(1)?;
    let data = env::var_os("CHESSDB_TESTDATA").map(PathBuf::from);
    let data = data.ok_or("CHESSDB_TESTDATA is not set: it names the folder of the corpus")?;
    if !Path::new(TIME).is_file() {
        return Err(format!("{TIME} is not installed (apt install time)"));
    }
    let program = lab::release_program()?;
    let replay = lab::release_example("chessdb-pgn", "replay")?;
    let folder = Metadata::of_workspace()?.target.join("bench");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let name = limit.map_or_else(|| "corpus.pgn".to_owned(), |n| format!("corpus-{n}.pgn"));
    let corpus = folder.join(name);
    let games = corpus::unpack(&data, limit, &corpus)?;
    let bases = ["base.si4", "base.cbf"].map(|name| folder.join(name));
    for base in &bases {
        let mut command = Command::new(&program);
        command
            .args(["convert", "-q", "--force"])
            .arg(&corpus)
            .arg(base);
        let made = lab::capture(&mut command)?;
        if made.code > DAMAGED_SOURCE {
            return Err(format!("converting the corpus: exit {}", made.code));
        }
    }

    let mut runners = runners(&program, &replay, &folder, &corpus, &bases);
    for round in 1..=rounds {
        println!("round {round} of {rounds}");
        for runner in &mut runners {
            let cost = runner.run(&folder)?;
            runner.costs.push(cost);
        }
    }
    println!("\n{games} games, {rounds} rounds; median [least – most]; CPU = user + system\n");
    print!("{}", table(&runners, games));
    Ok(())
}

/// Our program's answer where a source was damaged; the corpus holds an illegal move.
const DAMAGED_SOURCE: i32 = 1;

/// Every program on every task it can do.
fn runners(
    program: &Path,
    replay: &Path,
    folder: &Path,
    corpus: &Path,
    [base, cbf]: &[PathBuf; 2],
) -> Vec<Runner> {
    let tools = Tools::find();
    let scripts = cmd::root().join("xtask/peers");
    let runner = |task, name, program: &Path, output: &str, args: Vec<OsString>| Runner {
        task,
        name,
        program: program.to_path_buf(),
        args,
        outputs: files(&folder.join(output)),
        costs: Vec::new(),
    };
    let own = |task, from: &Path, to: &str| {
        let mut args: Vec<OsString> = ["convert", "-q"].map(OsString::from).into();
        args.extend([from.into(), folder.join(to).into()]);
        runner(task, OWN, program, to, args)
    };
    let mut list = vec![own("PGN to si4", corpus, "own.si4")];
    if let Some(tkscid) = &tools.tkscid {
        let script = scripts.join("scid_import.tcl");
        let args = [script.into(), corpus.into(), folder.join("scid").into()];
        list.push(runner(
            "PGN to si4",
            "Scid",
            tkscid,
            "scid.si4",
            args.into(),
        ));
    }
    // No other program reads ChessBase's old bases, so Scid has its own to work from.
    for (task, from, to, peer) in [
        ("si4 to PGN", base, "own-of-si4.pgn", "Scid"),
        ("cbf to PGN", cbf, "own-of-cbf.pgn", "Scid, of si4"),
    ] {
        list.push(own(task, from, to));
        if let Some(tkscid) = &tools.tkscid {
            let script = scripts.join("scid_export.tcl");
            let out = folder.join("scid.pgn").into();
            let args = [
                script.into(),
                base.into(),
                out,
                "menu".into(),
                "noscan".into(),
            ];
            list.push(runner(task, peer, tkscid, "scid.pgn", args.into()));
        }
    }
    list.push(own("PGN to PGN", corpus, "own-of-pgn.pgn"));
    if let Some(extract) = &tools.pgn_extract {
        let out = folder.join("extract.pgn").into();
        let args = ["-s".into(), "-o".into(), out, corpus.into()];
        list.push(runner(
            "PGN to PGN",
            "pgn-extract",
            extract,
            "extract.pgn",
            args.into(),
        ));
    }
    for (name, reader) in [(OWN, "chessdb"), ("pgn-reader", "pgn-reader")] {
        let args = [reader.into(), corpus.into()];
        list.push(Runner {
            task: "replay PGN",
            name,
            program: replay.to_path_buf(),
            args: args.into(),
            outputs: Vec::new(),
            costs: Vec::new(),
        });
    }
    for (peer, how) in tools.missing() {
        println!("{} is not installed ({how})", peer.name());
    }
    list
}

/// The file, or the three files of a base.
fn files(output: &Path) -> Vec<PathBuf> {
    if output.extension().is_some_and(|suffix| suffix == "si4") {
        ["si4", "sg4", "sn4"]
            .map(|suffix| output.with_extension(suffix))
            .into()
    } else {
        vec![output.to_path_buf()]
    }
}

impl Runner {
    fn run(&self, folder: &Path) -> Result<Cost, String> {
        for file in self.outputs.iter().filter(|file| file.exists()) {
            fs::remove_file(file).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        let figures = folder.join("figures");
        let mut command = Command::new(TIME);
        command
            .args(["-f", "%U %S %e %M", "-o"])
            .arg(&figures)
            .arg(&self.program)
            .args(&self.args);
        let ran = lab::capture(&mut command)?;
        let what = format!("{} ({})", self.name, self.task);
        let worst = if self.name == OWN { DAMAGED_SOURCE } else { 0 };
        if ran.code > worst {
            let said = ran.err.lines().last().unwrap_or_default();
            return Err(format!("{what}: exit {}, {said}", ran.code));
        }
        if let Some(file) = self.outputs.iter().find(|file| !file.is_file()) {
            return Err(format!("{what}: {} was not written", file.display()));
        }
        let text = fs::read_to_string(&figures).map_err(|e| format!("{what}: {e}"))?;
        cost(&text).ok_or_else(|| format!("{what}: {TIME} said {text:?}"))
    }
}

/// The last line of GNU time's answer: user, system, clock seconds and KiB.
fn cost(text: &str) -> Option<Cost> {
    let numbers: Vec<f64> = text
        .lines()
        .last()?
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    let [user, system, wall, kib] = numbers.try_into().ok()?;
    Some(Cost {
        cpu: user + system,
        wall,
        memory: kib / 1024.0,
    })
}

/// Median, least and most.
fn spread(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let at = |n: usize| sorted.get(n).copied().unwrap_or(f64::NAN);
    let (count, last) = (sorted.len(), sorted.len().saturating_sub(1));
    ((at(last / 2) + at(count / 2)) / 2.0, at(0), at(last))
}

fn table(runners: &[Runner], games: u64) -> String {
    let mut text = format!(
        "{:<11} {:<12} {:>24} {:>24} {:>9} {:>10} {:>8} {:>8}\n",
        "task", "program", "CPU s", "wall s", "MiB", "games/s", "CPU x", "wall x"
    );
    for runner in runners {
        let (cpu, wall) = (runner.cpu(), runner.wall());
        let memory = spread(runner.costs.iter().map(|cost| cost.memory)).2;
        let own = runners
            .iter()
            .find(|other| other.task == runner.task && other.name == OWN);
        // How many times our own cost: 2.00 = twice as expensive as ours.
        let ratio = |value: f64, own: Option<f64>| {
            own.filter(|own| *own > 0.0)
                .map_or("-".to_owned(), |own| format!("{:.2}", value / own))
        };
        let range = |(median, least, most): (f64, f64, f64)| {
            format!("{median:.2} [{least:.2} – {most:.2}]")
        };
        text.push_str(&format!(
            "{:<11} {:<12} {:>24} {:>24} {:>9.1} {:>10.0} {:>8} {:>8}\n",
            runner.task,
            runner.name,
            range(cpu),
            range(wall),
            memory,
            games as f64 / wall.0,
            ratio(cpu.0, own.map(|own| own.cpu().0)),
            ratio(wall.0, own.map(|own| own.wall().0)),
        ));
    }
    text
}

impl Runner {
    fn cpu(&self) -> (f64, f64, f64) {
        spread(self.costs.iter().map(|cost| cost.cpu))
    }

    fn wall(&self) -> (f64, f64, f64) {
        spread(self.costs.iter().map(|cost| cost.wall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_gnu_time() {
        let found = cost("1.50 0.25 2.00 2048\n");
        assert_eq!(
            found,
            Some(Cost {
                cpu: 1.75,
                wall: 2.0,
                memory: 2.0
            })
        );
        let noisy = "Command exited with non-zero status 1\n0.10 0.00 0.10 1024\n";
        assert_eq!(cost(noisy).map(|cost| cost.memory), Some(1.0));
        assert_eq!(cost("1.5 x 2 3"), None);
        assert_eq!(cost(""), None);
    }

    #[test]
    fn medians() {
        assert_eq!(spread([3.0, 1.0, 2.0].into_iter()), (2.0, 1.0, 3.0));
        assert_eq!(spread([4.0, 1.0, 2.0, 3.0].into_iter()), (2.5, 1.0, 4.0));
        assert_eq!(spread([7.0].into_iter()), (7.0, 7.0, 7.0));
    }

    #[test]
    fn ratios_are_to_our_own_program() {
        let runner = |task, name, wall| Runner {
            task,
            name,
            program: PathBuf::new(),
            args: Vec::new(),
            outputs: Vec::new(),
            costs: vec![Cost {
                cpu: wall,
                wall,
                memory: 1.0,
            }],
        };
        let text = table(
            &[
                runner("a", OWN, 2.0),
                runner("a", "x", 3.0),
                runner("b", "x", 1.0),
            ],
            10,
        );
        let last: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split(' ').next_back())
            .collect();
        assert_eq!(last, ["x", "1.00", "1.50", "-"]);
    }
}
