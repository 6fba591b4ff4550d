//! Fixed phrases on woven pages (navigation, adverts, footers), in Chinese and English.

/// The phrases of one language.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) language: &'static str,
    pub(crate) home: &'static str,
    pub(crate) more: &'static [&'static str],
    pub(crate) next: &'static str,
    pub(crate) previous: &'static str,
    pub(crate) hot: &'static str,
    pub(crate) related: &'static str,
    pub(crate) friends: &'static str,
    pub(crate) advert: &'static str,
    pub(crate) adverts: &'static [&'static str],
    pub(crate) footer: &'static str,
    pub(crate) channel: &'static str,
    pub(crate) sites: &'static str,
    pub(crate) calendar: &'static str,
    pub(crate) site: &'static [&'static str],
    pub(crate) title_starts: &'static [&'static str],
    pub(crate) title_ends: &'static [&'static str],
    pub(crate) source: &'static str,
    pub(crate) comment: &'static str,
    pub(crate) welcome: &'static [&'static str],
}

impl Words {
    pub(crate) fn of(is_chinese: bool) -> &'static Self {
        if is_chinese { &CHINESE } else { &ENGLISH }
    }
}

static CHINESE: Words = Words {
    language: "zh-CN",
    home: "首页",
    more: &["更多", "详情", "点击查看", "阅读全文", "[图文]"],
    next: "下一页",
    previous: "上一页",
    hot: "热门文章",
    related: "相关阅读",
    friends: "友情链接",
    advert: "推广",
    adverts: &[
        "秋冬女鞋三折起，满两件包邮",
        "本地宽带提速免费安装",
        "学英语，先听三节试听课",
        "新车到店，试驾有礼",
        "家用净水器以旧换新",
        "周末自驾租车九折",
        "手机卡月租低至九元",
        "牙齿矫正，到院免费拍片",
    ],
    footer: "本站内容仅供参考，转载请注明出处。联系我们 | 广告服务 | 招聘信息 | 网站地图",
    channel: "综合频道",
    sites: "站点导航",
    calendar: "日历",
    site: &["资讯网", "在线", "时报", "门户", "社区", "观察", "热线", "信息港"],
    title_starts: &["快讯：", "【关注】", "最新："],
    title_ends: &["（图）", "（组图）", "_新闻中心", " 详情公布"],
    source: "来源：",
    comment: "网友评论",
    welcome: &[
        "每日更新，汇集各频道精选内容。",
        "编辑部为您挑选今天值得一看的文章。",
        "登录后可以订阅关心的栏目，也可以给我们留言。",
    ],
};

static ENGLISH: Words = Words {
    language: "en",
    home: "Home",
    more: &["more", "read on", "click here", "full story", "[photos]"],
    next: "next page",
    previous: "previous page",
    hot: "Most read",
    related: "Related",
    friends: "Partner sites",
    advert: "Sponsored",
    adverts: &[
        "Winter shoes from a third of the price",
        "Faster broadband, fitted at no cost",
        "Learn a language: three lessons to try",
        "Test-drive the new model this weekend",
        "Trade in your old water filter",
        "Rental cars ten per cent off",
        "Phone plans from nine a month",
        "Free first visit at the dentist's",
    ],
    footer: "All content is for information only. Contact | Advertise | Jobs | Site map",
    channel: "All channels",
    sites: "Directory of sites",
    calendar: "Calendar",
    site: &["Gazette", "Online", "Times", "Portal", "Forum", "Observer", "Line", "Hub"],
    title_starts: &["Just in: ", "In focus: ", "Update: "],
    title_ends: &[" (photos)", " - full report", " | News", ": the details"],
    source: "Source: ",
    comment: "Comments",
    welcome: &[
        "Updated every day with the best of all channels.",
        "What our editors think is worth reading today.",
        "Sign in to follow the sections you care about, or leave us a message.",
    ],
};
