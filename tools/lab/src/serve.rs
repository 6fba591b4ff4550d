//! `ontrail lab serve`: serves a web on loopback addresses.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, check_folder, write_with_sidecar};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, count, stop_flag};
use ontrail_intake::read_text;
use ontrail_lab::{LABELS, LoadedWeb, Naming, SEEDS, Server, WEB};
use serde::Serialize;

/// The seeds and labels of a served web.
const SERVED: Format =
    Format { kind: "served web", version: 1, oldest: 1, rebuild: "ontrail lab serve" };
/// Number of hosts that are listed on the terminal.
const MOST_SHOWN: usize = 10;

/// Serve a web on this machine, each host on its own loopback address
///
/// The hosts get the IP addresses 127.0.1.1, 127.0.1.2 and so on, and links are rewritten to point
/// there, so that a crawler or browser on this machine sees many hosts. Other machines cannot reach
/// them.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
-o DIR writes the seeds and the labels with the URLs under which the pages are served. On systems
that have no loopback address but 127.0.0.1, --names serves all hosts there under their own names:
as a proxy, or by the Host header of a request.

Examples:
  ontrail lab serve web -o served
  ontrail crawl run --contact me@example.org --allow-private 127.0.0.0/8 \\
      --delay 0 --address-delay 0 --seeds served/seeds.txt --labels served/labels.tsv \\
      --relevant rainstorm --recipe bfs -o crawl
  ontrail lab serve web --names --port 8080
  curl --proxy http://127.0.0.1:8080 $(head -1 web/seeds.txt)")]
pub(crate) struct ServeArgs {
    /// Folder of a woven web, or an archive
    #[arg(value_name = "WEB")]
    web: PathBuf,
    /// Port to listen on; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Serve all hosts on 127.0.0.1 under their own names, and rewrite no links
    #[arg(long)]
    names: bool,
    /// Folder for seeds.txt and labels.tsv with the served URLs
    #[arg(short, long, value_name = "DIR", conflicts_with = "names")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Stop after this time
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
            "{}: not a woven web, so there are no seeds and labels to write; drop -o",
            args.web.display()
        );
    }
    if let Some(folder) = args.output.as_ref().filter(|folder| folder.join(WEB).exists()) {
        bail!(
            "{}: a woven web, whose seeds and labels would be overwritten; give another folder",
            folder.display()
        );
    }
    if let Some(folder) = &args.output {
        check_folder(folder)?;
        for name in [SEEDS, LABELS] {
            let path = folder.join(name);
            if folder.is_dir() {
                let to = args.force.destination(&path, printer)?;
                Output::file(to, &SERVED).check([] as [&Path; 0])?;
            }
        }
    }
    let web = Arc::new(LoadedWeb::open(std::slice::from_ref(&archive))?);
    if web.is_empty() {
        bail!("{}: the archive holds no pages", archive.display());
    }
    let pages = web.len();
    let naming = if args.names { Naming::Names } else { Naming::Addresses };
    let server = Server::start(web, naming, args.port).with_context(|| {
        let hint = if args.names { "" } else { "; try --names, which needs only 127.0.0.1" };
        format!("cannot listen on loopback addresses, port {}{hint}", args.port)
    })?;
    if let Some(folder) = &args.output {
        write_served(&server, args, folder, printer)?;
    }
    if printer.is_json() {
        printer.json(&Served { pages, hosts: &server.hosts })?;
    } else {
        printer.heading(format_args!(
            "{} pages on {} hosts",
            count(pages as u64),
            server.hosts.len()
        ))?;
        for (name, address) in server.hosts.iter().take(MOST_SHOWN) {
            if args.names {
                printer.line(format_args!("http://{name}/ through the proxy http://{address}"))?;
            } else {
                printer.line(format_args!("http://{address}/ is {name}"))?;
            }
        }
        if server.hosts.len() > MOST_SHOWN {
            printer.line(format_args!(
                "… and {} more (--json lists all)",
                server.hosts.len() - MOST_SHOWN
            ))?;
        }
    }
    printer.flush()?;
    printer.note("press Ctrl-C to stop");
    wait(args)?;
    printer.note(format_args!("answered {} requests", count(server.answered())));
    Ok(ExitStatus::Done)
}

/// Waits for Ctrl-C, or until the time is over.
fn wait(args: &ServeArgs) -> Result<()> {
    let stop = stop_flag().context("cannot listen for signals")?;
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
        if args.seconds.is_some_and(|most| start.elapsed() >= Duration::from_secs(most)) {
            break;
        }
    }
    Ok(())
}

fn write_served(
    server: &Server,
    args: &ServeArgs,
    folder: &Path,
    printer: &mut Printer,
) -> Result<()> {
    let provenance = Provenance::of_this_process("ontrail lab serve");
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot create the folder", folder.display()))?;
    for name in [SEEDS, LABELS] {
        let text = server.served(&read_text(&args.web.join(name))?);
        let path = folder.join(name);
        let to = args.force.destination(&path, printer)?;
        write_with_sidecar(to, &SERVED, &provenance, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}
