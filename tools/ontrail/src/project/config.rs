//! `ontrail.toml`: one table for each stage, whose keys are the flags of its command.
//!
//! The keys come from the definitions of the command line, so a new flag of a tool is a valid key
//! at once.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Arg, ArgAction, Command, CommandFactory};
use toml::de::DeTable;
use toml::{Table, Value};

use super::kind::{KINDS, Kind};

/// The content of an `ontrail.toml`.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) project: Project,
    /// The stages with a table in the file, in the order in which they run.
    pub(crate) stages: Vec<Section>,
}

/// The table `[project]`, which applies to all stages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Project {
    pub(crate) topic: String,
    pub(crate) lang: String,
    pub(crate) threads: Option<u16>,
}

/// The table of a stage.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) kind: &'static Kind,
    /// The command: a tool and a verb.
    pub(crate) command: Vec<&'static str>,
    /// The positional arguments.
    pub(crate) positional: Vec<String>,
    /// The flags with their values: none for switches, and two for some flags.
    pub(crate) flags: Vec<(String, Vec<String>)>,
    pub(crate) output: PathBuf,
    /// Line of the table in the file.
    pub(crate) line: usize,
    /// The `settings` table of a crawl.
    pub(crate) settings: Option<Table>,
}

impl Section {
    /// Returns the values of a flag.
    pub(crate) fn values(&self, flag: &str) -> Vec<&str> {
        let own = self.flags.iter().filter(|(name, _)| name == flag);
        own.flat_map(|(_, values)| values.iter().map(String::as_str)).collect()
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|(name, _)| name == flag)
    }

    /// Sets a flag if the file does not.
    pub(crate) fn default_to(&mut self, flag: &str, value: &str) {
        if !self.has(flag) {
            self.add(flag, &[value]);
        }
    }

    /// Adds a flag with its values.
    pub(crate) fn add(&mut self, flag: &str, values: &[&str]) {
        self.flags.push((flag.to_owned(), values.iter().map(|&it| it.to_owned()).collect()));
    }
}

impl Config {
    /// Reads a file. An error lists all problems at once.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = ontrail_intake::read_text(path)?;
        let name = path.display();
        let invalid = |error: toml::de::Error| anyhow!("{name}: {}", error.to_string().trim_end());
        let table: Table = text.parse().map_err(invalid)?;
        let lines = Lines::of(&text).map_err(invalid)?;
        let mut problems = Problems { lines, found: Vec::new() };
        let config = parse(&table, &mut problems);
        let mut found = problems.found;
        found.sort();
        let found: Vec<String> =
            found.into_iter().map(|(line, text)| format!("{name}:{line}: {text}")).collect();
        if !found.is_empty() {
            bail!("{}", found.join("\n       "));
        }
        Ok(config)
    }
}

/// Line numbers of keys, by the path of the key.
struct Lines(BTreeMap<Vec<String>, usize>);

impl Lines {
    fn of(text: &str) -> Result<Self, toml::de::Error> {
        let mut lines = BTreeMap::new();
        let parsed = DeTable::parse(text)?;
        collect(parsed.get_ref(), text, &mut Vec::new(), &mut lines);
        Ok(Self(lines))
    }

    fn of_key(&self, path: &[&str]) -> usize {
        let path: Vec<String> = path.iter().map(|&part| part.to_owned()).collect();
        self.0.get(&path).copied().unwrap_or(1)
    }
}

fn collect(
    table: &DeTable<'_>,
    text: &str,
    path: &mut Vec<String>,
    lines: &mut BTreeMap<Vec<String>, usize>,
) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        let before = text.get(..key.span().start).unwrap_or_default();
        lines.insert(path.clone(), 1 + before.matches('\n').count());
        if let Some(inner) = value.get_ref().as_table() {
            collect(inner, text, path, lines);
        }
        path.pop();
    }
}

/// The problems found in a file, with their lines.
struct Problems {
    lines: Lines,
    found: Vec<(usize, String)>,
}

impl Problems {
    fn add(&mut self, path: &[&str], text: String) {
        self.found.push((self.lines.of_key(path), text));
    }

