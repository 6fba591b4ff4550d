//! What can go wrong with an object store.

use std::path::{Path, PathBuf};

/// An error with an object store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepotError {
    /// An address is not one of an object store, or holds credentials.
    #[error("the address of the object store cannot be used: {reason}")]
    Address {
        /// The reason.
        reason: &'static str,
    },
    /// The store refuses, fails, or does not answer.
    #[error("{object}: cannot {action}: {reason}")]
    Store {
        /// The address of the object.
        object: String,
        /// The action that failed, such as "upload the file".
        action: &'static str,
        /// What the store said, without credentials.
        reason: String,
        /// True if the store answers but refuses: the credentials are wrong, or there is no such
        /// bucket.
        is_refusal: bool,
    },
    /// A file of this machine cannot be read or written.
    #[error("{path}: cannot {action}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The action that failed.
        action: &'static str,
        /// The cause.
        source: std::io::Error,
    },
    /// A file changed while it was uploaded.
    #[error("{path}: changed while it was uploaded; upload it again", path = .0.display())]
    Changed(PathBuf),
    /// An object does not have the bytes that were uploaded.
    #[error(
        "{object}: is damaged: {found}, but {recorded} was recorded when it was uploaded; upload it \
         again from the crawl's own folder with `ontrail crawl upload --check`"
    )]
    Damaged {
        /// The address of the object.
        object: String,
        /// What was found: a size or a checksum.
        found: String,
        /// What was recorded.
        recorded: String,
    },
    /// An object that was uploaded is no longer there.
    #[error(
        "{object}: was uploaded, but is no longer there; upload it again from the crawl's own folder \
         with `ontrail crawl upload`"
    )]
    Gone {
        /// The address of the object.
        object: String,
    },
    /// The record of an upload cannot be read.
    #[error(
        "{object}: is not the record of an upload (it is cut off or was edited); upload the file again \
         from the crawl's own folder with `ontrail crawl upload`"
    )]
    Record {
        /// The address of the record.
        object: String,
    },
    /// The store has nothing under the address.
    #[error("{0}: holds no files that Ontrail uploaded")]
    Empty(String),
    /// Something else was uploaded to the same address.
    #[error("{0}: another crawl was uploaded there; give another address")]
    Other(String),
    /// The runtime cannot be started.
    #[error("cannot start a thread for uploads")]
    Thread(#[source] std::io::Error),
    /// The file with the list of uploads cannot be written.
    #[error(transparent)]
    Artifact(#[from] ontrail_artifact::ArtifactError),
}

impl DepotError {
    pub(crate) fn io(
        path: &Path,
        action: &'static str,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }

    pub(crate) fn store(
        object: String,
        action: &'static str,
    ) -> impl FnOnce(object_store::Error) -> Self {
        move |error| {
            let is_refusal = matches!(
                error,
                object_store::Error::NotFound { .. }
                    | object_store::Error::PermissionDenied { .. }
                    | object_store::Error::Unauthenticated { .. }
            );
            Self::Store { object, action, reason: reason(&error), is_refusal }
        }
    }

    /// Returns true if trying again cannot help.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Address { .. } | Self::Other(_))
    }

    /// Returns true if trying again helps only if somebody changes something.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.is_final() || matches!(self, Self::Store { is_refusal: true, .. })
    }
}

/// Returns the text of an error and its causes. The queries of URLs are left out: they can hold a
/// signature that is as good as a password.
fn reason(error: &object_store::Error) -> String {
    let mut text = String::new();
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        let part = error.to_string();
        // Most errors repeat their cause.
        if !text.contains(&part) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&part);
        }
        next = error.source();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = without_queries(&words.join(" "));
    if text.contains("169.254.169.254") || text.contains("metadata.google.internal") {
        text.push_str(
            " (no credentials are in the environment, so the machine's own were asked for)",
        );
    }
    text
}

/// Returns true if not only an object is missing, but the bucket or container.
pub(crate) fn lacks_bucket(error: &object_store::Error) -> bool {
    let text = reason(error);
    ["NoSuchBucket", "ContainerNotFound"].iter().any(|code| text.contains(code))
}

fn without_queries(text: &str) -> String {
    let is_end = |letter: char| letter.is_whitespace() || "\"'<>)".contains(letter);
    let mut clean = String::new();
    let mut rest = text;
    while let Some((before, query)) = rest.split_once('?') {
        clean.push_str(before);
        rest = &query[query.find(is_end).unwrap_or(query.len())..];
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_in_urls_are_left_out() {
        let text =
            "PUT https://a.blob.core.windows.net/c/o?sv=1&sig=hush failed: (http://h/?x=y) end";
        let clean = "PUT https://a.blob.core.windows.net/c/o failed: (http://h/) end";
        assert_eq!(without_queries(text), clean);
        assert_eq!(without_queries("no query"), "no query");
    }
}
