//! Brings files to a depot that are not there yet.

use std::collections::BTreeSet;
use std::path::PathBuf;

use ontrail_artifact::sha256_of_file;

use crate::transfer::look;
use crate::{Depot, DepotError, Ledger, Listing, UploadStatus};

/// A file to upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its name in the depot, with `/` between folders.
    pub name: String,
    /// Its path on this machine.
    pub path: PathBuf,
}

/// A folder of this machine and its copy in a depot.
#[derive(Debug)]
pub struct Mirror {
    depot: Depot,
    ledger: Ledger,
    /// What was in the depot when this process looked, and what it has uploaded since.
    listing: Option<Listing>,
    /// The candidate that tells one folder from another if the list of uploads is lost.
    signature: String,
    /// The names of the files that were read back, if that is asked for.
    checked: Option<BTreeSet<String>>,
}

impl Mirror {
    /// Makes a mirror. If the depot has files under another mark, they are accepted as those of
    /// this folder if the candidate of this name, which must come first, is the same in both.
    #[must_use]
    pub fn new(depot: Depot, ledger: Ledger, signature: &str) -> Self {
        Self { depot, ledger, listing: None, signature: signature.to_owned(), checked: None }
    }

    /// Reads everything back that was uploaded earlier, and uploads again what is damaged.
    #[must_use]
    pub fn checking(self) -> Self {
        Self { checked: Some(BTreeSet::new()), ..self }
    }

    /// Uploads a file, unless it is in the depot already. Returns true if it was uploaded now.
    pub fn bring(&mut self, file: &Candidate) -> Result<bool, DepotError> {
        self.prepare(file)?;
        let is_there = self.has(file)?;
        if is_there {
            self.mark_checked(file);
            return Ok(false);
        }
        let before = look(&file.path)?;
        let record = self.depot.put(&file.path, &file.name)?;
        if let Some(listing) = &mut self.listing {
            listing.add(&file.name, &record);
        }
        self.ledger.add(&file.name, before, record);
        self.mark_checked(file);
        Ok(true)
    }

    /// Returns true if a file needs nothing: this process, or one before it, uploaded what it holds
    /// now. Sends no request.
    #[must_use]
    pub fn is_settled(&self, file: &Candidate) -> bool {
        let Some(listing) = &self.listing else { return false };
        if self.checked.as_ref().is_some_and(|checked| !checked.contains(&file.name)) {
            return false;
        }
        let Ok(look) = look(&file.path) else { return false };
        self.ledger.record(&file.name, look).is_some_and(|record| listing.has(&file.name, record))
    }

    /// Writes the list of uploads.
    pub fn write_ledger(&mut self, status: &UploadStatus) -> Result<(), DepotError> {
        self.ledger.write(status)
    }

    /// Makes sure that the depot is for this folder, and lists what it has. Does this once.
    fn prepare(&mut self, first: &Candidate) -> Result<(), DepotError> {
        if self.listing.is_some() {
            return Ok(());
        }
        match self.depot.owner()? {
            None => self.depot.set_owner(self.ledger.owner())?,
            Some(mark) if mark == self.ledger.owner() => {}
            // The list of uploads was lost, and a new one has a new mark.
            Some(mark) if self.is_signed(first)? => self.ledger.set_owner(mark),
            Some(_) => return Err(DepotError::Other(self.depot.address().to_string())),
        }
        self.depot.tidy()?;
        self.listing = Some(self.depot.listing()?);
        Ok(())
    }

    /// Returns true if a candidate has the name of the signature and is in the depot as it is here.
    fn is_signed(&self, file: &Candidate) -> Result<bool, DepotError> {
        if file.name != self.signature {
            return Ok(false);
        }
        let Some(record) = self.depot.record(&file.name)? else { return Ok(false) };
        let (sha256, _) =
            sha256_of_file(&file.path).map_err(DepotError::io(&file.path, "read the file"))?;
        Ok(sha256 == record.sha256)
    }

    /// Returns true if a file is in the depot as it is here.
    fn has(&mut self, file: &Candidate) -> Result<bool, DepotError> {
        let look = look(&file.path)?;
        let Some(listing) = &self.listing else { return Ok(false) };
        if !listing.recorded.contains(&file.name) {
            return Ok(false);
        }
        if let Some(record) = self.ledger.record(&file.name, look) {
            return Ok(listing.has(&file.name, record) && self.is_sound(file, record)?);
        }
        let record = match self.depot.record(&file.name) {
            Ok(Some(record)) => record,
            // Half a record is as good as none.
            Ok(None) | Err(DepotError::Record { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        if record.bytes != look.0 || !listing.has(&file.name, &record) {
            return Ok(false);
        }
        let (sha256, _) =
            sha256_of_file(&file.path).map_err(DepotError::io(&file.path, "read the file"))?;
        let is_same = sha256 == record.sha256 && self.is_sound(file, &record)?;
        if is_same {
            self.ledger.add(&file.name, look, record);
        }
        Ok(is_same)
    }

    fn mark_checked(&mut self, file: &Candidate) {
        if let Some(checked) = &mut self.checked {
            checked.insert(file.name.clone());
        }
    }

    /// Reads an object back, if everything is to be checked.
    fn is_sound(&self, file: &Candidate, record: &crate::Record) -> Result<bool, DepotError> {
        if self.checked.is_none() {
            return Ok(true);
        }
        match self.depot.check(&file.name, record) {
            Ok(()) => Ok(true),
            Err(DepotError::Damaged { .. } | DepotError::Gone { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
