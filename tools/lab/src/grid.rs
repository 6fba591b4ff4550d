//! `ontrail lab grid`: searches for the best settings of a recipe on some webs, and tests them on
//! others.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use ontrail_artifact::{Checksum, Provenance};
use ontrail_cli::{Align, ExitStatus, Printer, Table, count};
use ontrail_diagram::{Chart, HeatMap, Series, Svg};
use ontrail_lab::{Block, Comparison, Mean, Measure, NamedRecipe, TestResults, p_value};
use ontrail_pilot::Recipe;
use ontrail_report::{Page, Part, Run, Table as PageTable};
use serde::Serialize;

use crate::blocks::{BlockArgs, RunArgs};
use crate::compare::stopped;
use crate::figures::{decimals, measure_title, rounded};
use crate::{report, write_file};

/// Greatest number of combinations in a search.
const MOST: usize = 10_000;

/// Search for the best settings of a recipe
///
/// Tries all combinations of the given values, or a random selection of them, on the webs given
/// with --web, and chooses the combination with the best measure. The chosen combination is then
/// compared with the unchanged recipe on the webs given with --test-web, which play no part in the
/// choice.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Values (--over): a list (0.1,0.2,0.3), or a range and its number of values (0..0.4:5 means 0,
0.1, 0.2, 0.3, 0.4). With --random N, N combinations are drawn: one of the values of each list, and
any number within each range.

Measures (--by):
  true.accuracy, true.harvest_area   harvest rate at the end, and its mean over the whole budget
  true.recall, true.recall_area      recall at the end, and its mean over the budget without seeds
  self.accuracy                      self-reported harvest rate
  self.average_relevance             self-reported mean relevance
  and the other measures in the output of `ontrail lab compare --json`

Examples:
  ontrail lab grid --web a --web b --test-web c --relevant rainstorm --topic rain.topic.json \\
      --recipe fcits-oh --over threshold=0.5,0.62,0.7 --over priority.at-least=0..0.3:4 -o grid
  ontrail lab grid --web a --relevant sports --topic t.json --recipe ops \\
      --over priority.rank=0..1:11 --over priority.page=0..1:11 --random 20 --by true.recall")]
pub(crate) struct GridArgs {
    #[command(flatten)]
    blocks: BlockArgs,
    /// Web to test the chosen settings on; it plays no part in the choice
    #[arg(long, value_name = "DIR|FILE", help_heading = "Search")]
    test_web: Vec<PathBuf>,
    /// Plan of the blocks to test the chosen settings on, to go with --plan
    #[arg(
        long,
        value_name = "FILE",
        requires = "plan",
        conflicts_with = "test_web",
        help_heading = "Search"
    )]
    test_plan: Option<PathBuf>,
    /// Recipe to tune: a name or a file
    #[arg(long, value_name = "NAME|FILE", help_heading = "Search")]
    recipe: String,
    /// Start from the thresholds that the recipe's paper prints, instead of computed ones
    #[arg(long, help_heading = "Search")]
    as_printed: bool,
    /// Setting to vary, and the values to try
    #[arg(
        long = "over",
        value_name = "PART.SETTING=VALUES",
        required = true,
        help_heading = "Search"
    )]
    over: Vec<String>,
    /// Number of combinations to draw at random, instead of trying all
    #[arg(long, value_name = "N", help_heading = "Search")]
    random: Option<usize>,
    /// Measure to choose by
    #[arg(
        long,
        value_name = "SIDE.MEASURE",
        default_value = "true.recall_area",
        help_heading = "Search"
    )]
    by: String,
    #[command(flatten)]
    run: RunArgs,
}

/// A setting and the values to try.
#[derive(Debug, Clone, PartialEq)]
struct Axis {
    name: String,
    values: Vec<String>,
    /// The range to draw from, if any number within it may be drawn.
    range: Option<(f64, f64)>,
}

/// One combination of values.
#[derive(Debug, Clone, Serialize)]
struct Tried {
    /// The settings, as `PART.SETTING=VALUE`.
    set: Vec<String>,
    /// The measure on the webs of the choice.
    tuned: Option<Mean>,
}

