//! `ontrail new`: creates the folder of a project.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer, count, quoted};

use super::CONFIG;
use super::examples::{OFF_TOPIC, ON_TOPIC, Pages};
use super::plan::{PAGES, SEEDS};
use crate::report::Lang;
use crate::stage::is_free;

/// Create a project: a folder for work on one topic
///
/// The folder gets ontrail.toml, which configures every stage, a file for seed URLs, and folders
/// for pages, models and crawls. `ontrail run` then runs the stages, up to the crawl and its
/// report.
///
/// With --examples, topic, classifier, disambiguation graph, a draft of an ontology, calibration
/// and the judge of pages are all made from example pages, and no threshold has to be chosen. The
/// pages are copied into the project. Pages that are not about the topic (--others) make a great
/// difference: without them there is neither a classifier nor a judge, and what is relevant is
/// found out during the crawl.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail new rain --topic 暴雨灾害 --lang zh
  ontrail new amazon --topic 'Amazon rainforest'
  ontrail new rain --examples rain-pages/ --others other-pages/
  cd rain && ontrail run --dry-run")]
pub(crate) struct New {
    /// Folder to create; it may exist if it is empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Name of the topic, as pages about it write it
    /// [default with --examples: the name of DIR]
    #[arg(long, value_name = "NAME", required_unless_present = "examples")]
    topic: Option<String>,
    /// Folder of pages about the topic, from which all models are made
    #[arg(long, value_name = "PAGES")]
    examples: Option<PathBuf>,
    /// Folder of pages that are not about the topic, such as those that a crawl should tell from it
    #[arg(long, value_name = "PAGES", requires = "examples")]
    others: Option<PathBuf>,
    /// Language of the comments in ontrail.toml, and of the report
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,
}

const ENGLISH: &str = include_str!("template.en.toml");
const CHINESE: &str = include_str!("template.zh.toml");
const ENGLISH_EXAMPLES: &str = include_str!("examples.en.toml");
const CHINESE_EXAMPLES: &str = include_str!("examples.zh.toml");

pub(crate) fn run(args: &New, printer: &mut Printer) -> Result<ExitStatus> {
    let of_folder = || args.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let topic = args.topic.clone().unwrap_or_else(of_folder);
    let topic = topic.trim();
    if topic.is_empty() || topic.chars().any(char::is_control) {
        bail!("--topic: give a name on one line, such as 'heavy rain'");
    }
    let folder = &args.folder;
    if folder.join(CONFIG).exists() {
        bail!("{}: this folder already is a project; use `ontrail run`", folder.display());
    }
    if !is_free(folder) {
        bail!("{}: exists and is not an empty folder; name a new folder", folder.display());
    }
    let on = args.examples.as_deref().map(|path| Pages::find(path, "--examples")).transpose()?;
    let off = args.others.as_deref().map(|path| Pages::find(path, "--others")).transpose()?;
    for name in [PAGES, "models", "crawls"] {
        let path = folder.join(name);
        std::fs::create_dir_all(&path)
            .with_context(|| format!("{}: cannot create the folder", path.display()))?;
    }
    write(&folder.join(SEEDS), seeds(args.lang))?;
    for (pages, place) in [(&on, ON_TOPIC), (&off, OFF_TOPIC)] {
        pages.iter().try_for_each(|pages| pages.copy(&folder.join(place)))?;
    }
    let text = match &on {
        Some(_) => config_of_examples(args.lang, topic, off.is_some()),
        None => config(args.lang, topic),
    };
    // Written last, because this file makes the folder a project.
    write(&folder.join(CONFIG), &text)?;
    if printer.is_json() {
        let project = folder.to_string_lossy();
        let mut made = serde_json::json!({ "project": project, "topic": topic });
        if let Some(on) = &on {
            made["examples"] = on.count().into();
            made["others"] = off.as_ref().map_or(0, Pages::count).into();
        }
        printer.json(&made)?;
    } else {
        let name = quoted(&folder.to_string_lossy());
        printer.line(format_args!("Created {name}, a project about {topic}:"))?;
        printer.line(format_args!("  {CONFIG:<14}settings of every stage"))?;
        printer.line(format_args!("  {SEEDS:<14}seed URLs of the crawl; add some"))?;
        let pages = format!("{PAGES}/");
        match &on {
            None => {
                printer.line(format_args!("  {pages:<14}pages about {topic}; put some there"))?;
            }
            Some(on) => {
                let (on, off) = (on.count() as u64, off.as_ref().map_or(0, Pages::count) as u64);
                printer.line(format_args!(
                    "  {pages:<14}example pages: {} about {topic}, {} others",
                    count(on),
                    count(off)
                ))?;
            }
        }
        printer.line("Then run:")?;
        printer.command(format_args!("cd {name} && ontrail run"))?;
    }
    if on.is_some() && off.is_none() {
        printer.note(format_args!(
            "without pages that are not about the topic, there is no classifier and no judge of pages; \
             put some into {} and remove the marks # in {CONFIG}, or give --others",
            folder.join(OFF_TOPIC).display()
        ));
    }
    Ok(ExitStatus::Done)
}

