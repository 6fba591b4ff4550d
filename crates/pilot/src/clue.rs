//! Everything that one page tells about a link, as the link model learns from it.

use ontrail_learner::{
    Cause, Group, LinkClues, NameSpace, Named, Sparse, feature_of, host_path_feature, url_features,
    url_tokens,
};
use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::arrive::Signals;
use crate::link::{HostKey, LinkKey, host_of};

/// One page's information about a link. There may be millions, so numbers have the 32 bits that the
/// link model's features have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Clue {
    page: f32,
    page_probability: Option<f32>,
    anchor: f32,
    context: f32,
    anchor_probability: Option<f32>,
    /// The hashed features.
    pub(crate) sparse: Sparse,
    /// The names of the groups that the link belongs to, in the order of [`Group::ALL`].
    groups: [u32; Group::COUNT],
}

/// The page that shows a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShowingPage {
    pub(crate) key: LinkKey,
    pub(crate) relevance: Option<f64>,
    pub(crate) probability: Option<f64>,
}

impl Clue {
    pub(crate) fn new(
        showing: &ShowingPage,
        url: &Url,
        host: HostKey,
        signals: Signals,
        clues: &LinkClues,
    ) -> Self {
        let url_tokens = url_features(url.path(), url.query());
        let host_path = host_path_feature(host.0, clues.path);
        // A path that is not known is no feature.
        let known = usize::from(clues.path != 0);
        let (path, host_paths) = ([clues.path], [host_path]);
        let sparse = Sparse::of(&[
            (NameSpace::Anchor, &clues.anchor),
            (NameSpace::Context, &clues.context),
            (NameSpace::Url, &url_tokens),
            (NameSpace::Path, &path[..known]),
            (NameSpace::HostPath, &host_paths[..known]),
        ]);
        let anchor = clues.anchor.iter().fold(0_u64, |sum, it| sum.rotate_left(5) ^ u64::from(*it));
        let groups = Group::ALL.map(|group| match group {
            Group::Page => folded(xxh3_64(&showing.key)),
            Group::Directory => directory_name(url, host),
            Group::Host => folded(host.0),
            Group::HostPath => host_path,
            Group::Path => clues.path,
            Group::Anchor => folded(anchor),
        });
        Self {
            page: short(showing.relevance.unwrap_or(0.0)),
            page_probability: showing.probability.map(short),
            anchor: short(signals.anchor),
            context: short(signals.context),
            anchor_probability: signals.probability.map(short),
            sparse,
            groups,
        }
    }

    /// Returns R(p) of the page.
    pub(crate) fn page(&self) -> f64 {
        f64::from(self.page)
    }

    /// Returns P(relevant) of the page, if it is known.
    pub(crate) fn page_probability(&self) -> Option<f64> {
        self.page_probability.map(f64::from)
    }

    /// Returns the relevance of the link's texts, without that of its block.
    pub(crate) fn signals(&self) -> Signals {
        Signals {
            anchor: f64::from(self.anchor),
            context: f64::from(self.context),
            block: 0.0,
            probability: self.anchor_probability.map(f64::from),
        }
    }

    /// Returns the keys of the groups that the link belongs to, in the order of [`Group::ALL`].
    pub(crate) fn groups(&self) -> [u64; Group::COUNT] {
        let mut names = self.groups.iter();
        Group::ALL.map(|group| group.key(names.next().map_or(0, |name| u64::from(*name))))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "features need few digits")]
fn short(value: f64) -> f32 {
    value as f32
}

/// Cuts a hash to 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "the hash is cut to 32 bits")]
fn folded(hash: u64) -> u32 {
    (hash >> 32) as u32 ^ hash as u32
}

/// Returns the directory of a URL: its path up to the last `/`.
pub(crate) fn directory(url: &Url) -> &str {
    url.path().rsplit_once('/').map_or("", |(directory, _)| directory)
}

fn directory_name(url: &Url, host: HostKey) -> u32 {
    folded(host.0 ^ xxh3_64(directory(url).as_bytes()))
}

/// Returns the texts of the host, the directory and the parts of a URL, by their hashes.
pub(crate) fn names_of_url(url: &Url, host: HostKey) -> impl Iterator<Item = Named> + '_ {
    let own_host = host_of(url);
    let of_directory = format!("{own_host}{}/", directory(url));
    let groups = [
        Named::new(Group::Host.key(u64::from(folded(host.0))), Cause::HostRate, own_host),
        Named::new(
            Group::Directory.key(u64::from(directory_name(url, host))),
            Cause::DirectoryRate,
            &of_directory,
        ),
    ];
    let parts = url_tokens(url.path(), url.query()).map(|token| {
        let feature = feature_of(NameSpace::Url, &token);
        Named::new(u64::from(feature), Cause::UrlWord, &token)
    });
    groups.into_iter().chain(parts)
}
