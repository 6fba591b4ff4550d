//! `ontrail topic keywords`: a topic from terms that a person names.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Output, Provenance};
use ontrail_cli::{ExitStatus, Printer};
use ontrail_intake::read_text;
use ontrail_topic::{FORMAT, Origin, Term, Topic};
use serde_json::json;

use crate::background::{BackgroundArgs, warn_of_terms};
use crate::show::{SEE_MORE, print_topic};

/// Make a topic of keywords with given weights
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail topic keywords 'call for paper=5' 'information technology=3' database=3 --name cfp -o cfp.topic.json
  ontrail topic keywords 暴雨=2 洪涝 山洪 -o rain.topic.json
  ontrail topic keywords --file terms.tsv -o terms.topic.json    # lines of TERM, a tab, WEIGHT")]
pub(crate) struct Keywords {
    /// The terms, each with its weight after an equals sign; without one it weighs 1
    #[arg(value_name = "TERM[=WEIGHT]", required_unless_present = "file", value_parser = term_argument)]
    terms: Vec<Term>,
    /// A file of terms, one a line, with the weight behind a tab; lines that begin with `#` are comments
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// What the topic is called [default: the weightiest term]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The topic file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    background: BackgroundArgs,
    /// Pass over rows of the background that cannot be read
    #[arg(long, requires = "background")]
    skip_bad: bool,
}

pub(crate) fn run(args: &Keywords, printer: &mut Printer) -> Result<ExitStatus> {
    let inputs = [args.file.as_deref(), args.background.path()];
    Output::json(&args.output, &FORMAT).check(inputs.into_iter().flatten())?;
    let mut terms = args.terms.clone();
    if let Some(path) = &args.file {
        terms.extend(from_file(path)?);
    }
    let heaviest = terms.iter().rev().max_by(|a, b| a.weight.total_cmp(&b.weight));
    let name = args.name.clone().or_else(|| heaviest.map(|term| term.term.clone()));
    let topic = Topic::new(&name.unwrap_or_default(), Origin::Keywords, terms)?;
    let topic = args.background.add_to(topic, args.skip_bad, printer)?;
    warn_of_terms(&topic, printer);
    let mut provenance = Provenance::of_this_process("ontrail topic keywords");
    if let Some(path) = &args.file {
        provenance = provenance.with_input(path)?;
    }
    topic.write(&args.output, &args.background.note(provenance)?)?;
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
                "{}: line {number}: is {last} the weight? Then put a tab before it; if not, put a tab \
                 and a weight behind it",
                path.display()
            );
        }
        let term = with_weight(line, '\t');
        terms.push(term.map_err(|error| anyhow!("{}: line {number}: {error}", path.display()))?);
    }
    if terms.is_empty() {
        bail!("{}: no terms in this file", path.display());
    }
    Ok(terms)
}

/// Parses a term and its weight, as an argument has them.
fn term_argument(text: &str) -> Result<Term, String> {
    with_weight(text, '=')
}

/// A term and its weight.
fn with_weight(text: &str, separator: char) -> Result<Term, String> {
    let Some((term, weight)) = text.rsplit_once(separator) else {
        return Ok(Term::new(text.trim(), 1.0));
    };
    let weight = weight.trim();
    let parsed = weight.parse::<f64>().ok().filter(|weight| weight.is_finite());
    let weight = parsed.ok_or_else(|| {
        format!("{weight:?} is not a weight; for a term with {separator:?} in it, put {separator:?} and a weight behind")
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
    fn terms_carry_their_weights() {
        assert_eq!(with_weight("call for paper=5", '='), Ok(Term::new("call for paper", 5.0)));
        assert_eq!(with_weight("暴雨", '='), Ok(Term::new("暴雨", 1.0)));
        assert_eq!(with_weight("x = 0.5", '='), Ok(Term::new("x", 0.5)));
        assert!(with_weight("x=many", '=').unwrap_err().contains("is not a weight"));
        assert!(with_weight("x=-2", '=').unwrap_err().contains("negative"));
        assert!(with_weight("x=nan", '=').is_err());
    }
}
