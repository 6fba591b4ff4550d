//! JSON: `{"objects": […], "attributes": […], "rows": [[0, 2], …]}`, with attributes numbered from
//! 0.

use std::io::{BufRead, Write};

use serde::{Deserialize, Serialize};

use super::{ParseError, Place};
use crate::context::{Context, ContextBuilder, Names};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    objects: Vec<String>,
    attributes: Vec<String>,
    rows: Vec<Vec<u32>>,
}

pub(crate) fn read(input: impl BufRead) -> Result<Context, ParseError> {
    let file: File = serde_json::from_reader(input).map_err(|error| {
        let place = Place {
            line: Some(error.line() as u64).filter(|&line| line > 0),
            column: Some(error.column() as u64),
        };
        let reason = error.to_string();
        // The error message already starts with the place.
        let reason = reason.split(" at line ").next().unwrap_or(&reason).to_owned();
        ParseError::Malformed(place, reason)
    })?;
    if file.rows.len() != file.objects.len() {
        let (rows, objects) = (file.rows.len(), file.objects.len());
        let reason = format!("the file has {rows} rows for {objects} objects");
        return Err(ParseError::nowhere(reason));
    }
    let mut builder = ContextBuilder::new();
    for (row, object) in file.rows.iter().zip(&file.objects) {
        if let Some(&attribute) = row.iter().find(|&&it| it as usize >= file.attributes.len()) {
            let count = file.attributes.len();
            let reason = format!(
                "the row of {object:?} has attribute {attribute}, but there are {count} attributes, \
                 numbered from 0"
            );
            return Err(ParseError::nowhere(reason));
        }
        builder.row(row);
    }
    Ok(builder.finish(Names::Given(file.objects), Names::Given(file.attributes))?)
}

pub(crate) fn write(context: &Context, out: &mut dyn Write) -> std::io::Result<()> {
    let names = |names: &Names| names.iter().map(std::borrow::Cow::into_owned).collect();
    let rows = 0..context.objects().len();
    let file = File {
        objects: names(context.objects()),
        attributes: names(context.attributes()),
        rows: rows.map(|object| context.row(object).to_vec()).collect(),
    };
    serde_json::to_writer(&mut *out, &file)?;
    writeln!(out)
}
