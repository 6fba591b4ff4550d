//! What the report says, in both languages.

use clap::ValueEnum;
use ontrail_pilot::Rule;
use ontrail_report::{ListWords, PageListWords};

/// The language of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Lang {
    /// English
    #[default]
    En,
    /// 中文
    Zh,
}

impl Lang {
    /// Its tag.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    pub(crate) fn words(self) -> &'static Words {
        match self {
            Self::En => &ENGLISH,
            Self::Zh => &CHINESE,
        }
    }

    /// What a rule says, as the rest of a sentence.
    pub(crate) fn rule(self, rule: Rule) -> &'static str {
        match self {
            Self::En => rule.meaning(),
            Self::Zh => rule_in_chinese(rule),
        }
    }
}

/// The words of a report.
pub(crate) struct Words {
    pub(crate) lead: &'static str,
    pub(crate) ontology: &'static str,
    pub(crate) hierarchy: &'static str,
    pub(crate) line_diagram: &'static str,
    pub(crate) line_diagram_note: &'static str,
    pub(crate) concepts: &'static str,
    pub(crate) levels: &'static str,
    pub(crate) branches: &'static str,
    pub(crate) search: &'static str,
    pub(crate) open_all: &'static str,
    pub(crate) close_all: &'static str,
    pub(crate) see_above: &'static str,
    pub(crate) tree_cut: &'static str,
    pub(crate) topic: &'static str,
    pub(crate) topic_note: &'static str,
    pub(crate) terms: &'static str,
    pub(crate) all_terms: &'static str,
    pub(crate) classifier: &'static str,
    pub(crate) confusion_note: &'static str,
    pub(crate) accuracy: &'static str,
    pub(crate) macro_f1: &'static str,
    pub(crate) documents: &'static str,
    pub(crate) calibration: &'static str,
    pub(crate) class_heads: [&'static str; 5],
    pub(crate) senses: &'static str,
    pub(crate) senses_note: &'static str,
    pub(crate) ambiguous: &'static str,
    pub(crate) edges: &'static str,
    pub(crate) crawls: &'static str,
    pub(crate) crawl_heads: [&'static str; 10],
    pub(crate) downloaded: &'static str,
    pub(crate) curves: [&'static str; 6],
    pub(crate) comparison: &'static str,
    pub(crate) comparison_note: &'static str,
    pub(crate) by_truth: &'static str,
    pub(crate) by_themselves: &'static str,
    pub(crate) pages: &'static str,
    pub(crate) pages_cut: &'static str,
    pub(crate) list: PageListWords,
    pub(crate) made_by: &'static str,
}

const ENGLISH: Words = Words {
    lead: "What was made for the topic, and what came of it",
    ontology: "Ontology",
    hierarchy: "Concepts",
    line_diagram: "Line diagram of the concept lattice",
    line_diagram_note: "Each circle is a formal concept: the terms above it and on the way up are on all of its pages.",
    concepts: "concepts",
    levels: "levels",
    branches: "branches",
    search: "search",
    open_all: "open all",
    close_all: "close all",
    see_above: "see above",
    tree_cut: "The first %n are listed; what is below or behind them is left out.",
    topic: "Topic",
    topic_note: "The terms that pages are compared with, by weight.",
    terms: "terms",
    all_terms: "the other terms",
    classifier: "Page classifier",
    confusion_note: "Rows are true classes, columns what they were called. The darker a cell, the larger its share of the row.",
    accuracy: "accuracy",
    macro_f1: "macro F1",
    documents: "documents",
    calibration: "calibration error",
    class_heads: ["class", "precision", "recall", "F1", "documents"],
    senses: "Disambiguation graph",
    senses_note: "Which words of a topic mean something else elsewhere (dashed), and which others show their meaning.",
    ambiguous: "ambiguous",
    edges: "edges",
    crawls: "Crawls",
    crawl_heads: [
        "recipe",
        "pages",
        "relevant above",
        "relevant by itself",
        "AC by itself",
        "AR by itself",
        "relevant by labels",
        "AC by labels",
        "recall",
        "hosts",
    ],
    downloaded: "pages downloaded (DP)",
    curves: [
        "Relevant pages by labels",
        "Recall by labels",
        "Accuracy by labels",
        "Relevant pages by the crawler's own opinion",
        "Accuracy by the crawler's own opinion",
        "Average relevance by the crawler's own opinion",
    ],
    comparison: "Comparison",
    comparison_note: "%c crawlers on %b blocks, %p pages each, up to %r repeats; mean ± standard error. The greatest area under the curve of recall (area TR) comes first.",
    by_truth: "By the truth",
    by_themselves: "By the crawlers' own opinion",
    pages: "Pages",
    pages_cut: "Of %m pages the %n most relevant are listed.",
    list: PageListWords {
        filter: "title, address or link text",
        all_crawls: "all crawls",
        all_classes: "all classes",
        all_verdicts: "relevant or not",
        verdicts: [
            "relevant by the crawler",
            "not relevant by the crawler",
            "relevant by labels",
            "not relevant by labels",
        ],
        more: "show more",
        list: ListWords {
            number: "no.",
            crawl: "crawl",
            page: "page",
            relevance: "R(p)",
            class: "class",
            label: "label",
            priority: "priority",
            reason: "why it was fetched",
            yes: "relevant",
            no: "not relevant",
            found: "found on",
            seed: "it is a seed",
            untitled: "(no title)",
            count: "%n of %m pages",
        },
    },
    made_by: "How this page was made",
};

const CHINESE: Words = Words {
    lead: "为该主题构建的模型，以及爬取结果",
    ontology: "本体",
    hierarchy: "概念层次",
    line_diagram: "概念格的线图",
    line_diagram_note: "每个圆点是一个形式概念：其上方及沿线向上的词出现在它的所有网页中。",
    concepts: "个概念",
    levels: "层",
    branches: "个分支",
    search: "查找",
    open_all: "全部展开",
    close_all: "全部折叠",
    see_above: "见上文",
    tree_cut: "列出前 %n 项；其下或其后的从略。",
    topic: "主题向量",
    topic_note: "用于与网页比较的主题词，按权重排列。",
    terms: "个主题词",
    all_terms: "其余主题词",
    classifier: "网页分类器",
    confusion_note: "行是真实类别，列是判定类别；颜色越深，占该行的比例越大。",
    accuracy: "准确率",
    macro_f1: "宏平均 F1",
    documents: "篇文档",
    calibration: "校准误差",
    class_heads: ["类别", "精确率", "召回率", "F1", "文档数"],
    senses: "语义消歧图",
    senses_note: "主题中哪些词在别处另有含义（虚线），以及哪些词能揭示其含义。",
    ambiguous: "个歧义词",
    edges: "条边",
    crawls: "爬取",
    crawl_heads: [
        "配方",
        "网页数",
        "相关度阈值",
        "爬虫判为相关",
        "自判 AC",
        "自判 AR",
        "真实相关",
        "真实 AC",
        "召回率",
        "主机数",
    ],
    downloaded: "已下载网页数 (DP)",
    curves: [
        "相关网页数（按真实标签）",
        "召回率（按真实标签）",
        "准确率（按真实标签）",
        "相关网页数（爬虫自判）",
        "准确率（爬虫自判）",
        "平均相关度（爬虫自判）",
    ],
    comparison: "比较",
    comparison_note: "%c 个爬虫，%b 个区组，每次 %p 个网页，至多重复 %r 次；均值 ± 标准误。召回率曲线下面积 (area TR) 最大者居首。",
    by_truth: "按真实标签",
    by_themselves: "按爬虫自己的判断",
    pages: "网页",
    pages_cut: "共 %m 个网页，列出最相关的 %n 个。",
    list: PageListWords {
        filter: "标题、网址或链接文字",
        all_crawls: "全部爬取",
        all_classes: "全部类别",
        all_verdicts: "全部（相关和不相关）",
        verdicts: ["爬虫判为相关", "爬虫判为不相关", "标签为相关", "标签为不相关"],
        more: "显示更多",
        list: ListWords {
            number: "序号",
            crawl: "爬取",
            page: "网页",
            relevance: "R(p)",
            class: "类别",
            label: "标签",
            priority: "优先级",
            reason: "抓取原因",
            yes: "相关",
            no: "不相关",
            found: "发现于",
            seed: "种子网页",
            untitled: "（无标题）",
            count: "显示 %n / 共 %m 个网页",
        },
    },
    made_by: "本页的生成方式",
};

fn rule_in_chinese(rule: Rule) -> &'static str {
    match rule {
        Rule::First => "它最先被发现",
        Rule::Best => "在当时可抓取的链接中优先级最高",
        Rule::Drawn => "随机抽取，作为搜索的起点",
        Rule::Accepted => "优于前一个链接",
        Rule::Metropolis => "劣于前一个链接，但按概率被接受",
        Rule::Aspiration => "虽在禁忌表中，但优于迄今最好的链接",
        Rule::Neighbourhood => "在搜索所在的网页上最好",
        Rule::ExtendedNeighbourhood => "在指向当前链接的各网页上最好",
        Rule::Tunnel => "网页不相关，但它所在的内容块与主题相关",
        Rule::Fitness => "抓取以了解其适应度",
        Rule::Mutation => "从指向好网页的网页中抽取",
        Rule::Pareto => "在多目标比较中属于最优之列",
        Rule::Trail => "蚂蚁选择了最佳路径",
        Rule::Roulette => "蚂蚁按轮盘赌抽取了路径",
        Rule::Jump => "蚂蚁所在网页无路可走，于是跳转",
        Rule::Free => "在可访问的主机中优先级最高：策略所选的主机须休息",
        Rule::Listed => "站点在站点地图中列出了它",
    }
}
