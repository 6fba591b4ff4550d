//! What a page asks of crawlers.

/// What `<meta name="robots">` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct RobotsMeta {
    /// Do not keep this page.
    pub noindex: bool,
    /// Do not follow its links.
    pub nofollow: bool,
}

impl RobotsMeta {
    /// Adds what one more meta element says.
    pub fn merge(&mut self, content: &str) {
        for directive in content.split(',').map(str::trim) {
            let is = |name: &str| directive.eq_ignore_ascii_case(name);
            self.noindex |= is("noindex") || is("none");
            self.nofollow |= is("nofollow") || is("none");
        }
    }
}
