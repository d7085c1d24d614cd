//! Comparisons with Scid.

use std::{fs, path::Path};

use serde_json::{Deserializer, Value};

use super::{
    Report, corpus, known,
    lab::{Lab, name, number, value},
    tree,
};

/// The three files of a base.
const SUFFIXES: [&str; 3] = ["si4", "sg4", "sn4"];

/// How many games of the corpus are imported by both.
const CORPUS_GAMES: u64 = 10_000;

/// Scid's PGN export of every base against ours: both become trees, compared game by game.
pub(super) fn export(lab: &Lab) -> Result<Report, String> {
    let folder = lab.fresh("scid-export")?;
    let mut report = Report::default();
    let (mut bases, mut games) = (0, 0);
    let mut excused = vec![0; known::SCID_EXPORT.len()];
    for base in lab.scid_bases()? {
        // Scid may touch what it opens, so it gets a copy.
        let label = lab.label(&base);
        let place = folder.join(format!("{bases:02}"));
        copy_base(&base, &place)?;
        let (theirs, ours) = (place.join("scid.pgn"), place.join("chessdb.pgn"));
        let copy = place.join(name(&base));
        let answer = lab.scid_words("scid_export.tcl", &[&copy, &theirs], &["base"])?;
        if !lab.convert(&base, &ours)?.whole {
            report
                .faults
                .push(format!("{label}: our conversion skipped or cut games"));
        }
        if flag_tags(&theirs)? != flag_tags(&ours)? {
            report
                .faults
                .push(format!("{label}: the ScidFlags tags differ"));
        }
        let theirs = trees(lab, &theirs)?;
        let ours = trees(lab, &ours)?;
        let counted = number(&answer, "games")?;
        if theirs.len() != ours.len() || counted != ours.len() as u64 {
            report.faults.push(format!(
                "{label}: {counted} games in the base, {} in Scid's export, {} in ours",
                theirs.len(),
                ours.len()
            ));
        }
        games += ours.len();
        bases += 1;
        for (n, (peer, own)) in theirs.iter().zip(&ours).enumerate() {
            compare_game(&label, n + 1, peer, own, &mut excused, &mut report);
        }
    }
    for (known, hits) in known::SCID_EXPORT.iter().zip(&excused) {
        let place = format!("{}, game {}, {}", known.file, known.game, known.path);
        if *hits > 0 {
            report.excused.push(format!("{place}: {}", known.reason));
        } else if lab.has(known.file) {
            report
                .faults
                .push(format!("{place}: listed, but it did not occur"));
        }
    }
    let hits: usize = excused.iter().sum();
    let found = report.faults.len();
    report.figures = format!("{bases} bases, {games} games, {found} faults, {hits} listed ones");
    Ok(report)
}

/// Reports the first difference of the game that the table does not list.
fn compare_game(
    base: &str,
    game: usize,
    peer: &Value,
    ours: &Value,
    excused: &mut [usize],
    report: &mut Report,
) {
    for (whose, tree) in [("Scid's", peer), ("our", ours)] {
        // What pgn_tree.py could not read is not compared, so it must not be.
        if let Some(fault) = tree.pointer("/faults/0") {
            let line = format!("{base}, game {game}: {whose} export is not understood: {fault}");
            report.faults.push(line);
            return;
        }
    }
    if peer == ours {
        return;
    }
    for found in tree::differences(peer, ours) {
        let entry = known::SCID_EXPORT
            .iter()
            .zip(excused.iter_mut())
            .find(|(known, _)| (known.file, known.game, known.path) == (base, game, &found.path));
        match entry {
            Some((_, hits)) => *hits += 1,
            None => {
                let tree::Difference { path, peer, ours } = found;
                let line = format!("{base}, game {game}, {path}: Scid {peer}, ours {ours}");
                report.faults.push(line);
                return;
            }
        }
    }
}

/// The games of a PGN file as trees, in the form that is compared.
fn trees(lab: &Lab, pgn: &Path) -> Result<Vec<Value>, String> {
    let text = lab.script_on(lab.tools.python_chess.as_ref(), "pgn_tree.py", pgn)?;
    let mut reader = Deserializer::from_str(&text);
    // Variations nest deeper than the reader allows by itself. The script has nested them, so there
    // is room for that.
    reader.disable_recursion_limit();
    let tree = reader.into_iter().next();
    let tree = tree.ok_or_else(|| format!("{}: no answer", name(pgn)))?;
    match tree.map_err(|e| format!("{}: {e}", name(pgn)))? {
        Value::Array(games) => Ok(games.into_iter().map(tree::normal).collect()),
        _ => Err(format!("pgn_tree.py {}: no list of games", name(pgn))),
    }
}

