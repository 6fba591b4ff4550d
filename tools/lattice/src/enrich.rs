//! `ontrail lattice enrich`: concepts that an ontology lacks, from the topics of documents.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance, write_with_sidecar};
use ontrail_cli::{Align, ExitStatus, OutputFile, Printer, Table, count, output_file, share};
use ontrail_domain::enrich::{Enriched, Enrichment, Known, Placed};
use ontrail_domain::lda::Lda;
use ontrail_ontology::Syntax;
use ontrail_taxonomy::Taxonomy;
use ontrail_text::{Analyzer, Counts, PartOfSpeech};
use ontrail_tool_input::Input;
use serde_json::json;

use crate::owl::{check_all, syntax, write_all};
use crate::shared::SUGGESTION;

/// Find concepts that an ontology lacks, and where they belong
///
/// The top words of the documents' topics (LDA) are candidates. A candidate goes below the class that
/// its documents imply with the highest confidence, or becomes a synonym where the class implies it
/// back; the rest is dropped. The result is a suggestion: look at it before you keep it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice enrich pages.tar.gz --ontology rain.owl -o richer.owl
  ontrail lattice enrich pages.tar.gz --ontology rain.owl --suggest more.toml --topics 20")]
pub(crate) struct Enrich {
    #[command(flatten)]
    input: Input,
    /// The ontology
    #[arg(long, value_name = "FILE")]
    ontology: PathBuf,
    /// The ontology to write, with what was found; may be repeated
    #[arg(short, long = "output", value_name = "FILE", value_parser = output_file(syntax))]
    outputs: Vec<OutputFile<Syntax>>,
    /// A file to write with what was found as overrides, for you to edit and give to `ontrail lattice owl`
    #[arg(long, value_name = "FILE")]
    suggest: Option<PathBuf>,
    /// How many topics to look for
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    topics: u16,
    /// How many Gibbs sweeps to make
    #[arg(long, value_name = "N", default_value_t = 1000)]
    sweeps: usize,
    /// How many top words of each topic to look at
    #[arg(long, value_name = "N", default_value_t = 20)]
    per_topic: usize,
    /// Which share of the documents must have both candidate and class
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    min_support: f64,
    /// Which share of a candidate's documents must have the class
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share)]
    min_confidence: f64,
    /// The seed of every random choice
    #[arg(long, value_name = "SEED", default_value_t = 42)]
    seed: u64,
}

pub(crate) fn run(args: &Enrich, printer: &mut Printer) -> Result<ExitStatus> {
    let inputs = || [&args.ontology, &args.input.path];
    check_all(&args.outputs, inputs)?;
    if let Some(path) = &args.suggest {
        Output::file(path, &SUGGESTION).check(inputs())?;
    }
    let document = ontrail_ontology::read(&args.ontology)?;
    if document.is_skos() && !args.outputs.is_empty() {
        bail!(
            "{}: a SKOS vocabulary cannot be written with more in it; leave -o out, and see the \
             suggestions",
            args.ontology.display()
        );
    }
    document.check_whole()?;
    let taxonomy = document.taxonomy()?;
    let known = known(&taxonomy);
    if known.len() < 2 {
        bail!("{}: no classes below a topic to enrich", args.ontology.display());
    }
    let read = args.input.read(printer)?;
    let names = known.iter().flat_map(|concept| concept.names.iter().cloned());
    let analyzer =
        Analyzer::builder().terms(names).part_of_speech(PartOfSpeech::Nouns).min_chars(2).build();
    let mut counts = Counts::new(&analyzer);
    for document in &read.documents {
        counts.add(&document.id, &document.full_text().unwrap_or_default());
    }
    let lda = Lda::new().topics(usize::from(args.topics)).sweeps(args.sweeps).seed(args.seed);
    let enrichment = Enrichment::new(lda)
        .per_topic(args.per_topic)
        .min_support(args.min_support)
        .min_confidence(args.min_confidence);
    let progress = printer.progress("sampling", Some(args.sweeps as u64));
    let enriched = enrichment.enrich(&counts, &known, || progress.step());
    drop(progress);
    let provenance = provenance(args)?;
    if !args.outputs.is_empty() {
        let names = counts.names();
        let additions = enriched.placed.iter().map(|placed| ontrail_ontology::Addition {
            term: placed.term.clone(),
            concept: placed.concept.clone(),
            is_synonym: placed.is_synonym,
            documents: placed.documents.iter().map(|&it| names[it].clone()).collect(),
        });
        let richer = document.ontology.with_additions(additions);
        write_all(&richer, &args.outputs, &provenance)?;
    }
    if let Some(path) = &args.suggest {
        let text = as_overrides(&taxonomy, &enriched.placed);
        write_with_sidecar(path, &SUGGESTION, &provenance, |out| out.write_all(text.as_bytes()))?;
    }
    show(args, &taxonomy, &enriched, printer)
}

