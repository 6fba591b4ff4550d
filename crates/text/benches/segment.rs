//! Measures the cost of segmentation compared with jieba alone, and of terms compared with
//! segments.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ontrail_text::{Analyzer, Segmenter};

const PARAGRAPH: &str = "受强对流云团影响，临溪县昨夜出现短时强降雨，最大小时雨量达到82.5毫米，\
县气象台先后发布暴雨橙色预警和红色预警信号。水库管理所值班人员每隔30分钟上报一次水位，\
应急管理部门启动二级响应，沿河3个村的居民连夜转移到安置点。The radar echo map was shared online.";

fn segmentation(criterion: &mut Criterion) {
    let text = PARAGRAPH.repeat(40);
    let mut group = criterion.benchmark_group("segment 40 paragraphs");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let jieba = jieba_rs::Jieba::new();
    group.bench_function("jieba alone", |b| b.iter(|| jieba.cut(&text, true).len()));
    let segmenter = Segmenter::new();
    group.bench_function("segments", |b| {
        b.iter(|| {
            let mut count = 0;
            segmenter.for_each(&text, |segment| count += segment.text.len());
            count
        });
    });
    let analyzer = Analyzer::new();
    group.bench_function("terms", |b| {
        b.iter(|| {
            let mut count = 0;
            analyzer.reader().read(&text, |_, _| count += 1);
            count
        });
    });
    group.finish();
}

criterion_group!(benches, segmentation);
criterion_main!(benches);
