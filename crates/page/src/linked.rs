//! The JSON-LD of a page (`<script type="application/ld+json">`), in the words of schema.org.
//!
//! Pages describe themselves to search engines this way, often better than by `<meta>`. Only a few
//! facts are read, and JSON that is damaged is ignored, as search engines do.

use serde_json::Value;

/// Maximum number of objects that are looked at.
const OBJECTS: usize = 2_000;
/// Maximum number of authors.
const AUTHORS: usize = 8;

/// The facts that a page states in JSON-LD.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Linked {
    pub(crate) headline: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) published: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) image: Option<String>,
}

impl Linked {
    /// Reads the scripts of a page. The first article counts; if there is none, the first page.
    pub(crate) fn of(scripts: &[String]) -> Self {
        let values = scripts.iter().filter_map(|text| serde_json::from_str(text.trim()).ok());
        let values: Vec<Value> = values.collect();
        let objects = objects(&values);
        let of_kind = |is_kind: fn(&str) -> bool| {
            objects.iter().copied().find(|object| types(object).any(is_kind))
        };
        let mut linked = Self::default();
        for object in [of_kind(is_article), of_kind(is_page)].into_iter().flatten() {
            linked.add(object, &objects);
        }
        if linked.site.is_none()
            && let Some(site) = of_kind(|kind| kind == "WebSite")
        {
            linked.site = text(site.get("name"));
        }
        linked
    }

    /// Takes the facts of an object that are not known yet.
    fn add(&mut self, object: &Value, all: &[&Value]) {
        let followed = |name: &str| object.get(name).map(|value| follow(value, all));
        let fill = |place: &mut Option<String>, value: Option<String>| {
            if place.is_none() {
                *place = value;
            }
        };
        fill(&mut self.headline, text(object.get("headline")).or(text(object.get("name"))));
        fill(&mut self.published, text(object.get("datePublished")));
        fill(&mut self.language, text(object.get("inLanguage")));
        fill(&mut self.site, followed("publisher").and_then(name));
        fill(&mut self.site, followed("isPartOf").and_then(name));
        fill(&mut self.image, followed("image").and_then(address));
        if self.authors.is_empty()
            && let Some(authors) = object.get("author")
        {
            let authors = authors.as_array().map_or(std::slice::from_ref(authors), Vec::as_slice);
            let names = authors.iter().take(AUTHORS).filter_map(|one| name(follow(one, all)));
            self.authors = names.collect();
        }
    }
}

/// Returns all objects at the top, in lists and in `@graph`, in order.
fn objects(values: &[Value]) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop()
        && found.len() < OBJECTS
    {
        if let Some(list) = value.as_array() {
            open.extend(list.iter().rev());
        } else if value.is_object() {
            found.push(value);
            open.extend(value.get("@graph"));
            open.extend(value.get("mainEntity").filter(|entity| entity.is_object()));
        }
    }
    found
}

/// Returns the object that a reference (`{"@id": …}`) stands for, or the value itself.
fn follow<'a>(value: &'a Value, all: &[&'a Value]) -> &'a Value {
    let id = value.get("@id").filter(|_| value.as_object().is_some_and(|it| it.len() == 1));
    let target = id.and_then(|id| {
        all.iter().copied().find(|object| {
            object.get("@id") == Some(id) && object.as_object().is_some_and(|it| it.len() > 1)
        })
    });
    target.unwrap_or(value)
}

fn types(object: &Value) -> impl Iterator<Item = &str> {
    let kinds = object.get("@type");
    let list = kinds.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    kinds.and_then(Value::as_str).into_iter().chain(list.iter().filter_map(Value::as_str))
}

fn is_article(kind: &str) -> bool {
    kind.ends_with("Article")
        || kind.ends_with("Posting") && kind != "JobPosting"
        || kind == "Report"
}

fn is_page(kind: &str) -> bool {
    kind.ends_with("Page")
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => list.first()?.as_str().map(str::to_owned),
        // A language may be an object of its own.
        object => object.get("alternateName").or(object.get("name"))?.as_str().map(str::to_owned),
    }
}

/// Returns the name of a person or an organisation.
fn name(value: &Value) -> Option<String> {
    text(Some(value))
}

/// Returns the URL of an image.
fn address(value: &Value) -> Option<String> {
    match value {
        Value::String(url) => Some(url.clone()),
        Value::Array(list) => list.first().and_then(|first| match first {
            Value::Array(_) => None,
            first => address(first),
        }),
        object => {
            let url = object.get("url").or(object.get("contentUrl"))?;
            url.as_str().map(str::to_owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Linked {
        Linked::of(&[text.to_owned()])
    }

    #[test]
    fn articles_are_found_in_graphs_and_references_are_followed() {
        let linked = of(r##"{"@context": "https://schema.org", "@graph": [
            {"@type": "WebSite", "name": "The Gazette"},
            {"@type": "Organization", "@id": "#us", "name": "Gazette Ltd"},
            {"@type": ["Thing", "NewsArticle"], "headline": "Rain", "inLanguage": "en-GB",
             "author": [{"@type": "Person", "name": "Ann Example"}, "Bo"],
             "publisher": {"@id": "#us"}, "datePublished": "2024-07-18T09:00:00Z",
             "image": [{"url": "/lead.png"}]}]}"##);
        assert_eq!(linked.headline.as_deref(), Some("Rain"));
        assert_eq!(linked.authors, ["Ann Example", "Bo"]);
        assert_eq!(linked.site.as_deref(), Some("Gazette Ltd"));
        assert_eq!(linked.published.as_deref(), Some("2024-07-18T09:00:00Z"));
        assert_eq!(linked.language.as_deref(), Some("en-GB"));
        assert_eq!(linked.image.as_deref(), Some("/lead.png"));
    }

    #[test]
    fn damaged_and_hostile_json_is_ignored() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for text in ["", "{", "null", "[[1]]", "{\"@type\": \"NewsArticle\"}", &deep] {
            assert_eq!(of(text), Linked::default(), "{}", &text[..text.len().min(20)]);
        }
        let itself = r##"{"@type": "Article", "@id": "#a", "author": {"@id": "#a"},
            "publisher": {"@id": "#none"}, "image": {"@id": "#a"}}"##;
        assert_eq!(of(itself), Linked::default());
    }
}
