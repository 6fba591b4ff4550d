//! FIMI transactions: one line of item numbers for each object.
//!
//! The file has no names. They may be in `X.attributes.txt` and `X.objects.txt` beside `X.dat`:
//! line n names item n, or the object of line n. Without these files, the numbers are the names.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use super::{FormatError, Lines, ParseError, open};
use crate::context::{Context, ContextBuilder, Names};

/// The names in the files beside a FIMI file, if these files exist.
#[derive(Default)]
pub(crate) struct NameFiles {
    attributes: Option<Vec<String>>,
    objects: Option<Vec<String>>,
}

pub(crate) fn names_beside(path: &Path) -> [PathBuf; 2] {
    let plain = if path.extension().is_some_and(|ending| ending == "gz") {
        path.with_extension("")
    } else {
        path.to_owned()
    };
    [plain.with_extension("attributes.txt"), plain.with_extension("objects.txt")]
}

impl NameFiles {
    pub(crate) fn beside(path: &Path) -> Result<Self, FormatError> {
        let [attributes, objects] = names_beside(path);
        let read = |path: &Path| name_lines(path).map_err(|error| error.in_file(path));
        Ok(Self { attributes: read(&attributes)?, objects: read(&objects)? })
    }
}

fn name_lines(path: &Path) -> Result<Option<Vec<String>>, ParseError> {
    if !path.exists() {
        return Ok(None);
    }
    let mut lines = Lines::new(open(path)?);
    let mut names = Vec::new();
    while let Some(line) = lines.next()? {
        names.push(line.to_owned());
    }
    Ok(Some(names))
}

pub(crate) fn read(
    mut lines: Lines<impl BufRead>,
    names: NameFiles,
) -> Result<Context, ParseError> {
    let mut items = Items::of(names.attributes);
    let mut builder = ContextBuilder::new();
    let mut row = Vec::new();
    let mut bad = None;
    while let Some(line) = lines.next()? {
        row.clear();
        for word in line.split_ascii_whitespace() {
            match items.attribute(word) {
                Ok(attribute) => row.push(attribute),
                Err(reason) => {
                    let start = word.as_ptr() as usize - line.as_ptr() as usize;
                    bad = Some((line[..start].chars().count() + 1, reason));
                    break;
                }
            }
        }
        if let Some((column, reason)) = bad {
            return Err(ParseError::at(lines.number(), column, reason));
        }
        builder.row(&row);
    }
    let objects = match names.objects {
        None => Names::Numbered(builder.len()),
        Some(names) if names.len() == builder.len() => Names::Given(names),
        Some(names) => {
            let reason = format!(
                "the file has {} lines, but the file of object names beside it has {}",
                builder.len(),
                names.len()
            );
            return Err(ParseError::nowhere(reason));
        }
    };
    Ok(builder.finish(objects, items.into_names())?)
}

/// Maps the item numbers of a file to attributes.
enum Items {
    /// Item n is the attribute with the n-th of these names.
    Named(Vec<String>),
    /// The items seen so far are the attributes, in this order.
    Seen { numbers: Vec<u64>, attributes: HashMap<u64, u32, foldhash::fast::FixedState> },
}

impl Items {
    fn of(names: Option<Vec<String>>) -> Self {
        match names {
            Some(names) => Self::Named(names),
            None => Self::Seen { numbers: Vec::new(), attributes: HashMap::default() },
        }
    }

    fn attribute(&mut self, word: &str) -> Result<u32, String> {
        let item: u64 = word.parse().map_err(|_| format!("{word:?} is not an item number"))?;
        match self {
            Self::Named(names) => {
                let place = item.checked_sub(1).filter(|&place| place < names.len() as u64);
                let place = place.and_then(|place| u32::try_from(place).ok());
                place.ok_or_else(|| {
                    format!(
                        "found item {item}, but the file of attribute names has {} lines",
                        names.len()
                    )
                })
            }
            Self::Seen { numbers, attributes } => {
                let next = u32::try_from(numbers.len()).map_err(|_| "too many items".to_owned())?;
                Ok(*attributes.entry(item).or_insert_with(|| {
                    numbers.push(item);
                    next
                }))
            }
        }
    }

    fn into_names(self) -> Names {
        match self {
            Self::Named(names) => Names::Given(names),
            Self::Seen { numbers, .. } => {
                Names::Given(numbers.iter().map(u64::to_string).collect())
            }
        }
    }
}

pub(crate) fn write(context: &Context, out: &mut dyn Write) -> std::io::Result<()> {
    for object in 0..context.objects().len() {
        let items: Vec<String> =
            context.row(object).iter().map(|&attribute| (attribute + 1).to_string()).collect();
        writeln!(out, "{}", items.join(" "))?;
    }
    Ok(())
}
