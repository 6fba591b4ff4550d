//! The texts of the report, in English and Chinese. docs/glossary.md has the terms of both
//! languages.

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
    /// Returns the tag of the language, as HTML and RDF write it.
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

    /// Returns the reason why a rule picked a link, as a clause.
    pub(crate) fn rule(self, rule: Rule) -> &'static str {
        match self {
            Self::En => rule.meaning(),
            Self::Zh => rule_in_chinese(rule),
        }
    }
}

/// The texts of a report. `%n`, `%m` and the like are replaced by numbers.
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
    pub(crate) crawl_heads: [&'static str; 13],
    pub(crate) downloaded: &'static str,
    pub(crate) curves: [&'static str; 6],
    pub(crate) learned: &'static str,
    pub(crate) learned_heads: [&'static str; 3],
    pub(crate) odd_threshold: &'static str,
    pub(crate) better_threshold: &'static str,
    pub(crate) no_better_threshold: &'static str,
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
    lead: "Models and crawls for this topic",
    ontology: "Ontology",
    hierarchy: "Hierarchy of concepts",
    line_diagram: "Line diagram of the concept lattice",
    line_diagram_note: "Each circle is a formal concept. Its pages have all terms that are \
                        written at the circle itself and at the circles above it, along the \
                        lines.",
    concepts: "concepts",
    levels: "levels",
    branches: "branches",
    search: "search",
    open_all: "expand all",
    close_all: "collapse all",
    see_above: "see above",
    tree_cut: "Only %n entries are shown; deeper and later ones are left out.",
    topic: "Topic",
    topic_note: "The terms that pages are compared with, and their weights.",
    terms: "terms",
    all_terms: "other terms",
    classifier: "Page classifier",
    confusion_note: "Rows are true classes, columns are predicted classes. The darker a cell, \
                     the greater its share of the row.",
    accuracy: "accuracy",
    macro_f1: "macro F1",
    documents: "documents",
    calibration: "calibration error",
    class_heads: ["class", "precision", "recall", "F1", "documents"],
    senses: "Disambiguation graph",
    senses_note: "Dashed words are ambiguous: on other topics they mean something else. The \
                  words that they are joined to show which meaning is intended.",
    ambiguous: "ambiguous",
    edges: "edges",
    crawls: "Crawls",
    crawl_heads: [
        "recipe",
        "pages",
        "threshold",
        "relevant pages (self-reported)",
        "harvest rate (self-reported)",
        "mean relevance (self-reported)",
        "relevant pages (ground truth)",
        "harvest rate (ground truth)",
        "recall",
        "precision of its own judgement",
        "recall of its own judgement",
        "F1 of its own judgement",
        "hosts",
    ],
    downloaded: "pages downloaded (DP)",
    curves: [
        "Relevant pages (ground truth)",
        "Recall (ground truth)",
        "Harvest rate (ground truth)",
        "Relevant pages (self-reported)",
        "Harvest rate (self-reported)",
        "Mean relevance (self-reported)",
    ],
    learned: "Learned about links by %c, from %n pages",
    learned_heads: ["", "for a link", "against a link"],
    odd_threshold: "%c: %n of %m pages pass the threshold %t, so it hardly separates them; ",
    better_threshold: "by their scores, %b would separate relevant pages from others.",
    no_better_threshold: "their scores show no threshold that separates them better.",
    comparison: "Comparison",
    comparison_note: "%c recipes on %b blocks, %p pages each, up to %r repeats; mean ± standard \
                      error. The recipe with the greatest area of recall (area TR) comes first. \
                      RP, LP: relevant pages, by the ground truth and self-reported; AC, HR: \
                      harvest rate; RC: recall; TR: recall without the seeds; AR: mean \
                      relevance; SD: its standard deviation; AS: mean relevance of the relevant \
                      pages; AE: prediction error of priorities; P, R, F1: precision, recall and \
                      F1 of the crawler's own judgement of the pages that it fetched; area: mean \
                      over the whole budget; DP: pages downloaded; time: seconds.",
    by_truth: "Ground truth",
    by_themselves: "Self-reported",
    pages: "Pages",
    pages_cut: "The list shows the %n most relevant of %m pages.",
    list: PageListWords {
        filter: "title, URL or anchor text",
        all_crawls: "all crawls",
        all_classes: "all classes",
        all_verdicts: "relevant or not",
        verdicts: [
            "relevant (self-reported)",
            "not relevant (self-reported)",
            "relevant (ground truth)",
            "not relevant (ground truth)",
        ],
        more: "show more",
        list: ListWords {
            number: "no.",
            crawl: "crawl",
            page: "page",
            relevance: "relevance",
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
    made_by: "How this report was made",
};

const CHINESE: Words = Words {
    lead: "本主题的模型与爬取结果",
    ontology: "本体",
    hierarchy: "概念层次",
    line_diagram: "概念格的线图",
    line_diagram_note: "每个圆点表示一个形式概念，它的页面含有标在该圆点处以及沿线往上各圆点处的所有词。",
    concepts: "个概念",
    levels: "层",
    branches: "个分支",
    search: "查找",
    open_all: "全部展开",
    close_all: "全部折叠",
    see_above: "见上文",
    tree_cut: "只显示 %n 项，更深或更靠后的条目从略。",
    topic: "主题",
    topic_note: "用来与页面比较的词及其权重。",
    terms: "个词",
    all_terms: "其余的词",
    classifier: "页面分类器",
    confusion_note: "行是真实类别，列是预测类别；颜色越深，该格占所在行的比例越大。",
    accuracy: "准确率",
    macro_f1: "宏平均 F1",
    documents: "篇文档",
    calibration: "校准误差",
    class_heads: ["类别", "精确率", "召回率", "F1", "文档数"],
    senses: "语义消歧图",
    senses_note: "虚线表示歧义词：在其他主题中它们另有含义。与歧义词相连的词能够表明它取哪个含义。",
    ambiguous: "个歧义词",
    edges: "条边",
    crawls: "爬取",
    crawl_heads: [
        "配方",
        "页面数",
        "阈值",
        "相关页面数（自评）",
        "收获率（自评）",
        "平均相关度（自评）",
        "相关页面数（真值）",
        "收获率（真值）",
        "召回率",
        "自身判定的精确率",
        "自身判定的召回率",
        "自身判定的 F1",
        "主机数",
    ],
    downloaded: "下载页面数 (DP)",
    curves: [
        "相关页面数（真值）",
        "召回率（真值）",
        "收获率（真值）",
        "相关页面数（自评）",
        "收获率（自评）",
        "平均相关度（自评）",
    ],
    learned: "%c 从 %n 个页面中学到的链接特征",
    learned_heads: ["", "支持链接", "不支持链接"],
    odd_threshold: "%c：%m 个页面中有 %n 个超过阈值 %t，几乎没有区分作用；",
    better_threshold: "按这些页面的得分，%b 能把相关页面与其他页面分开。",
    no_better_threshold: "从得分看，没有更好的阈值。",
    comparison: "比较",
    comparison_note: "%c 个配方，%b 个区组，每次爬取 %p 个页面，最多重复 %r 次；数值为均值 ± 标准误。\
                      召回曲线面积 (area TR) 最大的配方排在最前。RP、LP：相关页面数（分别按真值和自评）；\
                      AC、HR：收获率；RC：召回率；TR：不计种子网址的召回率；AR：平均相关度；SD：相关度的标准差；\
                      AS：相关页面的平均相关度；AE：优先级的预测误差；P、R、F1：爬虫对所抓取页面的自身判定的精确率、召回率和 F1；\
                      area：整个预算内的平均值；\
                      DP：下载页面数；time：秒数。",
    by_truth: "真值",
    by_themselves: "自评",
    pages: "页面",
    pages_cut: "共 %m 个页面，列出其中最相关的 %n 个。",
    list: PageListWords {
        filter: "标题、网址或锚文本",
        all_crawls: "全部爬取",
        all_classes: "全部类别",
        all_verdicts: "相关与不相关",
        verdicts: ["相关（自评）", "不相关（自评）", "相关（真值）", "不相关（真值）"],
        more: "显示更多",
        list: ListWords {
            number: "序号",
            crawl: "爬取",
            page: "页面",
            relevance: "相关度",
            class: "类别",
            label: "标签",
            priority: "优先级",
            reason: "抓取原因",
            yes: "相关",
            no: "不相关",
            found: "链接来自",
            seed: "它是种子网址",
            untitled: "（无标题）",
            count: "显示 %n 个，共 %m 个页面",
        },
    },
    made_by: "本报告的生成方式",
};

fn rule_in_chinese(rule: Rule) -> &'static str {
    match rule {
        Rule::First => "它是队列中最早的链接",
        Rule::Best => "在当时可抓取的链接中优先级最高",
        Rule::Formula => "固定公式的值最高，而按固定公式选择近来收获更多",
        Rule::Parent => "所在的页面最相关，而沿着相关页面选择近来收获更多",
        Rule::Drawn => "随机抽取，作为新一轮搜索的起点",
        Rule::Accepted => "不劣于搜索用来与它比较的链接",
        Rule::Metropolis => "劣于前一个链接，但被模拟退火随机接受",
        Rule::Aspiration => "虽在禁忌表中，但优于迄今最好的链接",
        Rule::Neighbourhood => "在搜索到达的页面上，是不在禁忌表中的最好的链接",
        Rule::ExtendedNeighbourhood => {
            "搜索在到达的页面上没有找到更好的链接，而它是指向该页面的各页面上最好的链接"
        }
        Rule::Tunnel => "所在的页面不相关，但所在的内容块相关",
        Rule::Fitness => "枢纽页面链接到它，而遗传算法需要知道它的相关度",
        Rule::Mutation => "从通往相关页面的那些页面的链接中随机抽取",
        Rule::Pareto => "同时比较多项得分时，它属于最优的链接",
        Rule::Trail => "按信息素和优先级，它对蚂蚁最有吸引力",
        Rule::Roulette => "蚂蚁以信息素和优先级为权重，随机抽中了它",
        Rule::Jump => "蚂蚁所在的页面已没有可走的链接，于是跳转到它",
        Rule::Free => "策略想要的链接还不能抓取，它在可抓取的链接中优先级最高",
        Rule::Listed => "站点在 robots.txt 或站点地图中向爬虫列出了它",
    }
}