/// Returns the configuration of a project whose models are made from example pages. Lines with the
/// mark @ need off-topic pages; without these they become comments.
fn config_of_examples(lang: Lang, topic: &str, has_others: bool) -> String {
    let (template, note) = match lang {
        Lang::En => (
            ENGLISH_EXAMPLES,
            "#\n# There are no off-topic pages yet, so there is no classifier, graph or judge: the crawl finds\n\
             # out from the scores of pages which of them are relevant. Off-topic pages make it more precise:\n\
             # put some into pages/off-topic and remove the marks # before the settings that name them, and\n\
             # before [classifier], [sdg] and [judge] with their settings.\n",
        ),
        Lang::Zh => (
            CHINESE_EXAMPLES,
            "#\n# 还没有与主题无关的页面，因此没有分类器、消歧图和判定器：爬取时由页面的得分来判断哪些页面相关。\n\
             # 与主题无关的页面可以提高精度：把一些放进 pages/off-topic，再去掉提到它们的设置前面的 #，以及\n\
             # 表 [classifier]、[sdg]、[judge] 及其设置前面的 #。\n",
        ),
    };
    let line = |line: &str| match line {
        "@NOTE@" => {
            if has_others {
                String::new()
            } else {
                note.to_owned()
            }
        }
        line => match line.strip_prefix('@') {
            Some(rest) if has_others => format!("{rest}\n"),
            Some(rest) => format!("# {rest}\n"),
            None => format!("{line}\n"),
        },
    };
    with_topic(&template.lines().map(line).collect::<String>(), topic)
}

/// Writes the name of the topic into a template, as a TOML string with quotes and escapes.
fn with_topic(template: &str, topic: &str) -> String {
    template.replace("@TOPIC@", &toml::Value::String(topic.to_owned()).to_string())
}

fn write(path: &Path, text: &str) -> Result<()> {
    Ok(write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

fn config(lang: Lang, topic: &str) -> String {
    let template = match lang {
        Lang::En => ENGLISH,
        Lang::Zh => CHINESE,
    };
    with_topic(template, topic)
}

fn seeds(lang: Lang) -> &'static str {
    match lang {
        Lang::En => {
            "# Seed URLs, which the crawl starts from, one per line: pages about the topic, or pages that\n\
             # link to such pages.\n"
        }
        Lang::Zh => {
            "# 种子网址，即爬取的起点，每行一个：可以是关于主题的页面，也可以是链接到这类页面的页面。\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::config::Config;

    /// Returns a template with every setting in force: lines such as `# top = 50` lose their mark.
    fn all_enabled(template: &str) -> String {
        let is_setting = |line: &str| {
            let key = line.split(" = ").next().unwrap_or_default();
            let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
            line.contains(" = ") && !key.is_empty() && key.chars().all(is_name)
                || line.starts_with('[') && line.contains(']')
        };
        let shown = template.lines().map(|line| match line.strip_prefix("# ") {
            Some(rest) if is_setting(rest) => rest,
            _ => line,
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn templates_are_valid_as_written_and_with_every_setting_enabled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CONFIG);
        let mut settings = Vec::new();
        for lang in [Lang::En, Lang::Zh] {
            let text = config(lang, "a \"b\" \\ 暴雨");
            std::fs::write(&path, &text).unwrap();
            let plain = Config::read(&path).unwrap();
            assert_eq!(plain.project.topic, "a \"b\" \\ 暴雨");
            assert_eq!(plain.project.lang, lang.tag());
            let tables: Vec<&str> = plain.stages.iter().map(|it| it.kind.table).collect();
            assert_eq!(tables, ["context", "ontology", "topic", "crawl", "report"]);
            std::fs::write(&path, all_enabled(&text)).unwrap();
            let all = Config::read(&path).unwrap();
            assert_eq!(all.stages.len(), 9, "the templates show every stage");
            let flags = all.stages.iter().flat_map(|it| it.flags.iter().map(|flag| flag.0.clone()));
            settings.push(flags.collect::<Vec<_>>());
        }
        assert_eq!(settings[0], settings[1], "both templates show the same settings");
        assert!(settings[0].len() > 20);
    }

    #[test]
    fn examples_configure_every_model_if_there_are_off_topic_pages() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CONFIG);
        let mut tables = Vec::new();
        for (lang, has_others) in
            [(Lang::En, true), (Lang::Zh, true), (Lang::En, false), (Lang::Zh, false)]
        {
            let text = config_of_examples(lang, "a \"b\" 暴雨", has_others);
            std::fs::write(&path, &text).unwrap();
            let read = Config::read(&path).unwrap();
            assert_eq!(read.project.topic, "a \"b\" 暴雨");
            tables.push(read.stages.iter().map(|it| it.kind.table).collect::<Vec<_>>());
            assert!(!text.contains('@') || text.contains("you@example.org"), "{text}");
            // Without the marks, the short form is the long one.
            std::fs::write(&path, all_enabled(&text)).unwrap();
            assert_eq!(Config::read(&path).unwrap().stages.len(), 8, "all but the evaluation");
        }
        let all = ["context", "ontology", "topic", "classifier", "sdg", "judge", "crawl", "report"];
        assert_eq!(tables[..2], [all, all]);
        let few = ["context", "ontology", "topic", "crawl", "report"];
        assert_eq!(tables[2..], [few, few]);
    }
}
