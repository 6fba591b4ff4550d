//! Artifacts that consist of one JSON file, which people can read and edit.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::checksum::Checksum;
use crate::destination::{Destination, Place};
use crate::error::{ArtifactError, READ};
use crate::format::{Format, Header};
use crate::layout;
use crate::provenance::Provenance;

#[derive(Deserialize)]
pub(crate) struct HeaderOnly {
    pub(crate) ontrail: Header,
}

#[derive(Deserialize)]
struct Incoming<T> {
    content: T,
}

/// The content as it is in the file, with the checksum that it had when it was written.
#[derive(Deserialize)]
struct Sealed<'a> {
    sha256: Option<Checksum>,
    #[serde(borrow)]
    content: &'a RawValue,
}

/// Writes `content` as a JSON artifact: `{"ontrail": {kind, format, provenance}, "sha256": …,
/// "content": …}`, where `sha256` is the checksum of the content's text. An existing file is
/// replaced only if it is of the same kind, Ontrail made it and nobody has edited it since, or if
/// the user forces that.
pub fn write_json<'a, T: Serialize>(
    to: impl Into<Destination<'a>>,
    format: &Format,
    provenance: &Provenance,
    content: &T,
) -> Result<(), ArtifactError> {
    check_json_replaceable(to.into(), format)?.write(|out| {
        let mut text = Vec::new();
        layout::write(&mut text, content, 1)?;
        out.write_all(b"{\n  \"ontrail\": ")?;
        layout::write(out, &format.header(provenance), 1)?;
        write!(out, ",\n  \"sha256\": \"{}\",\n  \"content\": ", Checksum::of(&text))?;
        out.write_all(&text)?;
        out.write_all(b"\n}\n")
    })
}

/// Returns the place to write to, or an error for a file that [`write_json`] would not replace: one
/// that Ontrail did not make, one of another kind, or one that has been edited since.
pub(crate) fn check_json_replaceable(
    to: Destination<'_>,
    format: &Format,
) -> Result<Place, ArtifactError> {
    let place = to.place()?;
    let Place::File(path) = &place else { return Ok(place) };
    if !path.exists() || to.is_forced() {
        return Ok(place);
    }
    let remedy = to.message();
    let text = read_text(path).unwrap_or_default();
    let Ok(HeaderOnly { ontrail }) = serde_json::from_str::<HeaderOnly>(&text) else {
        return Err(ArtifactError::Occupied { path: path.clone(), remedy });
    };
    if ontrail.kind != format.kind {
        let (kind, wanted) = (ontrail.kind, format.kind.to_owned());
        return Err(ArtifactError::OtherKind { path: path.clone(), kind, wanted });
    }
    if is_edited(&text) {
        return Err(ArtifactError::Changed { path: path.clone(), remedy });
    }
    Ok(place)
}

/// Returns true if the content of an artifact has been edited since it was written. Without a
/// checksum this cannot be known, so the content counts as edited.
pub(crate) fn is_edited(text: &str) -> bool {
    match serde_json::from_str::<Sealed<'_>>(text) {
        Ok(Sealed { sha256: Some(sha256), content }) => {
            Checksum::of(content.get().as_bytes()) != sha256
        }
        _ => true,
    }
}

/// Reads the text of a file, without the byte order mark that some editors put before it.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = fs::read_to_string(path)?;
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    Ok(text)
}

/// Reads a JSON artifact of the kind and the versions in `format`.
pub fn read_json<T: DeserializeOwned>(
    path: &Path,
    format: &Format,
) -> Result<(Provenance, T), ArtifactError> {
    let text = read_text(path).map_err(ArtifactError::io(path, READ))?;
    let header = header_of(path, &text)?;
    format.accept(path, &header)?;
    let Incoming { content } =
        serde_json::from_str(&text).map_err(|error| ArtifactError::json(path, &error))?;
    Ok((header.provenance, content))
}

pub(crate) fn header_of(path: &Path, text: &str) -> Result<Header, ArtifactError> {
    let parsed: Result<HeaderOnly, _> = serde_json::from_str(text);
    parsed.map(|parsed| parsed.ontrail).map_err(|error| match ArtifactError::json(path, &error) {
        // Valid JSON, but not an artifact.
        ArtifactError::Json { path, line, column, reason }
            if reason == "missing field `ontrail`" || reason.contains("HeaderOnly") =>
        {
            let reason = "not an artifact of Ontrail: the header `ontrail` is missing".to_owned();
            ArtifactError::Json { path, line, column, reason }
        }
        error => error,
    })
}

