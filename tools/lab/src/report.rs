//! Writes the reports of a comparison: self-contained HTML, Markdown, and tables as CSV and JSON.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use ontrail_artifact::Provenance;
use ontrail_cells::guarded;
use ontrail_cli::{count, quoted};
use ontrail_diagram::{Chart, RankDiagram, Series, Svg};
use ontrail_lab::{
    Block, Comparison, Figures, Gap, MEASURES, Mean, Measure, NamedRecipe, ORACLE, PRINTED,
    RunOutcome, TEST_HEADS, TESTED, TestResults, columns, sentence, shown, test_rows,
};
use ontrail_pilot::Recipe;
use ontrail_report::{Page, Part, Table};

use crate::areas::Areas;
use crate::figures::measure_title;
use crate::write_file;

/// Greatest number of lines in a chart; more could not be distinguished.
const MOST_LINES: usize = 8;

/// The symbols in the tables of measures.
const LEGEND: &str = "\
LP, RP: relevant pages, by the crawler itself and by the ground truth. AC, HR: harvest rate. AR: \
mean relevance of the pages fetched. SD: its standard deviation. AS: mean relevance of the relevant \
pages. AE: prediction error, the mean difference between a page's relevance and its link's \
priority. P, R, F1: precision, recall and F1 of the crawler's own judgement of the pages that it \
fetched. RC: recall. TR: recall without the seeds. area: mean over the whole budget, where pages \
not fetched count as irrelevant. DP: pages downloaded. time: seconds per crawl.";

/// The symbols in the table of areas of recall.
const AREA_LEGEND: &str = "\
area N: mean of TR over the first N pages. gap: share of the gap closed, (area - reference's area) \
/ (oracle's area - reference's area). worst: area minus the reference's area, in the block in which \
that is least.";

/// Writes all reports into a folder.
pub(crate) fn write(
    folder: &Path,
    comparison: &Comparison,
    figures: &Figures,
    blocks: &[Block],
    recipes: &[NamedRecipe],
    provenance: &Provenance,
) -> Result<()> {
    write_file(folder, "comparison.json", &(serde_json::to_string_pretty(figures)? + "\n"))?;
    write_file(folder, "measures.csv", &measures_csv(comparison)?)?;
    write_file(folder, "curves.csv", &curves_csv(comparison)?)?;
    write_file(folder, "gaps.csv", &gaps_csv(figures)?)?;
    write_file(folder, "tests.csv", &tests_csv(figures)?)?;
    write_file(folder, "report.md", &markdown(comparison, figures, provenance))?;
    let page = page(comparison, figures, blocks, recipes, provenance);
    write_file(folder, "report.html", &page.html())
}

/// Returns the command that repeats the experiment.
pub(crate) fn command(provenance: &Provenance) -> String {
    let arguments: Vec<String> = provenance.arguments.iter().map(|it| quoted(it)).collect();
    format!("ontrail {}", arguments.join(" "))
}

pub(crate) fn csv(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(heads)?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| guarded(cell).into_owned()))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)
        .context("cannot write the table")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns every measure of every run as CSV.
fn measures_csv(comparison: &Comparison) -> Result<String> {
    let mut rows = Vec::new();
    let mut add = |block: &str, name: &str, repeat: usize, outcome: &RunOutcome| {
        for measure in &MEASURES {
            if let Some(value) = measure.of(outcome) {
                let cells = [block, name, &repeat.to_string(), measure.side, measure.name];
                let value = value.to_string();
                rows.push(cells.into_iter().map(str::to_owned).chain([value]).collect());
            }
        }
    };
    for (at, (block, runs)) in comparison.blocks.iter().zip(&comparison.runs).enumerate() {
        for (name, outcomes) in comparison.names.iter().zip(runs) {
            (1..).zip(outcomes).for_each(|(repeat, outcome)| add(block, name, repeat, outcome));
        }
        if let Some(outcome) = comparison.oracle.get(at) {
            add(block, ORACLE, 1, outcome);
        }
    }
    csv(&["block", "recipe", "repeat", "by", "measure", "value"], rows.into_iter())
}

/// The curves of the report: a title, and the side and name of the measure.
const CURVES: [(&str, &str, &str); 6] = [
    ("Harvest rate", "true", "accuracy"),
    ("Recall without seeds", "true", "recall_without_seeds"),
    ("Self-reported harvest rate", "self", "accuracy"),
    ("Self-reported mean relevance", "self", "average_relevance"),
    ("Self-reported standard deviation of relevance", "self", "sd"),
    ("Relevant pages", "true", "relevant"),
];

