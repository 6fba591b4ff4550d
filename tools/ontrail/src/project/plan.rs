//! From what a file says to commands: each stage is given what earlier ones make, unless the file says otherwise.

use std::path::{Path, PathBuf};

use ontrail_crawl::parse_seeds;
use ontrail_pilot::Recipe;

use super::config::{Asked, Config, Project, nearest, paths};
use super::{CONFIG, LEDGER};
use crate::report;
use crate::stage::{Stage, is_free};

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
            // What a classifier was trained on says nothing of it, unless the dataset has a part that was held out.
            let has_parts = |data: &String| Path::new(data).join("dataset.toml").is_file();
            give(asked, data_of("classifier").filter(has_parts).into_iter().collect());
            if !asked.has("folds") && !asked.given.is_empty() {
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
            // The stages are called like the flags that show what they make.
            for table in report::FILES {
                let path =
                    made(table).filter(|path| table != "evaluation" || path.ends_with(".json"));
                path.iter().for_each(|path| asked.default_to(table, path));
            }
        }
        _ => {}
    }
}

fn wire_crawl(asked: &mut Asked, made: &impl Fn(&str) -> Option<String>) {
    if asked.given.is_empty() {
        asked.default_to("seeds", SEEDS);
    }
    if asked.settings.is_some() {
        asked.default_to("settings", CRAWL_SETTINGS);
    }
    for table in ["topic", "classifier", "sdg"] {
        made(table).iter().for_each(|path| asked.default_to(table, path));
    }
}

/// The words of a stage's command, with what goes where behind it.
fn words(asked: &Asked, output: &Path) -> Vec<String> {
    let mut words: Vec<String> = asked.command.iter().map(|&word| word.to_owned()).collect();
    // What looks like a flag would be taken for one.
    let is_odd = |value: &String| value.starts_with('-');
    let (odd, given): (Vec<String>, Vec<String>) =
        asked.given.iter().cloned().partition(|value| is_odd(value));
    words.extend(given);
    for (flag, value) in &asked.flags {
        match value {
            None => words.push(format!("--{flag}")),
            Some(value) if is_odd(value) => words.push(format!("--{flag}={value}")),
            Some(value) => words.extend([format!("--{flag}"), value.clone()]),
        }
    }
    words.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
    if !odd.is_empty() {
        words.push("--".to_owned());
        words.extend(odd);
    }
    words
}

/// A stage that is no more than a command.
pub(crate) fn stage(asked: &Asked, output: &Path) -> Stage {
    let (name, title) = (asked.kind.table.to_owned(), asked.kind.title.to_owned());
    let mut reads: Vec<PathBuf> = paths(asked).into_iter().map(|(_, path)| path).collect();
    // A web may be live and a recipe one that ships; otherwise they are files.
    let webs = asked.values("web").into_iter().filter(|web| *web != "live");
    let recipes = asked.values("recipe").into_iter().filter(|name| Recipe::is_file(name));
    reads.extend(webs.chain(recipes).map(PathBuf::from));
    // What the file of settings will hold is known by its text, before it is written.
    reads.retain(|path| path != Path::new(CRAWL_SETTINGS));
    Stage { name, title, command: words(asked, output), reads: Some(reads) }
}

/// Everything that is wrong or still missing, before hours are spent.
pub(crate) fn problems(stages: &[Asked], project: &Project) -> Vec<String> {
    let made: Vec<&PathBuf> = stages.iter().map(|it| &it.output).collect();
    let mut problems = Vec::new();
    for asked in stages {
        let mut add = |text: String| {
            let place = format!("{CONFIG}:{}: [{}]", asked.line, asked.kind.table);
            problems.push(format!("{place} {text}"));
        };
        let own = paths(asked);
        for (key, path) in own.iter().filter(|(_, path)| !made.contains(&path)) {
            lacks(path, project).into_iter().for_each(|it| add(format!("{key}: {it}")));
        }
        if own.iter().any(|(_, path)| *path == asked.output) || asked.output == Path::new(LEDGER) {
            add(format!("output: {}: is needed for something else", asked.output.display()));
        }
        if made.iter().filter(|path| ***path == asked.output).count() > 1 {
            add(format!("output: {}: another stage writes there too", asked.output.display()));
        }
        misses(asked, stages).or_else(|| refused(asked)).into_iter().for_each(&mut add);
        if asked.kind.table == "crawl" {
            of_crawl(asked).into_iter().for_each(&mut add);
        }
    }
    problems
}