    /// Adds an unknown key, with the most similar known key as a hint.
    fn unknown<'a>(
        &mut self,
        path: &[&str],
        what: &str,
        known: impl Iterator<Item = &'a str>,
        help: &str,
    ) {
        let key = path.last().copied().unwrap_or_default();
        let place = match path {
            [table, _] => format!("[{table}]: "),
            _ => String::new(),
        };
        let hint = nearest(key, known)
            .map_or_else(|| help.to_owned(), |near| format!("did you mean `{near}`?"));
        self.add(path, format!("{place}unknown {what} `{key}`; {hint}"));
    }
}

/// Returns the known name that is most similar to `name`, if any is similar enough.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let similar = known.map(|it| (strsim::jaro_winkler(&name, it), it));
    let best = similar.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))?;
    (best.0 >= 0.7).then_some(best.1)
}

fn parse(table: &Table, problems: &mut Problems) -> Config {
    let known = || std::iter::once("project").chain(KINDS.iter().map(|kind| kind.table));
    for key in table.keys().filter(|key| !known().any(|it| it == *key)) {
        let help = format!("the tables are {}", known().collect::<Vec<_>>().join(", "));
        problems.unknown(&[key], "table", known(), &help);
    }
    let root = crate::Args::command();
    let mut stages = Vec::new();
    for kind in &KINDS {
        match table.get(kind.table) {
            None => {}
            Some(Value::Table(own)) => stages.extend(stage(kind, own, &root, problems)),
            Some(_) => problems.add(&[kind.table], format!("[{}] must be a table", kind.table)),
        }
    }
    Config { project: project(table, problems), stages }
}

fn project(table: &Table, problems: &mut Problems) -> Project {
    let mut project = Project { topic: String::new(), lang: "en".to_owned(), threads: None };
    let empty = Table::new();
    let own = match table.get("project") {
        Some(Value::Table(own)) => own,
        None => &empty,
        Some(_) => {
            problems.add(&["project"], "[project] must be a table".to_owned());
            return project;
        }
    };
    for (key, value) in own {
        let path = ["project", key.as_str()];
        match (key.as_str(), value) {
            ("topic", Value::String(topic)) if !topic.chars().any(char::is_control) => {
                topic.trim().clone_into(&mut project.topic);
            }
            ("lang", Value::String(lang)) if lang == "zh" || lang == "en" => {
                project.lang.clone_from(lang);
            }
            ("lang", _) => {
                problems.add(&path, "[project]: lang must be \"zh\" or \"en\"".to_owned());
            }
            ("threads", Value::Integer(number)) if (1..=1024).contains(number) => {
                project.threads = u16::try_from(*number).ok();
            }
            ("threads", _) => {
                problems
                    .add(&path, "[project]: threads must be a number from 1 to 1024".to_owned());
            }
            ("topic", _) => {
                problems.add(&path, "[project]: topic must be text on one line".to_owned());
            }
            _ => {
                let known = ["topic", "lang", "threads"];
                let help = "the settings are topic, lang and threads";
                problems.unknown(&path, "setting", known.into_iter(), help);
            }
        }
    }
    if project.topic.is_empty() && !own.contains_key("topic") {
        let text = "[project]: `topic` is missing; add topic = \"NAME\"".to_owned();
        problems.add(&["project"], text);
    }
    project
}

fn stage(
    kind: &'static Kind,
    table: &Table,
    root: &Command,
    problems: &mut Problems,
) -> Option<Section> {
    let command = match kind.command(table) {
        Ok(command) => command,
        Err(text) => {
            problems.add(&[kind.table, "from"], format!("[{}]: {text}", kind.table));
            return None;
        }
    };
    let definition = find(root, &command);
    let mut section = Section {
        kind,
        command,
        positional: Vec::new(),
        flags: Vec::new(),
        output: PathBuf::from(kind.output),
        line: problems.lines.of_key(&[kind.table]),
        settings: None,
    };
    let positional = kind.positional_key(&section.command);
    for (key, value) in table {
        let taken = match key.as_str() {
            "from" if kind.has_from() => Ok(()),
            "settings" if kind.has_settings() && value.is_table() => {
                section.settings = value.as_table().cloned();
                check_settings(value)
            }
            "output" => text_of(value).map(|text| section.output = plain_path(&text)),
            key if Some(key) == positional => {
                texts_of(value).map(|values| section.positional = values)
            }
            key => {
                if let Some(arg) = flag(definition, key) {
                    take_flag(&mut section, arg, key, value)
                } else {
                    let flags = definition.get_arguments().filter_map(Arg::get_long);
                    let known = flags.chain(positional).chain(kind.has_from().then_some("from"));
                    let other = positional
                        .map(|key| format!("; `{key}` holds the arguments without a flag"));
                    let command = section.command.join(" ");
                    let help = format!(
                        "`ontrail {command} --help` lists the flags{}",
                        other.unwrap_or_default()
                    );
                    problems.unknown(&[kind.table, key], "setting", known, &help);
                    Ok(())
                }
            }
        };
        if let Err(text) = taken {
            problems.add(&[kind.table, key], format!("[{}]: {key}: {text}", kind.table));
        }
    }
    Some(section)
}