/// Returns the curves of all measures as CSV.
fn curves_csv(comparison: &Comparison) -> Result<String> {
    let mut rows = Vec::new();
    let mut add = |name: &str, measure: &Measure, curve: Vec<(u64, Mean)>| {
        for (pages, mean) in curve {
            let names = [name, measure.side, measure.name].map(str::to_owned);
            let numbers = [pages.to_string(), mean.mean.to_string(), mean.se.to_string()];
            rows.push(names.into_iter().chain(numbers).collect());
        }
    };
    let measures = || MEASURES.iter().filter(|measure| measure.has_curve());
    for (at, name) in comparison.names.iter().enumerate() {
        measures().for_each(|measure| add(name, measure, comparison.curve(at, measure)));
    }
    for measure in measures().filter(|measure| measure.side == "true") {
        add(ORACLE, measure, comparison.oracle_curve(measure));
    }
    csv(&["recipe", "by", "measure", "pages", "mean", "se"], rows.into_iter())
}

/// Returns the comparison of each recipe with the reference as CSV.
fn gaps_csv(figures: &Figures) -> Result<String> {
    let row = |(name, gap): (&String, &Gap)| {
        let closed = gap.closed.map(|closed| closed.to_string()).unwrap_or_default();
        let worst = &gap.worst;
        let difference = worst.difference.to_string();
        vec![name.clone(), gap.reference.clone(), closed, worst.block.clone(), difference]
    };
    let heads = ["recipe", "reference", "gap closed", "worst block", "difference"];
    csv(&heads, figures.gaps.iter().map(row))
}

fn tests_csv(figures: &Figures) -> Result<String> {
    let mut rows = Vec::new();
    for (measure, results) in &figures.tests {
        for ranked in &results.mean_ranks {
            let against = results.against_control.iter().find(|it| it.name == ranked.name);
            let cell = |of: fn(&ontrail_lab::Against) -> f64| {
                against.map(|it| of(it).to_string()).unwrap_or_default()
            };
            rows.push(vec![
                measure.clone(),
                ranked.name.clone(),
                ranked.rank.to_string(),
                results.control.clone(),
                cell(|it| it.z),
                cell(|it| it.p),
                cell(|it| it.holm_p),
                against.map(|it| it.nemenyi.to_string()).unwrap_or_default(),
                cell(|it| it.wilcoxon.p),
                cell(|it| it.wilcoxon_holm_p),
                cell(|it| it.a12),
            ]);
        }
    }
    let heads = [
        "measure",
        "recipe",
        "mean rank",
        "control",
        "z",
        "p",
        "Holm p",
        "Nemenyi",
        "Wilcoxon p",
        "Wilcoxon Holm p",
        "A12",
    ];
    csv(&heads, rows.into_iter())
}

/// Returns the heads and rows of a table of measures.
fn side_table(comparison: &Comparison, side: &str) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let columns = columns(side);
    let heads =
        std::iter::once("recipe").chain(columns.iter().map(|measure| measure.symbol)).collect();
    let row = |(at, name): (usize, &String)| {
        let cells = columns.iter().map(|measure| shown(measure, comparison.mean(at, measure)));
        std::iter::once(name.clone()).chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> = comparison.names.iter().enumerate().map(row).collect();
    if side == "true" && !comparison.oracle.is_empty() {
        let cells = columns.iter().map(|measure| shown(measure, comparison.oracle_mean(measure)));
        rows.push(std::iter::once(ORACLE.to_owned()).chain(cells).collect());
    }
    (heads, rows)
}

/// Returns the table of areas of recall.
fn areas(comparison: &Comparison) -> Areas {
    let four = |means: Vec<Option<Mean>>| -> Vec<String> {
        let area = Measure::named("true", "recall_area");
        let cell = |mean| area.map_or_else(String::new, |area| shown(area, mean));
        means.into_iter().map(cell).collect()
    };
    Areas::of(comparison, four)
}

