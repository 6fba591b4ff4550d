//! Contents of pages and facts about hosts that all workers share.

use ontrail_pilot::HostKey;
use redis::{Cmd, cmd};
use url::Url;

use super::SharedState;
use crate::state::duplicates::{MOST_COMPARED, NEAR_BITS};
use crate::state::{ContentIndex, Seen, WebFacts};
use crate::store::StoreError;

/// The contents of pages are compared over all workers, at once and not with the next commit: two
/// workers may fetch copies of one page at the same time. A page that is fetched again, because its
/// worker died, is no copy of itself.
impl ContentIndex for SharedState {
    fn same_bytes(
        &mut self,
        digest: &str,
        page: &Seen,
        is_kept: bool,
    ) -> Result<Option<Seen>, StoreError> {
        let key = self.keys.bodies(self.keys.partition_of_bytes(digest.as_bytes()));
        if is_kept {
            let seen = postcard::to_stdvec(page)?;
            let mut set = cmd("HSETNX");
            if self.server.call(set.arg(&key).arg(digest).arg(seen))? {
                return Ok(None);
            }
        }
        let found: Option<Vec<u8>> = self.server.call(cmd("HGET").arg(&key).arg(digest))?;
        let found: Option<Seen> = found.map(|bytes| postcard::from_bytes(&bytes)).transpose()?;
        Ok(found.filter(|seen| seen.url != page.url))
    }

    fn record_page(&mut self, url: &str) {
        if let Some((_, own)) = url.parse().ok().and_then(|url| self.partition_of(&url)) {
            own.state.record_page(url);
        }
    }

    fn has_page(&self, url: &str) -> Result<bool, StoreError> {
        let parsed: Option<Url> = url.parse().ok();
        let own = parsed.and_then(|url| self.partitions.get(&self.keys.partition_of(&url)));
        own.map_or(Ok(false), |own| own.state.has_page(url))
    }

    fn near_text(&mut self, simhash: u64, url: &str) -> Result<Option<String>, StoreError> {
        let bits = simhash.to_be_bytes();
        let quarter = |at: u8| [at, bits[usize::from(at) * 2], bits[usize::from(at) * 2 + 1]];
        let places: Vec<(String, [u8; 3])> = (0..4)
            .map(quarter)
            .map(|part| (self.keys.texts(self.keys.partition_of_bytes(&part)), part))
            .collect();
        let look = |(key, part): &(String, [u8; 3])| {
            let mut look = cmd("ZRANGEBYLEX");
            look.arg(key).arg([b"[", &part[..]].concat());
            look.arg([b"[", &part[..], &[255; 9]].concat());
            look.arg("LIMIT").arg(0).arg(MOST_COMPARED).to_owned()
        };
        let commands: Vec<Cmd> = places.iter().map(look).collect();
        let found: Vec<Vec<Vec<u8>>> = self.server.call_all(&commands)?;
        for member in found.iter().flatten() {
            let Some((other, of)) = member.get(3..).and_then(<[u8]>::split_first_chunk) else {
                continue;
            };
            let is_near = (u64::from_be_bytes(*other) ^ simhash).count_ones() <= NEAR_BITS;
            if is_near && of != url.as_bytes() {
                return Ok(Some(String::from_utf8_lossy(of).into_owned()));
            }
        }
        let add = |(key, part): &(String, [u8; 3])| {
            let member = [&part[..], &bits, url.as_bytes()].concat();
            cmd("ZADD").arg(key).arg(0).arg(member).to_owned()
        };
        let commands: Vec<Cmd> = places.iter().map(add).collect();
        self.server.call_all::<u64>(&commands)?;
        Ok(None)
    }
}

impl WebFacts for SharedState {
    fn robots(&self, site: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let url: Option<Url> = site.parse().ok();
        let own = url.and_then(|url| self.partitions.get(&self.keys.partition_of(&url)));
        own.map_or(Ok(None), |own| own.state.robots(site))
    }

    fn keep_robots(&mut self, site: &str, file: Vec<u8>) {
        if let Some((_, own)) = site.parse().ok().and_then(|url| self.partition_of(&url)) {
            own.state.keep_robots(site, file);
        }
    }

    fn names(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.own.names()
    }

    fn keep_names(&mut self, names: Vec<u8>) {
        self.own.keep_names(names);
    }

    fn templates(&self) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut all = Vec::new();
        for own in self.partitions.values() {
            all.extend(own.state.templates()?);
        }
        Ok(all)
    }

    fn keep_template(&mut self, host: &str, counts: Option<Vec<u8>>) {
        if let Some(own) = self.partition_of_host(HostKey::of(host)) {
            own.state.keep_template(host, counts);
        }
    }
}
