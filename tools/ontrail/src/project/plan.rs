//! Turns the configuration into commands. By default each stage reads the results of earlier
//! stages.

use std::path::{Path, PathBuf};

use ontrail_crawl::parse_seeds;
use ontrail_focus::ModelFiles;
use ontrail_pilot::Recipe;
use toml::Value;

use super::config::{Config, Project, Section, nearest, paths};
use super::{CONFIG, LEDGER};
use crate::report;
use crate::stage::{Stage, is_free};

/// Folder of a project's pages on its topic.
pub(crate) const PAGES: &str = "pages";
/// File of a project's seed URLs.
pub(crate) const SEEDS: &str = "seeds.txt";
/// File of the crawl settings that have no flag, for the crawler to read.
pub(crate) const CRAWL_SETTINGS: &str = "models/crawl-settings.toml";

/// Returns the stages, with the results of earlier stages as inputs where the file names none.
pub(crate) fn wired(config: &Config) -> Vec<Section> {
    let mut stages = config.stages.clone();
    let made: Vec<(&str, PathBuf)> =
        stages.iter().map(|it| (it.kind.table, it.output.clone())).collect();
    let made = |table: &str| {
        let found = made.iter().find(|(name, _)| *name == table);
        found.map(|(_, path)| path.to_string_lossy().into_owned())
    };
    let data_of = |table: &str| {
        let found = config.stages.iter().find(|it| it.kind.table == table);
        found.and_then(|it| it.positional.first().cloned())
    };
    for section in &mut stages {
        wire(section, &config.project, &made, &data_of);
    }
    stages
}

fn wire(
    section: &mut Section,
    project: &Project,
    made: &impl Fn(&str) -> Option<String>,
    data_of: &impl Fn(&str) -> Option<String>,
) {
    let give = |section: &mut Section, values: Vec<String>| {
        if section.positional.is_empty() {
            section.positional = values;
        }
    };
    let pages = || vec![data_of("context").unwrap_or_else(|| PAGES.to_owned())];
    match section.command[..] {
        ["lattice", "context"] => give(section, vec![PAGES.to_owned()]),
        ["lattice", "owl"] => {
            give(section, made("context").into_iter().collect());
            section.default_to("topic", &project.topic);
        }
        ["topic", "weigh"] => {
            give(section, made("ontology").into_iter().collect());
            section.default_to("topic", &project.topic);
        }
        ["topic", "learn"] => {
            give(section, pages());
            section.default_to("name", &project.topic);
        }
        ["topic", "keywords"] => {
            if !section.has("file") {
                give(section, vec![project.topic.clone()]);
            }
            section.default_to("name", &project.topic);
        }
        ["bcw", "eval"] => {
            // The classifier must not be evaluated on its training data, so its dataset is the
            // default only if it can have a part that was held out.
            let has_parts = |data: &String| Path::new(data).join("dataset.toml").is_file();
            give(section, data_of("classifier").filter(has_parts).into_iter().collect());
            if !section.has("folds") && !section.positional.is_empty() {
                section.positional.splice(0..0, made("classifier"));
            }
        }
        ["sdg", "build"] => {
            give(section, pages());
            made("topic").iter().for_each(|path| section.default_to("topic", path));
        }
        ["crawl", "judge"] => {
            for table in ["topic", "classifier", "sdg"] {
                made(table).iter().for_each(|path| section.default_to(table, path));
            }
        }
        ["crawl", "run"] => wire_crawl(section, made),
        ["report"] => {
            section.default_to("title", &project.topic);
            section.default_to("lang", &project.lang);
            // Each stage has the name of the flag that shows its result.
            for table in report::FILES {
                let path =
                    made(table).filter(|path| table != "evaluation" || path.ends_with(".json"));
                path.iter().for_each(|path| section.default_to(table, path));
            }
        }
        _ => {}
    }
}

fn wire_crawl(section: &mut Section, made: &impl Fn(&str) -> Option<String>) {
    if section.positional.is_empty() {
        section.default_to("seeds", SEEDS);
    }
    if section.settings.is_some() {
        section.default_to("settings", CRAWL_SETTINGS);
        secrets_as_flags(section);
    }
    for table in ["topic", "classifier", "sdg", "judge"] {
        made(table).iter().for_each(|path| section.default_to(table, path));
    }
}