/// The concepts with all their names, the root first.
fn known(taxonomy: &Taxonomy) -> Vec<Known> {
    let mut ids: Vec<usize> = (0..taxonomy.len()).collect();
    ids.sort_by_key(|&id| taxonomy.depth(id));
    let concept = |id: usize| Known {
        key: taxonomy.concept(id).key.clone(),
        names: taxonomy.concept(id).labels.iter().map(|label| label.text.clone()).collect(),
        depth: taxonomy.depth(id),
    };
    ids.into_iter().map(concept).collect()
}

fn provenance(args: &Enrich) -> Result<Provenance> {
    let provenance = args
        .input
        .provenance("ontrail lattice enrich")?
        .with_parameter("topics", args.topics)
        .with_parameter("sweeps", args.sweeps)
        .with_parameter("per_topic", args.per_topic)
        .with_parameter("min_support", args.min_support)
        .with_parameter("min_confidence", args.min_confidence)
        .with_seed(args.seed)
        .with_input(&args.ontology)?;
    Ok(provenance)
}

fn name_of(taxonomy: &Taxonomy, key: &str) -> String {
    taxonomy.find(key).map_or(key, |id| taxonomy.name(id, "zh")).to_owned()
}

/// What was found, as decisions that a person may strike out.
fn as_overrides(taxonomy: &Taxonomy, placed: &[Placed]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text =
        "# Suggested by `ontrail lattice enrich`. Strike out what does not belong.\n".to_owned();
    for it in placed {
        let (term, concept) = (quoted(&it.term), quoted(&name_of(taxonomy, &it.concept)));
        text += &format!(
            "\n# support {:.2}, confidence {:.2}, lift {:.2}{}\n[[class]]\nterm = {term}\nparent = {concept}\n",
            it.support,
            it.confidence,
            it.lift,
            if it.is_synonym {
                format!("; perhaps another name of {concept}")
            } else {
                String::new()
            }
        );
    }
    text
}

fn show(
    args: &Enrich,
    taxonomy: &Taxonomy,
    enriched: &Enriched,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let outputs: Vec<&Path> = args.outputs.iter().map(|output| output.path.as_path()).collect();
    if printer.is_json() {
        let placed: Vec<_> = enriched
            .placed
            .iter()
            .map(|it| {
                json!({
                    "term": it.term, "class": it.concept, "synonym": it.is_synonym,
                    "support": it.support, "confidence": it.confidence, "lift": it.lift,
                })
            })
            .collect();
        printer.json(&json!({
            "outputs": outputs, "suggestions": args.suggest, "topics": enriched.topics,
            "candidates": enriched.candidates, "placed": placed,
        }))?;
        return Ok(ExitStatus::Done);
    }
    for (number, words) in enriched.topics.iter().enumerate() {
        let words: Vec<&str> = words.iter().take(8).map(String::as_str).collect();
        printer.line(format_args!("topic {}: {}", number + 1, words.join(" ")))?;
    }
    printer.line(format_args!(
        "{} candidates, {} with a place",
        count(enriched.candidates as u64),
        count(enriched.placed.len() as u64)
    ))?;
    let head = [
        ("candidate", Align::Left),
        ("", Align::Left),
        ("class", Align::Left),
        ("support", Align::Right),
        ("confidence", Align::Right),
        ("lift", Align::Right),
    ];
    let mut table = Table::new(head);
    for it in &enriched.placed {
        table.row([
            it.term.clone(),
            if it.is_synonym { "is" } else { "below" }.to_owned(),
            name_of(taxonomy, &it.concept),
            format!("{:.2}", it.support),
            format!("{:.2}", it.confidence),
            format!("{:.2}", it.lift),
        ]);
    }
    printer.table(&table)?;
    for path in outputs.into_iter().chain(args.suggest.as_deref()) {
        printer.line(format_args!("{}: written", path.display()))?;
    }
    Ok(ExitStatus::Done)
}