/// The flags that the games carry, in order: the trees hold only the flag for deleted.
fn flag_tags(pgn: &Path) -> Result<Vec<Vec<u8>>, String> {
    let data = fs::read(pgn).map_err(|e| format!("{}: {e}", pgn.display()))?;
    let lines = data
        .split(|&byte| byte == b'\n')
        .filter(|line| line.starts_with(b"[ScidFlags "));
    Ok(lines.map(|line| line.trim_ascii().to_vec()).collect())
}

/// Our si4 bases from the clean fixtures are byte for byte those that Scid's import writes.
pub(super) fn import_clean(lab: &Lab) -> Result<Report, String> {
    let folder = lab.fresh("scid-import")?;
    let mut report = Report::default();
    let (mut games, mut bytes) = (0, 0);
    let files = lab.fixtures("pgn/clean", &["pgn"])?;
    for (n, pgn) in files.iter().enumerate() {
        let place = folder.join(format!("{n:02}"));
        let (more, size) = import_both(lab, pgn, &place, &mut report)?;
        games += more;
        bytes += size;
    }
    let count = files.len();
    report.figures = format!("{count} files, {games} games, {bytes} bytes compared");
    if count == 0 {
        report.faults.push("no clean fixtures".to_owned());
    }
    Ok(report)
}

/// The same for the first games of the corpus.
pub(super) fn import_corpus(lab: &Lab) -> Result<Report, String> {
    let mut report = Report::default();
    let Some(data) = &lab.data else {
        report.figures = "not run, CHESSDB_TESTDATA is not set".to_owned();
        return Ok(report);
    };
    let pgn = lab.kept(&format!("corpus-{CORPUS_GAMES}.pgn"))?;
    let held = corpus::unpack(data, Some(CORPUS_GAMES), &pgn)?;
    let folder = lab.fresh("scid-import-corpus")?;
    let (games, bytes) = import_both(lab, &pgn, &folder, &mut report)?;
    if games != CORPUS_GAMES || held != CORPUS_GAMES {
        report
            .faults
            .push(format!("{held} games unpacked, {games} imported by Scid"));
    }
    report.figures = format!("{games} games, {bytes} bytes compared");
    Ok(report)
}

/// Imports a PGN file with both programs and compares the files. Returns Scid's number of games
/// and the bytes of its files.
fn import_both(
    lab: &Lab,
    pgn: &Path,
    place: &Path,
    report: &mut Report,
) -> Result<(u64, u64), String> {
    fs::create_dir_all(place).map_err(|e| format!("{}: {e}", place.display()))?;
    let (theirs, ours) = (place.join("scid"), place.join("chessdb"));
    let answer = lab.scid("scid_import.tcl", &[pgn, &theirs])?;
    let warnings = value(&answer, "warnings").unwrap_or_default();
    if !warnings.is_empty() {
        report
            .faults
            .push(format!("{}: not clean, Scid warns: {warnings}", name(pgn)));
    }
    let own = lab.convert(pgn, &ours.with_extension("si4"))?;
    if !own.whole {
        report.faults.push(format!(
            "{}: our conversion skipped or cut games",
            name(pgn)
        ));
    }
    let mut bytes = 0;
    for suffix in SUFFIXES {
        let read = |stem: &Path| {
            let file = stem.with_extension(suffix);
            fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))
        };
        let (peer, own) = (read(&theirs)?, read(&ours)?);
        bytes += peer.len() as u64;
        if let Some(difference) = first_difference(&peer, &own) {
            report
                .faults
                .push(format!("{} as {suffix}: {difference}", name(pgn)));
        }
    }
    Ok((number(&answer, "games")?, bytes))
}

