//! The shipped datasets agree with their READMEs.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use ontrail_corpus::duplicates::find;
use ontrail_corpus::{Body, Dataset, Document};
use ontrail_page::{Html, Source};
use ontrail_tests::root;
use url::Url;

fn load(name: &str) -> Vec<Document> {
    let dataset = Dataset::open(&root().join("datasets").join(name)).unwrap();
    assert_eq!(dataset.info().unwrap().name, name);
    dataset.load(false).unwrap().documents
}

#[test]
fn news_mini_has_five_balanced_classes_of_short_articles() {
    let documents = load("news-mini");
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for document in &documents {
        *classes.entry(document.label.as_deref().unwrap()).or_default() += 1;
        let Body::Text(text) = &document.body else { panic!("{} is no text", document.id) };
        let characters = text.chars().filter(|c| *c != '\n').count();
        assert!((150..=400).contains(&characters), "{}: {characters} characters", document.id);
        let headline = document.title.as_ref().expect("every article has a headline");
        assert!((8..=32).contains(&headline.chars().count()), "{}: {headline}", document.id);
    }
    assert_eq!(
        classes.into_iter().collect::<Vec<_>>(),
        [("rainstorm", 54), ("realty", 54), ("sports", 54), ("stocks", 54), ("technology", 54)]
    );
}

#[test]
fn news_mini_is_split_by_its_seed_without_leaks() {
    let documents = load("news-mini");
    let of = |part: &str| documents.iter().filter(|d| d.part.as_deref() == Some(part)).count();
    assert_eq!((of("train"), of("test")), (216, 54));
    let texts: Vec<String> = documents.iter().map(|d| d.full_text().unwrap()).collect();
    // Far below the threshold of duplicates: no article is a variation of another.
    assert_eq!(find(&texts, 0.2), []);
}

fn pages(name: &str) -> Vec<(String, Html)> {
    load(name)
        .into_iter()
        .map(|document| {
            let Body::Html(bytes) = document.body else { panic!("{} is no page", document.id) };
            let url = Url::parse(&format!("http://site.example/{}", document.id)).unwrap();
            (document.id, Html::parse(&bytes, Source::at(&url)))
        })
        .collect()
}

/// Counts the pages that name each concept in the text, the title or the keywords.
fn check_pages(name: &str, concepts: &[&str]) {
    let pages = pages(name);
    assert!(pages.len() >= 50);
    let addresses: BTreeSet<String> =
        pages.iter().map(|(id, _)| format!("http://site.example/{id}")).collect();
    for (id, page) in &pages {
        assert!(!page.title.is_empty() && !page.damaged && !page.cuts.any(), "{id}");
        assert_eq!(&page.language.as_deref().unwrap()[..2], "zh", "{id}");
        assert!(page.links.len() >= 3, "{id}");
        for link in &page.links {
            let is_own = link.url.host_str() == Some("site.example");
            assert!(!is_own || addresses.contains(link.url.as_str()), "{id}: {}", link.url);
            assert!(
                is_own || link.url.host_str().unwrap().ends_with("example.org"),
                "{}",
                link.url
            );
            assert!(!link.anchor.is_empty(), "{id}: {}", link.url);
        }
    }
    for concept in concepts {
        let holds = |page: &Html| page.text().contains(concept);
        let number = pages.iter().filter(|(_, page)| holds(page)).count();
        assert!(number >= 4, "{concept} is on {number} pages");
    }
    assert!(pages.iter().any(|(_, page)| page.charset == "GBK"));
}

