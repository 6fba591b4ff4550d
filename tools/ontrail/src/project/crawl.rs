//! Decides whether a project's last crawl is finished, is resumed, or is followed by a new crawl in
//! a folder beside it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ontrail_crawl::{End, progress_of};

use super::config::Section;
use crate::stage::Note;

/// The next step for a project's crawl.
pub(super) enum NextCrawl {
    /// The crawl in this folder is up to date.
    UpToDate(PathBuf),
    /// The crawl in this folder is resumed, with these arguments behind the folder.
    Resume { folder: PathBuf, because: String, args: Vec<String> },
    /// A new crawl starts, for this reason.
    New(String),
}

/// Flags that only limit the length of a crawl. A crawl with other values of them is the same
/// crawl, and is resumed.
const LIMITS: [&str; 2] = ["budget", "max-time"];

/// Compares the note of the last crawl with a note of what would be crawled now.
pub(super) fn next_crawl(known: &Note, now: &Note, section: &Section) -> Result<NextCrawl> {
    let new = |because: &str| Ok(NextCrawl::New(because.to_owned()));
    let folder = folder_of(known).unwrap_or_default();
    let Some(progress) = progress_of(&folder)? else {
        return new("the last crawl is missing");
    };
    if folder.parent() != Some(section.output.as_path()) {
        return new("the output folder of crawls has changed");
    }
    let same = |note: &Note, flags: &[&str]| Note {
        command: without(&command_with(&note.command, Path::new("")), flags),
        ..note.clone()
    };
    let is_in_memory = section.values("frontier") == ["memory"];
    if let Some(because) = same(known, &[]).outdated_by(&same(now, &[])) {
        let only_limits_changed = same(known, &LIMITS).outdated_by(&same(now, &LIMITS)).is_none();
        let has_lost_limit = LIMITS
            .iter()
            .any(|flag| known.command.contains(&format!("--{flag}")) && !section.has(flag));
        if !only_limits_changed || has_lost_limit || is_in_memory {
            return Ok(NextCrawl::New(because));
        }
        let limits = LIMITS.iter().filter_map(|&flag| {
            let value = section.values(flag).first().copied().map(str::to_owned)?;
            Some([format!("--{flag}"), value])
        });
        return Ok(NextCrawl::Resume { folder, because, args: limits.flatten().collect() });
    }
    match progress.end {
        Some(End::NothingLeft) if progress.downloaded == 0 => new("it fetched no pages"),
        Some(End::Budget | End::Time | End::NothingLeft) => Ok(NextCrawl::UpToDate(folder)),
        Some(End::Stopped | End::Unreachable) | None if is_in_memory => {
            new("it was interrupted, and its frontier in memory is lost")
        }
        Some(End::Stopped | End::Unreachable) | None => {
            let because = "it was interrupted and is resumed".to_owned();
            Ok(NextCrawl::Resume { folder, because, args: Vec::new() })
        }
    }
}

/// Returns a command with another output path.
pub(super) fn command_with(command: &[String], output: &Path) -> Vec<String> {
    let mut command = command.to_vec();
    if let Some(at) = command.iter().position(|word| word == "-o")
        && let Some(place) = command.get_mut(at + 1)
    {
        *place = output.to_string_lossy().into_owned();
    }
    command
}

/// Returns a command without some flags and their values.
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

/// Returns the output path of a recorded stage.
pub(super) fn folder_of(note: &Note) -> Option<PathBuf> {
    let at = note.command.iter().position(|word| word == "-o")?;
    note.command.get(at + 1).map(PathBuf::from)
}

/// Returns the folder for the next crawl. Crawls are numbered from 1, and a new crawl gets a number
/// above all existing ones, so that the newest crawl always has the greatest number.
pub(super) fn next_folder(crawls: &Path) -> Result<PathBuf> {
    let names = std::fs::read_dir(crawls).into_iter().flatten().flatten();
    let numbers = names.filter_map(|it| it.file_name().to_str()?.parse::<u64>().ok());
    let next = numbers.max().unwrap_or(0).checked_add(1);
    let next = next.with_context(|| {
        format!("{}: no number is left for a new crawl; rename the last crawl", crawls.display())
    })?;
    Ok(crawls.join(next.to_string()))
}
