//! Checks that reading known words allocates nothing per word.

use allocation_counter::measure;
use ontrail_text::{Analyzer, TermReader};

const PARAGRAPH: &str = "受强对流云团影响，临溪县昨夜出现短时强降雨，最大小时雨量达到82.5毫米，\
县气象台先后发布暴雨橙色预警。The radar echoes were shared online, and Crawlers fetched them. ";

/// Returns the number of allocations for reading a text whose words the reader knows already.
fn allocations(reader: &mut TermReader<'_>, text: &str) -> u64 {
    let mut words = 0;
    reader.read(text, |_, _| words += 1);
    let counted = measure(|| reader.read(text, |_, _| words += 1));
    assert!(words > 0);
    counted.count_total
}

#[test]
fn repeated_words_cost_no_allocation() {
    let with_phrases = Analyzer::builder().terms(["radar echo", "暴雨橙色预警"]).build();
    for analyzer in [&Analyzer::new(), &with_phrases] {
        let mut reader = analyzer.reader();
        let once = allocations(&mut reader, PARAGRAPH);
        let long = PARAGRAPH.repeat(50);
        let fifty_times = allocations(&mut reader, &long);
        // The segmenter returns its tokens in one vector, which may have to grow a few times.
        assert!(once <= 4, "{once} allocations for one paragraph");
        assert!(fifty_times <= 12, "{fifty_times} allocations for fifty paragraphs");
    }
}
