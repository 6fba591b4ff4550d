//! One parsed page for several models.

use std::rc::Rc;

use ontrail_text::Analyzer;

use crate::html::Html;
use crate::page::Page;

/// The analyses of one page, each made when it is first asked for. Equal analyzers share one, so that
/// a page is segmented once per vocabulary however many models look at it.
#[derive(Debug)]
pub struct Analyses<'a> {
    html: &'a Html,
    made: Vec<(&'a Analyzer, Rc<Page>)>,
}

impl<'a> Analyses<'a> {
    /// None yet.
    #[must_use]
    pub fn of(html: &'a Html) -> Self {
        Self { html, made: Vec::new() }
    }

    /// The page as an analyzer reads it.
    pub fn by(&mut self, analyzer: &'a Analyzer) -> Rc<Page> {
        let is_it = |other: &Analyzer| std::ptr::eq(other, analyzer) || other == analyzer;
        if let Some((_, page)) = self.made.iter().find(|(other, _)| is_it(other)) {
            return Rc::clone(page);
        }
        let page = Rc::new(self.html.analyze(analyzer));
        self.made.push((analyzer, Rc::clone(&page)));
        page
    }
}
