//! Which crawl is it? The one that is known goes on as long as it is the same; otherwise another begins beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ontrail_crawl::{End, progress_of};

use super::config::Asked;
use crate::stage::Note;

/// Whether a crawl that is known goes on, and how.
pub(super) enum Continuation {
    /// There is nothing to do.
    None(PathBuf),
    /// It goes on, with these words behind the folder.
    GoOn { folder: PathBuf, because: String, words: Vec<String> },
    /// A new one begins.
    Anew(String),
}

/// The flags that only say how long a crawl is: with others it is still the same crawl.
const LONGER: [&str; 2] = ["budget", "max-time"];

/// What becomes of a crawl that is known, by what would be crawled now.
pub(super) fn continuation(known: &Note, now: &Note, asked: &Asked) -> Result<Continuation> {
    let anew = |because: &str| Ok(Continuation::Anew(because.to_owned()));
    let folder = folder_of(known).unwrap_or_default();
    let Some(stands) = progress_of(&folder)? else {
        return anew("the crawl that was begun is gone");
    };
    if folder.parent() != Some(asked.output.as_path()) {
        return anew("crawls go elsewhere now");
    }
    let same = |note: &Note, flags: &[&str]| Note {
        command: without(&command_with(&note.command, Path::new("")), flags),
        ..note.clone()
    };
    let is_in_memory = asked.values("frontier") == ["memory"];
    if let Some(because) = same(known, &[]).outdated_by(&same(now, &[])) {
        let is_longer = same(known, &LONGER).outdated_by(&same(now, &LONGER)).is_none();
        let has_lost = LONGER
            .iter()
            .any(|flag| known.command.contains(&format!("--{flag}")) && !asked.has(flag));
        if !is_longer || has_lost || is_in_memory {
            return Ok(Continuation::Anew(because));
        }
        let given = LONGER.iter().filter_map(|&flag| {
            let value = asked.values(flag).first().copied().map(str::to_owned)?;
            Some([format!("--{flag}"), value])
        });
        return Ok(Continuation::GoOn { folder, because, words: given.flatten().collect() });
    }
    match stands.end {
        Some(End::NothingLeft) if stands.downloaded == 0 => anew("it brought nothing"),
        Some(End::Budget | End::Time | End::NothingLeft) => Ok(Continuation::None(folder)),
        Some(End::Stopped) | None if is_in_memory => {
            anew("it was broken off, and what waited in memory is lost")
        }
        Some(End::Stopped) | None => {
            let because = "it was broken off, and goes on".to_owned();
            Ok(Continuation::GoOn { folder, because, words: Vec::new() })
        }
    }
}

/// A command whose output goes elsewhere.
pub(super) fn command_with(command: &[String], output: &Path) -> Vec<String> {
    let mut command = command.to_vec();
    if let Some(at) = command.iter().position(|word| word == "-o")
        && let Some(place) = command.get_mut(at + 1)
    {
        *place = output.to_string_lossy().into_owned();
    }
    command
}

/// A command without some flags and their values.
fn without(command: &[String], flags: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = command.iter();
    while let Some(word) = words.next() {
        if word.strip_prefix("--").is_some_and(|flag| flags.contains(&flag)) {
            words.next();
        } else {
            kept.push(word.clone());
        }
    }
    kept
}

/// Where a noted stage put what it made.
pub(super) fn folder_of(note: &Note) -> Option<PathBuf> {
    let at = note.command.iter().position(|word| word == "-o")?;
    note.command.get(at + 1).map(PathBuf::from)
}

/// A folder for the next crawl: they are numbered from 1, and a number is not given twice while a later crawl is there.
pub(super) fn next_folder(crawls: &Path) -> Result<PathBuf> {
    let names = std::fs::read_dir(crawls).into_iter().flatten().flatten();
    let numbers = names.filter_map(|it| it.file_name().to_str()?.parse::<u64>().ok());
    let next = numbers.max().unwrap_or(0).checked_add(1);
    let next = next.with_context(|| format!("{}: no number is left", crawls.display()))?;
    Ok(crawls.join(next.to_string()))
}
