//! `ontrail topic weigh`: makes a topic from an ontology.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, ForceArgs, Printer};
use ontrail_taxonomy::{ConceptId, Sem, Taxonomy};
use ontrail_tool_input::ReadingArgs;
use ontrail_topic::{FORMAT, Names, Topic, weigh};
use serde_json::{Value, json};

use crate::background::{BackgroundArgs, warn_of_terms};
use crate::calibrate::{calibrations, print_calibrations, warn};
use crate::held_out::spread;
use crate::labelled::{Labelled, LabelledArgs};
use crate::sem::SemArgs;
use crate::show::{SEE_MORE, print_topic};
use crate::ways::Ways;

/// Make a topic from an ontology, weighing each term by the similarity of its class to the topic
///
/// Every label and synonym of every class becomes a term. Its weight is Sem(topic, class), a
/// weighted sum of five factors: the distance between the two classes, the number of children of
/// their common ancestor (density), their depth, the share of their common ancestors (coincidence),
/// and their relationship. On a page, all names of a class count together.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic weigh ontologies/rainstorm/rainstorm.owl --topic 暴雨灾害 -o rain.topic.json
  ontrail topic weigh tourism.owl --topic Tourism --lang en -o tourism.topic.json
  ontrail topic weigh tourism.owl -k 0.4,0.1,0.1,0.2,0.2 --background crawl.warc.gz -o t.topic.json")]
pub(crate) struct Weigh {
    /// Ontology to read: .owl, .rdf, .owx, .ofn, .omn, .ttl, .nt or .jsonld
    #[arg(value_name = "ONTOLOGY")]
    ontology: PathBuf,
    /// Class of the topic: a label, its IRI, or the last part of the IRI [default: the root]
    #[arg(long, value_name = "CONCEPT")]
    topic: Option<String>,
    /// Topic file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Take only names in these languages, such as zh,en
    #[arg(long, value_name = "LANG", value_delimiter = ',', value_parser = language)]
    lang: Vec<String>,
    #[command(flatten)]
    background: BackgroundArgs,
    /// Pages about the topic, by which the topic is calibrated, with the background as pages that
    /// are not (see ontrail topic calibrate); may be repeated
    #[arg(long, value_name = "PAGES", requires = "background")]
    on: Vec<PathBuf>,
    /// Skip and report texts of the background that cannot be read, instead of stopping at the
    /// first
    #[arg(long, requires = "background")]
    skip_bad: bool,
    #[command(flatten)]
    sem: SemArgs,
}

pub(crate) fn run(args: &Weigh, printer: &mut Printer) -> Result<ExitStatus> {
    args.sem.check()?;
    let inputs = [Some(args.ontology.as_path()), args.background.path()];
    let inputs = inputs.into_iter().flatten().chain(args.on.iter().map(PathBuf::as_path));
    let to = args.force.destination(&args.output, printer)?;
    Output::json(to, &FORMAT).check(inputs)?;
    let taxonomy = Arc::new(ontrail_ontology::read(&args.ontology)?.taxonomy()?);
    let concept = concept(args, &taxonomy)?;
    let sem = args.sem.over(&taxonomy)?;
    let names = Names { languages: args.lang.clone() };
    let topic = weigh(&sem, concept, &names).map_err(|error| match args.lang.as_slice() {
        [] => anyhow!("{}: {error}", args.ontology.display()),
        _ => {
            anyhow!("{}: no class has a name in {}", args.ontology.display(), args.lang.join(", "))
        }
    })?;
    let mut topic = args.background.add_to(topic, ReadingArgs::main(args.skip_bad), printer)?;
    // The topic gets the name that the user gave for its class.
    let labels = taxonomy.names(concept);
    if let Some(name) = args.topic.as_ref().filter(|name| labels.iter().any(|it| it.0 == **name)) {
        topic.name.clone_from(name);
    }
    warn_of_terms(&topic, printer);
    calibrate(args, &mut topic, &taxonomy, printer)?;
    topic.write(to, &provenance(args, &taxonomy, concept)?)?;
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output,
            "topic": topic.name,
            "concept": taxonomy.concept(concept).key,
            "terms": terms(&topic, &sem, &taxonomy, concept),
        }))?;
    } else {
        print_topic(&topic, 20, SEE_MORE, printer)?;
        print_calibrations(&topic.calibrations, printer)?;
        printer.line(format_args!("\nwritten to {}", args.output.display()))?;
    }
    Ok(ExitStatus::Done)
}

/// Calibrates the topic, if pages about it were given.
fn calibrate(
    args: &Weigh,
    topic: &mut Topic,
    taxonomy: &Arc<Taxonomy>,
    printer: &mut Printer,
) -> Result<()> {
    let Some(background) = args.background.path().filter(|_| !args.on.is_empty()) else {
        return Ok(());
    };
    let pages = LabelledArgs::of(&args.on, background, args.skip_bad).read(printer)?;
    let pages = Labelled { on: pages.on, off: spread(pages.off) };
    let mut made = calibrations(topic, &Ways::usual(topic, &args.ontology)?, &pages, None)?;
    let by_meaning = Ways::by_meaning(topic, &args.ontology, taxonomy)?;
    made.extend(calibrations(topic, &by_meaning, &pages, None)?);
    warn(&made, printer);
    for calibration in made {
        topic.add_calibration(calibration)?;
    }
    Ok(())
}

fn language(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("a language is empty; give tags such as zh,en".to_owned());
    }
    Ok(text.to_owned())
}

/// Finds the class of the topic.
fn concept(args: &Weigh, taxonomy: &Taxonomy) -> Result<ConceptId> {
    let path = args.ontology.display();
    if let Some(name) = &args.topic {
        return taxonomy.search(name).map_err(|error| anyhow!("{path}: --topic: {error}"));
    }
    match taxonomy.roots().as_slice() {
        [root] => Ok(*root),
        [] => bail!("{path}: the ontology has no classes"),
        roots => {
            let names: Vec<&str> = roots.iter().take(5).map(|&id| taxonomy.name(id, "")).collect();
            bail!(
                "{path}: the ontology has {} classes without a superclass, such as {}; choose the \
                 class of the topic with --topic",
                roots.len(),
                names.join(", ")
            )
        }
    }
}

/// Returns the terms with the factors of their weights, for JSON.
fn terms(topic: &Topic, sem: &Sem, taxonomy: &Taxonomy, concept: ConceptId) -> Vec<Value> {
    let mut rows = Vec::new();
    for term in &topic.terms {
        let id = term.concept.as_deref().and_then(|key| taxonomy.find(key));
        let factors = id.filter(|&id| id != concept).map(|id| {
            let factors = sem.factors(concept, id);
            json!({
                "distance": factors.distance, "density": factors.density, "depth": factors.depth,
                "coincidence": factors.coincidence, "relationship": factors.relationship,
            })
        });
        rows.push(json!({
            "term": term.term, "weight": term.weight, "language": term.language,
            "concept": term.concept, "factors": factors,
        }));
    }
    rows
}

fn provenance(args: &Weigh, taxonomy: &Taxonomy, concept: ConceptId) -> Result<Provenance> {
    let mut provenance = Provenance::of_this_process("ontrail topic weigh")
        .with_parameter("concept", &taxonomy.concept(concept).key)
        .with_parameter("languages", &args.lang)
        .with_input(&args.ontology)?;
    for path in &args.on {
        provenance = provenance.with_input(path)?;
    }
    args.background.record(args.sem.record(provenance))
}
