//! The files of a crawl that will not change any more.
//!
//! Whoever copies a crawl elsewhere while it runs must not take a file that a crash would undo: a
//! part that was sealed after the last commit is discarded on resume and made again. The commit
//! record says which parts are committed.

use std::path::{Path, PathBuf};

use super::record::{CommitRecord, Recorded};
use super::{OPEN, OutputError, Positions, numbered};

/// Returns the sealed archives with their indexes, and the sealed parts of log and links, whose
/// content is committed, in order.
pub fn finished_files(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let positions = match CommitRecord::of(folder).read()? {
        Recorded::Newest { commit, .. } => Some(commit.positions),
        // An older version of Ontrail made the folder. If nothing is being written, all is final.
        Recorded::Missing if unfinished_files(folder)?.is_empty() => None,
        Recorded::Missing | Recorded::Damaged => return Ok(Vec::new()),
    };
    let mut files = Vec::new();
    let pages = folder.join("pages");
    for (number, archive) in numbered(&pages, ".warc.gz")? {
        let index = archive.with_extension("").with_extension("cdxj");
        if is_final(number, &archive, positions) && index.exists() {
            files.extend([archive, index]);
        }
    }
    let parts = positions.map(|it| (it.log.part, it.links.part));
    let (log, links) = parts.unwrap_or((u32::MAX, u32::MAX));
    for (name, current) in [("log", log), ("links", links)] {
        let parts = numbered(&folder.join(name), ".parquet")?.into_iter();
        files.extend(parts.filter(|(number, _)| *number < current).map(|(_, path)| path));
    }
    Ok(files)
}

/// Returns the files that are being written, or were when the crawl was interrupted: archives, and
/// journals of log and links.
pub fn unfinished_files(folder: &Path) -> Result<Vec<PathBuf>, OutputError> {
    let open = numbered(&folder.join("pages"), &format!(".warc.gz{OPEN}"))?;
    let log = numbered(&folder.join("log"), ".jsonl")?;
    let links = numbered(&folder.join("links"), ".jsonl")?;
    let files = [open, log, links].into_iter().flatten().map(|(_, path)| path);
    Ok(files.filter(|path| std::fs::metadata(path).is_ok_and(|it| it.len() > 0)).collect())
}

/// Returns true if a sealed archive is committed as it is. The archive that the commit counts last
/// is, if it has no more bytes than were committed.
fn is_final(number: u32, archive: &Path, positions: Option<Positions>) -> bool {
    let Some(Positions { pages, .. }) = positions else { return true };
    let is_whole = || std::fs::metadata(archive).is_ok_and(|it| it.len() == pages.length);
    number < pages.file || number == pages.file && is_whole()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::record::Commit;

    #[test]
    fn only_committed_parts_are_final() {
        let crawl = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &str| {
            let path = crawl.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        for number in 0..3 {
            write(&format!("pages/pages-0000{number}.warc.gz"), "archive");
            write(&format!("pages/pages-0000{number}.cdxj"), "index");
            write(&format!("log/0000{number}.parquet"), "log");
        }
        let names = || -> Vec<String> {
            let files = finished_files(crawl.path()).unwrap().into_iter();
            files
                .map(|path| path.strip_prefix(crawl.path()).unwrap().display().to_string())
                .collect()
        };
        // No record: everything, as long as nothing is being written.
        assert_eq!(names().len(), 9);
        write("log/00003.jsonl", "{");
        assert_eq!(names().len(), 0);
        let mut positions = Positions::default();
        positions.pages.file = 1;
        positions.pages.length = 4;
        positions.log.part = 2;
        let mut record = CommitRecord::of(crawl.path());
        record.write(&Commit::new(1, 1, 1, positions)).unwrap();
        // Archive 1 has bytes that are not committed, and part 2 of the log is not counted.
        let first = ["pages/pages-00000.warc.gz", "pages/pages-00000.cdxj"];
        let log = ["log/00000.parquet", "log/00001.parquet"];
        assert_eq!(names(), [&first[..], &log].concat());
        positions.pages.length = 7;
        record.write(&Commit::new(2, 1, 1, positions)).unwrap();
        assert_eq!(names().len(), 6);
    }
}
