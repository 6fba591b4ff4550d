//! `ontrail crawl recipes`: lists the built-in recipes.

use anyhow::Result;
use clap::{Args, Subcommand};
use ontrail_cli::{Align, ExitStatus, Printer, Table};
use ontrail_pilot::Recipe;
use serde::Serialize;

/// List the built-in recipes, or print one to copy and change
///
/// A recipe describes a crawler: it chooses one implementation of each part (topic, similarity,
/// gate, priority, tunnel, strategy, hosts) and its settings. The built-in recipes are the crawlers
/// of the papers and their baselines, with the papers' settings, and Ontrail's own (ontrail).
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl recipes
  ontrail crawl recipes show fcits-oh > mine.toml
  ontrail crawl run --recipe mine.toml --topic t.topic.json --web web.warc.gz \\
      --seeds seeds.txt -o out")]
pub(crate) struct RecipesArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Clone, Subcommand)]
enum Verb {
    Show(ShowArgs),
}

/// Print a built-in recipe as TOML
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  ontrail crawl recipes show ontrail
  ontrail crawl recipes show fcits-oh > mine.toml")]
struct ShowArgs {
    /// Name of the recipe
    #[arg(value_name = "NAME")]
    name: String,
}

#[derive(Serialize)]
struct Listed {
    recipes: Vec<Recipe>,
}

pub(crate) fn run(args: &RecipesArgs, printer: &mut Printer) -> Result<ExitStatus> {
    match &args.verb {
        Some(Verb::Show(show)) => {
            let text = Recipe::text(&show.name)?;
            if printer.is_json() {
                printer.json(&Recipe::shipped(&show.name)?)?;
            } else {
                printer.line(text.trim_end())?;
            }
        }
        None => {
            let recipes: Vec<Recipe> =
                Recipe::names().map(Recipe::shipped).collect::<Result<_, _>>()?;
            if printer.is_json() {
                printer.json(&Listed { recipes })?;
            } else {
                let mut table = Table::new([("recipe", Align::Left), ("description", Align::Left)]);
                recipes.iter().for_each(|it| table.row([it.name.clone(), it.about.clone()]));
                printer.table(&table)?;
            }
        }
    }
    Ok(ExitStatus::Done)
}
