//! `ontrail lab serve`: serves a web on loopback addresses, or on one address of this machine.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use ontrail_artifact::{Format, Output, Provenance, check_folder, write_with_sidecar};
use ontrail_cli::{ExitStatus, ForceArgs, Printer, count, per_second, stop_flag};
use ontrail_crawl::OpenFiles;
use ontrail_intake::read_text;
use ontrail_lab::{AccessLog, LABELS, LoadedWeb, Naming, Pace, SEEDS, Server, Serving, WEB};
use serde::Serialize;

/// The seeds and labels of a served web.
const SERVED: Format =
    Format { kind: "served web", version: 1, oldest: 1, rebuild: "ontrail lab serve" };
/// Number of hosts that are listed on the terminal.
const MOST_SHOWN: usize = 10;
/// The greatest latency in milliseconds. Clients give up long before.
const MOST_LATENCY: u64 = 600_000;

/// Serve a web on this machine, each host on its own loopback address
///
/// The hosts get the IP addresses 127.0.1.1, 127.0.1.2 and so on, and links are rewritten to point
/// there, so that a crawler or browser on this machine sees many hosts. Other machines cannot reach
/// them, unless --bind names an address that they can reach.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
-o DIR writes the seeds and the labels with the URLs under which the pages are served. On systems
that have no loopback address but 127.0.0.1, --names serves all hosts there under their own names:
as a proxy, or by the Host header of a request.

The web answers as fast as it can. --latency and --rate make it as slow as hosts of the real web, so
that a crawler waits for the network rather than for this machine. Requests to a host above its rate
wait in line, first come, first served.

--access-log writes a line for each request, with tabs between its fields: the times of request and
answer in milliseconds since the start, host, path, address of the client, status and user agent.

Examples:
  ontrail lab serve web -o served
  ontrail crawl run --contact me@example.org --allow-private 127.0.0.0/8 \\
      --delay 0 --address-delay 0 --seeds served/seeds.txt --labels served/labels.tsv \\
      --relevant rainstorm --recipe bfs -o crawl
  ontrail lab serve web -o served --latency 200 --rate 5 --access-log access.tsv
  ontrail lab serve web --names --port 8080
  curl --proxy http://127.0.0.1:8080 $(head -1 web/seeds.txt)
  ontrail lab serve web --names --bind 10.0.0.9 --port 8080")]
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
    /// Listen on this IP address of this machine instead of 127.0.0.1. If it is no loopback
    /// address, other machines can reach the server
    #[arg(long, value_name = "ADDRESS", requires = "names")]
    bind: Option<IpAddr>,
    /// Milliseconds before each answer
    #[arg(long, value_name = "MS", default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(..=MOST_LATENCY))]
    latency: u64,
    /// Greatest number of requests that each host answers in a second [default: as many as it can]
    #[arg(long, value_name = "N", value_parser = per_second)]
    rate: Option<f64>,
    /// New file for a log of all requests (TSV)
    #[arg(long, value_name = "FILE")]
    access_log: Option<PathBuf>,
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
    check(args, printer)?;
    let archive = if args.web.is_dir() { args.web.join(WEB) } else { args.web.clone() };
    let web = Arc::new(LoadedWeb::open(std::slice::from_ref(&archive))?);
    if web.is_empty() {
        bail!("{}: the archive holds no pages", archive.display());
    }
    let pages = web.len();
    let server = start(args, web, printer)?;
    if let Some(folder) = &args.output {
        write_served(&server, args, folder, printer)?;
    }
    show(&server, pages, args, printer)?;
    printer.flush()?;
    printer.note("press Ctrl-C to stop");
    wait(args)?;
    printer.note(format_args!("answered {} requests", count(server.answered())));
    if let (Some(path), Some(error)) = (&args.access_log, server.take_log_error()) {
        return Err(error).with_context(|| {
            format!(
                "{}: the access log is incomplete, because it cannot be written",
                path.display()
            )
        });
    }
    Ok(ExitStatus::Done)
}

/// Refuses outputs that are in the way, and a web that is not there.
fn check(args: &ServeArgs, printer: &mut Printer) -> Result<()> {
    if let Some(log) = args.access_log.as_deref().filter(|log| log.exists()) {
        bail!("--access-log: {}: exists; give the name of a new file", log.display());
    }
    if !args.web.exists() {
        bail!(
            "{}: no such file or folder; give the folder of a woven web, or an archive",
            args.web.display()
        );
    }
    let Some(folder) = &args.output else { return Ok(()) };
    if !args.web.is_dir() {
        bail!(
            "{}: not a woven web, so there are no seeds and labels to write; drop -o",
            args.web.display()
        );
    }
    if folder.join(WEB).exists() {
        bail!(
            "{}: a woven web, whose seeds and labels would be overwritten; give another folder",
            folder.display()
        );
    }
    check_folder(folder)?;
    for name in [SEEDS, LABELS] {
        let path = folder.join(name);
        if folder.is_dir() {
            let to = args.force.destination(&path, printer)?;
            Output::file(to, &SERVED).check([] as [&Path; 0])?;
        }
    }
    Ok(())
}

/// Prints the hosts and their addresses.
fn show(server: &Server, pages: usize, args: &ServeArgs, printer: &mut Printer) -> Result<()> {
    let hosts = &server.hosts;
    if printer.is_json() {
        return Ok(printer.json(&Served { pages, hosts })?);
    }
    printer.heading(format_args!("{} pages on {} hosts", count(pages as u64), hosts.len()))?;
    for (name, address) in hosts.iter().take(MOST_SHOWN) {
        if args.names {
            printer.line(format_args!("http://{name}/ through the proxy http://{address}"))?;
        } else {
            printer.line(format_args!("http://{address}/ is {name}"))?;
        }
    }
    if hosts.len() > MOST_SHOWN {
        printer.line(format_args!("… and {} more (--json lists all)", hosts.len() - MOST_SHOWN))?;
    }
    Ok(())
}

/// Starts the server.
fn start(args: &ServeArgs, web: Arc<LoadedWeb>, printer: &mut Printer) -> Result<Server> {
    // Each connection takes a file descriptor.
    let _ = OpenFiles::raise();
    let naming = if args.names {
        Naming::Names(args.bind.unwrap_or(Ipv4Addr::LOCALHOST.into()))
    } else {
        Naming::Addresses
    };
    let pace = Pace {
        latency: Duration::from_millis(args.latency),
        interval: args.rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate)),
    };
    let create = |path: &PathBuf| {
        AccessLog::create(path).with_context(|| {
            format!(
                "{}: cannot be created; give a new file in a folder that exists",
                path.display()
            )
        })
    };
    let access_log = args.access_log.as_ref().map(create).transpose()?;
    let server = Server::start(web, Serving { naming, port: args.port, pace, access_log });
    if let (Err(_), Some(log)) = (&server, &args.access_log) {
        // The empty file would be in the way of the next attempt.
        let _ = std::fs::remove_file(log);
    }
    let server = server.with_context(|| {
        if let Some(address) = args.bind {
            return format!(
                "cannot listen on {address}, port {}; give an address of this machine and a free \
                 port",
                args.port
            );
        }
        let hint = if args.names { "" } else { "; try --names, which needs only 127.0.0.1" };
        format!("cannot listen on loopback addresses, port {}{hint}", args.port)
    })?;
    if let Some(address) = args.bind.filter(|address| !address.is_loopback()) {
        printer.warn(format_args!("other machines can reach this server by the address {address}"));
    }
    Ok(server)
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
