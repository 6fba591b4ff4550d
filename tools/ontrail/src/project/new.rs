//! `ontrail new`: creates the folder of a project.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer, quoted};

use super::CONFIG;
use super::plan::{PAGES, SEEDS};
use crate::report::Lang;
use crate::stage::is_free;

/// Create a project: a folder for work on one topic
///
/// The folder gets ontrail.toml, which configures every stage, a file for seed URLs, and folders
/// for pages, models and crawls. `ontrail run` then runs the stages, up to the crawl and its
/// report.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail new rain --topic 暴雨灾害 --lang zh
  ontrail new amazon --topic 'Amazon rainforest'
  cd rain && ontrail run --dry-run")]
pub(crate) struct New {
    /// Folder to create; it may exist if it is empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Name of the topic, as pages about it write it
    #[arg(long, value_name = "NAME")]
    topic: String,
    /// Language of the comments in ontrail.toml, and of the report
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,
}

const ENGLISH: &str = include_str!("template.en.toml");
const CHINESE: &str = include_str!("template.zh.toml");

pub(crate) fn run(args: &New, printer: &mut Printer) -> Result<ExitStatus> {
    let topic = args.topic.trim();
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
    for name in [PAGES, "models", "crawls"] {
        let path = folder.join(name);
        std::fs::create_dir_all(&path)
            .with_context(|| format!("{}: cannot create the folder", path.display()))?;
    }
    write(&folder.join(SEEDS), seeds(args.lang))?;
    // Written last, because this file makes the folder a project.
    write(&folder.join(CONFIG), &config(args.lang, topic))?;
    if printer.is_json() {
        let project = folder.to_string_lossy();
        printer.json(&serde_json::json!({ "project": project, "topic": topic }))?;
    } else {
        let name = quoted(&folder.to_string_lossy());
        printer.line(format_args!("Created {name}, a project about {topic}:"))?;
        printer.line(format_args!("  {CONFIG:<14}settings of every stage"))?;
        printer.line(format_args!("  {SEEDS:<14}seed URLs of the crawl; add some"))?;
        let pages = format!("{PAGES}/");
        printer.line(format_args!("  {pages:<14}pages about {topic}; put some there"))?;
        printer.line("Then run:")?;
        printer.command(format_args!("cd {name} && ontrail run"))?;
    }
    Ok(ExitStatus::Done)
}

fn write(path: &Path, text: &str) -> Result<()> {
    Ok(write_atomically(path, |out| out.write_all(text.as_bytes()))?)
}

fn config(lang: Lang, topic: &str) -> String {
    let template = match lang {
        Lang::En => ENGLISH,
        Lang::Zh => CHINESE,
    };
    // As a TOML string, with quotes and escapes.
    template.replace("@TOPIC@", &toml::Value::String(topic.to_owned()).to_string())
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
            assert_eq!(all.stages.len(), 8, "the templates show every stage");
            let flags = all.stages.iter().flat_map(|it| it.flags.iter().map(|flag| flag.0.clone()));
            settings.push(flags.collect::<Vec<_>>());
        }
        assert_eq!(settings[0], settings[1], "both templates show the same settings");
        assert!(settings[0].len() > 20);
    }
}
