//! Reads a page: its title, its most frequent terms, its content blocks and its links.
//!
//!     cargo run -p ontrail-examples --example read_page [FILE]

use std::error::Error;

use ontrail_page::{Html, LabelGroup, Source};
use ontrail_text::Analyzer;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let path = path.as_deref().unwrap_or("datasets/rainstorm-pages/pages/017.html");
    let bytes = std::fs::read(path)?;

    // Named terms are found as one word, in Chinese as in English.
    let analyzer = Analyzer::builder().terms(["暴雨灾害", "flash flood"]).build();
    let url = "http://example.org/".parse()?;
    let html = Html::parse(&bytes, Source::at(&url));
    let page = html.analyze(&analyzer);

    println!("title: {}", html.title);
    let mut terms: Vec<_> = page.counts().map(|(id, groups)| (groups.iter().sum(), id)).collect();
    terms.sort_by_key(|&(count, id): &(u32, _)| (std::cmp::Reverse(count), id));
    for (count, id) in terms.into_iter().take(10) {
        let (term, in_title) = (page.vocabulary().term(id), page.count(id, LabelGroup::Title));
        println!("{count:>3} × {term} ({in_title} in the title)");
    }
    println!("{} content blocks, {} links", page.blocks.len(), html.links.len());
    Ok(())
}
