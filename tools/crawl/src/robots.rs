//! `ontrail crawl robots`: checks URLs against a robots.txt file.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{RobotsVerdict, SiteRules, product_token};
use ontrail_intake::page_bytes;
use serde::Serialize;
use url::Url;

/// Check which URLs a robots.txt file allows
///
/// Prints one line per URL: `allowed` or `disallowed`, a tab and the URL. The file is read as RFC
/// 9309 prescribes, and lines that it does not describe as Google reads them. Only the path and the
/// query of a URL are compared, so the file must be the one of the URLs' host.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Exit code: 0 if all URLs are allowed, 1 if any is not, 2 on errors.

Examples:
  ontrail crawl robots robots.txt --agent Ontrail http://www.example.org/private/
  curl -s http://www.example.org/robots.txt | ontrail crawl robots - --why / /a?b=1")]
pub(crate) struct RobotsArgs {
    /// robots.txt file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// URLs to check, or paths that start with /
    #[arg(value_name = "URL", required = true)]
    urls: Vec<String>,
    /// Name of the crawler; its product token (Ontrail in Ontrail/0.1) selects the group of rules
    #[arg(long, value_name = "NAME", default_value = "Ontrail")]
    agent: String,
    /// Print the rule that decided and its line, after another tab
    #[arg(long)]
    why: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    agent: &'a str,
    crawl_delay: Option<f64>,
    sitemaps: Vec<&'a str>,
    urls: Vec<Checked<'a>>,
}

#[derive(Serialize)]
struct Checked<'a> {
    url: &'a str,
    allowed: bool,
    line: Option<usize>,
    reason: String,
}

pub(crate) fn run(args: &RobotsArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let agent = product_token(&args.agent);
    if agent.is_empty() {
        bail!(
            "--agent: {:?} does not start with a product token; give a name made of letters, such as Ontrail",
            args.agent
        );
    }
    let parsed = args.urls.iter().map(|url| parse(url)).collect::<Result<Vec<_>>>()?;
    let rules = SiteRules::parse(&page_bytes(&args.file)?, agent);
    let mut urls = Vec::new();
    for (text, url) in args.urls.iter().zip(&parsed) {
        let RobotsVerdict { is_allowed, line, reason } = rules.verdict(url);
        urls.push(Checked { url: text, allowed: is_allowed, line, reason });
    }
    let are_allowed = urls.iter().all(|it| it.allowed);
    if printer.is_json() {
        let crawl_delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
        let sitemaps = rules.sitemaps().iter().map(Url::as_str).collect();
        printer.json(&Report { agent, crawl_delay, sitemaps, urls })?;
    } else {
        for Checked { url, allowed, reason, .. } in &urls {
            let verdict = if *allowed { "allowed" } else { "disallowed" };
            let why = if args.why { format!("\t{reason}") } else { String::new() };
            printer.line(format_args!("{verdict}\t{url}{why}"))?;
        }
    }
    Ok(if are_allowed { ExitStatus::Done } else { ExitStatus::No })
}

/// Parses a URL, or a path on an arbitrary host.
fn parse(text: &str) -> Result<Url> {
    let absolute = if text.starts_with('/') && !text.starts_with("//") {
        format!("http://localhost{text}")
    } else {
        text.to_owned()
    };
    let url = Url::parse(&absolute).map_err(|error| {
        anyhow!(
            "{text}: not a URL ({error}); give one such as http://www.example.org/a, or a path such as /a"
        )
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("{text}: not an http or https URL; robots.txt applies to these only");
    }
    Ok(url)
}
