//! From what a file says to commands: each stage is given what earlier ones make, unless the file says otherwise.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use clap::Parser;
use ontrail_crawl::parse_seeds;

use super::config::{Asked, Config, Project};
use crate::stage::Stage;

/// Where a project keeps pages on its topic and addresses to begin with.
pub(crate) const PAGES: &str = "pages";
pub(crate) const SEEDS: &str = "seeds.txt";
/// The settings of a crawl that have no flag, as the crawler reads them.
pub(crate) const CRAWL_SETTINGS: &str = "models/crawl-settings.toml";

/// Gives every stage what earlier ones make.
pub(crate) fn wired(config: &Config) -> Vec<Asked> {
    let mut stages = config.stages.clone();
    let made: Vec<(&str, PathBuf)> =
        stages.iter().map(|it| (it.kind.table, it.output.clone())).collect();
    let made = |table: &str| {
        let found = made.iter().find(|(name, _)| *name == table);
        found.map(|(_, path)| path.to_string_lossy().into_owned())
    };
    let data_of = |table: &str| {
        let found = config.stages.iter().find(|it| it.kind.table == table);
        found.and_then(|it| it.given.first().cloned())
    };
    for asked in &mut stages {
        wire(asked, &config.project, &made, &data_of);
    }
    stages
}

fn wire(
    asked: &mut Asked,
    project: &Project,
    made: &impl Fn(&str) -> Option<String>,
    data_of: &impl Fn(&str) -> Option<String>,
) {
    let give = |asked: &mut Asked, values: Vec<String>| {
        if asked.given.is_empty() {
            asked.given = values;
        }
    };
    let pages = || vec![data_of("context").unwrap_or_else(|| PAGES.to_owned())];
    match asked.command[..] {
        ["lattice", "context"] => give(asked, vec![PAGES.to_owned()]),
        ["lattice", "owl"] => {
            give(asked, made("context").into_iter().collect());
            asked.default_to("topic", &project.topic);
        }
        ["topic", "weigh"] => {
            give(asked, made("ontology").into_iter().collect());
            asked.default_to("topic", &project.topic);
        }
        ["topic", "learn"] => {
            give(asked, pages());
            asked.default_to("name", &project.topic);
        }
        ["topic", "keywords"] => {
            if !asked.has("file") {
                give(asked, vec![project.topic.clone()]);
            }
            asked.default_to("name", &project.topic);
        }
        ["bcw", "eval"] => {
            give(asked, data_of("classifier").into_iter().collect());
            if !asked.has("folds") {
                asked.given.splice(0..0, made("classifier"));
            }
        }
        ["sdg", "build"] => {
            give(asked, pages());
            made("topic").iter().for_each(|path| asked.default_to("topic", path));
        }
        ["crawl", "run"] => wire_crawl(asked, made),
        ["report"] => {
            asked.default_to("title", &project.topic);
            asked.default_to("lang", &project.lang);
            for table in ["ontology", "context", "topic", "evaluation", "sdg"] {
                made(table).iter().for_each(|path| asked.default_to(table, path));
            }
        }
        _ => {}
    }
}

fn wire_crawl(asked: &mut Asked, made: &impl Fn(&str) -> Option<String>) {
    if asked.given.is_empty() && !asked.has("seeds") {
        asked.default_to("seeds", SEEDS);
        asked.paths.push(("seeds".to_owned(), PathBuf::from(SEEDS)));
    }
    if asked.settings.is_some() {
        asked.default_to("settings", CRAWL_SETTINGS);
    }
    for table in ["topic", "classifier", "sdg"] {
        made(table).iter().for_each(|path| asked.default_to(table, path));
    }
}

/// The words of a stage's command but for where its output goes.
pub(crate) fn words(asked: &Asked) -> Vec<String> {
    let mut words: Vec<String> = asked.command.iter().map(|&word| word.to_owned()).collect();
    words.extend(asked.given.iter().cloned());
    for (flag, value) in &asked.flags {
        match value {
            None => words.push(format!("--{flag}")),
            // What looks like a flag would be taken for one.
            Some(value) if value.starts_with('-') => words.push(format!("--{flag}={value}")),
            Some(value) => words.extend([format!("--{flag}"), value.clone()]),
        }
    }
    words
}

