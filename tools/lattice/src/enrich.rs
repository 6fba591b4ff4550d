//! `ontrail lattice enrich`: finds terms in documents that an ontology lacks.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance, write_with_sidecar};
use ontrail_cli::{
    Align, ExitStatus, ForceArgs, OutputFile, Printer, Table, count, output_file, share,
};
use ontrail_domain::enrich::{Enriched, Enrichment, KnownConcept, Placed};
use ontrail_domain::lda::Lda;
use ontrail_ontology::Syntax;
use ontrail_taxonomy::{ConceptId, Taxonomy};
use ontrail_text::{Analyzer, Counts, PartOfSpeech};
use ontrail_tool_input::Input;
use serde_json::json;

use crate::owl::{check_all, destinations, syntax, write_all};
use crate::shared::SUGGESTION;

/// Suggest terms that an ontology lacks, and their places in it
///
/// The candidates are the top words of the topics that LDA finds in the documents. A candidate
/// becomes a subclass of the class that its documents imply with the greatest confidence, or a
/// synonym of the class if the class implies the candidate as well. Candidates without a place
/// are dropped. The result is a suggestion: review it before you keep it.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice enrich pages.tar.gz --ontology rain.owl -o richer.owl
  ontrail lattice enrich pages.tar.gz --ontology rain.owl --suggest more.toml --topics 20")]
pub(crate) struct Enrich {
    #[command(flatten)]
    input: Input,
    /// Ontology to enrich
    #[arg(long, value_name = "FILE")]
    ontology: PathBuf,
    /// Enriched ontology to write; repeat it to write several syntaxes
    #[arg(short, long = "output", value_name = "FILE", value_parser = output_file(syntax, "x.owl"))]
    outputs: Vec<OutputFile<Syntax>>,
    #[command(flatten)]
    force: ForceArgs,
    /// File to write with the suggestions as overrides, to edit and pass to `ontrail lattice owl`
    #[arg(long, value_name = "FILE")]
    suggest: Option<PathBuf>,
    /// Number of topics that LDA looks for
    #[arg(long, value_name = "K", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    topics: u16,
    /// Number of Gibbs sweeps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    sweeps: usize,
    /// Number of top words of each topic to consider
    #[arg(long, value_name = "N", default_value_t = 20)]
    per_topic: usize,
    /// Least share of the documents that have both the candidate and the class
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    min_support: f64,
    /// Least share of the candidate's documents that have the class
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share)]
    min_confidence: f64,
    /// Random seed; equal seeds give equal suggestions
    #[arg(long, value_name = "SEED", default_value_t = 42)]
    seed: u64,
}

pub(crate) fn run(args: &Enrich, printer: &mut Printer) -> Result<ExitStatus> {
    let inputs = || [&args.ontology, &args.input.path];
    let outputs = destinations(&args.outputs, args.force, printer)?;
    check_all(&outputs, inputs)?;
    let suggest = args.suggest.as_deref().map(|path| args.force.destination(path, printer));
    let suggest = suggest.transpose()?;
    if let Some(to) = suggest {
        Output::file(to, &SUGGESTION).check(inputs())?;
    }
    let document = ontrail_ontology::read(&args.ontology)?;
    if document.is_skos() && !args.outputs.is_empty() {
        bail!(
            "{}: a SKOS vocabulary cannot be written; remove -o, and use --suggest instead",
            args.ontology.display()
        );
    }
    document.check_whole()?;
    let taxonomy = document.taxonomy()?;
    let known = known(&taxonomy);
    if known.len() < 2 {
        bail!(
            "{}: has fewer than two classes, so there is nothing to enrich",
            args.ontology.display()
        );
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
        write_all(&richer, &outputs, &provenance)?;
    }
    if let Some(to) = suggest {
        let text = as_overrides(&taxonomy, &enriched.placed);
        write_with_sidecar(to, &SUGGESTION, &provenance, |out| out.write_all(text.as_bytes()))?;
    }
    show(args, &taxonomy, &enriched, printer)
}

/// Returns the concepts with all their names, the root first.
fn known(taxonomy: &Taxonomy) -> Vec<KnownConcept> {
    let mut ids: Vec<ConceptId> = taxonomy.ids().collect();
    ids.sort_by_key(|&id| taxonomy.depth(id));
    let concept = |id: ConceptId| KnownConcept {
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

/// Returns the suggestions as overrides, for a person to edit.
fn as_overrides(taxonomy: &Taxonomy, placed: &[Placed]) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text =
        "# Suggested by `ontrail lattice enrich`. Remove what does not belong here.\n".to_owned();
    for it in placed {
        let (term, concept) = (quoted(&it.term), quoted(&name_of(taxonomy, &it.concept)));
        text += &format!(
            "\n# support {:.2}, confidence {:.2}, lift {:.2}{}\n[[class]]\nterm = {term}\nparent = {concept}\n",
            it.support,
            it.confidence,
            it.lift,
            if it.is_synonym { format!("; perhaps a synonym of {concept}") } else { String::new() }
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
        "{} candidates, {} of them with a place in the ontology",
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
            if it.is_synonym { "synonym of" } else { "subclass of" }.to_owned(),
            name_of(taxonomy, &it.concept),
            format!("{:.2}", it.support),
            format!("{:.2}", it.confidence),
            format!("{:.2}", it.lift),
        ]);
    }
    printer.table(&table)?;
    for path in outputs.into_iter().chain(args.suggest.as_deref()) {
        printer.line(format_args!("wrote {}", path.display()))?;
    }
    Ok(ExitStatus::Done)
}