/// Turns the settings of a crawl that may hold secrets into flags. The settings are written to a
/// file, but flags stay in memory, because the stage is run by this process.
fn secrets_as_flags(section: &mut Section) {
    let settings = section.settings.as_mut().and_then(|it| it.get_mut("fetch"));
    let Some(fetch) = settings.and_then(Value::as_table_mut) else { return };
    let mut take = |key: &str| fetch.remove(key);
    let (shared, bound, proxy) = (take("headers"), take("headers-for"), take("proxy"));
    for header in headers_of(shared.as_ref()) {
        section.add("header", &[&header]);
    }
    for (host, headers) in bound.iter().filter_map(Value::as_table).flatten() {
        for header in headers_of(Some(headers)) {
            section.add("header-for", &[host, &header]);
        }
    }
    if let Some(proxy) = proxy.as_ref().and_then(Value::as_str) {
        section.default_to("proxy", proxy);
    }
}

/// Returns the headers in a table of settings, each as `Name: value`.
fn headers_of(table: Option<&Value>) -> Vec<String> {
    let pairs = table.and_then(Value::as_table).into_iter().flatten();
    let pairs = pairs.filter_map(|(name, value)| Some(format!("{name}: {}", value.as_str()?)));
    pairs.collect()
}

/// Returns the words of a stage's command: first the positional arguments, then the flags, then the
/// output.
fn words(section: &Section, output: &Path) -> Vec<String> {
    let mut words: Vec<String> = section.command.iter().map(|&word| word.to_owned()).collect();
    // A value that starts with a dash would be taken for a flag.
    let has_dash = |value: &String| value.starts_with('-');
    let (dashed, plain): (Vec<String>, Vec<String>) =
        section.positional.iter().cloned().partition(|value| has_dash(value));
    words.extend(plain);
    for (flag, values) in &section.flags {
        match &values[..] {
            [value] if has_dash(value) => words.push(format!("--{flag}={value}")),
            values => {
                words.push(format!("--{flag}"));
                words.extend_from_slice(values);
            }
        }
    }
    words.extend(["-o".to_owned(), output.to_string_lossy().into_owned()]);
    if !dashed.is_empty() {
        words.push("--".to_owned());
        words.extend(dashed);
    }
    words
}

/// Returns the stage that runs the command of a section.
pub(crate) fn stage(section: &Section, output: &Path) -> Stage {
    let (name, title) = (section.kind.table.to_owned(), section.kind.title.to_owned());
    let mut reads: Vec<PathBuf> = paths(section).into_iter().map(|(_, path)| path).collect();
    // A web may be the live web, and a recipe may be built in; otherwise they are files.
    let webs = section.values("web").into_iter().filter(|web| *web != "live");
    let recipes = section.values("recipe").into_iter().filter(|name| Recipe::is_file(name));
    reads.extend(webs.chain(recipes).map(PathBuf::from));
    // The file of crawl settings is written later; its text is already part of the note.
    reads.retain(|path| path != Path::new(CRAWL_SETTINGS));
    Stage { name, title, command: words(section, output), reads: Some(reads) }
}

/// Returns everything that is wrong or missing, so that `ontrail run` can report it before it
/// spends hours on the first stages.
pub(crate) fn problems(stages: &[Section], project: &Project) -> Vec<String> {
    let made: Vec<&PathBuf> = stages.iter().map(|it| &it.output).collect();
    let mut problems = Vec::new();
    for section in stages {
        let mut add = |text: String| {
            let place = format!("{CONFIG}:{}: [{}]", section.line, section.kind.table);
            problems.push(format!("{place} {text}"));
        };
        let own = paths(section);
        for (key, path) in own.iter().filter(|(_, path)| !made.contains(&path)) {
            problem_with(path, project).into_iter().for_each(|it| add(format!("{key}: {it}")));
        }
        if own.iter().any(|(_, path)| *path == section.output)
            || section.output == Path::new(LEDGER)
        {
            add(format!("output: {}: this path is needed as an input", section.output.display()));
        }
        if made.iter().filter(|path| ***path == section.output).count() > 1 {
            add(format!("output: {}: another stage writes to this path", section.output.display()));
        }
        missing(section, stages).or_else(|| refused(section)).into_iter().for_each(&mut add);
        if section.kind.table == "crawl" {
            crawl_problems(section).into_iter().for_each(&mut add);
        }
    }
    problems
}