/// The result of a search.
#[derive(Debug, Serialize)]
struct Found {
    recipe: String,
    by: String,
    budget: u64,
    tuned_on: Vec<String>,
    combinations: Vec<Tried>,
    best: Vec<String>,
    /// The measure of the unchanged recipe on the webs of the choice.
    #[serde(rename = "shipped")]
    unchanged: Option<Mean>,
    tested_on: Vec<String>,
    /// Both on webs that played no part in the choice.
    tested: Option<Tested>,
}

#[derive(Debug, Serialize)]
struct Tested {
    best: Option<Mean>,
    #[serde(rename = "shipped")]
    unchanged: Option<Mean>,
    test: Option<TestResults>,
}

/// The remark in reports if there are no test webs.
const NOT_TESTED: &str = "not tested on other webs";
/// The name of the recipe without changes.
const UNCHANGED: &str = "unchanged";

pub(crate) fn run(args: &GridArgs, printer: &mut Printer) -> Result<ExitStatus> {
    args.run.check_output()?;
    let measure = args.by.split_once('.').and_then(|(side, name)| Measure::named(side, name));
    let measure = measure.ok_or_else(|| {
        anyhow!("--by {}: no such measure; give one such as true.recall_area", args.by)
    })?;
    let axes = args.over.iter().map(|given| axis(given)).collect::<Result<Vec<_>>>()?;
    let combinations = combinations(&axes, args.random, args.run.seed)?;
    let find = if args.as_printed { Recipe::find_as_printed } else { Recipe::find };
    let recipe = find(&args.recipe, &[])?;
    let mut candidates = vec![NamedRecipe { name: UNCHANGED.to_owned(), recipe }];
    for set in &combinations {
        let recipe = find(&args.recipe, set)
            .map_err(|error| anyhow!(error.to_string().replacen("--set", "--over", 1)))?;
        candidates.push(NamedRecipe { name: set.join(" "), recipe });
    }
    let blocks = args.blocks.blocks(args.run.seed)?;
    let test_blocks = args.test_blocks()?;
    let place = |block: &Block| std::fs::canonicalize(block.files.archive()).ok();
    if let Some(both) =
        test_blocks.iter().find(|test| blocks.iter().any(|it| place(it) == place(test)))
    {
        bail!(
            "{}: the settings are chosen on this web, so it cannot test them; give another --test-web",
            both.files.web.display()
        );
    }
    for block in blocks.iter().chain(&test_blocks) {
        block.files.fit(&block.files.read_models()?, &candidates[0])?;
    }
    printer.note(format_args!(
        "{} combinations on {} block(s), tested on {}",
        count(combinations.len() as u64),
        blocks.len(),
        test_blocks.len()
    ));
    let Some((tuned, _)) = args.run.run(&blocks, &candidates, false, printer)? else {
        return Ok(stopped(&args.run, printer));
    };
    let tried: Vec<Tried> = combinations
        .into_iter()
        .enumerate()
        .map(|(at, set)| Tried { set, tuned: tuned.mean(at + 1, measure) })
        .collect();
    let best = best(&tried, measure)
        .ok_or_else(|| anyhow!("--by {}: no run has this measure", args.by))?;
    let mut found = Found {
        recipe: args.recipe.clone(),
        by: args.by.clone(),
        budget: args.run.budget,
        tuned_on: tuned.blocks.clone(),
        best: tried[best].set.clone(),
        combinations: tried,
        unchanged: tuned.mean(0, measure),
        tested_on: test_blocks.iter().map(|block| block.name.clone()).collect(),
        tested: None,
    };
    if !test_blocks.is_empty() {
        let two = [candidates[0].clone(), candidates[best + 1].clone()];
        let Some((tested, _)) = args.run.run(&test_blocks, &two, false, printer)? else {
            return Ok(stopped(&args.run, printer));
        };
        found.tested = Some(tested_of(&tested, measure, args.run.seed));
    }
    if let Some(folder) = &args.run.output {
        write(folder, &found, &axes, best, args)?;
    }
    if printer.is_json() {
        printer.json(&found)?;
    } else {
        show(&found, printer)?;
        if let Some(folder) = &args.run.output {
            printer.line(folder.join("grid.html").display())?;
            printer.note("grid.csv has the figures in full precision");
        }
    }
    if found.tested.is_none() {
        printer.warn(
            "the settings were chosen and measured on the same webs, so the figures are too good; give \
             other webs with --test-web",
        );
    }
    Ok(ExitStatus::Done)
}

