//! One parsed page, shared by several models.

use std::rc::Rc;

use ontrail_text::Analyzer;

use crate::content::Content;
use crate::html::Html;
use crate::page::Page;

/// The analyses of one page, each computed on first use. Equal analyzers share one analysis, so a
/// page is segmented once per vocabulary, however many models look at it.
#[derive(Debug)]
pub struct Analyses<'a> {
    html: &'a Html,
    made: Vec<(&'a Analyzer, Content, Rc<Page>)>,
}

impl<'a> Analyses<'a> {
    /// Starts with no analyses of `html`.
    #[must_use]
    pub fn of(html: &'a Html) -> Self {
        Self { html, made: Vec::new() }
    }

    /// Returns the page as `analyzer` sees it.
    pub fn by(&mut self, analyzer: &'a Analyzer) -> Rc<Page> {
        self.of_content(analyzer, Content::Page)
    }

    /// Returns a part of the page as `analyzer` sees it.
    pub fn of_content(&mut self, analyzer: &'a Analyzer, content: Content) -> Rc<Page> {
        let is_same = |other: &Analyzer| std::ptr::eq(other, analyzer) || other == analyzer;
        let mut made = self.made.iter();
        if let Some((.., page)) = made.find(|made| made.1 == content && is_same(made.0)) {
            return Rc::clone(page);
        }
        let page = Rc::new(self.html.analyze_content(analyzer, content));
        self.made.push((analyzer, content, Rc::clone(&page)));
        page
    }
}