/// Returns a message about a missing input of a stage, if one is missing.
fn missing(section: &Section, stages: &[Section]) -> Option<String> {
    let is_given = match section.command[..] {
        // The newest crawl is added as soon as it is known.
        ["report"] => {
            let shown = report::FILES.into_iter().chain(["crawl", "comparison"]);
            let makes_crawl = stages.iter().any(|it| it.kind.table == "crawl");
            makes_crawl || shown.into_iter().any(|flag| section.has(flag))
        }
        // Their flags say what is missing.
        ["crawl", "run" | "judge"] => true,
        ["topic", "keywords"] => !section.positional.is_empty() || section.has("file"),
        ["bcw", "train"] => !section.positional.is_empty() || section.has("update"),
        ["bcw", "eval"] if section.positional.is_empty() => {
            return Some(
                "data: missing; name documents that the classifier was not trained on".to_owned(),
            );
        }
        ["bcw", "eval"] if section.positional.len() < 2 && !section.has("folds") => {
            let text = "needs a [classifier] table, or folds = 5 for cross-validation";
            return Some(text.to_owned());
        }
        _ => !section.positional.is_empty(),
    };
    let Some(key) = section.kind.positional_key(&section.command) else {
        let text = "nothing to show; add the table of another stage, or name a file to show";
        return (!is_given).then(|| text.to_owned());
    };
    (!is_given).then(|| format!("{key}: missing, and no earlier stage makes it"))
}

/// Returns a message about an input that the user must provide, if it is missing or empty.
fn problem_with(path: &Path, project: &Project) -> Option<String> {
    let name = path.display();
    if path == Path::new(CRAWL_SETTINGS) {
        return None;
    }
    if !path.exists() {
        return Some(format!("{name}: no such file or folder"));
    }
    if path.is_dir() {
        let text = format!("{name}: this folder is empty; put pages about {} there", project.topic);
        return is_free(path).then_some(text);
    }
    if path == Path::new(SEEDS) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        return match parse_seeds(&text) {
            Ok(seeds) if seeds.is_empty() => {
                Some(format!("{name}: no seed URLs yet; add some, one per line"))
            }
            Ok(_) => None,
            Err(error) => Some(format!("{name}:{}: {error}", error.line)),
        };
    }
    None
}

/// Returns the message with which the command line parser would refuse the command.
fn refused(section: &Section) -> Option<String> {
    let error = stage(section, &section.output).parsed().err()?;
    let text = error.to_string();
    let text = text.trim_start_matches("error: ");
    let is_message = |line: &&str| !line.starts_with("Usage") && !line.starts_with("For more");
    let text: Vec<&str> = text.lines().map(str::trim).take_while(is_message).collect();
    Some(text.join(" ").trim_end().to_owned())
}

/// Returns the problems that only a crawl can have.
fn crawl_problems(section: &Section) -> Vec<String> {
    let mut found = Vec::new();
    let web = section.values("web");
    if web.is_empty() || web == ["live"] {
        found.extend(missing_contact(section));
    } else {
        let missing = web.iter().filter(|path| !Path::new(path).exists());
        found.extend(missing.map(|path| format!("web: {path}: no such archive or folder")));
    }
    if let Err(error) = parse_seeds(&section.positional.join("\n")) {
        found.push(format!("urls: {error}"));
    }
    if let [name] = section.values("recipe")[..] {
        let set: Vec<String> = section.values("set").into_iter().map(str::to_owned).collect();
        match Recipe::find(name, &set) {
            Ok(recipe) => {
                let missing = model_files(section).check(&recipe, name).err();
                found.extend(missing.map(|error| format!("recipe: {error}")));
            }
            Err(error) => {
                let near = nearest(name, Recipe::names()).filter(|_| !Recipe::is_file(name));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                found.push(format!("recipe: {error}{near}"));
            }
        }
    }
    found
}

/// Returns the models of a crawl, made by earlier stages or named in the file.
fn model_files(section: &Section) -> ModelFiles {
    let path = |flag: &str| section.values(flag).first().map(PathBuf::from);
    ModelFiles {
        topics: section.values("topic").into_iter().map(PathBuf::from).collect(),
        classifier: path("classifier"),
        sdg: path("sdg"),
        judge: path("judge"),
        ontology: path("ontology"),
        wordnet: path("wordnet"),
        link_model: path("link-model"),
    }
}

/// Returns a message if `contact` is missing: the live web is not crawled without a way for
/// webmasters to reach the person who crawls.
fn missing_contact(section: &Section) -> Option<String> {
    let in_table =
        section.settings.as_ref().and_then(|it| it.get("fetch")?.get("contact").cloned());
    // The user's own file of settings may have it.
    let has_own_file = section.settings.is_none() && section.has("settings");
    let text = "contact: missing; give a mail address or web page by which webmasters can reach \
                you, or set web to crawl archives or a folder";
    (!section.has("contact") && in_table.is_none() && !has_own_file).then(|| text.to_owned())
}
