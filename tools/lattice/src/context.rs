//! `ontrail lattice context`: makes a formal context from documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use ontrail_cli::{
    Align, ExitStatus, ForceArgs, OutputFile, Printer, Table, bar, count, output_file, share,
};
use ontrail_domain::{Chosen, Selection, SelectionError, Threshold};
use ontrail_fca::format::Format as ContextFormat;
use ontrail_intake::term_lines;
use ontrail_text::{Analyzer, Counts, PartOfSpeech};
use ontrail_tool_input::Input;
use serde_json::json;

use crate::shared::{check_context, context_format, write_context};

/// Number of terms that are shown of a context.
const TERMS_SHOWN: usize = 20;

/// Make a formal context: select terms from documents, and record which document has which term
///
/// A term is a candidate if it occurs in at least --min-df documents, and in a share of the
/// documents between --min-share and --max-share. The --top candidates with the greatest sum of
/// TF-IDF weights are selected, and all keywords. A document has a term if the term occurs in it
/// with a TF-IDF weight of at least --theta.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice context datasets/rainstorm-pages -o rain.cxt --top 50
  ontrail lattice context crawl.warc.gz -o rain.cxt --keywords terms.txt --top 0
  ontrail lattice context news.tsv -o news.dat --theta p25 --leave-out press.txt")]
pub(crate) struct ContextArgs {
    #[command(flatten)]
    input: Input,
    /// Context file to write: .cxt, .csv, .dat or .json
    #[arg(short, long, value_name = "FILE", value_parser = output_file(context_format, "x.cxt"))]
    output: OutputFile<ContextFormat>,
    #[command(flatten)]
    force: ForceArgs,
    /// Number of candidates to select
    #[arg(long, value_name = "N", default_value_t = 60)]
    top: usize,
    /// Least number of documents that a term must occur in
    #[arg(long, value_name = "N", default_value_t = 3)]
    min_df: u64,
    /// Least share of the documents that a term must occur in
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = share)]
    min_share: f64,
    /// Greatest share of the documents that a term may occur in
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share)]
    max_share: f64,
    /// Least TF-IDF weight of a term that a document has: a weight, or a percentile of the
    /// weights in the document, such as p25
    #[arg(long, value_name = "WEIGHT", default_value = "0")]
    theta: Threshold,
    /// Term to select in any case; may be repeated. Where keywords overlap in a text, the longest
    /// one counts
    #[arg(long = "keyword", value_name = "TERM")]
    keyword: Vec<String>,
    /// File of such terms, one per line
    #[arg(long, value_name = "FILE")]
    keywords: Option<PathBuf>,
    /// File of terms to leave out, one per line
    #[arg(long, value_name = "FILE")]
    leave_out: Option<PathBuf>,
    /// Consider Chinese words of every part of speech, not only nouns
    #[arg(long)]
    all_words: bool,
}

pub(crate) fn run(args: &ContextArgs, printer: &mut Printer) -> Result<ExitStatus> {
    let OutputFile { path: output, form } = &args.output;
    let to = args.force.destination(output, printer)?;
    check_context(to, *form, &inputs(args))?;
    let mut keywords = args.keyword.clone();
    if let Some(path) = &args.keywords {
        keywords.extend(term_lines(path)?);
    }
    let leave_out = args.leave_out.as_deref().map(term_lines).transpose()?.unwrap_or_default();
    let read = args.input.read(printer)?;
    let part_of_speech = if args.all_words { PartOfSpeech::Any } else { PartOfSpeech::Nouns };
    let analyzer = Analyzer::builder()
        .terms(keywords.iter().cloned())
        .part_of_speech(part_of_speech)
        .min_chars(2)
        .build();
    let mut counts = Counts::new(&analyzer);
    let mut names = UniqueNames::default();
    let progress = printer.progress("segmenting", Some(read.documents.len() as u64));
    for document in &read.documents {
        let name = names.unique(name_of(&document.id, &args.input.path));
        counts.add(&name, &document.full_text().unwrap_or_default());
        progress.step();
    }
    drop(progress);
    let chosen = Selection::new()
        .top(args.top)
        .min_documents(args.min_df)
        .min_share(args.min_share)
        .max_share(args.max_share)
        .threshold(args.theta)
        .keywords(keywords.iter().cloned())
        .leave_out(leave_out)
        .choose(&counts);
    let chosen = chosen.map_err(|error| explain(error, args))?;
    write_context(to, *form, &chosen.context, &provenance(args, &keywords)?)?;
    show(args, &chosen, read.skipped.count, printer)
}

