//! An evaluation as a page to look at: self-contained, light and dark.

use ontrail_cli::count;

use crate::eval::Measured;

const STYLE: &str = include_str!("report.css");
/// How a confusion matrix looks in any page.
pub const CONFUSION_STYLE: &str = include_str!("confusion.css");

/// The page.
pub(crate) fn html(measured: &Measured) -> String {
    let evaluation = &measured.evaluation;
    let title = escape(&measured.what);
    let cards = [
        ("accuracy", format!("{:.4}", evaluation.accuracy())),
        ("macro F1", format!("{:.4}", evaluation.macro_f1())),
        ("documents", count(evaluation.documents())),
        ("log-loss", format!("{:.3}", evaluation.log_loss())),
        ("calibration error", format!("{:.3}", evaluation.calibration_error())),
    ];
    let others =
        (evaluation.others() > 0).then(|| ("answered \"other\"", count(evaluation.others())));
    let unknown = evaluation.without_known_words as u64;
    let unknown = (unknown > 0).then(|| ("without a known word", count(unknown)));
    let baseline = measured
        .baseline
        .as_ref()
        .map(|baseline| ("linfa-bayes accuracy", format!("{:.4}", baseline.accuracy())));
    let cards: String = cards
        .into_iter()
        .chain(others)
        .chain(unknown)
        .chain(baseline)
        .map(|(name, value)| format!("<div class=card><b>{value}</b><span>{name}</span></div>\n"))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{CONFUSION_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>{settings}</p>\n\
         <section class=cards>\n{cards}</section>\n\
         <h2>Classes</h2>\n{classes}\
         <h2>Confusion</h2>\n<p>Rows are true classes, columns what they were called. The darker a \
         cell, the larger its share of the row.</p>\n{confusion}\
         <h2>Posteriors</h2>\n<p>What was claimed and what came true, for each tenth of posteriors. On \
         the diagonal they agree; larger dots stand for more documents.</p>\n{reliability}\
         </body>\n</html>\n",
        settings = escape(&measured.settings),
        classes = classes(measured),
        confusion = confusion(measured),
        reliability = reliability(measured),
    )
}

fn classes(measured: &Measured) -> String {
    let rows: String = measured
        .rows()
        .into_iter()
        .zip(measured.evaluation.figures())
        .map(|(class, figures)| {
            format!(
                "<tr><th scope=row>{}</th><td>{:.3}</td><td>{:.3}</td><td>{:.3}</td>\
                 <td class=bar><i style=\"width:{:.1}%\"></i></td><td>{}</td></tr>\n",
                escape(class),
                figures.precision,
                figures.recall,
                figures.f1,
                figures.f1 * 100.0,
                count(figures.support)
            )
        })
        .collect();
    format!(
        "<div class=wide><table>\n<tr><th>class</th><th>precision</th><th>recall</th><th>F1</th><th></th>\
         <th>documents</th></tr>\n{rows}</table></div>\n"
    )
}

fn confusion(measured: &Measured) -> String {
    let confusion = measured.evaluation.confusion();
    confusion_matrix(&measured.rows(), &measured.columns(), |row, column| confusion[[row, column]])
}

/// A confusion matrix as a table of HTML: true classes, what they were called, and how often.
pub(crate) fn confusion_matrix(
    classes: &[&str],
    answers: &[&str],
    number: impl Fn(usize, usize) -> u64,
) -> String {
    let heads: String =
        answers.iter().map(|name| format!("<th><span>{}</span></th>", escape(name))).collect();
    let columns = answers.len();
    let mut rows = String::new();
    for (row, class) in classes.iter().enumerate() {
        // Counts come from files too.
        let whole = (0..columns).fold(0_u64, |sum, column| sum.saturating_add(number(row, column)));
        rows += &format!("<tr><th scope=row>{}</th>", escape(class));
        for column in 0..columns {
            let number = number(row, column);
            let share = if whole == 0 { 0.0 } else { number as f64 / whole as f64 };
            let kind = if row == column { "hit" } else { "miss" };
            // The square root, so that rare mistakes can be seen at all.
            let strength = share.sqrt() * 100.0;
            let text = if number == 0 { String::new() } else { count(number) };
            rows += &format!("<td class={kind} style=\"--s:{strength:.0}%\">{text}</td>");
        }
        rows += "</tr>\n";
    }
    format!(
        "<div class=wide><table class=confusion>\n<tr><th></th>{heads}</tr>\n{rows}</table></div>\n"
    )
}

/// A plot of claimed against true shares.
fn reliability(measured: &Measured) -> String {
    let points = measured.evaluation.reliability();
    let most = points.iter().map(|&(_, _, documents)| documents).max().unwrap_or(1) as f64;
    let dots: String = points
        .iter()
        .map(|&(claimed, right, documents)| {
            let radius = 3.0 + 9.0 * (documents as f64 / most).sqrt();
            format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\"><title>claimed {claimed:.3}, right \
                 {right:.3}, {} documents</title></circle>",
                40.0 + claimed * 300.0,
                310.0 - right * 300.0,
                count(documents)
            )
        })
        .collect();
    let ticks: String = [0.0, 0.25, 0.5, 0.75, 1.0]
        .iter()
        .map(|&tick| {
            let (x, y) = (40.0 + tick * 300.0, 310.0 - tick * 300.0);
            format!(
                "<text x=\"{x}\" y=\"328\" text-anchor=\"middle\">{tick}</text>\
                 <text x=\"34\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
                y + 4.0
            )
        })
        .collect();
    format!(
        "<svg viewBox=\"0 -6 366 358\" role=\"img\" aria-label=\"reliability\">\
         <rect x=\"40\" y=\"10\" width=\"300\" height=\"300\"/>\
         <line x1=\"40\" y1=\"310\" x2=\"340\" y2=\"10\"/>{dots}{ticks}\
         <text x=\"190\" y=\"346\" text-anchor=\"middle\">posterior claimed</text></svg>\n"
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