/// Writes indented JSON with a newline at the end.
pub(crate) fn write_pretty<T: Serialize>(mut out: &mut dyn Write, value: &T) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut out, value)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format =
        Format { kind: "test vector", version: 3, oldest: 2, rebuild: "ontrail test make" };

    fn written(content: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.json");
        fs::write(&path, content).unwrap();
        (directory, path)
    }

    fn refusal(content: &str) -> String {
        let (_directory, path) = written(content);
        let error = read_json::<Vec<u32>>(&path, &FORMAT).unwrap_err().to_string();
        error.split_once("x.json: ").unwrap().1.to_owned()
    }

    fn artifact(kind: &str, format: u32, content: &str) -> String {
        format!(
            "{{\"ontrail\":{{\"kind\":\"{kind}\",\"format\":{format},\"provenance\":\
             {{\"tool\":\"t\",\"version\":\"9.9\"}}}},\n\"content\":{content}}}"
        )
    }

    #[test]
    fn content_and_provenance_survive_writing_and_reading() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.json");
        let provenance =
            Provenance { tool: "test".into(), version: "1".into(), ..Default::default() }
                .with_parameter("k", 0.2)
                .with_seed(7);
        write_json(&path, &FORMAT, &provenance, &vec![1, 2]).unwrap();
        let (read, content): (_, Vec<u32>) = read_json(&path, &FORMAT).unwrap();
        assert_eq!((read, content), (provenance.clone(), vec![1, 2]));
        let first = fs::read(&path).unwrap();
        write_json(&path, &FORMAT, &provenance, &vec![1, 2]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first, "same content, same bytes");
    }

    #[test]
    fn an_edited_file_is_not_replaced() {
        let (_directory, path) = written("");
        fs::remove_file(&path).unwrap();
        let write = || write_json(&path, &FORMAT, &Provenance::default(), &vec![1, 2]);
        write().unwrap();
        let edited = fs::read_to_string(&path).unwrap().replace("    1", "    7");
        fs::write(&path, &edited).unwrap();
        let is_refused = || {
            let error = write().unwrap_err().to_string();
            assert!(error.contains("has been changed since Ontrail made it"), "{error}");
        };
        is_refused();
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
        assert_eq!(read_json::<Vec<u32>>(&path, &FORMAT).unwrap().1, [7, 2], "but it is read");
        // Neither is a file whose checksum was deleted, nor one with a byte order mark.
        let unsealed: String = edited.lines().filter(|line| !line.contains("sha256")).collect();
        fs::write(&path, unsealed).unwrap();
        is_refused();
        fs::write(&path, format!("\u{feff}{edited}")).unwrap();
        is_refused();
        assert_eq!(read_json::<Vec<u32>>(&path, &FORMAT).unwrap().1, [7, 2]);
        fs::write(&path, "[1, 2]").unwrap();
        assert!(write().unwrap_err().to_string().contains("something that Ontrail did not make"));
    }

    #[test]
    fn older_formats_that_are_still_supported_are_read() {
        let (_directory, path) = written(&artifact("test vector", 2, "[5]"));
        assert_eq!(read_json::<Vec<u32>>(&path, &FORMAT).unwrap().1, [5]);
    }

    #[test]
    fn errors_say_what_to_do() {
        assert_eq!(
            refusal(&artifact("test vector", 1, "[]")),
            "cannot read format 1 of test vector; this version of Ontrail reads formats 2 to 3; \
             make it again with `ontrail test make`"
        );
        assert_eq!(
            refusal(&artifact("test vector", 4, "[]")),
            "cannot read format 4 of test vector; this version of Ontrail reads formats 2 to 3; \
             the file was made by Ontrail 9.9; use that version or a later one"
        );
        assert_eq!(
            refusal(&artifact("page classifier", 1, "[]")),
            "this is a page classifier, but a test vector is needed here"
        );
        assert_eq!(
            refusal(&artifact("test vector", 3, "[1, \"x\"]")),
            "line 2, column 17: invalid type: string \"x\", expected u32"
        );
        let foreign = "not an artifact of Ontrail: the header `ontrail` is missing";
        for text in ["{}", "[]", "{\"terms\": []}"] {
            assert!(refusal(text).ends_with(foreign), "{}", refusal(text));
        }
        assert!(refusal("{\"ontrail\": ").starts_with("line 1, column 12: EOF"));
    }
}