/// Returns the files that the command reads.
fn inputs(args: &ContextArgs) -> Vec<&Path> {
    let lists = args.keywords.iter().chain(&args.leave_out).map(PathBuf::as_path);
    std::iter::once(args.input.path.as_path()).chain(lists).collect()
}

/// Names given so far. An archive may hold a page twice, but the names of objects must be unique.
#[derive(Default)]
struct UniqueNames(BTreeMap<String, usize>);

impl UniqueNames {
    /// Returns the name, with a number behind it if it was given before.
    fn unique(&mut self, name: String) -> String {
        let count = self.0.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 {
            return name;
        }
        let numbered = format!("{name} ({count})");
        self.unique(numbered)
    }
}

/// Returns the name of a document: on one line, and without the folder of the input.
fn name_of(id: &str, input: &Path) -> String {
    let folder = input.parent().map(|folder| format!("{}/", folder.display()));
    let short = folder.and_then(|folder| id.strip_prefix(&folder)).unwrap_or(id);
    short.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn explain(error: SelectionError, args: &ContextArgs) -> anyhow::Error {
    let path = args.input.path.display().to_string();
    anyhow::Error::new(error).context(format!("{path}: cannot make a context"))
}

fn provenance(args: &ContextArgs, keywords: &[String]) -> Result<ontrail_artifact::Provenance> {
    let mut provenance = args
        .input
        .provenance("ontrail lattice context")?
        .with_parameter("top", args.top)
        .with_parameter("min_df", args.min_df)
        .with_parameter("min_share", args.min_share)
        .with_parameter("max_share", args.max_share)
        .with_parameter("theta", args.theta.to_string())
        .with_parameter("all_words", args.all_words)
        .with_parameter("keywords", keywords);
    for path in args.keywords.iter().chain(&args.leave_out) {
        provenance = provenance
            .with_input(path)
            .with_context(|| format!("{}: cannot read the file", path.display()))?;
    }
    Ok(provenance)
}

fn show(
    args: &ContextArgs,
    chosen: &Chosen,
    skipped: usize,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let context = &chosen.context;
    let (documents, crosses) = (context.objects().len(), context.crosses());
    let columns = context.columns();
    if printer.is_json() {
        let terms: Vec<_> = chosen
            .terms
            .iter()
            .zip(&columns)
            .map(|((term, weight), column)| {
                json!({ "term": term, "weight": weight, "documents": column.len() })
            })
            .collect();
        printer.json(&json!({
            "output": args.output.path, "objects": documents, "attributes": chosen.terms.len(),
            "crosses": crosses, "candidates": chosen.candidates, "skipped": skipped, "terms": terms,
        }))?;
        return Ok(ExitStatus::Done);
    }
    let head = [
        ("term", Align::Left),
        ("documents", Align::Right),
        ("TF-IDF", Align::Right),
        ("", Align::Left),
    ];
    let mut table = Table::new(head);
    let most = chosen.terms.first().map_or(1.0, |it| it.1).max(f64::MIN_POSITIVE);
    for ((term, weight), column) in chosen.terms.iter().zip(&columns).take(TERMS_SHOWN) {
        let cells = [
            term.clone(),
            count(column.len() as u64),
            format!("{weight:.3}"),
            bar(weight / most, 24),
        ];
        table.row(cells);
    }
    printer.table(&table)?;
    if chosen.terms.len() > TERMS_SHOWN {
        printer.line(format_args!("  … and {} more", chosen.terms.len() - TERMS_SHOWN))?;
    }
    printer.line(format_args!(
        "{}: {} documents × {} terms, {} crosses; {} candidate terms",
        args.output.path.display(),
        count(documents as u64),
        count(chosen.terms.len() as u64),
        count(crosses as u64),
        count(chosen.candidates as u64)
    ))?;
    Ok(ExitStatus::Done)
}
