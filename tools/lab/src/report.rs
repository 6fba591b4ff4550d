//! The reports of a comparison: a page of HTML that needs nothing else, Markdown, and tables.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use ontrail_artifact::Provenance;
use ontrail_cli::{count, quoted};
use ontrail_diagram::{Chart, RankDiagram, Series, Svg};
use ontrail_lab::{
    Comparison, Figures, MEASURES, Measure, PRINTED, TEST_HEADS, TESTED, Verdict, columns,
    sentence, shown, test_rows,
};
use ontrail_pilot::Recipe;
use ontrail_report::{Page, Part, Table};

use crate::blocks::{Asked, Block};
use crate::runs;

/// How many lines a chart has: more cannot be told apart.
const MOST_LINES: usize = 8;

/// Writes all reports into a folder.
pub(crate) fn write(
    folder: &Path,
    comparison: &Comparison,
    figures: &Figures,
    blocks: &[Block],
    asked: &[Asked],
    provenance: &Provenance,
) -> Result<()> {
    runs::write(folder, "comparison.json", &(serde_json::to_string_pretty(figures)? + "\n"))?;
    runs::write(folder, "measures.csv", &measures_csv(comparison)?)?;
    runs::write(folder, "curves.csv", &curves_csv(comparison)?)?;
    runs::write(folder, "tests.csv", &tests_csv(figures)?)?;
    runs::write(folder, "report.md", &markdown(comparison, figures, provenance))?;
    let page = page(comparison, figures, blocks, asked, provenance);
    runs::write(folder, "report.html", &page.html())
}

/// The command that does it again.
pub(crate) fn command(provenance: &Provenance) -> String {
    let arguments: Vec<String> = provenance.arguments.iter().map(|it| quoted(it)).collect();
    format!("ontrail {}", arguments.join(" "))
}

