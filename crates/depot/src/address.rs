//! Addresses of object stores.
//!
//! An address is shown in messages, stored beside the crawl and listed by other programs, so it
//! must not hold credentials: those come from the environment.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

use crate::DepotError;

/// The kinds of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    S3,
    Google,
    Azure,
    Folder,
}

/// The address of a folder in an object store, such as `s3://bucket/crawls/rain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    pub(crate) kind: Kind,
}

/// Returns true if a path that a user gave is the address of an object store.
#[must_use]
pub fn is_address(path: &Path) -> bool {
    path.to_str().and_then(|text| text.split_once("://")).is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|letter| letter.is_ascii_alphanumeric())
    })
}

impl FromStr for Address {
    type Err = DepotError;

    /// Parses an address. Errors do not repeat it, because it may hold a password.
    fn from_str(text: &str) -> Result<Self, DepotError> {
        let bad = |reason: &'static str| Err(DepotError::Address { reason });
        let Ok(mut url) = Url::parse(text) else {
            return bad("it is not a URL; give one such as s3://bucket/prefix");
        };
        let kind = match url.scheme() {
            "s3" | "s3a" => Kind::S3,
            "gs" => Kind::Google,
            "az" | "abfs" | "abfss" => Kind::Azure,
            "file" => Kind::Folder,
            _ => return bad("it must begin with s3://, gs://, az:// or file://"),
        };
        // In az://CONTAINER@ACCOUNT/, a user name is the container.
        if url.password().is_some() || !url.username().is_empty() && kind != Kind::Azure {
            return bad("it holds credentials; pass them in the environment, such as \
                 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return bad(
                "it must end after the path; pass credentials and options in the environment",
            );
        }
        let has_host = url.host_str().is_some_and(|host| !host.is_empty());
        match kind {
            Kind::Folder if has_host || url.to_file_path().is_err() || url.path() == "/" => {
                return bad("a folder needs its absolute path, such as file:///srv/crawls/rain");
            }
            Kind::S3 | Kind::Google | Kind::Azure if !has_host => {
                return bad("it must name a bucket or container, such as s3://bucket/prefix");
            }
            _ => {}
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self { url, kind })
    }
}

impl Address {
    /// Returns the folder, if the address is one of this machine.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        (self.kind == Kind::Folder).then(|| self.url.to_file_path().ok()).flatten()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the last part of the address, as the name of what is there.
    #[must_use]
    pub fn name(&self) -> &str {
        let path = self.url.path().rsplit('/').find(|part| !part.is_empty());
        path.or(self.url.host_str()).unwrap_or_default()
    }

    /// Returns the address of an object in the folder.
    #[must_use]
    pub fn of(&self, name: &str) -> String {
        format!("{self}/{name}")
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.url.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_four_kinds_are_accepted() {
        for (text, shown) in [
            ("s3://bucket/crawls/rain", "s3://bucket/crawls/rain"),
            ("s3://bucket/crawls/rain/", "s3://bucket/crawls/rain"),
            ("s3://bucket", "s3://bucket"),
            ("gs://bucket/rain", "gs://bucket/rain"),
            ("az://container@account/rain", "az://container@account/rain"),
            ("file:///srv/my%20crawls/", "file:///srv/my%20crawls"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert!(is_address(Path::new(text)));
        }
        assert_eq!("s3://bucket/crawls/rain".parse::<Address>().unwrap().name(), "rain");
        assert_eq!("s3://bucket".parse::<Address>().unwrap().name(), "bucket");
        assert!(!is_address(Path::new("rain-crawl")));
        assert!(!is_address(Path::new("./a://b")));
    }

    #[test]
    fn addresses_with_credentials_are_refused_without_repeating_them() {
        for text in [
            "s3://AKIA:hush@bucket/rain",
            "s3://hush@bucket/rain",
            "az://container:hush@account/rain",
            "az://container/rain?sig=hush",
            "https://bucket/hush",
            "s3:///hush",
            "file://host/hush",
            "file:///",
            "hush",
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
