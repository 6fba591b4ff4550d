//! Burmeister's format, which most FCA programs can read and write.
//!
//! ```text
//! B
//! (the title, or an empty line)
//! 2
//! 3
//!
//! (2 lines: the names of the objects)
//! (3 lines: the names of the attributes)
//! XX.
//! .X.
//! ```

use std::io::{BufRead, Write};

use super::{Lines, ParseError};
use crate::context::{Context, ContextBuilder, Names};

pub(crate) fn read(mut lines: Lines<impl BufRead>) -> Result<Context, ParseError> {
    if lines.expect("the letter B")?.trim() != "B" {
        return Err(ParseError::at(1, 1, "a Burmeister file starts with a line `B`"));
    }
    let title = lines.expect("the title")?.trim().to_owned();
    let objects = number(&mut lines, "objects")?;
    let attributes = number(&mut lines, "attributes").map_err(|error| match error {
        ParseError::Malformed(place, reason) if title.parse::<usize>().is_ok() => {
            let hint = "if the file has no title, leave an empty line after `B`";
            ParseError::Malformed(place, format!("{reason}; {hint}"))
        }
        error => error,
    })?;
    names_and_rows(lines, objects, attributes)
}

/// Reads a line with a number, after any blank lines.
fn number(lines: &mut Lines<impl BufRead>, of_what: &str) -> Result<usize, ParseError> {
    loop {
        let line = lines.expect(&format!("the number of {of_what}"))?.trim();
        if line.is_empty() {
            continue;
        }
        let parsed = line.parse();
        let reason = format!("expected the number of {of_what}, found {line:?}");
        return parsed.map_err(|_| ParseError::at(lines.number(), 1, reason));
    }
}

fn names_and_rows(
    mut lines: Lines<impl BufRead>,
    objects: usize,
    attributes: usize,
) -> Result<Context, ParseError> {
    let mut names = Vec::new();
    let mut after_blank = false;
    while names.len() < objects.saturating_add(attributes) {
        let (what, number) = match names.len().checked_sub(objects) {
            None => ("object", names.len() + 1),
            Some(place) => ("attribute", place + 1),
        };
        let name = lines.expect(&format!("the name of {what} {number}"))?.trim();
        if name.is_empty() && names.is_empty() && !after_blank {
            after_blank = true;
            continue;
        }
        names.push(name.to_owned());
    }
    let attribute_names = names.split_off(objects);
    let mut builder = ContextBuilder::new();
    let mut row = Vec::new();
    while builder.len() < objects {
        let line = lines.expect(&format!("the row of object {}", builder.len() + 1))?;
        let crosses = crosses(line, attributes, &mut row);
        crosses.map_err(|(column, reason)| ParseError::at(lines.number(), column, reason))?;
        builder.row(&row);
    }
    while let Some(line) = lines.next()? {
        if !line.trim().is_empty() {
            let reason = format!("more rows than the {objects} objects declared above");
            return Err(ParseError::at(lines.number(), 1, reason));
        }
    }
    Ok(builder.finish(Names::Given(names), Names::Given(attribute_names))?)
}

/// Reads the attributes that are crossed in a row. Fails with the column and the reason.
fn crosses(line: &str, attributes: usize, row: &mut Vec<u32>) -> Result<(), (usize, String)> {
    row.clear();
    let line = line.trim_end();
    let mut length = 0;
    for (attribute, sign) in (0..).zip(line.chars()) {
        length += 1;
        match sign {
            'X' | 'x' => row.push(attribute),
            '.' => {}
            other => return Err((length, format!("{other:?} is neither a cross X nor a dot"))),
        }
    }
    if length == attributes {
        return Ok(());
    }
    let reason = format!("the row has {length} signs, but there are {attributes} attributes");
    Err((length.min(attributes) + 1, reason))
}

pub(crate) fn write(context: &Context, out: &mut dyn Write) -> std::io::Result<()> {
    let (objects, attributes) = (context.objects(), context.attributes());
    write!(out, "B\n\n{}\n{}\n\n", objects.len(), attributes.len())?;
    for name in objects.iter().chain(attributes.iter()) {
        writeln!(out, "{name}")?;
    }
    let mut line = vec![b'.'; attributes.len()];
    for object in 0..objects.len() {
        line.fill(b'.');
        context.row(object).iter().for_each(|&attribute| line[attribute as usize] = b'X');
        out.write_all(&line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
