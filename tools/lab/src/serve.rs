//! `ontrail lab serve`: a web as live servers on loopback addresses.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_cli::{ExitStatus, Printer, count, stop_flag};
use ontrail_intake::read_text;
use ontrail_lab::{LABELS, LoadedWeb, Naming, SEEDS, Server, WEB};
use serde::Serialize;

use crate::runs;

/// How many hosts are named on the terminal.
const SHOWN: usize = 10;

/// Serve a web on loopback addresses, as many hosts
///
/// Each host of the web has an address of its own (127.0.1.1, 127.0.1.2 and on), and links are rewritten to lead there, so that
/// any crawler or browser on this machine meets many hosts. Nothing else can reach them.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
With -o DIR the seeds and the labels are written there as they are served. Where a system has only
127.0.0.1, --names serves all hosts there under their own names: as a proxy, or by the Host of a request.

Examples:
  ontrail lab serve web -o served
  ontrail crawl run --contact me@example.org --allow-private 127.0.0.0/8 --delay 0 --address-delay 0 \\
      --seeds served/seeds.txt --labels served/labels.tsv --relevant rainstorm --recipe bfs -o crawl
  ontrail lab serve web --names --port 8080
  curl --proxy http://127.0.0.1:8080 $(head -1 web/seeds.txt)")]
pub(crate) struct ServeArgs {
    /// The folder of a woven web, or an archive
    #[arg(value_name = "WEB")]
    web: PathBuf,
    /// The port [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Serve all hosts at 127.0.0.1 under their own names, and rewrite nothing
    #[arg(long)]
    names: bool,
    /// Where to write seeds.txt and labels.tsv with the addresses that are served
    #[arg(short, long, value_name = "DIR", conflicts_with = "names")]
    output: Option<PathBuf>,
    /// Stop after so long
    #[arg(long = "for", value_name = "SECONDS")]
    seconds: Option<u64>,
}

#[derive(Serialize)]
struct Served<'a> {
    pages: usize,
    hosts: &'a BTreeMap<String, SocketAddr>,
}

pub(crate) fn run(args: &ServeArgs, printer: &mut Printer) -> Result<ExitStatus> {
    if !args.web.exists() {
        bail!(
            "{}: no such file or folder; give the folder of a woven web, or an archive",
            args.web.display()
        );
    }
    let is_woven = args.web.is_dir();
    let archive = if is_woven { args.web.join(WEB) } else { args.web.clone() };
    if args.output.is_some() && !is_woven {
        bail!(
            "{}: is no woven web, so there are no seeds and labels to write; leave -o out",
            args.web.display()
        );
    }
    if let Some(folder) = args.output.as_ref().filter(|folder| folder.join(WEB).exists()) {
        bail!(
            "{}: is a woven web, whose own seeds and labels would be lost; give another folder",
            folder.display()
        );
    }
    let web = Arc::new(LoadedWeb::open(std::slice::from_ref(&archive))?);
    if web.is_empty() {
        bail!("{}: no pages in it", archive.display());
    }
    let pages = web.len();
    let naming = if args.names { Naming::Names } else { Naming::Addresses };
    let server = Server::start(web, naming, args.port).with_context(|| {
        let hint = if args.names { "" } else { "; --names needs only 127.0.0.1" };
        format!("loopback addresses cannot be listened at, port {}{hint}", args.port)
    })?;
    if let Some(folder) = &args.output {
        write_served(&server, &args.web, folder)?;
    }
    if printer.is_json() {
        printer.json(&Served { pages, hosts: &server.hosts })?;
    } else {
        printer.heading(format_args!(
            "{} pages on {} hosts",
            count(pages as u64),
            server.hosts.len()
        ))?;
        for (name, address) in server.hosts.iter().take(SHOWN) {
            if args.names {
                printer.line(format_args!("http://{name}/ by the proxy http://{address}"))?;
            } else {
                printer.line(format_args!("http://{address}/ is {name}"))?;
            }
        }
        if server.hosts.len() > SHOWN {
            printer.line(format_args!(
                "… and {} others (--json lists all)",
                server.hosts.len() - SHOWN
            ))?;
        }
    }
    printer.flush()?;
    printer.note("Ctrl-C ends it");
    wait(args)?;
    printer.note(format_args!("{} requests were answered", count(server.answered())));
    Ok(ExitStatus::Done)
}

/// Waits until it is to end.
fn wait(args: &ServeArgs) -> Result<()> {
    let stop = stop_flag().context("signals cannot be listened to")?;
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
        if args.seconds.is_some_and(|most| start.elapsed() >= Duration::from_secs(most)) {
            break;
        }
    }
    Ok(())
}

fn write_served(server: &Server, web: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made", folder.display()))?;
    for name in [SEEDS, LABELS] {
        let text = read_text(&web.join(name))?;
        runs::write(folder, name, &server.served(&text))?;
    }
    Ok(())
}