impl GridArgs {
    fn test_blocks(&self) -> Result<Vec<Block>> {
        if let Some(plan) = &self.test_plan {
            return self.blocks.with_plan(plan).blocks(self.run.seed);
        }
        if self.test_web.is_empty() {
            return Ok(Vec::new());
        }
        self.blocks.with_webs(&self.test_web).blocks(self.run.seed)
    }
}

fn tested_of(tested: &Comparison, measure: &Measure, seed: u64) -> Tested {
    let test = tested.table(measure).map(|table| table.judge(Some(UNCHANGED), 0.05, seed));
    Tested { best: tested.mean(1, measure), unchanged: tested.mean(0, measure), test }
}

/// Returns the index of the best combination.
fn best(tried: &[Tried], measure: &Measure) -> Option<usize> {
    let sign = if measure.better == ontrail_lab::Better::Higher { 1.0 } else { -1.0 };
    let value = |at: &usize| tried[*at].tuned.map(|mean| sign * mean.mean);
    let known = (0..tried.len()).filter(|at| value(at).is_some());
    // The first wins a tie.
    known.max_by(|a, b| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0)).then(b.cmp(a)))
}

/// Parses a setting and its values.
fn axis(given: &str) -> Result<Axis> {
    let wrong = || {
        anyhow!(
            "--over {given}: give PART.SETTING=VALUES, such as priority.at-least=0,0.1,0.2 or threshold=0.5..0.8:4"
        )
    };
    let (name, values) = given.split_once('=').ok_or_else(wrong)?;
    let name = name.trim().to_owned();
    if let Some((low, rest)) = values.split_once("..") {
        let (high, steps) = rest.split_once(':').ok_or_else(wrong)?;
        let parse = |text: &str| {
            text.trim().parse::<f64>().ok().filter(|it| it.is_finite()).ok_or_else(wrong)
        };
        let (low, high) = (parse(low)?, parse(high)?);
        let steps: usize = steps.trim().parse().map_err(|_| wrong())?;
        if !(2..=MOST).contains(&steps) || low >= high {
            return Err(wrong());
        }
        let step = |at: usize| low + (high - low) * at as f64 / (steps - 1) as f64;
        let values = (0..steps).map(|at| shown(step(at))).collect();
        return Ok(Axis { name, values, range: Some((low, high)) });
    }
    let values: Vec<String> =
        values.split(',').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    if values.is_empty() || name.is_empty() {
        return Err(wrong());
    }
    Ok(Axis { name, values, range: None })
}

/// Formats a number for a recipe, without the rounding noise of its last digits.
fn shown(number: f64) -> String {
    let rounded = (number * 1e6).round() / 1e6;
    format!("{rounded:?}")
}

/// Returns all combinations of values, or some drawn at random, as settings.
fn combinations(axes: &[Axis], random: Option<usize>, seed: u64) -> Result<Vec<Vec<String>>> {
    if let Some(wanted) = random {
        if !(1..=MOST).contains(&wanted) {
            bail!("--random {wanted}: give a number from 1 to {}", count(MOST as u64));
        }
        let drawn =
            (0..wanted).map(|number| axes.iter().map(|axis| draw(axis, seed, number)).collect());
        let mut drawn: Vec<Vec<String>> = drawn.collect();
        let mut known = std::collections::HashSet::new();
        drawn.retain(|set| known.insert(set.clone()));
        return Ok(drawn);
    }
    let all = axes.iter().fold(1_usize, |all, axis| all.saturating_mul(axis.values.len()));
    if all > MOST {
        bail!(
            "{} combinations are more than {}; give fewer values, or --random N",
            count(all as u64),
            count(MOST as u64)
        );
    }
    let mut sets: Vec<Vec<String>> = vec![Vec::new()];
    for axis in axes {
        let with = |set: &Vec<String>| -> Vec<Vec<String>> {
            let one =
                |value: &String| [set.clone(), vec![format!("{}={value}", axis.name)]].concat();
            axis.values.iter().map(one).collect()
        };
        sets = sets.iter().flat_map(with).collect();
    }
    Ok(sets)
}