/// What a stage cannot do without.
fn misses(asked: &Asked, stages: &[Asked]) -> Option<String> {
    let is_given = match asked.command[..] {
        // The newest crawl is named when it is known.
        ["report"] => {
            let shown = report::FILES.into_iter().chain(["crawl", "comparison"]);
            let makes_crawl = stages.iter().any(|it| it.kind.table == "crawl");
            makes_crawl || shown.into_iter().any(|flag| asked.has(flag))
        }
        ["crawl", "run"] => true,
        ["topic", "keywords"] => !asked.given.is_empty() || asked.has("file"),
        ["bcw", "train"] => !asked.given.is_empty() || asked.has("update"),
        ["bcw", "eval"] if asked.given.is_empty() => {
            return Some(
                "data: is missing: documents that the classifier was not trained on".to_owned(),
            );
        }
        ["bcw", "eval"] if asked.given.len() < 2 && !asked.has("folds") => {
            return Some("needs a [classifier]; or try ways of training with folds = 5".to_owned());
        }
        _ => !asked.given.is_empty(),
    };
    let key = asked.kind.given(&asked.command).unwrap_or("what it shows");
    (!is_given).then(|| format!("{key}: is missing, and no stage before it makes one"))
}

/// What is wrong with something that a person puts there.
fn lacks(path: &Path, project: &Project) -> Option<String> {
    let name = path.display();
    if path == Path::new(CRAWL_SETTINGS) {
        return None;
    }
    if !path.exists() {
        return Some(format!("{name}: there is no such file or folder"));
    }
    if path.is_dir() {
        let what = format!("{name}: nothing is in it yet; put pages about {} there", project.topic);
        return is_free(path).then_some(what);
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

/// What the command itself would refuse.
fn refused(asked: &Asked) -> Option<String> {
    let error = stage(asked, &asked.output).parsed().err()?;
    let text = error.to_string();
    let text = text.trim_start_matches("error: ");
    let is_told = |line: &&str| !line.starts_with("Usage") && !line.starts_with("For more");
    let text: Vec<&str> = text.lines().map(str::trim).take_while(is_told).collect();
    Some(text.join(" ").trim_end().to_owned())
}

/// What only the crawl can be wrong about.
fn of_crawl(asked: &Asked) -> Vec<String> {
    let mut found = Vec::new();
    let web = asked.values("web");
    if web.is_empty() || web == ["live"] {
        found.extend(lacks_contact(asked));
    } else {
        let missing = web.iter().filter(|path| !Path::new(path).exists());
        found
            .extend(missing.map(|path| format!("web: {path}: there is no such archive or folder")));
    }
    if let Err(error) = parse_seeds(&asked.given.join("\n")) {
        found.push(format!("urls: {error}"));
    }
    if let [name] = asked.values("recipe")[..] {
        let set: Vec<String> = asked.values("set").into_iter().map(str::to_owned).collect();
        if let Err(error) = Recipe::find(name, &set) {
            let near = nearest(name, Recipe::names()).filter(|_| !Recipe::is_file(name));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            found.push(format!("recipe: {error}{near}"));
        }
    }
    found
}

/// The live web is not crawled without an address at which webmasters reach who does it.
fn lacks_contact(asked: &Asked) -> Option<String> {
    let in_table = asked.settings.as_ref().and_then(|it| it.get("fetch")?.get("contact").cloned());
    // A file of settings of the user's own may have it.
    let is_own_file = asked.settings.is_none() && asked.has("settings");
    let text = "contact: is missing: a mail address or a page by which webmasters can reach you \
                (or web, to crawl archives or a folder)";
    (!asked.has("contact") && in_table.is_none() && !is_own_file).then(|| text.to_owned())
}
