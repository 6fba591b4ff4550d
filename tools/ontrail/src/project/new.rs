//! `ontrail new`: makes the folder of a project.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::write_atomically;
use ontrail_cli::{ExitStatus, Printer, quoted};

use super::CONFIG;
use super::plan::{PAGES, SEEDS};
use crate::report::Lang;
use crate::stage::is_free;

/// Make a folder for work on a topic: one file that configures everything, seeds, and places for pages and models
///
/// `ontrail run` in it then does what is to be done, up to the crawl and its report.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail new rain --topic 暴雨灾害 --lang zh
  ontrail new amazon --topic 'Amazon rainforest'
  cd rain && ontrail run --dry-run")]
pub(crate) struct New {
    /// The folder; it is made, or must be empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What it is about, as pages on it say it
    #[arg(long, value_name = "NAME")]
    topic: String,
    /// The language of the comments and of the report
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,
}

const ENGLISH: &str = include_str!("template.en.toml");
const CHINESE: &str = include_str!("template.zh.toml");

pub(crate) fn run(args: &New, printer: &mut Printer) -> Result<ExitStatus> {
    let topic = args.topic.trim();
    if topic.is_empty() || topic.chars().any(char::is_control) {
        bail!("--topic: give a name on one line");
    }
    let folder = &args.folder;
    if folder.join(CONFIG).exists() {
        bail!("{}: there is a project already; go on with `ontrail run`", folder.display());
    }
    if !is_free(folder) {
        bail!("{}: is there and not empty; give the name of a new folder", folder.display());
    }
    for name in [PAGES, "models", "crawls"] {
        let path = folder.join(name);
        std::fs::create_dir_all(&path)
            .with_context(|| format!("{}: cannot be made", path.display()))?;
    }
    write(&folder.join(SEEDS), seeds(args.lang))?;
    // Last, because it is what makes a folder a project.
    write(&folder.join(CONFIG), &config(args.lang, topic))?;
    if printer.is_json() {
        let project = folder.to_string_lossy();
        printer.json(&serde_json::json!({ "project": project, "topic": topic }))?;
    } else {
        let name = quoted(&folder.to_string_lossy());
        printer.line(format_args!("{name}: a project about {topic}"))?;
        printer.line(format_args!(
            "  {CONFIG:<14}what is done, and how; every flag has a place in it"
        ))?;
        printer.line(format_args!("  {SEEDS:<14}addresses to begin with: write some"))?;
        printer.line(format_args!(
            "  {:<14}pages about {topic}: put some there",
            format!("{PAGES}/")
        ))?;
        printer.line("then")?;
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
    // As TOML writes a text: with what must be escaped escaped.
    template.replace("@TOPIC@", &toml::Value::String(topic.to_owned()).to_string())
}

fn seeds(lang: Lang) -> &'static str {
    match lang {
        Lang::En => {
            "# Addresses that the crawl begins with, one a line: pages on the topic, or that link to such.\n"
        }
        Lang::Zh => "# 爬取的起始网址，每行一个：与主题相关的网页，或链接到这类网页的网页。\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::config::Config;

    /// A template with every setting that it shows in force: lines such as `# top = 50` lose their mark.
    fn all_shown(template: &str) -> String {
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
    fn templates_are_understood_as_they_are_and_with_all_that_they_show() {
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
            std::fs::write(&path, all_shown(&text)).unwrap();
            let all = Config::read(&path).unwrap();
            assert_eq!(all.stages.len(), 8, "every stage is shown");
            let flags = all.stages.iter().flat_map(|it| it.flags.iter().map(|flag| flag.0.clone()));
            settings.push(flags.collect::<Vec<_>>());
        }
        assert_eq!(settings[0], settings[1], "both languages show the same");
        assert!(settings[0].len() > 20);
    }
}
