//! The address of a server: `redis://HOST:PORT`, or several nodes of a cluster, separated by
//! commas.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

/// The environment variables with user name and password, if the address has none.
const USER: &str = "ONTRAIL_REDIS_USER";
const PASSWORD: &str = "ONTRAIL_REDIS_PASSWORD";

/// The nodes of a Redis server or cluster, without credentials: an address can be shown and stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ServerAddress {
    nodes: Vec<Url>,
}

/// The user name and the password for a server.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Credentials {
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
}

/// The text is no address of a server.
#[derive(Debug, thiserror::Error)]
#[error(
    "{given}: {reason}; give redis://HOST:PORT or rediss://HOST:PORT, and several nodes of a \
         cluster separated by commas"
)]
pub struct InvalidAddress {
    given: String,
    reason: &'static str,
}

impl ServerAddress {
    /// Returns true if a text is meant as the address of a server.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("redis://") || text.starts_with("rediss://")
    }

    /// Splits a text into address and credentials. Credentials that the text lacks come from the
    /// environment.
    pub fn parse(text: &str) -> Result<(Self, Credentials), InvalidAddress> {
        let mut credentials = Credentials::from_environment();
        let mut nodes = Vec::new();
        for node in text.split(',').map(str::trim).filter(|node| !node.is_empty()) {
            let (url, given) = parse_node(node)?;
            if given.password.is_some() || given.user.is_some() {
                credentials = given;
            }
            nodes.push(url);
        }
        let Some(first) = nodes.first() else {
            return Err(InvalidAddress { given: text.to_owned(), reason: "names no server" });
        };
        if nodes.iter().any(|node| node.scheme() != first.scheme()) {
            let reason = "mixes redis:// and rediss://";
            return Err(InvalidAddress { given: shown(&nodes), reason });
        }
        Ok((Self { nodes }, credentials))
    }

    /// Returns the nodes.
    pub(super) fn nodes(&self) -> &[Url] {
        &self.nodes
    }
}

impl Credentials {
    /// Returns the credentials in the environment.
    #[must_use]
    pub fn from_environment() -> Self {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self { user: variable(USER), password: variable(PASSWORD) }
    }
}

/// A password is never shown.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.nodes))
    }
}

impl From<ServerAddress> for String {
    fn from(address: ServerAddress) -> Self {
        address.to_string()
    }
}

impl TryFrom<String> for ServerAddress {
    type Error = InvalidAddress;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Ok(Self::parse(&text)?.0)
    }
}

impl FromStr for ServerAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::parse(text)?.0)
    }
}

fn shown(nodes: &[Url]) -> String {
    nodes.iter().map(Url::as_str).collect::<Vec<_>>().join(",")
}

/// Reads one node. The text of an error never holds the password.
fn parse_node(node: &str) -> Result<(Url, Credentials), InvalidAddress> {
    let invalid = |reason| {
        let given = node.rsplit_once('@').map_or(node, |(_, host)| host).to_owned();
        InvalidAddress { given, reason }
    };
    if !ServerAddress::is_meant(node) {
        return Err(invalid("is no address of a Redis server"));
    }
    let mut url = Url::parse(node).map_err(|_| invalid("cannot be read"))?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err(invalid("names no host"));
    }
    let decode =
        |text: &str| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = Some(url.username()).filter(|user| !user.is_empty()).map(decode);
    let password = url.password().map(decode);
    let is_plain =
        matches!(url.path(), "" | "/" | "/0") && url.query().is_none() && url.fragment().is_none();
    if !is_plain {
        return Err(invalid(
            "has more than a host and a port (databases other than 0 do not work)",
        ));
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_path("");
    Ok((url, Credentials { user, password }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_taken_out_of_an_address() {
        let (address, credentials) =
            ServerAddress::parse("redis://me:p%40ss@a.example:7000,redis://b.example:7001")
                .unwrap();
        assert_eq!(address.to_string(), "redis://a.example:7000,redis://b.example:7001");
        assert_eq!(credentials.user.as_deref(), Some("me"));
        assert_eq!(credentials.password.as_deref(), Some("p@ss"));
        assert!(!format!("{credentials:?}").contains("p@ss"));
        let (_, credentials) = ServerAddress::parse("rediss://:secret@a.example/0").unwrap();
        assert_eq!(credentials, Credentials { user: None, password: Some("secret".into()) });
    }

    #[test]
    fn other_texts_are_refused_without_showing_a_password() {
        for text in [
            "redis://",
            "redis://:secret@a.example/3",
            "http://me:secret@a.example",
            "redis://a.example,rediss://me:secret@b.example",
            "redis://me:secret@a.example:x",
            ",",
        ] {
            let error = ServerAddress::parse(text).unwrap_err().to_string();
            assert!(!error.contains("secret") && error.contains("redis://HOST:PORT"), "{error}");
        }
    }
}
