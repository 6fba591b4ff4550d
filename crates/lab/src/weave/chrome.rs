//! The parts that surround the content of every page: head, navigation, side and footer.

use super::host::Charset;
use super::html::{Head, PageBuilder};
use super::template::Section;

impl PageBuilder<'_> {
    pub(super) fn begin(&mut self, head: &Head) {
        let words = self.writer.words;
        let declared = match self.host.charset {
            Charset::Gbk => "gbk",
            Charset::Utf8 => "utf-8",
            Charset::Utf8Misdeclared => "gb2312",
        };
        self.push("<!DOCTYPE html>\n<html lang=\"");
        self.push(words.language);
        self.push("\">\n<head>\n<meta charset=\"");
        self.push(declared);
        self.push("\">\n<title>");
        self.text(&head.title);
        self.push("</title>\n");
        if !head.keywords.is_empty() && self.host.theme != 3 {
            self.push("<meta name=\"keywords\" content=\"");
            self.text(&head.keywords.join(","));
            self.push("\">\n");
        }
        if !head.description.is_empty() && self.host.theme != 2 {
            self.push("<meta name=\"description\" content=\"");
            self.text(&head.description);
            self.push("\">\n");
        }
        self.push(
            "<style>body{margin:0;font:15px/1.6 sans-serif}.wrap{width:960px;margin:auto}.side{float:right;width:280px}\
             .nav li{display:inline;margin-right:1em}</style>\n</head>\n<body>\n<div class=\"wrap\">\n",
        );
        self.navigation();
        self.boilerplate(&self.template.above.clone(), "notice");
        self.push_text_of_template(|it| &it.main[0]);
    }

    fn navigation(&mut self) {
        let (host, words) = (self.host, self.writer.words);
        self.open(Section::Navigation, None);
        self.open_entry(Section::Navigation);
        self.link_page(host.front, "navigation", words.home);
        self.close_entry(Section::Navigation);
        for (label, section) in host.sections.iter().take(10) {
            self.open_entry(Section::Navigation);
            let name = self.writer.name(*label);
            self.link_page(*section, "navigation", &name);
            self.close_entry(Section::Navigation);
        }
        self.close(Section::Navigation);
    }

    pub(super) fn end(&mut self) {
        self.boilerplate(&self.template.below.clone(), "note");
        self.push_text_of_template(|it| &it.main[1]);
        self.sidebar();
        self.footer();
        self.push("</div>\n</body>\n</html>\n");
    }

    /// Writes paragraphs that stand on every page of the host.
    fn boilerplate(&mut self, paragraphs: &[String], class: &str) {
        if !paragraphs.is_empty() {
            self.push("\n");
        }
        for paragraph in paragraphs {
            self.push(&format!("<p class=\"{class}\">"));
            self.text(paragraph);
            self.push("</p>\n");
        }
    }

    fn sidebar(&mut self) {
        let (host, words) = (self.host, self.writer.words);
        self.push_text_of_template(|it| &it.side[0]);
        if !host.popular.is_empty() {
            self.open(Section::Hot, Some(words.hot));
            for id in &host.popular {
                self.open_entry(Section::Hot);
                let title = self.title_of(*id);
                self.link_page(*id, "navigation", &title);
                self.close_entry(Section::Hot);
            }
            self.close(Section::Hot);
        }
        self.open(Section::Advert, Some(words.advert));
        for _ in 0..2 {
            let count = self.writer.plan.hosts.len();
            let other = self.random.below(count);
            let to = self.writer.urls.page(self.writer.plan.hosts[other].front);
            let text = self.random.pick(words.adverts);
            let attributes = if self.random.happens(0.5) { " rel=\"nofollow\"" } else { "" };
            self.open_entry(Section::Advert);
            self.link(to, "advert", text, attributes);
            self.close_entry(Section::Advert);
        }
        self.close(Section::Advert);
        self.push_text_of_template(|it| &it.side[1]);
    }

    fn footer(&mut self) {
        let words = self.writer.words;
        self.open(Section::Footer, None);
        self.push("<p>");
        self.push(words.friends);
        self.push(": ");
        for _ in 0..3 {
            let other = self.friend();
            let (front, title) =
                (self.writer.plan.hosts[other].front, self.writer.plan.hosts[other].title.clone());
            self.link_page(front, "friend", &title);
            self.push(" ");
        }
        self.push("</p><p>");
        self.text(words.footer);
        self.push("</p>");
        self.boilerplate(&self.template.foot.clone(), "imprint");
        self.close(Section::Footer);
    }

    /// Returns another host. With probability `locality`, it has the same main topic.
    fn friend(&mut self) -> usize {
        let plan = self.writer.plan;
        let all = plan.hosts.len();
        if self.random.happens(plan.settings.locality) {
            let alike: Vec<usize> = plan.hosts_on(self.host.main).take(200).collect();
            if !alike.is_empty() {
                return alike[self.random.below(alike.len())];
            }
        }
        self.random.below(all)
    }
}