/// Returns the definition of a command.
fn find<'a>(root: &'a Command, command: &[&str]) -> &'a Command {
    let step = |at: &'a Command, name: &&str| {
        at.find_subcommand(name).expect("stages are existing commands")
    };
    command.iter().fold(root, step)
}

/// Returns the flag that a key names.
fn flag<'a>(definition: &'a Command, key: &str) -> Option<&'a Arg> {
    definition.get_arguments().find(|arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long() == Some(key) || aliases.contains(&key)
    })
}

/// Returns the files and folders that a stage names, with their keys.
pub(crate) fn paths(section: &Section) -> Vec<(&str, PathBuf)> {
    let root = crate::Args::command();
    let definition = find(&root, &section.command);
    let is_path = |arg: &Arg| arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let positional = definition.get_positionals().next().filter(|arg| is_path(arg));
    let key = section.kind.positional_key(&section.command).unwrap_or_default();
    let values = positional.into_iter().flat_map(|_| &section.positional);
    let values = values.map(|value| (key, plain_path(value)));
    let flags = section.flags.iter().flat_map(|(name, values)| {
        let values = values.iter().filter(|_| flag(definition, name).is_some_and(is_path));
        values.map(move |value| (name.as_str(), plain_path(value)))
    });
    values.chain(flags).collect()
}

/// Returns a path without a leading `./`, so that equal paths compare as equal.
fn plain_path(text: &str) -> PathBuf {
    PathBuf::from(text.strip_prefix("./").unwrap_or(text))
}

fn take_flag(section: &mut Section, arg: &Arg, key: &str, value: &Value) -> Result<(), String> {
    let name = arg.get_long().unwrap_or(key).to_owned();
    match arg.get_action() {
        ArgAction::SetTrue => match value {
            Value::Boolean(true) => section.flags.push((name, Vec::new())),
            Value::Boolean(false) => {}
            _ => return Err("must be true or false".to_owned()),
        },
        action => {
            let values = texts_of(value)?;
            if values.len() > 1 && !matches!(action, ArgAction::Append) {
                return Err("takes one value, not a list".to_owned());
            }
            let each = arg.get_num_args().map_or(1, |it| it.min_values()).max(1);
            if values.len() % each != 0 {
                return Err(format!("takes {each} values at a time, in one list"));
            }
            let groups = values.chunks(each).map(<[String]>::to_vec);
            section.flags.extend(groups.map(|group| (name.clone(), group)));
        }
    }
    Ok(())
}

fn texts_of(value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(values) => values.iter().map(text_of).collect(),
        value => Ok(vec![text_of(value)?]),
    }
}

fn text_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(_) => Err("takes a value, not true or false".to_owned()),
        Value::Datetime(time) => Ok(time.to_string()),
        Value::Array(_) => Err("takes one value, not a list".to_owned()),
        Value::Table(_) => Err("must be text or a number".to_owned()),
    }
}