/// Draws a value. The same random seed, number and name give the same value.
fn draw(axis: &Axis, seed: u64, number: usize) -> String {
    let hash = Checksum::of(format!("{seed} {number} {}", axis.name).as_bytes()).to_string();
    let bits = u64::from_str_radix(&hash[..13], 16).unwrap_or(0);
    let share = bits as f64 / (1_u64 << 52) as f64;
    let value = if let Some((low, high)) = axis.range {
        shown(low + share * (high - low))
    } else {
        let places = axis.values.len();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index into a list"
        )]
        let at = (share * places as f64) as usize;
        axis.values[at.min(places - 1)].clone()
    };
    format!("{}={value}", axis.name)
}

/// Formats a mean with as many decimals as the column of all combinations needs.
fn mean_text(found: &Found, mean: Option<Mean>) -> String {
    let means: Vec<Option<Mean>> = found.combinations.iter().map(|it| it.tuned).collect();
    rounded(mean, decimals(&means))
}

/// Returns the unchanged recipe and the combinations, in the order in which they were tried, as
/// rows of a table.
fn rows(found: &Found) -> Vec<Vec<String>> {
    let text = |mean| mean_text(found, mean);
    let mut rows = vec![vec![UNCHANGED.to_owned(), text(found.unchanged)]];
    rows.extend(found.combinations.iter().map(|it| vec![it.set.join(" "), text(it.tuned)]));
    rows
}

/// Returns how the best combination fares on the test webs; `None` if there are none.
fn test_line(found: &Found) -> Option<String> {
    let tested = found.tested.as_ref()?;
    let text = |mean| mean_text(found, mean);
    let wilcoxon = tested.test.as_ref().and_then(|test| test.against_control.first());
    let p = wilcoxon.map_or_else(String::new, |it| {
        format!(" (Wilcoxon p {}, {} block(s))", p_value(it.wilcoxon.p), found.tested_on.len())
    });
    Some(format!(
        "on the test webs: best {}, unchanged {}{p}",
        text(tested.best),
        text(tested.unchanged)
    ))
}

fn show(found: &Found, printer: &mut Printer) -> Result<()> {
    printer.heading(format_args!(
        "recipe {} by {}, tuned on {}",
        found.recipe,
        measure_title(&found.by),
        found.tuned_on.join(", ")
    ))?;
    let mut table = Table::new([("settings", Align::Left), (found.by.as_str(), Align::Right)]);
    rows(found).into_iter().for_each(|row| table.row(row));
    printer.table(&table)?;
    printer.line(format_args!("best: {}", found.best.join(" ")))?;
    if let Some(line) = test_line(found) {
        printer.line(line)?;
    }
    Ok(())
}

/// Writes the tables and the report.
fn write(folder: &Path, found: &Found, axes: &[Axis], best: usize, args: &GridArgs) -> Result<()> {
    write_file(folder, "grid.json", &(serde_json::to_string_pretty(found)? + "\n"))?;
    let rows_of_csv = found.combinations.iter().map(|tried| {
        let number = |of: fn(&Mean) -> f64| tried.tuned.as_ref().map(|it| of(it).to_string());
        let numbers = [number(|it| it.mean), number(|it| it.se)].map(Option::unwrap_or_default);
        [vec![tried.set.join(" ")], numbers.to_vec()].concat()
    });
    write_file(folder, "grid.csv", &report::csv(&["set", "mean", "se"], rows_of_csv)?)?;
    let mut text = format!(
        "# Search for settings of {}\n\nBy {}, tuned on {}.\n\n| settings | {} |\n|---|---|\n",
        found.recipe,
        measure_title(&found.by),
        found.tuned_on.join(", "),
        found.by
    );
    rows(found).iter().for_each(|row| text += &format!("| {} |\n", row.join(" | ")));
    text += &format!(
        "\nBest: {}; {}.\n",
        found.best.join(" "),
        test_line(found).unwrap_or_else(|| NOT_TESTED.to_owned())
    );
    write_file(folder, "grid.md", &text)?;
    let picture = picture(found, axes, best, args);
    write_file(folder, "grid.html", &page(found, picture).html())
}