/// Where two files part, with the bytes around it.
fn first_difference(peer: &[u8], ours: &[u8]) -> Option<String> {
    let same = peer.iter().zip(ours).take_while(|(a, b)| a == b).count();
    if same == peer.len() && same == ours.len() {
        return None;
    }
    let around = |data: &[u8]| {
        let from = same.saturating_sub(4);
        let bytes = data.iter().skip(from).take(same - from + 8);
        bytes
            .map(|byte| format!("{byte:02X}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (a, b) = (peer.len(), ours.len());
    let (peer, ours) = (around(peer), around(ours));
    Some(format!(
        "offset {same:#X} of {a} (ours {b}): Scid {peer}, ours {ours} (from 4 before)"
    ))
}

/// Scid opens every base we write: rewritten bases and bases made from PGN.
pub(super) fn open(lab: &Lab) -> Result<Report, String> {
    let folder = lab.fresh("scid-open")?;
    let mut report = Report::default();
    let mut inputs = lab.fixtures("pgn", &["pgn"])?;
    inputs.extend(lab.scid_bases()?);
    let mut games = 0;
    for (n, input) in inputs.iter().enumerate() {
        let base = folder.join(format!("{n:03}.si4"));
        let written = lab.convert(input, &base)?.written;
        let answer = lab.scid("scid_open.tcl", &[&base])?;
        if input.extension().is_some_and(|suffix| suffix == "si4") {
            // A rewritten base has all that belongs to no single game, and every flag.
            let original = folder.join(format!("{n:03}-original"));
            copy_base(input, &original)?;
            let before = lab.scid("scid_open.tcl", &[&original.join(name(input))])?;
            if let Some((a, b)) = before.iter().zip(&answer).find(|(a, b)| a != b) {
                let (a, b) = (format!("{} {}", a.0, a.1), format!("{} {}", b.0, b.1));
                report
                    .faults
                    .push(format!("{}: Scid sees `{a}`, rewritten `{b}`", name(input)));
            } else if before.len() != answer.len() {
                report
                    .faults
                    .push(format!("{}: Scid sees other flags", name(input)));
            }
        }
        let (seen, unreadable) = (number(&answer, "games")?, number(&answer, "unreadable")?);
        games += seen;
        if seen != written || unreadable != 0 {
            let game = value(&answer, "unreadable_game").unwrap_or_else(|| "none".to_owned());
            report.faults.push(format!(
                "{}: {written} games written, Scid sees {seen}, cannot read {unreadable} (first: {game})",
                name(input)
            ));
        }
    }
    report.figures = format!("{} bases written, {games} games read by Scid", inputs.len());
    Ok(report)
}

/// Scid 4.7 reads bases of SCID 3 whose files bear the names of SCID 4: it reads every game of
/// those we write, and exports the same text as from our si4 with these games.
pub(super) fn open_si3(lab: &Lab) -> Result<Report, String> {
    let folder = lab.fresh("scid-open-si3")?;
    let mut report = Report::default();
    let mut inputs = lab.fixtures("pgn/clean", &["pgn"])?;
    inputs.extend(lab.scid_bases()?);
    let (mut games, mut bytes) = (0, 0);
    for (n, input) in inputs.iter().enumerate() {
        let label = lab.label(input);
        let old = folder.join(format!("{n:03}.si3"));
        let written = lab.convert(input, &old)?.written;
        let place = folder.join(format!("{n:03}-si3"));
        let renamed = copy_as_si4(&old, &place)?;
        let answer = lab.scid("scid_open.tcl", &[&renamed])?;
        let (seen, unreadable) = (number(&answer, "games")?, number(&answer, "unreadable")?);
        games += seen;
        if seen != written || unreadable != 0 {
            report.faults.push(format!(
                "{label}: {written} games written, Scid sees {seen}, cannot read {unreadable}"
            ));
        }
        // A game that is too long for SCID 3 lacks its comments or is left out.
        let short = folder.join(format!("{n:03}.si4"));
        let whole = lab.convert(&old, &short)?;
        if !whole.whole || whole.written != written {
            report
                .faults
                .push(format!("{label}: si3 to si4 lost something"));
        }
        let (from_old, from_new) = (place.join("si3.pgn"), place.join("si4.pgn"));
        lab.scid("scid_export.tcl", &[&renamed, &from_old])?;
        lab.scid("scid_export.tcl", &[&short, &from_new])?;
        let read = |file: &Path| fs::read(file).map_err(|e| format!("{}: {e}", file.display()));
        let (from_old, from_new) = (read(&from_old)?, read(&from_new)?);
        bytes += from_old.len();
        if let Some(difference) = first_difference(&from_new, &from_old) {
            let line = format!("{label}: Scid's exports of si4 and si3 differ: {difference}");
            report.faults.push(line);
        }
    }
    report.figures = format!(
        "{} bases written, {games} games read by Scid, {bytes} bytes of export compared",
        inputs.len()
    );
    Ok(report)
}

/// The files of a base of SCID 3 under the names of SCID 4.
fn copy_as_si4(base: &Path, folder: &Path) -> Result<std::path::PathBuf, String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (old, new) in ["si3", "sg3", "sn3"].into_iter().zip(SUFFIXES) {
        let from = base.with_extension(old);
        let to = folder.join("base").with_extension(new);
        fs::copy(&from, &to).map_err(|e| format!("{}: {e}", from.display()))?;
    }
    Ok(folder.join("base.si4"))
}

fn copy_base(base: &Path, folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for suffix in SUFFIXES {
        let file = base.with_extension(suffix);
        let data = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let to = folder.join(name(&file));
        fs::write(&to, data).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn differences_of_files() {
        assert_eq!(first_difference(b"abc", b"abc"), None);
        let found = first_difference(b"abcdefgh", b"abcdeXgh").unwrap();
        assert!(
            found.starts_with("offset 0x5 of 8 (ours 8): Scid 62 63 64 65 66"),
            "{found}"
        );
        assert!(
            first_difference(b"abc", b"ab")
                .unwrap()
                .starts_with("offset 0x2 of 3 (ours 2)")
        );
        assert!(
            first_difference(b"", b"a")
                .unwrap()
                .starts_with("offset 0x0 of 0 (ours 1)")
        );
    }
}
