//! The link model of a crawl, and the reasons for the choice of a link, in words.

use anyhow::Result;
use ontrail_cli::{Align, Printer, Table, count, decimal};
use ontrail_pilot::{
    Cause, Learned, OfCause, OrderFound, Reason, Rule, Strongest, Why, end_of_place,
};

/// Prints what was learned.
pub(crate) fn show(learned: &Learned, printer: &mut Printer) -> Result<()> {
    printer.heading("learned about links")?;
    printer.line(format_args!(
        "{} page(s): predicted {:.2} relevant on average, found {:.2}; log-loss {:.3}, and {:.3} \
         without the model",
        count(learned.pages),
        learned.predicted,
        learned.found,
        learned.log_loss,
        learned.log_loss_of_mean
    ))?;
    if !learned.orders.is_empty() {
        let mut table = Table::new([
            (ORDER_HEADS[0], Align::Left),
            (ORDER_HEADS[1], Align::Right),
            (ORDER_HEADS[2], Align::Right),
        ]);
        order_rows(&learned.orders).into_iter().for_each(|row| table.row(row));
        printer.table(&table)?;
    }
    if !learned.strongest.is_empty() {
        let [kind, side, what] = STRONGEST_HEADS;
        let mut table = Table::new([(kind, Align::Left), (side, Align::Left), (what, Align::Left)]);
        strongest_rows(learned, 3).into_iter().for_each(|row| table.row(row));
        printer.table(&table)?;
    }
    Ok(())
}

/// The heads of the table of orders.
pub(crate) const ORDER_HEADS: [&str; 3] = ["order of links", "found lately", "choices that count"];

/// Returns the orders of links and what each found.
pub(crate) fn order_rows(orders: &[OrderFound]) -> Vec<[String; 3]> {
    let row = |it: &OrderFound| {
        [order_name(it.order).to_owned(), decimal(it.mean), format!("{:.1}", it.choices)]
    };
    orders.iter().map(row).collect()
}

fn order_name(order: Rule) -> &'static str {
    match order {
        Rule::Best => "by the link model",
        Rule::Formula => "by the fixed formula",
        Rule::First => "the oldest first",
        Rule::Parent => "by the page that has the link",
        _ => "another",
    }
}

/// The heads of the table of what counts most.
pub(crate) const STRONGEST_HEADS: [&str; 3] = ["", "", "weight and what has it"];

/// Returns what speaks most for and against links, at most `most` of each kind.
pub(crate) fn strongest_rows(learned: &Learned, most: usize) -> Vec<[String; 3]> {
    let mut rows: Vec<[String; 3]> = Vec::new();
    let listed =
        |all: &[&Strongest]| all.iter().map(|it| it.shown()).collect::<Vec<_>>().join(", ");
    for OfCause { cause, good, bad } in learned.by_cause(most) {
        let mut name = kind_name(cause);
        for (side, all) in [("for", good), ("against", bad)] {
            if !all.is_empty() {
                rows.push([name.to_owned(), side.to_owned(), listed(&all)]);
                name = "";
            }
        }
    }
    rows
}

fn kind_name(cause: Cause) -> &'static str {
    match cause {
        Cause::AnchorWord => "words of anchor texts",
        Cause::ContextWord => "words near links",
        Cause::UrlWord => "parts of URLs",
        Cause::Place => "places on pages",
        Cause::HostRate => "hosts",
        Cause::DirectoryRate => "directories",
        _ => "other",
    }
}

/// Prints what decided about a link.
pub(crate) fn show_why(why: &Why, printer: &mut Printer) -> Result<()> {
    let (good, bad): (Vec<&Reason>, Vec<&Reason>) =
        why.reasons.iter().partition(|reason| reason.effect > 0.0);
    if !good.is_empty() {
        printer.line("  the link model counted for it, in parts of the log-odds:")?;
    }
    for reason in good {
        printer.line(format_args!("    {:+.2}  {}", reason.effect, meaning(reason, why)))?;
    }
    if !bad.is_empty() {
        printer.line("  the link model counted against it:")?;
    }
    for reason in bad {
        printer.line(format_args!("    {:+.2}  {}", reason.effect, meaning(reason, why)))?;
    }
    if let [model, formula, first, parent] = why.orders.as_slice() {
        printer.line(format_args!(
            "  worth of the links taken in each order of links: by the link model {:.2}, by the fixed \
             formula {:.2}, the oldest first {:.2}, by the page that has the link {:.2}",
            model.mean, formula.mean, first.mean, parent.mean
        ))?;
    }
    Ok(())
}

/// Returns a reason in words.
fn meaning(reason: &Reason, why: &Why) -> String {
    let text = reason.text.as_deref().unwrap_or("?");
    let rate = reason.rate.unwrap_or(0.0);
    let pages = reason.pages.unwrap_or(0.0);
    match reason.cause {
        Cause::Formula => "the fixed formula of its page and its texts".to_owned(),
        Cause::Page => "the relevance of its page, beyond the formula".to_owned(),
        Cause::Texts => "the relevance of its texts, beyond the formula".to_owned(),
        Cause::InLinks => format!(
            "{} page(s) have it, and {:.1} of them are expected to be relevant",
            why.in_links, why.relevant_in_links
        ),
        Cause::AnchorWord => format!("its anchor text has the word {text}"),
        Cause::ContextWord => format!("near it is the word {text}"),
        Cause::UrlWord if text == "#" => "its URL has a number".to_owned(),
        Cause::UrlWord => format!("its URL has the part {text}"),
        Cause::Place => format!("it is in this place on its page: {}", place(text)),
        Cause::HostPlace => {
            format!("it is in this place on its page, for its host: {}", place(text))
        }
        Cause::PageRate => format!(
            "links of the same page led to pages {rate:.2} relevant on average ({pages:.1} page(s))"
        ),
        Cause::DirectoryRate => format!(
            "links to {text} led to pages {rate:.2} relevant on average ({pages:.1} page(s))"
        ),
        Cause::HostRate => format!(
            "links to its host {text} led to pages {rate:.2} relevant on average ({pages:.1} page(s))"
        ),
        Cause::HostPlaceRate => format!(
            "links to its host from such places led to pages {rate:.2} relevant on average \
             ({pages:.1} page(s))"
        ),
        Cause::PlaceRate => format!(
            "links in such places led to pages {rate:.2} relevant on average ({pages:.1} page(s))"
        ),
        Cause::AnchorRate => format!(
            "links with its anchor text led to pages {rate:.2} relevant on average ({pages:.1} \
             page(s))"
        ),
        Cause::Noise => "chance, as long as little is known".to_owned(),
    }
}

/// Returns the end of a place on a page.
fn place(path: &str) -> String {
    end_of_place(path).unwrap_or_else(|| path.to_owned())
}