fn page(found: &Found, picture: Option<Svg>) -> Page {
    let provenance = Provenance::of_this_process("ontrail lab grid");
    let test = test_line(found).unwrap_or_else(|| NOT_TESTED.to_owned());
    let mut parts: Vec<Part> = picture.map(Part::Diagram).into_iter().collect();
    parts.extend([
        Part::Paragraph(vec![
            Run::Plain("Best: ".to_owned()),
            Run::Strong(found.best.join(" ")),
            Run::Plain(format!("; {test}.")),
        ]),
        Part::Table(PageTable::new("Combinations", ["settings", &found.by], rows(found))),
        Part::Heading("Command".to_owned()),
        Part::Preformatted(report::command(&provenance)),
    ]);
    let lead = format!(
        "Recipe {} by {}, {} pages per crawl, tuned on {}",
        found.recipe,
        measure_title(&found.by),
        count(found.budget),
        found.tuned_on.join(", ")
    );
    Page::new("Search for settings", lead, parts)
}

/// Draws a curve over one setting, or a heat map over two.
fn picture(found: &Found, axes: &[Axis], best: usize, args: &GridArgs) -> Option<Svg> {
    let title = format!("{} of {}", found.by, found.recipe);
    match (axes, args.random) {
        ([one], _) => {
            let point = |tried: &Tried| {
                let value = tried.set[0].split_once('=')?.1.parse::<f64>().ok()?;
                Some((value, tried.tuned?))
            };
            let mut points: Vec<(f64, Mean)> =
                found.combinations.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let band =
                points.iter().map(|(_, mean)| (mean.mean - mean.se, mean.mean + mean.se)).collect();
            let line = points.iter().map(|(value, mean)| (*value, mean.mean)).collect();
            let series =
                vec![Series { name: found.recipe.clone(), points: line, band: Some(band) }];
            let (x_label, y_label) = (one.name.clone(), found.by.clone());
            (points.len() > 1)
                .then(|| Chart { title, x_label, y_label, series, y_range: None }.svg())
        }
        ([x, y], None) => {
            let columns = y.values.len();
            let cell = |row: usize, column: usize| {
                found.combinations[column * columns + row].tuned.map(|mean| mean.mean)
            };
            let cells = (0..y.values.len())
                .map(|row| (0..x.values.len()).map(|column| cell(row, column)).collect());
            let map = HeatMap {
                title,
                x: (x.name.clone(), x.values.clone()),
                y: (y.name.clone(), y.values.clone()),
                cells: cells.collect(),
                best: Some((best / columns, best % columns)),
            };
            Some(map.svg())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_lists_or_ranges() {
        assert_eq!(axis("a.b=1, 2,x").unwrap().values, ["1", "2", "x"]);
        assert_eq!(axis("t=0..0.4:5").unwrap().values, ["0.0", "0.1", "0.2", "0.3", "0.4"]);
        for wrong in ["t", "t=", "t=0..1", "t=1..0:3", "t=0..1:1", "t=0..x:3"] {
            assert!(axis(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn combinations_are_all_tried_or_drawn_at_random() {
        let axes = [axis("a=1,2").unwrap(), axis("b=0..1:3").unwrap()];
        let all = combinations(&axes, None, 0).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[1], ["a=1", "b=0.5"]);
        let drawn = combinations(&axes, Some(5), 7).unwrap();
        assert_eq!(drawn, combinations(&axes, Some(5), 7).unwrap());
        assert_ne!(drawn, combinations(&axes, Some(5), 8).unwrap());
        for set in &drawn {
            let value: f64 = set[1].trim_start_matches("b=").parse().unwrap();
            assert!((0.0..=1.0).contains(&value));
        }
    }
}
