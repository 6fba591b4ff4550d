//! `ontrail lattice rules`: finds the implications of a context.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use ontrail_cli::{Align, ExitStatus, Printer, Table, count, share_above_zero};
use ontrail_fca::implication::{AssociationRule, Implication, basis, luxenburger};
use ontrail_fca::{Context, format};
use serde_json::json;

use crate::shared::{ListingArgs, explain, listed, names_of, shortened};

/// Find the implications and association rules of a context
///
/// Prints the Duquenne–Guigues basis: the smallest set of implications from which all
/// implications that hold follow. With --confidence, it also prints Luxenburger's association
/// rules: rules that hold for at least this share of the objects with their premise. Long lists
/// are shortened in tables; --json prints them in full.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail lattice rules rain.cxt --min-support 3
  ontrail lattice rules rain.cxt --min-support 10% --confidence 0.8 --json")]
pub(crate) struct Rules {
    /// Formal context to read
    #[arg(value_name = "CONTEXT")]
    path: PathBuf,
    #[command(flatten)]
    listing: ListingArgs,
    /// Also find rules that hold for this share of the objects with their premise, above 0 and at
    /// most 1
    #[arg(long, value_name = "SHARE", value_parser = share_above_zero)]
    confidence: Option<f64>,
    /// Give up if there are more implications than this
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    most: usize,
}

pub(crate) fn run(args: &Rules, printer: &mut Printer) -> Result<ExitStatus> {
    let context = format::read(&args.path)?;
    let support = args.listing.min_support.of(context.objects().len()) as usize;
    let progress = printer.progress("closing", None);
    let found = basis(&context, support, args.most, || progress.step());
    drop(progress);
    let implications = found.map_err(|error| {
        anyhow::anyhow!(
            "{}: {error}\n  leave out rare implications with --min-support, or raise --most",
            args.path.display()
        )
    })?;
    let rules = match args.confidence {
        Some(confidence) => {
            let lattice = args.listing.listing(&context).lattice(&context);
            luxenburger(&lattice.map_err(|error| explain(error, &args.path))?, confidence)
        }
        None => Vec::new(),
    };
    if printer.is_json() {
        printer.json(&as_json(&context, &implications, &rules, args.confidence.is_some()))?;
        return Ok(ExitStatus::Done);
    }
    show(&context, &implications, printer)?;
    if args.confidence.is_some() {
        show_rules(&context, &rules, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn as_json(
    context: &Context,
    implications: &[Implication],
    rules: &[AssociationRule],
    with_rules: bool,
) -> serde_json::Value {
    let names = |set| names_of(context.attributes(), set);
    let implications: Vec<_> = implications
        .iter()
        .map(|it| {
            json!({
                "premise": names(&it.premise), "conclusion": names(&it.conclusion),
                "support": it.support,
            })
        })
        .collect();
    let mut value = json!({ "implications": implications });
    if with_rules {
        let rules: Vec<_> = rules
            .iter()
            .map(|it| {
                json!({
                    "premise": names(&it.premise), "conclusion": names(&it.conclusion),
                    "support": it.support, "confidence": it.confidence,
                })
            })
            .collect();
        value["rules"] = json!(rules);
    }
    value
}

fn show(context: &Context, implications: &[Implication], printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!("{} implications", count(implications.len() as u64)))?;
    let mut table = Table::new([("objects", Align::Right), ("implication", Align::Left)]);
    for it in implications {
        let (premise, conclusion) = (
            listed(context.attributes(), &it.premise),
            listed(context.attributes(), &it.conclusion),
        );
        table.row([count(it.support as u64), shortened(&format!("{premise} → {conclusion}"))]);
    }
    printer.table(&table)?;
    Ok(())
}

fn show_rules(context: &Context, rules: &[AssociationRule], printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!("{} association rules", count(rules.len() as u64)))?;
    let head = [("objects", Align::Right), ("confidence", Align::Right), ("rule", Align::Left)];
    let mut table = Table::new(head);
    for it in rules {
        let (premise, conclusion) = (
            listed(context.attributes(), &it.premise),
            listed(context.attributes(), &it.conclusion),
        );
        let cells = [
            count(u64::from(it.support)),
            format!("{:.3}", it.confidence),
            shortened(&format!("{premise} → {conclusion}")),
        ];
        table.row(cells);
    }
    printer.table(&table)?;
    Ok(())
}
