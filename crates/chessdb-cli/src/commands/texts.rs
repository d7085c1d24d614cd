//! The guiding texts of a database: printed, or written as files next to a conversion.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use chessdb::core::guiding::{GuidingContent, GuidingText};
use chessdb::formats::{portable_name, shown};

use crate::args::{Cat, InputOptions, Jobs, OutputOptions};
use crate::commands::plan::stem;
use crate::exit::{Completion, Failure, Outcome, say};
use crate::input::{self, Access};
use crate::inputs::Inputs;
use crate::json::{Json, list, object};
use crate::output::{count, plain, stdout};
use crate::query;
use crate::report_file::ReportFile;
use crate::split_names::file_name;

/// `cat --texts`: prints all texts as Markdown, or unchanged in JSON.
pub(crate) fn print(args: &Cat) -> Outcome {
    let (paths, terms) = query::split_query(&args.scan_options.choice.words);
    if !terms.is_empty() {
        return Err(Failure::usage("--texts takes no query"));
    }
    let inputs = Inputs::new(paths, &args.scan_options.input_options);
    let is_json = args.json;
    let mut out = stdout();
    let (mut printed, mut found_any) = (false, false);
    let done = inputs.each_listed(is_json.then_some("bases"), Vec::new(), |base, bases| {
        let jobs = Jobs { jobs: Some(1) };
        let db = input::open(
            &base.path,
            &args.scan_options.input_options,
            jobs,
            Access::Random,
        )?;
        let name = base.path.display().to_string();
        let texts = db.guiding_texts();
        if is_json {
            bases.push(object! {
                "base": name.as_str(), "format": db.format().id,
                "texts": list(texts.iter().map(json)), "error": Json::Null,
            });
        } else {
            for (title, content) in texts.iter().flat_map(contents_with_titles) {
                let gap = if printed { "\n" } else { "" };
                printed = true;
                writeln!(out, "{gap}# {}\n\n{}", plain(&title), content.markdown)?;
            }
        }
        if texts.is_empty() && !args.scan_options.quiet && !is_json && !inputs.searched {
            say(format_args!("chessdb: {}: no guiding texts", shown(&name)));
        }
        found_any |= !texts.is_empty();
        Ok(Completion::Success)
    })?;
    out.flush()?;
    Ok(if found_any { done } else { done.max(Completion::Negative) })
}

/// Returns the content of a text in each language, with its title.
fn contents_with_titles(text: &GuidingText) -> impl Iterator<Item = (String, &GuidingContent)> {
    text.contents.iter().map(move |content| {
        let title = match text.title(content.language) {
            "" => "Text",
            title => title,
        };
        let title = match text.contents.len() {
            1 => title.to_owned(),
            _ => format!("{title} ({})", content.language),
        };
        (title, content)
    })
}

fn json(text: &GuidingText) -> Json {
    let title = |(language, title): &(&str, String)| {
        object! { "language": *language, "title": title.as_str() }
    };
    let content = |content: &GuidingContent| {
        object! {
            "language": content.language, "html": content.is_html, "text": content.text.as_str(),
            "markdown": content.markdown.as_str(),
        }
    };
    object! {
        "titles": list(text.titles.iter().map(title)),
        "contents": list(text.contents.iter().map(content)),
    }
}

/// Returns the line of `info` about a text: its title, languages and sizes.
pub(super) fn summary_line(text: &GuidingText) -> String {
    let title = match text.title("en") {
        "" => "untitled",
        title => title,
    };
    let parts = text.contents.iter().map(|content| {
        let bytes = count(content.text.len() as u64, "byte");
        match content.language {
            "" => bytes,
            language => format!("{language} {bytes}"),
        }
    });
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        format!("{} (empty)", plain(title))
    } else {
        format!("{} ({})", plain(title), parts.join(", "))
    }
}

/// Returns the JSON object of `info` about a text.
pub(super) fn summary_json(text: &GuidingText) -> Json {
    let content = |content: &GuidingContent| {
        let bytes = content.text.len() as u64;
        object! { "language": content.language, "bytes": bytes }
    };
    object! { "title": text.title("en"), "contents": list(text.contents.iter().map(content)) }
}

/// Writes the texts of a database to a folder: HTML unchanged, others as Markdown. Returns the
/// number of files. Existing files are replaced only with `force`.
fn export(
    texts: &[GuidingText],
    folder: &Path,
    force: bool,
    databases: &[PathBuf],
) -> Result<u64, Failure> {
    if texts.is_empty() {
        return Ok(0);
    }
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Output(format!("{}: {error}", shown(folder))))?;
    let mut files = 0;
    for (number, text) in (1..).zip(texts) {
        let mut languages = BTreeSet::new();
        for content in &text.contents {
            // Each language should occur once; duplicates are kept, too.
            let mut language = content.language.to_owned();
            while !languages.insert(language.clone()) {
                language.push('+');
            }
            let dot = if language.is_empty() { "" } else { "." };
            let title = file_name(text.title(content.language)).to_lowercase();
            let kind = if content.is_html { "html" } else { "md" };
            let path = folder.join(format!("{number:03} {title}{dot}{language}.{kind}"));
            // A link could lead to a file outside of the folder.
            if path.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
                let why = "is a link; not following it";
                return Err(Failure::Output(format!("{}: {why}", shown(&path))));
            }
            let mut file = ReportFile::create(&path, force, databases)?;
            let written = if content.is_html {
                file.write_all(content.text.as_bytes())
            } else {
                writeln!(file, "{}", content.markdown)
            };
            written.map_err(|error| file.failure(&error))?;
            file.finish()?;
            files += 1;
        }
    }
    Ok(files)
}

/// Writes the texts of all these databases to a folder, of several databases to a subfolder each.
pub(super) fn export_all(
    sources: &[PathBuf],
    folder: &Path,
    input_options: &InputOptions,
    output_options: &OutputOptions,
) -> Result<(), Failure> {
    let inputs = Inputs::new(sources, input_options);
    let mut files = 0;
    for base in &inputs.bases {
        // Read errors were reported during the conversion.
        let Ok(database) = input::find(&base.path, input_options) else {
            continue;
        };
        if database.is_pipe() || database.format().texts.is_none() {
            continue;
        }
        let Ok(db) = input::options(input_options).open_found(database) else {
            continue;
        };
        let folder = match inputs.bases.len() {
            1 => folder.to_owned(),
            _ => folder.join(portable_name(&stem(&base.below))),
        };
        files += export(&db.guiding_texts(), &folder, output_options.force, sources)?;
    }
    if !output_options.quiet {
        let files = count(files, "guiding text");
        say(format_args!("{files} written to {}", shown(&folder)));
    }
    Ok(())
}
