//! The templates of sites, learned while their pages arrive.
//!
//! The deciding thread learns; a fetch gets what is known of its host when it starts. So the
//! template that a page is read with depends on the pages handled before, and not on threads.

use std::collections::BTreeSet;

use ontrail_page::{HostTemplate, Templates};

use crate::state::CrawlState;
use crate::store::StoreError;

/// The templates, and the hosts whose counts have changed since the last commit.
#[derive(Debug, Default)]
pub(super) struct LearnedTemplates {
    templates: Templates,
    changed: BTreeSet<String>,
}

impl LearnedTemplates {
    /// Returns the templates of the last commit.
    pub(super) fn restored(state: &dyn CrawlState) -> Result<Self, StoreError> {
        let mut templates = Templates::new();
        for (host, counts) in state.templates()? {
            templates.restore(host, postcard::from_bytes(&counts)?);
        }
        Ok(Self { templates, changed: BTreeSet::new() })
    }

    /// Learns from a page.
    pub(super) fn observe(&mut self, host: &str, fingerprints: &[u64]) {
        if fingerprints.is_empty() {
            return;
        }
        if let Some(forgotten) = self.templates.observe(host, fingerprints) {
            self.changed.insert(forgotten);
        }
        if !self.changed.contains(host) {
            self.changed.insert(host.to_owned());
        }
    }

    /// Returns what is known of a host.
    pub(super) fn of(&self, host: &str) -> HostTemplate {
        self.templates.of(host)
    }

    /// Stores what has changed, for the next commit.
    pub(super) fn keep(&mut self, state: &mut dyn CrawlState) -> Result<(), StoreError> {
        for host in std::mem::take(&mut self.changed) {
            let counts = self.templates.counts(&host).map(postcard::to_stdvec).transpose()?;
            state.keep_template(&host, counts);
        }
        Ok(())
    }
}
