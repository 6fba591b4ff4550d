//! Instructions to crawlers in the head of a page.

/// The instructions in `<meta name="robots">`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct RobotsMeta {
    /// True if the page must not be stored.
    pub noindex: bool,
    /// True if the page's links must not be followed.
    pub nofollow: bool,
}

impl RobotsMeta {
    /// Adds the instructions of one more meta element.
    pub fn merge(&mut self, content: &str) {
        for directive in content.split(',').map(str::trim) {
            let is = |name: &str| directive.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
        }
    }
}