/// Returns the heads and rows of a table of one measure at the milestones.
fn milestone_table(
    figures: &Figures,
    names: &[String],
    measure: &Measure,
) -> (Vec<String>, Vec<Vec<String>>) {
    let longest = figures.recipes.values().max_by_key(|it| it.milestones.len());
    let pages: Vec<u64> =
        longest.map(|it| it.milestones.iter().map(|at| at.pages).collect()).unwrap_or_default();
    let heads = std::iter::once("recipe".to_owned()).chain(pages.iter().map(|it| count(*it)));
    let row = |name: &String| {
        let cell = |place: usize| {
            let at = figures.recipes[name].milestones.get(place);
            let side = at.map(|at| if measure.side == "true" { &at.truth } else { &at.own });
            shown(measure, side.and_then(|side| side.get(measure.name).copied()))
        };
        std::iter::once(name.clone()).chain((0..pages.len()).map(cell)).collect()
    };
    (heads.collect(), names.iter().map(row).collect())
}

/// Returns the measures that are shown at milestones, with their headings.
fn milestone_measures() -> impl Iterator<Item = (String, &'static Measure)> {
    let shown = MEASURES.iter().filter(|measure| measure.has_curve());
    shown.map(|measure| {
        let title = measure_title(&format!("{}.{}", measure.side, measure.name));
        (capitalised(&title), measure)
    })
}

/// Returns a text with a capital first letter.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the titles and results of the tests of two blocks or more, those by the ground truth
/// first.
fn tests(figures: &Figures) -> impl Iterator<Item = (String, &TestResults)> {
    let names = TESTED.iter().map(|(side, name)| format!("{side}.{name}"));
    let known = names.filter_map(|name| Some((measure_title(&name), figures.tests.get(&name)?)));
    known.filter(|(_, results)| results.blocks > 1)
}

/// Returns the results of the same tests for the tables that the papers print, as rows of a table.
pub(crate) fn printed_rows() -> Vec<Vec<String>> {
    let row = |printed: &ontrail_lab::PrintedRanks| {
        let results = printed.table().judge(None, 0.05, 0);
        let best = &results.mean_ranks[0];
        let beaten: Vec<&str> = results
            .mean_ranks
            .iter()
            .filter(|it| it.rank - best.rank >= results.critical_difference)
            .map(|it| it.name.as_str())
            .collect();
        let f =
            results.friedman.iman_davenport.map_or_else(|| "∞".to_owned(), |f| format!("{f:.2}"));
        vec![
            printed.place.to_owned(),
            format!("{:.2}", results.friedman.chi_squared),
            f,
            format!("{:.2}", results.critical_difference),
            best.name.clone(),
            beaten.join(", "),
        ]
    };
    PRINTED.iter().map(row).collect()
}

pub(crate) const PRINTED_HEADS: [&str; 6] =
    ["table", "χ²", "F", "CD", "best", "significantly worse"];
pub(crate) const PRINTED_NOTE: &str = "\
χ², F: Friedman's test and its correction by Iman and Davenport; CD: critical difference of mean \
ranks; significantly worse: by Nemenyi's test at 5 %. The papers rank crawlers by four measures of \
a single crawl and treat the measures as blocks. LP (or RP) and AC give the same ranking, because \
AC is LP divided by the number of pages downloaded; so at most three rankings are left, all of one \
run. The table shows what the papers' figures would support if they were four independent blocks: \
against most crawlers, nothing.";

