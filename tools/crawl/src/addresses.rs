//! Addresses that a person gives to begin with.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ontrail_crawl::canonical;
use ontrail_intake::read_text;
use url::Url;

/// The seeds of a crawl: those given, and those of a file, one a line. Each once, in order, in canonical form.
pub(crate) fn seeds(given: &[String], file: Option<&Path>) -> Result<Vec<Url>> {
    let (mut seeds, mut known) = (Vec::new(), HashSet::new());
    let mut add = |text: &str, place: &str| -> Result<()> {
        let seed = seed(text).with_context(|| place.to_owned())?;
        if known.insert(seed.clone()) {
            seeds.push(seed);
        }
        Ok(())
    };
    for text in given {
        add(text, "seeds")?;
    }
    if let Some(file) = file {
        for (number, line) in read_text(file)?.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                add(line, &format!("{}:{}", file.display(), number + 1))?;
            }
        }
    }
    if seeds.is_empty() {
        bail!("no addresses to begin with; give some, or a file of them with --seeds");
    }
    Ok(seeds)
}

fn seed(text: &str) -> Result<Url> {
    // A line may have more columns, as the lists of other programs do.
    let text = text.split('\t').next().unwrap_or_default().trim();
    let url = Url::parse(text).ok().and_then(canonical);
    let Some(url) = url else {
        bail!("{text:?} is no address of the web; give one such as http://www.example.org/");
    };
    Ok(url)
}
