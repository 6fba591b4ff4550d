//! `ontrail crawl robots`: may a page be fetched, and if not, why?

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer};
use ontrail_crawl::{SiteRules, product_token};
use ontrail_intake::page_bytes;
use serde::Serialize;
use url::Url;

/// Tell which addresses a robots.txt allows
///
/// Prints `allowed` or `disallowed`, a tab and the address, one a line. The rules are those of RFC 9309. Only path
/// and query are looked at: the file must be that of the addresses' host.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Exit code: 0 if all addresses are allowed, 1 if any is not, 2 on errors.

Examples:
  ontrail crawl robots robots.txt --agent Ontrail http://www.example.org/private/
  curl -s http://www.example.org/robots.txt | ontrail crawl robots - --agent Ontrail --why / /a?b=1")]
pub(crate) struct RobotsArgs {
    /// The robots.txt, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The addresses, or paths that begin with /
    #[arg(value_name = "URL", required = true)]
    urls: Vec<String>,
    /// The name of the crawler; rules are looked up by its first word (Ontrail of Ontrail/0.1)
    #[arg(long, value_name = "NAME", default_value = "Ontrail")]
    agent: String,
    /// Say behind another tab which rule decided
    #[arg(long)]
    why: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    agent: &'a str,
    crawl_delay: Option<f64>,
    sitemaps: Vec<&'a str>,
    urls: Vec<Asked<'a>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    url: &'a str,
    allowed: bool,
    reason: String,
}

pub(crate) fn run(args: &RobotsArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let agent = product_token(&args.agent);
    if agent.is_empty() {
        bail!(
            "--agent: {:?} does not begin with a product token; give a name of letters, such as Ontrail",
            args.agent
        );
    }
    let addresses = args.urls.iter().map(|url| address(url)).collect::<Result<Vec<_>>>()?;
    let rules = SiteRules::parse(&page_bytes(&args.file)?, agent);
    let mut urls = Vec::new();
    for (url, address) in args.urls.iter().zip(&addresses) {
        let verdict = rules.verdict(address);
        urls.push(Asked { url, allowed: verdict.is_allowed, reason: verdict.reason });
    }
    let are_allowed = urls.iter().all(|asked| asked.allowed);
    if printer.is_json() {
        let crawl_delay = rules.crawl_delay().map(|delay| delay.as_secs_f64());
        let sitemaps = rules.sitemaps().iter().map(Url::as_str).collect();
        printer.json(&Report { agent, crawl_delay, sitemaps, urls })?;
    } else {
        for Asked { url, allowed, reason } in &urls {
            let verdict = if *allowed { "allowed" } else { "disallowed" };
            let why = if args.why { format!("\t{reason}") } else { String::new() };
            printer.line(format_args!("{verdict}\t{url}{why}"))?;
        }
    }
    Ok(if are_allowed { ExitStatus::Done } else { ExitStatus::No })
}

/// The address that someone means: a whole one, or a path on whatever host.
fn address(text: &str) -> Result<Url> {
    let whole = if text.starts_with('/') && !text.starts_with("//") {
        format!("http://localhost{text}")
    } else {
        text.to_owned()
    };
    let url = Url::parse(&whole).map_err(|error| {
        anyhow!("{text}: no address ({error}); give one such as http://www.example.org/a, or a path such as /a")
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("{text}: not an address of the web; robots.txt is for http and https");
    }
    Ok(url)
}