#[test]
fn rainstorm_pages_cover_the_branches_of_the_ontology() {
    let concepts = "暴雨灾害 灾害管理 次生灾害 灾害等级 监测 气象监测 雷达 回波 卫星 云图 水文监测 \
        雨量站 水位 预警 预报 预警信号 应急 应急预案 应急响应 救援 转移 安置点 冲锋舟 抢险 沙袋 恢复重建 \
        救助 救灾物资 保险 理赔 地质灾害 滑坡 泥石流 崩塌 洪涝 山洪 决口 内涝 积水 地下车库 排水 泵站 \
        停电 降雨等级 大暴雨 特大暴雨 预警等级 橙色预警 红色预警 灾情等级";
    let concepts: Vec<_> = concepts.split_whitespace().collect();
    assert_eq!(concepts.len(), 50);
    check_pages("rainstorm-pages", &concepts);
}

#[test]
fn tourism_pages_cover_the_branches_of_the_ontology() {
    let concepts = "旅游 旅游景点 自然景观 山岳 峡谷 瀑布 观瀑台 溶洞 湖泊 湿地 海滨 沙滩 海岛 潜水 \
        人文景观 古镇 古街 寺庙 博物馆 展览 文物 遗址 主题公园 旅游目的 观光 度假 温泉 研学 探亲 商务 会议 \
        住宿 酒店 星级酒店 套房 民宿 农家乐 青年旅舍 露营 帐篷 服务机构 旅行社 导游 讲解 游客中心 票务 \
        门票 旅游路线 一日游 自驾游 房车 跟团游 交通工具 飞机 航班 火车 高铁 索道 游客 背包客 亲子家庭";
    let concepts: Vec<_> = concepts.split_whitespace().collect();
    assert_eq!(concepts.len(), 61);
    check_pages("tourism-pages", &concepts);
}

/// Each word has two meanings with 48 texts each, and 24 texts in which it is only a name.
fn check_senses(name: &str, words: &[(&str, [&str; 3])], least: usize, most: usize) {
    let documents = load(name);
    let mut labels: BTreeMap<String, Vec<&Document>> = BTreeMap::new();
    for document in &documents {
        labels.entry(document.label.clone().unwrap()).or_default().push(document);
        let length = document.text().unwrap().chars().count();
        assert!((least..=most).contains(&length), "{}: {length} characters", document.id);
    }
    for (word, [first, second, planted]) in words {
        for (sense, number) in [(first, 48), (second, 48), (planted, 24)] {
            let texts = labels.remove(&format!("{word}-{sense}")).unwrap();
            assert_eq!(texts.len(), number, "{word}-{sense}");
            let holds = |text: &&&Document| text.full_text().unwrap().to_lowercase().contains(word);
            let holding = texts.iter().filter(holds).count();
            assert!(holding * 10 >= number * 7, "{word}-{sense}: in {holding} texts");
        }
    }
    assert!(labels.is_empty(), "{:?}", labels.keys());
    let texts: Vec<String> = documents.iter().map(|d| d.full_text().unwrap()).collect();
    assert_eq!(find(&texts, 0.2), [], "no text is a variation of another");
    let train = documents.iter().filter(|d| d.part.as_deref() == Some("train")).count();
    assert_eq!((documents.len(), train), (720, 360));
}

#[test]
fn senses_en_has_six_ambiguous_words() {
    let words = [
        ("amazon", ["forest", "shop", "name"]),
        ("apple", ["fruit", "computer", "name"]),
        ("jaguar", ["cat", "car", "name"]),
        ("java", ["language", "island", "name"]),
        ("mercury", ["planet", "metal", "name"]),
        ("python", ["snake", "language", "name"]),
    ];
    check_senses("senses-en", &words, 350, 800);
}

#[test]
fn senses_zh_has_six_ambiguous_words() {
    let words = [
        ("苹果", ["水果", "电子", "名称"]),
        ("暴雨", ["灾害", "乐队", "名称"]),
        ("网络", ["计算机", "其他", "名称"]),
        ("小米", ["粮食", "手机", "名称"]),
        ("病毒", ["医学", "计算机", "名称"]),
        ("杜鹃", ["花", "鸟", "名称"]),
    ];
    check_senses("senses-zh", &words, 140, 230);
}