fn markdown(comparison: &Comparison, figures: &Figures, provenance: &Provenance) -> String {
    let mut text =
        format!("# Comparison of crawlers\n\n{}\n\n    {}\n", lead(figures), command(provenance));
    let mut section = |heading: &str, heads: &[String], rows: &[Vec<String>]| {
        let _ = write!(
            text,
            "\n## {heading}\n\n| {} |\n|{}\n",
            heads.join(" | "),
            "---|".repeat(heads.len())
        );
        for row in rows {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
    };
    let owned = |heads: &[&str]| -> Vec<String> { heads.iter().map(ToString::to_string).collect() };
    for (side, heading) in [("true", "Ground truth"), ("self", "Self-reported")] {
        let (heads, rows) = side_table(comparison, side);
        section(heading, &owned(&heads), &rows);
    }
    let Areas { title, heads, rows } = areas(comparison);
    section(&capitalised(&title), &heads, &rows);
    for (heading, measure) in milestone_measures() {
        let (heads, rows) = milestone_table(figures, &comparison.names, measure);
        section(&format!("{heading}, by pages downloaded"), &heads, &rows);
    }
    for (title, results) in tests(figures) {
        let heading = format!("Tests: {title}. {}", capitalised(&sentence(results)));
        section(&heading, &owned(&TEST_HEADS), &test_rows(results));
    }
    let (heads, rows) = overlap_table(comparison, figures);
    section("Superposition ratios: all pages / relevant pages", &heads, &rows);
    section("The papers' tables", &owned(&PRINTED_HEADS), &printed_rows());
    text + "\n" + PRINTED_NOTE + "\n\n## Symbols\n\n" + LEGEND + " " + AREA_LEGEND + "\n"
}

fn lead(figures: &Figures) -> String {
    format!(
        "{} recipes on {} block{}, {} pages each, up to {} repeats; mean ± standard error over {}",
        figures.recipes.len(),
        figures.blocks.len(),
        if figures.blocks.len() == 1 { "" } else { "s" },
        count(figures.budget),
        figures.repeats,
        figures.over
    )
}

fn page(
    comparison: &Comparison,
    figures: &Figures,
    blocks: &[Block],
    recipes: &[NamedRecipe],
    provenance: &Provenance,
) -> Page {
    let mut parts = Vec::new();
    for (side, heading) in [("true", "Ground truth"), ("self", "Self-reported")] {
        let (heads, rows) = side_table(comparison, side);
        parts.push(Part::Table(Table::new(heading, heads, rows)));
    }
    parts.push(Part::Note(LEGEND.to_owned()));
    let Areas { title, heads, rows } = areas(comparison);
    parts.push(Part::Table(Table::new(capitalised(&title), heads, rows)));
    parts.push(Part::Note(AREA_LEGEND.to_owned()));
    parts.extend(curves(comparison, figures));
    parts.push(Part::Heading("Progress of the crawls".to_owned()));
    for (heading, measure) in milestone_measures() {
        let (heads, rows) = milestone_table(figures, &comparison.names, measure);
        let table = Part::Table(Table::new(heading.clone(), heads, rows));
        parts.push(Part::Folded { summary: heading, parts: vec![table] });
    }
    for (title, results) in tests(figures) {
        parts.extend(test_section(&title, results));
    }
    if comparison.blocks.len() < 2 {
        let note = "There are no statistical tests, because there is only one block; compare on \
                    more webs, topics or seed sets.";
        parts.push(Part::Note(note.to_owned()));
    }
    if comparison.names.len() > 1 {
        let (heads, rows) = overlap_table(comparison, figures);
        let heading = "Superposition ratios: pages of both crawlers divided by pages of either, for \
                       all pages / relevant pages";
        parts.push(Part::Table(Table::new(heading, heads, rows)));
    }
    let printed = "The papers' tables, by the same tests";
    parts.push(Part::Table(Table::new(printed, PRINTED_HEADS, printed_rows())));
    parts.push(Part::Note(PRINTED_NOTE.to_owned()));
    parts.extend(settings(figures, blocks, recipes, provenance));
    Page::new("Comparison of crawlers", lead(figures), parts)
}

/// Returns the recipes whose curves are drawn: those with the greatest area of recall, and a
/// baseline (bfs, or else the first).
fn drawn(comparison: &Comparison, figures: &Figures) -> Vec<usize> {
    let area = |at: &usize| {
        figures.recipes[&comparison.names[*at]].truth.get("recall_area").map_or(0.0, |it| it.mean)
    };
    let mut order: Vec<usize> = (0..comparison.names.len()).collect();
    order.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a.cmp(b)));
    // The oracle is one line more.
    let most = MOST_LINES - usize::from(figures.oracle.is_some());
    let mut kept: Vec<usize> = order.iter().copied().take(most).collect();
    let baseline = comparison.names.iter().position(|name| name == "bfs").unwrap_or(0);
    if !kept.contains(&baseline) {
        kept.truncate(most - 1);
        kept.push(baseline);
    }
    kept
}

fn curves(comparison: &Comparison, figures: &Figures) -> Vec<Part> {
    let drawn = drawn(comparison, figures);
    let chart = |(title, side, name): &(&str, &str, &str)| {
        let measure = Measure::named(side, name)?;
        let series = drawn
            .iter()
            .map(|at| series_of(&comparison.names[*at], &comparison.curve(*at, measure)));
        let of_oracle = (*side == "true").then(|| comparison.oracle_curve(measure));
        let oracle = of_oracle.map(|curve| series_of(ORACLE, &curve));
        let series = series.chain(oracle);
        let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
        let (title, y_label) = ((*title).to_owned(), measure.symbol.to_owned());
        let x_label = "pages downloaded (DP)".to_owned();
        (!series.is_empty()).then(|| Chart { title, x_label, y_label, series, y_range: None }.svg())
    };
    let charts: Vec<Svg> = CURVES.iter().filter_map(chart).collect();
    let mut parts = vec![Part::Heading("Curves".to_owned())];
    if comparison.names.len() > drawn.len() {
        let note = "The charts show the recipes with the greatest area of recall, and a baseline; \
                    curves.csv has all.";
        parts.push(Part::Note(note.to_owned()));
    }
    parts.push(Part::Charts(charts));
    parts
}

