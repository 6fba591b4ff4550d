//! Sitemaps in XML (sitemaps.org), with the titles that sitemaps of news and videos have. They are
//! read as a stream, so their size does not matter.

use std::io::BufRead;
use std::path::Path;

use anyhow::{Result, anyhow};
use quick_xml::Reader;
use quick_xml::events::Event;

use super::{Listed, Skipped, crawlable};

/// Maximum length of a URL or title that is read; the rest is cut off.
const LONGEST: usize = 1 << 16;

/// The element whose text is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Location,
    Title,
}

/// The entry that is being read.
#[derive(Debug, Default)]
struct Entry {
    location: String,
    title: String,
}

pub(super) fn each(
    reader: Box<dyn BufRead>,
    path: &Path,
    skips: bool,
    skipped: &mut Skipped,
    visit: &mut dyn FnMut(Listed),
) -> Result<()> {
    let mut reader = Reader::from_reader(reader);
    let (mut buffer, mut field, mut entry) = (Vec::new(), None, Entry::default());
    let mut entries = 0_u64;
    loop {
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(error) => {
                let place = reader.error_position();
                let path = path.display();
                return skipped
                    .fault(anyhow!("{path}: not valid XML at byte {place}: {error}"), skips);
            }
        };
        match event {
            Event::Start(tag) => match tag.local_name().as_ref() {
                b"url" | b"sitemap" => entry = Entry::default(),
                b"loc" if tag.name().prefix().is_none() => field = Some(Field::Location),
                // Of several titles, such as those of a news item and of its pictures, the first.
                b"title" if entry.title.is_empty() => field = Some(Field::Title),
                _ => field = None,
            },
            Event::Text(text) => entry.add(field, &text.unescape().unwrap_or_default()),
            Event::CData(text) => entry.add(field, &String::from_utf8_lossy(&text)),
            Event::End(tag) => {
                field = None;
                let name = tag.local_name();
                let is_index = name.as_ref() == b"sitemap";
                if is_index || name.as_ref() == b"url" {
                    entries += 1;
                    let Entry { location, title } = std::mem::take(&mut entry);
                    match crawlable(&location) {
                        Some(url) if is_index => {
                            skipped.further_sitemaps += 1;
                            skipped.further_sitemap.get_or_insert(url);
                        }
                        Some(url) => visit(Listed { url, title: title.trim().to_owned() }),
                        None => {
                            let shown: String = location.trim().chars().take(100).collect();
                            let path = path.display();
                            skipped.fault(
                                anyhow!(
                                    "{path}: entry {entries}: {shown:?} is not an http or https URL"
                                ),
                                skips,
                            )?;
                        }
                    }
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if entries == 0 {
        let path = path.display();
        return skipped.fault(anyhow!("{path}: not a sitemap: it lists no URLs"), skips);
    }
    Ok(())
}

impl Entry {
    fn add(&mut self, field: Option<Field>, text: &str) {
        let into = match field {
            Some(Field::Location) => &mut self.location,
            Some(Field::Title) => &mut self.title,
            None => return,
        };
        let room = LONGEST.saturating_sub(into.len());
        into.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, skips: bool) -> Result<(Vec<(String, String)>, Skipped)> {
        let (mut found, mut skipped) = (Vec::new(), Skipped::default());
        let reader = Box::new(std::io::Cursor::new(text.to_owned()));
        each(reader, Path::new("s.xml"), skips, &mut skipped, &mut |listed| {
            found.push((listed.url.to_string(), listed.title));
        })?;
        Ok((found, skipped))
    }

    #[test]
    fn urls_and_titles_of_news_are_read() {
        let text = "<?xml version='1.0'?><urlset xmlns='x' xmlns:news='n' xmlns:image='i'>\
            <url><loc> http://a.test/1?a=1&amp;b=2 </loc><image:image><image:loc>http://a.test/i.png\
            </image:loc></image:image><news:news><news:title><![CDATA[Rain & flood]]></news:title>\
            </news:news></url><url><loc>http://a.test/2</loc></url></urlset>";
        let (found, _) = read(text, false).unwrap();
        let expected = [("http://a.test/1?a=1&b=2", "Rain & flood"), ("http://a.test/2", "")];
        assert_eq!(found, expected.map(|(url, title)| (url.to_owned(), title.to_owned())));
        let index =
            "<sitemapindex><sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>";
        let (found, skipped) = read(index, false).unwrap();
        assert_eq!((found.len(), skipped.further_sitemaps), (0, 1));
    }

    #[test]
    fn faults_are_reported_or_skipped() {
        let cut = "<urlset><url><loc>http://a.test/</loc></url><url></loc>";
        let message = read(cut, false).unwrap_err().to_string();
        assert!(message.starts_with("s.xml: not valid XML at byte"), "{message}");
        let (found, skipped) = read(cut, true).unwrap();
        assert_eq!((found.len(), skipped.lines), (1, 1));
        let message = read("<html><p>hello</p></html>", false).unwrap_err().to_string();
        assert!(message.contains("it lists no URLs"), "{message}");
        let wrong = "<urlset><url><loc>here</loc></url></urlset>";
        let message = read(wrong, false).unwrap_err().to_string();
        assert!(message.contains("entry 1: \"here\" is not an http or https URL"), "{message}");
    }
}
