//! The secrets of a crawl: headers that may hold credentials, and the password of a proxy.
//!
//! A password, a token or a session identifier has no common form, and sites invent names for the
//! headers that carry them. So the rule is the other way round: a header that the user gives is a
//! secret unless it is one of a few that say nothing about the user. Secrets are sent only where
//! they belong and are written neither to archives nor to `run.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::settings::FetchSettings;

/// Headers that are no secrets, in lower case.
const HARMLESS: [&str; 14] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "dnt",
    "from",
    "pragma",
    "priority",
    "save-data",
    "sec-gpc",
    "te",
    "upgrade-insecure-requests",
    "user-agent",
];

/// Stands where a secret was.
pub(crate) const HIDDEN: &str = "hidden";

/// Returns true if a header holds no secret, whatever its value.
#[must_use]
pub fn is_harmless_header(name: &str) -> bool {
    HARMLESS.iter().any(|own| own.eq_ignore_ascii_case(name.trim()))
}

/// Returns a header, given as `Name: value`, without the value if that may be a secret.
#[must_use]
pub fn hide_header(header: &str) -> String {
    match header.split_once(':') {
        Some((name, _)) if !is_harmless_header(name) => format!("{name}: {HIDDEN}"),
        _ => header.to_owned(),
    }
}

/// Returns the URL of a proxy without user name and password.
#[must_use]
pub fn hide_credentials(proxy: &str) -> String {
    let Ok(mut url) = Url::parse(proxy) else { return proxy.to_owned() };
    if url.username().is_empty() && url.password().is_none() {
        return proxy.to_owned();
    }
    let _ = url.set_password(None);
    let _ = url.set_username(HIDDEN);
    url.into()
}

/// Returns several URLs, separated by commas, without user names and passwords.
fn hide_each(urls: &str) -> String {
    urls.split(',').map(hide_credentials).collect::<Vec<_>>().join(",")
}

/// Returns the arguments of a command that starts a crawl, without the secrets in them.
#[must_use]
pub fn hide_arguments(arguments: &[String]) -> Vec<String> {
    let mut hidden = Vec::with_capacity(arguments.len());
    for (place, argument) in arguments.iter().enumerate() {
        let before = |steps: usize| place.checked_sub(steps).map(|at| arguments[at].as_str());
        let is_header = before(1) == Some("--header") || before(2) == Some("--header-for");
        hidden.push(match argument.split_once('=') {
            _ if is_header => hide_header(argument),
            _ if before(1) == Some("--proxy") => hide_credentials(argument),
            _ if argument.starts_with("redis://") || argument.starts_with("rediss://") => {
                hide_each(argument)
            }
            Some(("--frontier", server)) => format!("--frontier={}", hide_each(server)),
            Some(("--header", header)) => format!("--header={}", hide_header(header)),
            Some(("--proxy", proxy)) => format!("--proxy={}", hide_credentials(proxy)),
            _ => argument.clone(),
        });
    }
    hidden
}

/// The content of `secrets.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Secrets {
    headers: BTreeMap<String, String>,
    headers_for: BTreeMap<String, BTreeMap<String, String>>,
    proxy: Option<String>,
}

impl Secrets {
    /// Replaces the secrets in some settings and returns them, if there are any.
    pub(crate) fn take_from(settings: &mut FetchSettings) -> Option<Self> {
        let secrets = Self {
            headers: settings.headers.clone(),
            headers_for: settings.headers_for.clone(),
            proxy: settings.proxy.clone(),
        };
        let shared = settings.headers.iter_mut().filter(|(name, _)| !is_harmless_header(name));
        let bound = settings.headers_for.values_mut().flatten();
        for (_, value) in shared.chain(bound) {
            HIDDEN.clone_into(value);
        }
        settings.proxy = settings.proxy.take().map(|proxy| hide_credentials(&proxy));
        Self::are_missing(settings).then_some(secrets)
    }

    /// Returns true if secrets were taken from some settings and not put back.
    pub(crate) fn are_missing(settings: &FetchSettings) -> bool {
        let is_hidden = |value: &String| value == HIDDEN;
        let has_user = |proxy: &String| Url::parse(proxy).is_ok_and(|it| it.username() == HIDDEN);
        settings.headers.values().any(is_hidden)
            || settings.headers_for.values().flat_map(BTreeMap::values).any(is_hidden)
            || settings.proxy.as_ref().is_some_and(has_user)
    }

    /// Puts the secrets back into the settings that they were taken from.
    pub(crate) fn put_into(self, settings: &mut FetchSettings) {
        settings.headers = self.headers;
        settings.headers_for = self.headers_for;
        settings.proxy = self.proxy;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_but_the_harmless_ones_is_hidden() {
        assert_eq!(hide_header("Authorization: Basic abc"), "Authorization: hidden");
        assert_eq!(hide_header("X-Our-Key:1"), "X-Our-Key: hidden");
        assert_eq!(hide_header("accept-Language: zh"), "accept-Language: zh");
        assert_eq!(
            hide_credentials("http://me:word@127.0.0.1:3128"),
            "http://hidden@127.0.0.1:3128/"
        );
        assert_eq!(hide_credentials("http://127.0.0.1:3128"), "http://127.0.0.1:3128");
    }

    #[test]
    fn arguments_are_shown_without_secrets() {
        let words = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        let given = words(
            "crawl|run|--header|Cookie: id=7|--header=X: y|--header|DNT: 1|--header-for|a.example|\
             Accept: z|--proxy|http://me:word@127.0.0.1:1/|--proxy=http://me:word@127.0.0.1:1/",
        );
        let expected = words(
            "crawl|run|--header|Cookie: hidden|--header=X: hidden|--header|DNT: 1|--header-for|\
             a.example|Accept: z|--proxy|http://hidden@127.0.0.1:1/|\
             --proxy=http://hidden@127.0.0.1:1/",
        );
        assert_eq!(hide_arguments(&given), expected);
        assert_eq!(hide_arguments(&expected), expected);
    }

    #[test]
    fn secrets_that_were_taken_can_be_put_back() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let given = FetchSettings {
            headers: [pair("Cookie", "id=7"), pair("Accept-Language", "zh")].into(),
            headers_for: [("a.example".to_owned(), [pair("X", "token")].into())].into(),
            proxy: Some("http://me:word@127.0.0.1:3128".to_owned()),
            ..FetchSettings::default()
        };
        let mut settings = given.clone();
        let secrets = Secrets::take_from(&mut settings).unwrap();
        let text = serde_json::to_string(&settings).unwrap();
        for secret in ["id=7", "token", "word"] {
            assert!(!text.contains(secret), "{text}");
        }
        assert!(text.contains("\"Accept-Language\":\"zh\"") && Secrets::are_missing(&settings));
        secrets.put_into(&mut settings);
        assert_eq!(settings, given);
        assert_eq!(Secrets::take_from(&mut FetchSettings::default()), None);
    }
}
