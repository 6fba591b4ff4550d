//! Reads JSON Lines: one object per line.

use std::io::BufRead;

use serde_json::{Map, Value};

use crate::document::{Body, Document};
use crate::error::CorpusError;
use crate::info::Columns;
use crate::source::Documents;

pub(crate) fn documents(
    mut reader: Box<dyn BufRead + Send>,
    name: &str,
    columns: &Columns,
) -> Documents {
    let (name, columns) = (name.to_owned(), columns.clone());
    let mut line = 0;
    let mut failed = false;
    let mut bytes = Vec::new();
    Box::new(std::iter::from_fn(move || {
        loop {
            bytes.clear();
            match reader.read_until(b'\n', &mut bytes) {
                _ if failed => return None,
                Ok(0) => return None,
                Ok(_) => line += 1,
                Err(error) => {
                    failed = true;
                    return Some(Err(CorpusError::io(name.as_ref())(error)));
                }
            }
            if !bytes.trim_ascii().is_empty() {
                let id = format!("{name}:{line}");
                let document = document(&bytes, &columns, id);
                return Some(
                    document.map_err(|reason| CorpusError::row(&name, Some(line), reason)),
                );
            }
        }
    }))
}

fn document(bytes: &[u8], columns: &Columns, id: String) -> Result<Document, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let object: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| {
        let message = error.to_string();
        let reason =
            message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
        format!("column {}: {reason}", error.column())
    })?;
    let field = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|t| !t.is_empty())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => Err(format!("the field `{name}` is {}, not a text", kind(other))),
    };
    let text = field(&columns.text)?
        .ok_or_else(|| format!("no text: the field `{}` is missing or empty", columns.text))?;
    Ok(Document {
        id,
        label: field(&columns.label)?,
        title: field(&columns.title)?,
        body: Body::Text(text),
        part: field(&columns.part)?,
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
