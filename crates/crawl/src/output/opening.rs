//! Decides what the output files of a crawl are resumed from, before anything is changed.

use std::path::{Path, PathBuf};

use super::record::{Commit, Recorded};
use super::surplus::Surplus;
use super::{OutputError, Positions, journal, pages};

/// Something that a person should know about a crawl that was resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningNotice {
    /// The commit record is missing.
    #[error(
        "{folder}: has no commit record (an older version of Ontrail made it, or the file \
         `commits` was removed); the state alone says which pages are stored",
        folder = .0.display()
    )]
    NoRecord(PathBuf),
    /// The commit record is damaged, or older than the state.
    #[error(
        "{file}: the commit record is damaged or older than the state; the state alone says which \
         pages are stored",
        file = .0.display()
    )]
    DamagedRecord(PathBuf),
    /// Pages, rows or links were moved aside.
    #[error(
        "{folder}: holds data that may have been stored but that the state does not count; it was \
         moved there and will be fetched again",
        folder = .0.display()
    )]
    MovedAside(PathBuf),
}

/// Decides what happens to surplus when a state of this commit is resumed. Returns an error if the
/// state and the files do not belong together.
pub(crate) fn judge(
    folder: &Path,
    state: &Commit,
    recorded: Recorded,
) -> Result<(Surplus, Option<OpeningNotice>), OutputError> {
    let aside = || Surplus::move_to_new(&["pages", "log", "links"].map(|name| folder.join(name)));
    let damaged = || Some(OpeningNotice::DamagedRecord(folder.join("commits")));
    let newest = match recorded {
        Recorded::Missing if state.number == 0 && state.positions == Positions::default() => {
            return Ok((Surplus::Remove, None));
        }
        Recorded::Missing => {
            return Ok((aside(), Some(OpeningNotice::NoRecord(folder.to_owned()))));
        }
        Recorded::Damaged => return Ok((aside(), damaged())),
        Recorded::Newest { commit, is_sound } => {
            if commit == *state && is_sound {
                // The usual case: whatever is beyond the commit was never committed.
                return Ok((Surplus::Remove, None));
            }
            commit
        }
    };
    if newest.number < state.number {
        return Ok((aside(), damaged()));
    }
    // The process may have died after it wrote the record and before the state was committed. Or
    // the state lost its last commit; that looks the same, so the surplus is kept.
    let is_usable = newest == *state || newest.number == state.number + 1;
    if !is_usable {
        return Err(OutputError::OtherState {
            folder: folder.to_owned(),
            state: state.number,
            record: newest.number,
        });
    }
    Ok((aside(), None))
}

/// Checks that every file is as long as the commit to resume from says. Changes nothing.
pub(crate) fn check(folder: &Path, positions: &Positions) -> Result<(), OutputError> {
    let files = [
        pages::committed_files(&folder.join("pages"), positions.pages)?,
        vec![journal::committed_file(&folder.join("log"), positions.log)],
        vec![journal::committed_file(&folder.join("links"), positions.links)],
    ];
    for (path, committed) in files.into_iter().flatten() {
        let found = std::fs::metadata(&path).map_or(0, |file| file.len());
        if found < committed {
            let folder = folder.to_owned();
            return Err(OutputError::Shorter { path, found, committed, folder });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(number: u64) -> Commit {
        Commit::new(number, number, number, Positions::default())
    }

    #[test]
    fn surplus_is_removed_only_if_record_and_state_agree() {
        let folder = Path::new("crawl");
        let at = |number, is_sound| Recorded::Newest { commit: commit(number), is_sound };
        let judged = |state, recorded| judge(folder, &commit(state), recorded);
        let is_removed = |state, recorded| {
            let (surplus, notice) = judged(state, recorded).unwrap();
            (matches!(surplus, Surplus::Remove), notice.is_some())
        };
        assert_eq!(is_removed(7, at(7, true)), (true, false));
        assert_eq!(is_removed(7, at(7, false)), (false, false));
        assert_eq!(is_removed(7, at(8, true)), (false, false));
        assert_eq!(is_removed(7, at(6, false)), (false, true));
        assert_eq!(is_removed(7, Recorded::Missing), (false, true));
        assert_eq!(is_removed(7, Recorded::Damaged), (false, true));
        assert_eq!(is_removed(0, Recorded::Missing), (true, false));
        let error = judged(7, at(9, true)).unwrap_err().to_string();
        assert!(error.contains("`ontrail crawl repair crawl`"), "{error}");
        // The same number, but of another crawl.
        let other =
            Recorded::Newest { commit: Commit::new(7, 9, 7, Positions::default()), is_sound: true };
        assert!(judged(7, other).is_err());
    }
}
