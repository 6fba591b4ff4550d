//! The crawler. So far it knows what it may fetch: the one form of an address ([`canonical`]), where a crawl goes
//! ([`Scope`]), which addresses lead into endless webs ([`TrapLimits`]), the rules of a site's robots.txt
//! ([`SiteRules`]), and the machines that it never talks to ([`is_public`]).
//!
//! ```
//! use ontrail_crawl::SiteRules;
//!
//! let text = "User-agent: *\nDisallow: /private/\nAllow: /private/news";
//! let rules = SiteRules::parse(text.as_bytes(), "Ontrail/0.1 (+mailto:someone@example.org)");
//! let url = |path: &str| format!("http://www.example.org{path}").parse().unwrap();
//! assert!(rules.allows(&url("/private/news/1.html")));
//! let verdict = rules.verdict(&url("/private/"));
//! assert!(!verdict.is_allowed);
//! assert_eq!(verdict.reason, "Disallow: /private/ (User-agent: *)");
//! ```

mod address;
mod off_limits;
mod robots;
mod scope;
mod traps;

pub use address::canonical;
pub use off_limits::{Exceptions, NoNetwork, is_public};
pub use robots::{SiteRules, Verdict, product_token};
pub use scope::{OutOfScope, Scope, ScopeError, ScopeRules, site};
pub use traps::{Trap, TrapLimits};