/// Returns the line of a crawler in a chart.
fn series_of(name: &str, curve: &[(u64, Mean)]) -> Series {
    let band = curve.iter().map(|(_, mean)| (mean.mean - mean.se, mean.mean + mean.se));
    let points = curve.iter().map(|(pages, mean)| (*pages as f64, mean.mean)).collect();
    Series { name: name.to_owned(), points, band: Some(band.collect()) }
}

fn test_section(title: &str, results: &TestResults) -> [Part; 3] {
    let diagram = RankDiagram {
        title: format!("Mean ranks: {title}"),
        ranks: results.mean_ranks.iter().map(|it| (it.name.clone(), it.rank)).collect(),
        critical_difference: results.critical_difference,
        groups: results.groups.clone(),
    };
    let note = if results.rejects {
        "Bars join recipes that do not differ significantly (Nemenyi's test)."
    } else {
        "The table as a whole shows no significant differences, so single pairs must not be \
         interpreted."
    };
    [
        Part::Table(Table::new(format!("Tests: {title}"), TEST_HEADS, test_rows(results))),
        Part::Note(format!("{}. {note}", capitalised(&sentence(results)))),
        Part::Diagram(diagram.svg()),
    ]
}

/// Returns the heads and rows of the table of superposition ratios: of all pages, and of the pages
/// that are relevant by the ground truth.
fn overlap_table(comparison: &Comparison, figures: &Figures) -> (Vec<String>, Vec<Vec<String>>) {
    let heads = std::iter::once(String::new()).chain(comparison.names.iter().cloned());
    let overlap = |a: &str, b: &str| {
        let is =
            |pair: &[String; 2]| (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
        figures.superposition.iter().find(|it| is(&it.pair))
    };
    let row = |a: &String| {
        let cell = |b: &String| {
            let shown = |it: &ontrail_lab::Overlap| format!("{:.2} / {:.2}", it.pages, it.relevant);
            overlap(a, b).map_or_else(|| "–".to_owned(), shown)
        };
        std::iter::once(a.clone()).chain(comparison.names.iter().map(cell)).collect()
    };
    (heads.collect(), comparison.names.iter().map(row).collect())
}

fn settings(
    figures: &Figures,
    blocks: &[Block],
    recipes: &[NamedRecipe],
    provenance: &Provenance,
) -> Vec<Part> {
    let block = |block: &Block| {
        let name = |path: &Path| path.display().to_string();
        let topics: Vec<String> = block.files.topics.iter().map(|path| name(path)).collect();
        [
            block.name.clone(),
            name(&block.files.web),
            block.files.relevant.clone(),
            count(block.seeds.len() as u64),
            topics.join(", "),
            block.checksum.to_string().chars().take(12).collect(),
        ]
    };
    let heads = ["block", "web", "relevant labels", "seeds", "topics", "checksum of inputs"];
    let made = format!(
        "Ontrail {}; random seed {}; {} pages in {:.1} s, {:.0} pages per second and core.",
        provenance.version,
        figures.seed,
        count(figures.speed.pages),
        figures.speed.seconds,
        figures.speed.pages_per_core_second
    );
    vec![
        Part::Table(Table::new("Blocks", heads, blocks.iter().map(block))),
        changed_recipes(recipes),
        Part::Heading("Command".to_owned()),
        Part::Preformatted(command(provenance)),
        Part::Note(made),
    ]
}

/// Returns the recipes that are not unchanged built-in recipes.
fn changed_recipes(recipes: &[NamedRecipe]) -> Part {
    let changed = recipes
        .iter()
        .filter(|it| Recipe::shipped(&it.recipe.name).ok().as_ref() != Some(&it.recipe));
    let parts: Vec<Part> = changed
        .flat_map(|it| {
            let text = toml::to_string(&it.recipe).unwrap_or_default();
            [Part::Subheading(it.name.clone()), Part::Preformatted(text)]
        })
        .collect();
    if parts.is_empty() {
        return Part::paragraph("All recipes are built-in and unchanged.");
    }
    Part::Folded { summary: "Changed and custom recipes".to_owned(), parts }
}
