//! Burmeister's format: the common tongue of FCA programs.
//!
//! ```text
//! B
//! a title, or nothing
//! 2
//! 3
//!
//! (2 lines: objects)
//! (3 lines: attributes)
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
            let hint = "is the title after `B` missing? leave an empty line there";
            ParseError::Malformed(place, format!("{reason}; {hint}"))
        }
        error => error,
    })?;
    names_and_rows(lines, objects, attributes)
}

/// A number on a line of its own, after any blank lines.
fn number(lines: &mut Lines<impl BufRead>, of_what: &str) -> Result<usize, ParseError> {
    loop {
        let line = lines.expect(&format!("the number of {of_what}"))?.trim();
        if line.is_empty() {
            continue;
        }
        let parsed = line.parse();
        let reason = format!("{line:?} is not a number of {of_what}");
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
            let reason = format!("more rows than the {objects} objects announced above");
            return Err(ParseError::at(lines.number(), 1, reason));
        }
    }
    Ok(builder.finish(Names::Given(names), Names::Given(attribute_names))?)
}

/// The attributes crossed in a row, or the column where it goes wrong.
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
    let reason = format!("the row has {length} signs, and there are {attributes} attributes");
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