fn csv(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(heads)?;
    for row in rows {
        writer.write_record(&row)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)
        .context("tables can be written")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Every measure of every run.
fn measures_csv(comparison: &Comparison) -> Result<String> {
    let mut rows = Vec::new();
    for (block, runs) in comparison.blocks.iter().zip(&comparison.runs) {
        for (name, outcomes) in comparison.names.iter().zip(runs) {
            for (repeat, outcome) in outcomes.iter().enumerate() {
                for measure in &MEASURES {
                    if let Some(value) = measure.of(outcome) {
                        let (side, measure) = (measure.side.to_owned(), measure.name.to_owned());
                        rows.push(vec![
                            block.clone(),
                            name.clone(),
                            (repeat + 1).to_string(),
                            side,
                            measure,
                            value.to_string(),
                        ]);
                    }
                }
            }
        }
    }
    csv(&["block", "recipe", "repeat", "by", "measure", "value"], rows.into_iter())
}

/// The curves of the report: a title, and the measure by its side and name.
const CURVES: [(&str, &str, &str); 6] = [
    ("Accuracy by the truth", "true", "accuracy"),
    ("Recall by the truth, seeds left out", "true", "recall_without_seeds"),
    ("Accuracy by the crawlers' own opinion", "self", "accuracy"),
    ("Average relevance by their own opinion", "self", "average_relevance"),
    ("Deviation of relevance by their own opinion", "self", "sd"),
    ("Relevant pages by the truth", "true", "relevant"),
];

/// Every measure on the way.
fn curves_csv(comparison: &Comparison) -> Result<String> {
    let mut rows = Vec::new();
    for (at, name) in comparison.names.iter().enumerate() {
        for measure in MEASURES.iter().filter(|measure| measure.has_curve()) {
            for (pages, mean) in comparison.curve(at, measure) {
                let (by, measure) = (measure.side.to_owned(), measure.name.to_owned());
                let numbers = [pages.to_string(), mean.mean.to_string(), mean.se.to_string()];
                rows.push([vec![name.clone(), by, measure], numbers.to_vec()].concat());
            }
        }
    }
    csv(&["recipe", "by", "measure", "pages", "mean", "se"], rows.into_iter())
}

fn tests_csv(figures: &Figures) -> Result<String> {
    let mut rows = Vec::new();
    for (measure, verdict) in &figures.tests {
        for ranked in &verdict.mean_ranks {
            let against = verdict.against_control.iter().find(|it| it.name == ranked.name);
            let cell = |of: fn(&ontrail_lab::Against) -> f64| {
                against.map(|it| of(it).to_string()).unwrap_or_default()
            };
            rows.push(vec![
                measure.clone(),
                ranked.name.clone(),
                ranked.rank.to_string(),
                verdict.control.clone(),
                cell(|it| it.z),
                cell(|it| it.p),
                cell(|it| it.holm_p),
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
        "Wilcoxon p",
        "Wilcoxon Holm p",
        "A12",
    ];
    csv(&heads, rows.into_iter())
}

/// A table of measures: its heads and rows.
fn side_table(comparison: &Comparison, side: &str) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let columns = columns(side);
    let heads =
        std::iter::once("recipe").chain(columns.iter().map(|measure| measure.symbol)).collect();
    let row = |(at, name): (usize, &String)| {
        let cells = columns.iter().map(|measure| shown(measure, comparison.mean(at, measure)));
        std::iter::once(name.clone()).chain(cells).collect()
    };
    (heads, comparison.names.iter().enumerate().map(row).collect())
}

/// A measure at the checkpoints: its heads and rows.
fn checkpoint_table(
    figures: &Figures,
    names: &[String],
    measure: &Measure,
) -> (Vec<String>, Vec<Vec<String>>) {
    let longest = figures.recipes.values().max_by_key(|it| it.checkpoints.len());
    let pages: Vec<u64> =
        longest.map(|it| it.checkpoints.iter().map(|at| at.pages).collect()).unwrap_or_default();
    let heads = std::iter::once("recipe".to_owned()).chain(pages.iter().map(|it| count(*it)));
    let row = |name: &String| {
        let cell = |place: usize| {
            let at = figures.recipes[name].checkpoints.get(place);
            let side = at.map(|at| if measure.side == "true" { &at.truth } else { &at.own });
            shown(measure, side.and_then(|side| side.get(measure.name).copied()))
        };
        std::iter::once(name.clone()).chain((0..pages.len()).map(cell)).collect()
    };
    (heads.collect(), names.iter().map(row).collect())
}

/// The measures that are shown at checkpoints, with a heading each.
fn on_the_way() -> impl Iterator<Item = (String, &'static Measure)> {
    let who = |side: &str| if side == "true" { "by the truth" } else { "by their own opinion" };
    let shown = MEASURES.iter().filter(|measure| measure.has_curve());
    shown.map(move |measure| {
        (format!("{} {} on the way", measure.symbol, who(measure.side)), measure)
    })
}

/// The tests that say something, those by the truth first.
fn tests(figures: &Figures) -> impl Iterator<Item = (String, &Verdict)> {
    let names = TESTED.iter().map(|(side, name)| format!("{side}.{name}"));
    let known = names.filter_map(|name| figures.tests.get(&name).map(|verdict| (name, verdict)));
    known.filter(|(_, verdict)| verdict.blocks > 1)
}

/// What the tables that the papers print come to, by the same tests.
pub(crate) fn printed_rows() -> Vec<Vec<String>> {
    let row = |printed: &ontrail_lab::PrintedRanks| {
        let verdict = printed.table().judge(None, 0.05, 0);
        let best = &verdict.mean_ranks[0];
        let beaten: Vec<&str> = verdict
            .mean_ranks
            .iter()
            .filter(|it| it.rank - best.rank >= verdict.critical_difference)
            .map(|it| it.name.as_str())
            .collect();
        let f =
            verdict.friedman.iman_davenport.map_or_else(|| "∞".to_owned(), |f| format!("{f:.3}"));
        vec![
            printed.place.to_owned(),
            format!("{:.3}", verdict.friedman.chi_squared),
            f,
            format!("{:.3}", verdict.critical_difference),
            best.name.clone(),
            beaten.join(", "),
        ]
    };
    PRINTED.iter().map(row).collect()
}

pub(crate) const PRINTED_HEADS: [&str; 6] =
    ["table", "χ²", "F", "CD", "best", "told apart from it (Nemenyi, 5 %)"];
pub(crate) const PRINTED_NOTE: &str = "The papers rank crawlers by four measures of one crawl each and take the measures \
for blocks. LP or RP and AC are the same ranking, since AC is LP by the pages downloaded, so three rankings at most are left, all of \
one run. The table says what their figures would support, were they four independent blocks: against most crawlers, nothing.";

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
    for (side, heading) in [("true", "By the truth"), ("self", "By the crawlers' own opinion")] {
        let (heads, rows) = side_table(comparison, side);
        section(heading, &owned(&heads), &rows);
    }
    for (heading, measure) in on_the_way() {
        let (heads, rows) = checkpoint_table(figures, &comparison.names, measure);
        section(&heading, &heads, &rows);
    }
    for (name, verdict) in tests(figures) {
        section(
            &format!("{name}: {}", sentence(verdict)),
            &owned(&TEST_HEADS),
            &test_rows(verdict),
        );
    }
    let (heads, rows) = overlap_table(comparison, figures);
    section("Superposition ratios: of all pages / of relevant ones", &heads, &rows);
    section("The papers' own tables", &owned(&PRINTED_HEADS), &printed_rows());
    text + "\n" + PRINTED_NOTE + "\n"
}

fn lead(figures: &Figures) -> String {
    format!(
        "{} crawlers on {} block{}, {} pages each, up to {} repeats; mean ± standard error over {}",
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
    asked: &[Asked],
    provenance: &Provenance,
) -> Page {
    let mut parts = Vec::new();
    for (side, heading) in [("true", "By the truth"), ("self", "By the crawlers' own opinion")] {
        let (heads, rows) = side_table(comparison, side);
        parts.push(Part::Table(Table::new(heading, heads, rows)));
    }
    parts.extend(curves(comparison, figures));
    parts.push(Part::Heading("On the way".to_owned()));
    for (heading, measure) in on_the_way() {
        let (heads, rows) = checkpoint_table(figures, &comparison.names, measure);
        let table = Part::Table(Table::new(heading.clone(), heads, rows));
        parts.push(Part::Folded { summary: heading, parts: vec![table] });
    }
    for (name, verdict) in tests(figures) {
        parts.extend(test_section(&name, verdict));
    }
    if comparison.blocks.len() < 2 {
        let note = "One block says nothing of others: with more webs, topics or seed sets there would be tests here.";
        parts.push(Part::Note(note.to_owned()));
    }
    if comparison.names.len() > 1 {
        let (heads, rows) = overlap_table(comparison, figures);
        let heading = "Superposition ratios: the share of the pages of either that both have, of all pages / of relevant ones";
        parts.push(Part::Table(Table::new(heading, heads, rows)));
    }
    let printed = "The papers' own tables, by the same tests";
    parts.push(Part::Table(Table::new(printed, PRINTED_HEADS, printed_rows())));
    parts.push(Part::Note(PRINTED_NOTE.to_owned()));
    parts.extend(settings(figures, blocks, asked, provenance));
    Page::new("Comparison of crawlers", lead(figures), parts)
}

/// The crawlers whose curves are drawn: the best by recall, and the first that was asked for.
fn drawn(comparison: &Comparison, figures: &Figures) -> Vec<usize> {
    let area = |at: &usize| {
        figures.recipes[&comparison.names[*at]].truth.get("recall_area").map_or(0.0, |it| it.mean)
    };
    let mut order: Vec<usize> = (0..comparison.names.len()).collect();
    order.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a.cmp(b)));
    let mut kept: Vec<usize> = order.iter().copied().take(MOST_LINES).collect();
    let baseline = comparison.names.iter().position(|name| name == "bfs").unwrap_or(0);
    if !kept.contains(&baseline) {
        kept.truncate(MOST_LINES - 1);
        kept.push(baseline);
    }
    kept
}

fn curves(comparison: &Comparison, figures: &Figures) -> Vec<Part> {
    let drawn = drawn(comparison, figures);
    let chart = |(title, side, name): &(&str, &str, &str)| {
        let measure = Measure::named(side, name)?;
        let series = drawn.iter().map(|at| {
            let curve = comparison.curve(*at, measure);
            let band = curve.iter().map(|(_, mean)| (mean.mean - mean.se, mean.mean + mean.se));
            let band = Some(band.collect());
            let points = curve.iter().map(|(pages, mean)| (*pages as f64, mean.mean)).collect();
            Series { name: comparison.names[*at].clone(), points, band }
        });
        let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
        let (title, y_label) = ((*title).to_owned(), measure.symbol.to_owned());
        let x_label = "pages downloaded (DP)".to_owned();
        (!series.is_empty()).then(|| Chart { title, x_label, y_label, series, y_range: None }.svg())
    };
    let charts: Vec<Svg> = CURVES.iter().filter_map(chart).collect();
    let mut parts = vec![Part::Heading("Curves".to_owned())];
    if comparison.names.len() > drawn.len() {
        let note = "Drawn are the crawlers with the greatest area under the curve of recall, and a baseline; curves.csv has all.";
        parts.push(Part::Note(note.to_owned()));
    }
    parts.push(Part::Charts(charts));
    parts
}

fn test_section(name: &str, verdict: &Verdict) -> [Part; 3] {
    let diagram = RankDiagram {
        title: format!("Mean ranks by {name}"),
        ranks: verdict.mean_ranks.iter().map(|it| (it.name.clone(), it.rank)).collect(),
        critical_difference: verdict.critical_difference,
        groups: verdict.groups.clone(),
    };
    let note = if verdict.rejects {
        "Bars join crawlers that Nemenyi's test does not tell apart."
    } else {
        "The whole table is no more than chance, so single pairs are not to be read."
    };
    [
        Part::Table(Table::new(format!("Tests of {name}"), TEST_HEADS, test_rows(verdict))),
        Part::Note(format!("{}. {note}", sentence(verdict))),
        Part::Diagram(diagram.svg()),
    ]
}

/// What each two crawlers have in common: of all pages, and of those that are truly relevant.
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
    asked: &[Asked],
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
    let heads = ["block", "web", "relevant", "seeds", "topics", "checksum of all inputs"];
    let made = format!(
        "Ontrail {}; seed {}; {} pages in {:.1} s, {:.0} pages a second and core.",
        provenance.version,
        figures.seed,
        count(figures.speed.pages),
        figures.speed.seconds,
        figures.speed.pages_per_core_second
    );
    vec![
        Part::Table(Table::new("Blocks", heads, blocks.iter().map(block))),
        changed_recipes(asked),
        Part::Heading("Again".to_owned()),
        Part::Preformatted(command(provenance)),
        Part::Note(made),
    ]
}

/// The recipes that are not as they ship.
fn changed_recipes(asked: &[Asked]) -> Part {
    let changed = asked
        .iter()
        .filter(|asked| Recipe::shipped(&asked.recipe.name).ok().as_ref() != Some(&asked.recipe));
    let parts: Vec<Part> = changed
        .flat_map(|asked| {
            let text = toml::to_string(&asked.recipe).unwrap_or_default();
            [Part::Subheading(asked.name.clone()), Part::Preformatted(text)]
        })
        .collect();
    if parts.is_empty() {
        return Part::paragraph("All recipes are as they ship.");
    }
    Part::Folded { summary: "Recipes that are not as they ship".to_owned(), parts }
}
