//! Shows what the crawler sees in a page.

use anyhow::Result;
use ontrail_cli::{Align, ExitStatus, Printer, Table, bar, count};
use ontrail_intake::page_bytes;
use ontrail_page::{BlockKind, Cuts, Html, LabelGroup, LinkTerms, Media, Page, PageLink, Source};
use ontrail_text::{CharsetSource, TermId};
use serde_json::{Value, json};
use url::Url;

use crate::{Command, analyzer};

/// Maximum number of rows in a table without `--all`.
const ROWS: usize = 12;
/// Maximum number of terms in a row without `--all`.
const TERMS: usize = 8;

pub(crate) fn show_file(command: &Command, printer: &mut Printer) -> Result<ExitStatus> {
    let path = &command.path;
    let bytes = page_bytes(path)?;
    let url = if let Some(url) = &command.base {
        url.clone()
    } else {
        let mut url = Url::parse("http://localhost/").expect("a constant URL is valid");
        url.set_path(&path.file_name().unwrap_or_default().to_string_lossy());
        printer.note(format_args!(
            "relative links are resolved against {url}; give the URL of the page with --url"
        ));
        url
    };
    let media = Media::type_of_name(&path.to_string_lossy());
    show_page(command, &bytes, &url, (None, media), printer)
}

pub(crate) fn show_bytes(
    command: &Command,
    bytes: &[u8],
    url: &Url,
    answer: Option<Answer<'_>>,
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let content_type = answer.and_then(|(_, content_type)| content_type);
    show_page(command, bytes, url, (answer, content_type), printer)
}

/// The status and the `Content-Type` of a response.
type Answer<'a> = (u16, Option<&'a str>);

/// Shows a page with its response, if it was fetched, and its media type.
fn show_page(
    command: &Command,
    bytes: &[u8],
    url: &Url,
    (answer, content_type): (Option<Answer<'_>>, Option<&str>),
    printer: &mut Printer,
) -> Result<ExitStatus> {
    let analyzer = analyzer(command)?;
    let source = Source::at(url).with_content_type(content_type);
    let html = Html::parse(bytes, source);
    let page = html.analyze(&analyzer);
    if printer.is_json() {
        let mut json = to_json(&html, &page, url);
        if let Some((status, content_type)) = answer {
            json["answer"] = json!({ "status": status, "content_type": content_type });
        }
        printer.json(&json)?;
    } else {
        print_head(&html, &page, url, printer)?;
        if let Some((status, content_type)) = answer {
            let content_type = content_type.unwrap_or("no content type");
            printer.line(format_args!("  response  {status}, {content_type}"))?;
        }
        print(&html, &page, command.all, printer)?;
    }
    Ok(ExitStatus::Done)
}

fn to_json(html: &Html, page: &Page, url: &Url) -> Value {
    let groups: serde_json::Map<String, Value> = LabelGroup::ALL
        .into_iter()
        .map(|group| {
            let terms = group_terms(page, group);
            let words: u32 = terms.iter().map(|&(_, n)| n).sum();
            let value = json!({
                "weight": group.weight(),
                "words": words,
                "terms": counted(page, &terms),
            });
            (name(group).to_owned(), value)
        })
        .collect();
    let links_of = links_by_block(page);
    let blocks: Vec<Value> = page
        .blocks
        .iter()
        .enumerate()
        .map(|(index, block)| {
            let links = links_of[index];
            json!({ "kind": block.kind, "links": links, "terms": counted(page, &block.counts) })
        })
        .collect();
    let links = html.links.iter().zip(&page.links);
    let links: Vec<Value> = links.map(|(link, terms)| link_json(page, link, terms)).collect();
    json!({
        "kind": "page",
        "url": url.as_str(),
        "title": html.title,
        "language": html.language,
        "charset": html.charset,
        "charset_source": html.charset_source,
        "damaged": html.damaged,
        "canonical": html.canonical.as_ref().map(Url::as_str),
        "robots": html.robots,
        "words": page.occurrences().len(),
        "groups": groups,
        "blocks": blocks,
        "links": links,
        "cuts": html.cuts,
    })
}

/// Returns the number of links in each block.
fn links_by_block(page: &Page) -> Vec<u64> {
    let mut links = vec![0; page.blocks.len()];
    for link in &page.links {
        links[link.block.index()] += 1;
    }
    links
}

fn link_json(page: &Page, link: &PageLink, terms: &LinkTerms) -> Value {
    json!({
        "url": link.url.as_str(),
        "kind": link.kind,
        "anchor": link.anchor,
        "anchor_terms": texts(page, &terms.anchor),
        "context_terms": texts(page, &terms.context),
        "rel": link.rel,
        "block": terms.block,
    })
}

fn print(html: &Html, page: &Page, all: bool, printer: &mut Printer) -> Result<()> {
    let rows = if all { usize::MAX } else { ROWS };
    let links_of = links_by_block(page);

    printer.line("")?;
    printer.heading("Terms by label group")?;
    let totals = page.group_totals();
    let most = totals.iter().copied().max().unwrap_or(0).max(1);
    let mut table = Table::new([
        ("group", Align::Left),
        ("weight", Align::Right),
        ("words", Align::Right),
        ("", Align::Left),
        ("most frequent terms", Align::Left),
    ]);
    for group in LabelGroup::ALL {
        let words = totals[group.index()];
        table.row([
            name(group).to_owned(),
            format!("{:.1}", group.weight()),
            count(u64::from(words)),
            bar(f64::from(words) / f64::from(most), 12),
            listed(page, group_terms(page, group), if all { usize::MAX } else { TERMS }),
        ]);
    }
    printer.table(&table)?;

    printer.line("")?;
    printer.heading(format_args!("Content blocks: {}", page.blocks.len()))?;
    let mut table = Table::new([
        ("block", Align::Right),
        ("kind", Align::Left),
        ("words", Align::Right),
        ("links", Align::Right),
        ("most frequent terms", Align::Left),
    ]);
    for (index, block) in page.blocks.iter().enumerate().take(rows) {
        let words: u32 = block.counts.iter().map(|&(_, n)| n).sum();
        table.row([
            index.to_string(),
            if block.kind == BlockKind::Leaf { "leaf" } else { "residual" }.to_owned(),
            count(u64::from(words)),
            count(links_of[index]),
            listed(page, block.counts.clone(), if all { usize::MAX } else { TERMS }),
        ]);
    }
    printer.table(&table)?;
    print_rest(page.blocks.len(), rows, printer)?;

    printer.line("")?;
    printer.heading(format_args!("Links: {}", page.links.len()))?;
    let mut table = Table::new([
        ("block", Align::Right),
        ("anchor", Align::Left),
        ("URL", Align::Left),
        ("rel", Align::Left),
        ("context", Align::Left),
    ]);
    for (link, terms) in html.links.iter().zip(&page.links).take(rows) {
        let context = if all { usize::MAX } else { 5 };
        table.row([
            terms.block.0.to_string(),
            shortened(&link.anchor, if all { usize::MAX } else { 24 }),
            link.url.to_string(),
            rel(link),
            texts(page, &terms.context[..terms.context.len().min(context)]).join(" "),
        ]);
    }
    printer.table(&table)?;
    print_rest(page.links.len(), rows, printer)
}

fn print_head(html: &Html, page: &Page, url: &Url, printer: &mut Printer) -> Result<()> {
    printer.heading(url)?;
    printer.line(format_args!("  title     {}", html.title))?;
    let language = html.language.as_deref().unwrap_or("unknown");
    let source = match html.charset_source {
        CharsetSource::Bom => "byte order mark",
        CharsetSource::Header => "HTTP header",
        CharsetSource::Meta => "declared in the page",
        CharsetSource::Guess => "guessed",
    };
    printer.line(format_args!("  language  {language}"))?;
    printer.line(format_args!("  charset   {} ({source})", html.charset))?;
    if let Some(canonical) = &html.canonical {
        printer.line(format_args!("  canonical {canonical}"))?;
    }
    if html.robots.noindex || html.robots.nofollow {
        let index = if html.robots.noindex { "noindex" } else { "index" };
        let follow = if html.robots.nofollow { "nofollow" } else { "follow" };
        printer.line(format_args!("  robots    {index}, {follow}"))?;
    }
    let terms = page.counts().count();
    let words = page.occurrences().len();
    printer.line(format_args!(
        "  words     {} ({} distinct terms)",
        count(words as u64),
        count(terms as u64)
    ))?;
    if html.damaged {
        printer.line(format_args!("  damaged   some bytes are not valid {}", html.charset))?;
    }
    if html.cuts.any() {
        printer.line(format_args!("  left out  {}", cuts(html.cuts)))?;
    }
    Ok(())
}

fn print_rest(total: usize, shown: usize, printer: &mut Printer) -> Result<()> {
    if total > shown {
        printer.line(format_args!("  … and {} more (--all)", count((total - shown) as u64)))?;
    }
    Ok(())
}

fn cuts(cuts: Cuts) -> String {
    let named = [
        (cuts.bytes, "the end of the page"),
        (cuts.depth, "tags nested too deeply"),
        (cuts.nodes, "everything after the tree was full"),
        (cuts.attributes, "surplus attributes"),
        (cuts.links, "surplus links"),
    ];
    named.iter().filter(|(is_cut, _)| *is_cut).map(|(_, what)| *what).collect::<Vec<_>>().join(", ")
}

fn name(group: LabelGroup) -> &'static str {
    match group {
        LabelGroup::Title => "title",
        LabelGroup::Heading => "heading",
        LabelGroup::Emphasis => "emphasis",
        LabelGroup::Body => "body",
        LabelGroup::Other => "other",
    }
}