/// A stage that is no more than a command.
pub(crate) fn stage(asked: &Asked, output: &Path) -> Stage {
    let mut command = words(asked);
    command.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
    let (name, title) = (asked.kind.table.to_owned(), asked.kind.title.to_owned());
    Stage { name, title, command, reads: None }
}

/// What is still missing before the stages can be done; everything is said at once, before hours are spent.
pub(crate) fn missing(stages: &[Asked], project: &Project) -> Result<Vec<String>> {
    let made: Vec<&PathBuf> = stages.iter().map(|it| &it.output).collect();
    let mut missing = Vec::new();
    for asked in stages {
        let table = asked.kind.table;
        for (key, path) in asked.paths.iter().filter(|(_, path)| !made.contains(&path)) {
            missing.extend(lacks(path, project).map(|it| format!("[{table}] {key}: {it}")));
        }
        if asked.given.is_empty() && needs_given(asked) {
            let key = asked.kind.given(&asked.command).unwrap_or_default();
            missing
                .push(format!("[{table}]: `{key}` is missing, and no stage before it makes one"));
        }
        if asked.command == ["lattice", "context"] && !asked.paths.iter().any(|it| it.0 == "data") {
            missing.extend(lacks(Path::new(PAGES), project).map(|it| format!("[{table}]: {it}")));
        }
        if table == "crawl" {
            missing.extend(lacks_contact(asked));
        }
        parses(asked)?;
    }
    missing.dedup();
    Ok(missing)
}

fn needs_given(asked: &Asked) -> bool {
    match asked.command[..] {
        ["report"] | ["crawl", "run"] => false,
        ["topic", "keywords"] => !asked.has("file"),
        ["bcw", "train"] => !asked.has("update"),
        _ => true,
    }
}

/// What is wrong with something that a person puts there.
fn lacks(path: &Path, project: &Project) -> Option<String> {
    let name = path.display();
    if !path.exists() {
        return Some(format!("{name}: there is no such file or folder"));
    }
    if path.is_dir() {
        let is_empty = std::fs::read_dir(path).is_ok_and(|mut files| files.next().is_none());
        let what = format!("{name}: nothing is in it yet; put pages about {} there", project.topic);
        return is_empty.then_some(what);
    }
    if path == Path::new(SEEDS) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        return match parse_seeds(&text) {
            Ok(seeds) if seeds.is_empty() => {
                Some(format!("{name}: no addresses yet; write some to begin with, one a line"))
            }
            Ok(_) => None,
            Err(error) => Some(format!("{name}:{}: {error}", error.line)),
        };
    }
    None
}

/// The live web is not crawled without an address at which webmasters reach who does it.
fn lacks_contact(asked: &Asked) -> Option<String> {
    let web = asked.values("web");
    let is_live = web.is_empty() || web == ["live"];
    let settings = asked.settings.as_ref().and_then(|it| it.get("fetch")?.get("contact").cloned());
    let is_given = asked.has("contact")
        || settings.is_some()
        || asked.values("settings") != [CRAWL_SETTINGS] && asked.has("settings");
    let text =
        "[crawl]: `contact` is missing: a mail address or a page by which webmasters can reach you";
    (is_live && !is_given).then(|| text.to_owned())
}

/// Refuses values that the command would refuse.
fn parses(asked: &Asked) -> Result<()> {
    let stage = stage(asked, Path::new("output"));
    let words = std::iter::once("ontrail").chain(stage.command.iter().map(String::as_str));
    let Err(error) = crate::Args::try_parse_from(words) else { return Ok(()) };
    let is_missing = error.kind() == clap::error::ErrorKind::MissingRequiredArgument;
    if is_missing && asked.given.is_empty() {
        // Said by name.
        return Ok(());
    }
    let text = error.to_string();
    let text = text.trim_start_matches("error: ");
    let text: Vec<&str> = text.lines().take_while(|line| !line.starts_with("Usage")).collect();
    Err(anyhow!("ontrail.toml: [{}]: {}", asked.kind.table, text.join("\n  ").trim_end()))
}
