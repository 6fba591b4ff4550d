//! `ontrail topic keywords`: makes a topic from terms that a person gives.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, ForceArgs, Printer};
use ontrail_intake::read_text;
use ontrail_tool_input::ReadingArgs;
use ontrail_topic::{FORMAT, Origin, Term, Topic};
use serde_json::json;

use crate::background::{BackgroundArgs, warn_of_terms};
use crate::show::{SEE_MORE, print_topic};

/// Make a topic from keywords with weights
///
/// A keyword may consist of several words, which are then found as one term. With --background, the
/// topic also stores how many texts contain each word, for scores that depend on how rare words
/// are.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic keywords 暴雨=2 洪涝 山洪 -o rain.topic.json
  ontrail topic keywords 'call for paper=5' database=3 --name cfp -o cfp.topic.json
  ontrail topic keywords --file terms.tsv --background datasets/news-mini -o terms.topic.json")]
pub(crate) struct Keywords {
    /// Terms with their weights; a term without a weight has the weight 1
    #[arg(
        value_name = "TERM[=WEIGHT]",
        required_unless_present = "file",
        value_parser = term_argument
    )]
    terms: Vec<Term>,
    /// File of terms: one per line, optionally followed by a tab and the weight; lines that start
    /// with `#` are comments
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Name of the topic [default: the term with the greatest weight]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Topic file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    background: BackgroundArgs,
    /// Skip and report texts of the background that cannot be read, instead of stopping at the
    /// first
    #[arg(long, requires = "background")]
    skip_bad: bool,
}

pub(crate) fn run(args: &Keywords, printer: &mut Printer) -> Result<ExitStatus> {
    let inputs = [args.file.as_deref(), args.background.path()];
    let to = args.force.destination(&args.output, printer)?;
    Output::json(to, &FORMAT).check(inputs.into_iter().flatten())?;
    let mut terms = args.terms.clone();
    if let Some(path) = &args.file {
        terms.extend(from_file(path)?);
    }
    let heaviest = terms.iter().rev().max_by(|a, b| a.weight.total_cmp(&b.weight));
    let name = args.name.clone().or_else(|| heaviest.map(|term| term.term.clone()));
    let topic = Topic::new(&name.unwrap_or_default(), Origin::Keywords, terms)?;
    let topic = args.background.add_to(topic, ReadingArgs::main(args.skip_bad), printer)?;
    warn_of_terms(&topic, printer);
    let mut provenance = Provenance::of_this_process("ontrail topic keywords");
    if let Some(path) = &args.file {
        provenance = provenance.with_input(path)?;
    }
    topic.write(to, &args.background.record(provenance)?)?;
    if printer.is_json() {
        printer.json(&json!({
            "output": args.output, "topic": topic.name, "terms": topic.terms,
        }))?;
    } else {
        print_topic(&topic, 20, SEE_MORE, printer)?;
        printer.line(format_args!("\nwritten to {}", args.output.display()))?;
    }
    Ok(ExitStatus::Done)
}

fn from_file(path: &std::path::Path) -> Result<Vec<Term>> {
    let mut terms = Vec::new();
    for (number, line) in (1..).zip(read_text(path)?.lines()) {
        let line = line.trim_end();
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let is_between = |c: char| c.is_whitespace() || "=,;:".contains(c);
        let last = line.rsplit(is_between).next().unwrap_or_default();
        if !line.contains('\t') && last != line && last.parse::<f64>().is_ok() {
            bail!(
                "{}: line {number}: if {last} is the weight, put a tab before it; if it belongs \
                 to the term, add a tab and a weight",
                path.display()
            );
        }
        let term = with_weight(line, '\t');
        terms.push(term.map_err(|error| anyhow!("{}: line {number}: {error}", path.display()))?);
    }
    if terms.is_empty() {
        bail!("{}: the file has no terms", path.display());
    }
    Ok(terms)
}

/// Parses an argument that consists of a term and an optional weight.
fn term_argument(text: &str) -> Result<Term, String> {
    with_weight(text, '=')
}

/// Parses a term and an optional weight after the separator.
fn with_weight(text: &str, separator: char) -> Result<Term, String> {
    let Some((term, weight)) = text.rsplit_once(separator) else {
        return Ok(Term::new(text.trim(), 1.0));
    };
    let weight = weight.trim();
    let parsed = weight.parse::<f64>().ok().filter(|weight| weight.is_finite());
    let weight = parsed.ok_or_else(|| {
        format!(
            "{weight:?} is not a weight; if the term itself contains {separator:?}, add \
             {separator:?} and a weight after it"
        )
    })?;
    if weight < 0.0 {
        return Err(format!("the weight {weight} of {:?} is negative", term.trim()));
    }
    Ok(Term::new(term.trim(), weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_parsed_with_their_weights() {
        assert_eq!(with_weight("call for paper=5", '='), Ok(Term::new("call for paper", 5.0)));
        assert_eq!(with_weight("暴雨", '='), Ok(Term::new("暴雨", 1.0)));
        assert_eq!(with_weight("x = 0.5", '='), Ok(Term::new("x", 0.5)));
        assert!(with_weight("x=many", '=').unwrap_err().contains("is not a weight"));
        assert!(with_weight("x=-2", '=').unwrap_err().contains("negative"));
        assert!(with_weight("x=nan", '=').is_err());
    }
}