fn rel(link: &PageLink) -> String {
    let named =
        [(link.rel.nofollow, "nofollow"), (link.rel.ugc, "ugc"), (link.rel.sponsored, "sponsored")];
    named.iter().filter(|(is_so, _)| *is_so).map(|(_, what)| *what).collect::<Vec<_>>().join(" ")
}

/// Returns the terms of a group with their counts.
fn group_terms(page: &Page, group: LabelGroup) -> Vec<(TermId, u32)> {
    let counts = page.counts().map(|(term, by_group)| (term, by_group[group.index()]));
    counts.filter(|&(_, n)| n > 0).collect()
}

/// Sorts terms by count, most frequent first; equal counts keep the order of the page.
fn sorted(mut terms: Vec<(TermId, u32)>) -> Vec<(TermId, u32)> {
    terms.sort_by_key(|&(term, n)| (std::cmp::Reverse(n), term));
    terms
}

fn counted(page: &Page, terms: &[(TermId, u32)]) -> Vec<(String, u32)> {
    let named = |(term, n)| (page.vocabulary().term(term).to_owned(), n);
    sorted(terms.to_vec()).into_iter().map(named).collect()
}

fn listed(page: &Page, terms: Vec<(TermId, u32)>, most: usize) -> String {
    let show = |(term, n)| match n {
        1 => page.vocabulary().term(term).to_owned(),
        _ => format!("{}×{n}", page.vocabulary().term(term)),
    };
    sorted(terms).into_iter().take(most).map(show).collect::<Vec<_>>().join(" ")
}

fn texts(page: &Page, terms: &[TermId]) -> Vec<String> {
    terms.iter().map(|&term| page.vocabulary().term(term).to_owned()).collect()
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