/// Refuses unknown crawl settings, with the most similar known setting as a hint.
fn check_settings(value: &Value) -> Result<(), String> {
    let parsed: Result<ontrail_crawl::CrawlSettings, _> = value.clone().try_into();
    let error = match parsed {
        Ok(settings) => return settings.check().map_err(|error| error.to_string()),
        Err(error) => error,
    };
    let message = error.to_string();
    let message = message.trim();
    // "unknown field `delya`, expected one of `delay`, `address-delay`"
    let mut names = message.split('`').skip(1).step_by(2);
    let near = names.next().filter(|_| message.contains("unknown field"));
    let near = near.and_then(|name| nearest(name, names));
    Err(match near {
        Some(near) => {
            let first = message.split(", expected").next().unwrap_or(message);
            format!("{first}; did you mean `{near}`?")
        }
        None => message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ontrail.toml");
        std::fs::write(&path, text).unwrap();
        Config::read(&path).map_err(|error| {
            let place = path.display().to_string();
            error.to_string().replace(&place, "ontrail.toml")
        })
    }

    #[test]
    fn every_flag_of_every_stage_is_a_valid_key() {
        let root = crate::Args::command();
        for kind in &KINDS {
            for (from, command, positional) in kind.commands() {
                let mut text = format!("[project]\ntopic = 'a'\n[{}]\n", kind.table);
                if kind.has_from() {
                    text += &format!("from = '{from}'\n");
                }
                text.extend(positional.map(|key| format!("{key} = 'here'\n")));
                let definition = find(&root, command);
                let flags: Vec<&Arg> =
                    definition.get_arguments().filter(|arg| !arg.is_positional()).collect();
                let positionals = usize::from(positional.is_some());
                assert_eq!(definition.get_positionals().count(), positionals);
                for arg in &flags {
                    let key = arg.get_long().unwrap();
                    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
                    let values = arg.get_num_args().map_or(1, |it| it.min_values());
                    let value = match values {
                        _ if is_switch => "true",
                        2 => "['1', '1']",
                        _ => "'1'",
                    };
                    text += &format!("{key} = {value}\n");
                }
                let config = read(&text).unwrap();
                let section = &config.stages[0];
                assert_eq!(section.positional.len(), positionals);
                for key in flags.iter().filter_map(|arg| arg.get_long()) {
                    let is_set = if key == "output" {
                        section.output == Path::new("1")
                    } else {
                        section.has(key)
                    };
                    assert!(is_set, "{command:?}: --{key}");
                }
            }
        }
    }

    #[test]
    fn keys_become_flags() {
        let config = read(
            "[project]\ntopic = '雨'\nlang = 'zh'\n[context]\ndata = 'pages'\ntop = 5\ntheta = 0.5\nskip-bad = true\n\
             all-words = false\nkeyword = ['a', 'b']\n",
        )
        .unwrap();
        assert_eq!(
            config.project,
            Project { topic: "雨".into(), lang: "zh".into(), threads: None }
        );
        let context = &config.stages[0];
        assert_eq!((context.positional[0].as_str(), context.values("top")), ("pages", vec!["5"]));
        assert_eq!(
            (context.values("theta"), context.values("keyword")),
            (vec!["0.5"], vec!["a", "b"])
        );
        assert!(context.has("skip-bad") && !context.has("all-words"));
        assert_eq!(paths(context), [("data", PathBuf::from("pages"))]);
    }

    #[test]
    fn all_problems_are_reported_at_once_with_their_lines() {
        let error = read(
            "[project]\ntopic = '雨'\nlagn = 'zh'\n\n[contxt]\n[crawl]\nbudgte = 3\ncookies = 1\n[topic]\nfrom = 'air'\n",
        )
        .unwrap_err();
        let lines: Vec<&str> = error.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "ontrail.toml:3: [project]: unknown setting `lagn`; did you mean `lang`?",
                "ontrail.toml:5: unknown table `contxt`; did you mean `context`?",
                "ontrail.toml:7: [crawl]: unknown setting `budgte`; did you mean `budget`?",
                "ontrail.toml:8: [crawl]: cookies: must be true or false",
                "ontrail.toml:10: [topic]: from must be \"ontology\", \"texts\" or \"keywords\"",
            ]
        );
    }

    #[test]
    fn crawl_settings_are_checked() {
        let error =
            read("[project]\ntopic = 'a'\n[crawl.settings.politeness]\ndelya = 2\n").unwrap_err();
        assert!(
            error.contains("ontrail.toml:3: [crawl]: settings: unknown field `delya`"),
            "{error}"
        );
        assert!(error.contains("did you mean `delay`?"), "{error}");
        let fine =
            read("[project]\ntopic = 'a'\n[crawl.settings.politeness]\ndelay = 2\n").unwrap();
        assert!(fine.stages[0].settings.is_some());
    }

    #[test]
    fn invalid_toml_is_refused_with_its_line() {
        let error = read("[project\n").unwrap_err();
        assert!(error.contains("line 1"), "{error}");
        assert!(read("").unwrap_err().contains("`topic` is missing"));
    }
}
