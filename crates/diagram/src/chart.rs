//! Line charts, to be set into a page of HTML.
//!
//! A chart brings no style sheet and no identifiers with it, so that any number of them can stand in one
//! page. What is written takes the colour of the text around it and so follows light and dark; the colours
//! of the lines can be seen on both.

use crate::label::{FONT, width};
use crate::markup::{Svg, svg};
use crate::svg::FONTS;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 12.0;
/// The size of the letters of the title.
const TITLE: f64 = 16.0;
/// The height of a line of text below or above the plot.
const ROW: f64 = 19.0;
/// From a letter's foot to its middle: text is moved down by this to stand beside a line.
const HALF_LETTER: f64 = 4.5;
/// How many steps an axis has at most. The figures along the lower one are wide.
const MOST_ACROSS: u8 = 8;
const MOST_UP: u8 = 5;
/// How much room is left between two figures of the lower axis.
const BETWEEN_FIGURES: f64 = 14.0;
/// How many points of a series are drawn: about one for each unit of the picture's width.
const MOST_POINTS: usize = 600;
/// Numbers beyond this are left out with those that are not finite, so that no sum or difference of those
/// that remain overflows. What is less than one by it is zero.
const LARGEST: f64 = 1e290;
/// The width of a range, as a share of its numbers, below which it is as good as a single number: their
/// figures would not differ.
const NARROWEST: f64 = 1e-9;
/// What of a step counts as rounding only.
const ROUNDING: f64 = 1e-6;

/// The line before a name of the legend, what stands between two of them, and how wide a name may be.
const SAMPLE: f64 = 34.0;
const BETWEEN_NAMES: f64 = 18.0;
const WIDEST_NAME: f64 = 260.0;
/// How many rows the legend has before the rest is only counted, and the room for that count.
const MOST_ROWS: usize = 5;
const COUNT: f64 = 56.0;

/// Colours that keep apart in all three kinds of colour blindness, and have a contrast of three to one on
/// white paper and on dark. The first four are from Okabe and Ito; their yellow cannot be seen on white.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "currentColor", "#8822ff", "#aa4433", "#9988ee"];
/// Dashes tell the lines apart where there are no colours. Each shows its pattern within a sample.
const DASHES: [&str; 8] = ["", "8 4", "2 3", "10 3 2 3", "15 4", "4 2 4 6", "10 3 2 3 2 3", "4 8"];

/// A line of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// What it is called.
    pub name: String,
    /// Joined in this order. What is not finite is left out, and the line goes on to the next point.
    pub points: Vec<(f64, f64)>,
    /// The low and the high of each point, in the same order, drawn as an area behind the line.
    pub band: Option<Vec<(f64, f64)>>,
}

/// Series over a common axis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What goes from left to right.
    pub x_label: String,
    /// What goes up.
    pub y_label: String,
    /// The lines, which differ in colour and dashes.
    pub series: Vec<Series>,
    /// From where to where the values go. Otherwise from zero to a round number that is not below any value,
    /// and from a round number below zero if some values are negative.
    pub y_range: Option<(f64, f64)>,
}

impl Chart {
    /// The chart as an element `<svg>` that is as wide as what it stands in.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let traces: Vec<Trace<'_>> = self.series.iter().enumerate().map(Trace::of).collect();
        let legend = if traces.len() > 1 { Legend::of(&traces) } else { Legend::default() };
        let drawn = if let Some(frame) = self.frame(&traces, legend.rows.len()) {
            self.drawn(&frame, &traces, &legend)
        } else {
            let middle = Text { anchor: "middle", ..Text::at(WIDTH / 2.0, HEIGHT / 2.0) };
            middle.write("no data")
        };
        self.head() + drawn + Svg::fixed("</svg>\n")
    }

    fn drawn(&self, frame: &Frame, traces: &[Trace<'_>], legend: &Legend) -> Svg {
        let lines: Svg = traces.iter().map(|trace| trace.drawn(frame)).collect();
        let below = legend.drawn(frame.bottom + self.below());
        self.labels(frame) + frame.grid() + lines + below
    }

    /// The beginning of the element. A picture needs a name for those who cannot see it, so the axis lends
    /// its own if there is no title.
    fn head(&self) -> Svg {
        let name = if self.title.is_empty() { &self.y_label } else { &self.title };
        let title = Text { size: TITLE, weight: 600, ..Text::at(MARGIN, MARGIN + TITLE - 3.0) };
        svg!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" \
             style=\"display:block;width:100%;height:auto;font-family:{}\">\n\
             <title>{}</title>\n{}",
            WIDTH,
            HEIGHT,
            FONTS,
            name,
            title.write(&fitted(&self.title, (WIDTH - 2.0 * MARGIN) * FONT / TITLE))
        )
    }

    /// What the axes are called. The name of the upright one lies above it: turned letters are hard to
    /// read, Chinese ones most.
    fn labels(&self, frame: &Frame) -> Svg {
        let x = f64::midpoint(frame.left, frame.right);
        let below = Text { anchor: "middle", ..Text::at(x, frame.bottom + 2.0 * ROW - 3.0) };
        let above = Text::at(MARGIN, frame.top - MARGIN);
        let room = WIDTH - 2.0 * MARGIN;
        above.write(&fitted(&self.y_label, room)) + below.write(&fitted(&self.x_label, room))
    }

    /// The height of the figures and the name of the lower axis.
    fn below(&self) -> f64 {
        if self.x_label.is_empty() { ROW } else { 2.0 * ROW }
    }

    /// Where the plot stands and what it reaches over, if there is a point at all. Its sides leave room for
    /// half of a figure that stands at the end of the lower axis.
    fn frame(&self, traces: &[Trace<'_>], legend_rows: usize) -> Option<Frame> {
        let points = || traces.iter().flat_map(Trace::points);
        let across = range(points().map(|point| point.0))?;
        let y = self.y_axis(range(points().map(|point| point.1))?);
        let left = MARGIN + widest(&y.figures()) + 8.0;
        let whole = points().all(|point| point.0.fract() == 0.0);
        let x = x_axis(widened(across), WIDTH - MARGIN - left, whole);
        let overhang = (widest(&x.figures()) / 2.0 + 2.0).max(MARGIN);
        let title = if self.title.is_empty() { 0.0 } else { TITLE + 6.0 };
        let label = if self.y_label.is_empty() { 0.0 } else { ROW + 4.0 };
        Some(Frame {
            left: left.max(overhang),
            right: WIDTH - overhang,
            top: MARGIN + title + label,
            bottom: HEIGHT - MARGIN / 2.0 - self.below() - legend_rows as f64 * ROW,
            x,
            y,
        })
    }

    /// The upright axis, for values within a range.
    fn y_axis(&self, (low, high): (f64, f64)) -> Axis {
        let given = self.y_range.map(|(a, b)| (a.min(b), a.max(b)));
        match given.filter(|&range| usable(range.0) && usable(range.1) && !narrow(range)) {
            Some(range) => Axis::over(range, MOST_UP),
            None => Axis::around((low.min(0.0), high.max(0.0)), MOST_UP),
        }
    }
}

/// The lower axis, with as many figures as can stand beside each other. Where every point has a whole
/// number, such as a year, there is nothing between them to name.
fn x_axis(range: (f64, f64), room: f64, whole: bool) -> Axis {
    let with = |most: u8| {
        let axis = Axis::over(range, most);
        if whole && axis.step() < 1.0 { Axis { digit: 1.0, exponent: 0, ..axis } } else { axis }
    };
    let fits = |axis: &Axis| {
        let apart = room * axis.step() / (axis.high - axis.low);
        widest(&axis.figures()) + BETWEEN_FIGURES <= apart
    };
    (2..=MOST_ACROSS).rev().map(with).find(fits).unwrap_or_else(|| with(2))
}

/// Whether a number can be drawn. Not a number compares as false.
fn usable(number: f64) -> bool {
    number.abs() <= LARGEST
}

/// Whether a range is too narrow to be divided.
fn narrow((low, high): (f64, f64)) -> bool {
    high - low <= (low.abs().max(high.abs()) * NARROWEST).max(1.0 / LARGEST)
}

/// A single number gets some room on both sides, since it has to stand somewhere.
fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if narrow((low, high)) {
        let room = (low.abs() * 1e-3).max(0.5);
        (low - room, high + room)
    } else {
        (low, high)
    }
}

/// The least and the greatest, if there are any.
fn range(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.map(|number| (number, number)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// A range and the step between its figures, which is 1, 2 or 5 times a power of ten: nobody counts by
/// sevens. The two parts are kept apart to write the figures without rounding errors.
#[derive(Debug, Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    digit: f64,
    exponent: i32,
}

impl Axis {
    /// Over a range as it is, in so many steps at most.
    fn over((low, high): (f64, f64), most: u8) -> Self {
        let (digit, exponent) = step((high - low) / f64::from(most));
        Self { low, high, digit, exponent }
    }

    /// Over a range that is made larger until it begins and ends at a figure. If there is nothing in it,
    /// the axis goes to one.
    fn around((low, high): (f64, f64), most: u8) -> Self {
        let axis = Self::over(if narrow((low, high)) { (0.0, 1.0) } else { (low, high) }, most);
        let step = axis.step();
        let (first, last) =
            ((axis.low / step + ROUNDING).floor(), (axis.high / step - ROUNDING).ceil());
        Self { low: axis.low.min(first * step), high: axis.high.max(last * step), ..axis }
    }

    /// From one figure to the next, for reckoning where the two parts do not matter.
    fn step(&self) -> f64 {
        self.digit * 10_f64.powi(self.exponent)
    }

    /// The figures' places as multiples of the step: whole numbers, so that errors do not add up. The zero
    /// is added to have no minus before a zero.
    fn multiples(&self) -> Vec<f64> {
        let step = self.step();
        let (first, last) =
            ((self.low / step - ROUNDING).ceil(), (self.high / step + ROUNDING).floor());
        let next = |multiple: &f64| Some(multiple + 1.0);
        let all = std::iter::successors(Some(first), next);
        all.take_while(|&multiple| multiple <= last).map(|multiple| multiple + 0.0).collect()
    }

    /// Where the figures stand.
    fn ticks(&self) -> Vec<f64> {
        self.multiples().iter().map(|multiple| multiple * self.step()).collect()
    }

    /// The figures, with the decimals that the step needs. More than two, or very many digits, are written
    /// with a power of a thousand instead. Thousands are set apart from five digits on, and then along all
    /// of the axis; years have four.
    fn figures(&self) -> Vec<String> {
        let powers = !(-2..9).contains(&self.exponent);
        let power = if powers { 3 * self.exponent.div_euclid(3) } else { 0 };
        let unit = self.digit * 10_f64.powi(self.exponent - power);
        let decimals = usize::try_from(power - self.exponent).unwrap_or(0);
        let numbers: Vec<f64> = self.multiples().iter().map(|multiple| multiple * unit).collect();
        let apart = numbers.iter().any(|number| number.abs() >= 10_000.0 - ROUNDING);
        let figure = |&number: &f64| {
            let plain = format!("{number:.decimals$}");
            let plain = if apart { thousands(&plain) } else { plain };
            if power == 0 || number == 0.0 {
                plain.replace('-', "−")
            } else {
                format!("{plain}×10{}", raised(power)).replace('-', "−")
            }
        };
        numbers.iter().map(figure).collect()
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below a number: its digit and the exponent.
fn step(least: f64) -> (f64, i32) {
    #[expect(clippy::cast_possible_truncation, reason = "a double's exponent is below 400")]
    let exponent = least.log10().floor() as i32;
    let share = least / 10_f64.powi(exponent);
    match [1.0, 2.0, 5.0].into_iter().find(|digit| share <= digit * (1.0 + ROUNDING)) {
        Some(digit) => (digit, exponent),
        None => (1.0, exponent + 1),
    }
}

/// A number with commas between its thousands.
fn thousands(plain: &str) -> String {
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let digits = whole.trim_start_matches('-');
    let mut apart = whole[..whole.len() - digits.len()].to_owned();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            apart.push(',');
        }
        apart.push(digit);
    }
    apart + rest
}

/// An exponent in raised digits, which need no markup.
fn raised(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    exponent.to_string().chars().map(raise).collect()
}

/// The plot's place in the picture, and what it reaches over.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    /// How far to the right a point stands in the picture.
    fn across(&self, x: f64) -> f64 {
        self.left + (x - self.x.low) / (self.x.high - self.x.low) * (self.right - self.left)
    }

    /// How far down a value stands in the picture, whose heights grow downwards.
    fn up(&self, y: f64) -> f64 {
        self.bottom - (y - self.y.low) / (self.y.high - self.y.low) * (self.bottom - self.top)
    }

    /// A point as it is written within a path.
    fn place(&self, (x, y): (f64, f64)) -> String {
        format!("{:.1} {:.1}", self.across(x), self.up(y))
    }

    /// The parts of a line that lie within the values shown. They are found here and not by a clipping path,
    /// which would need an identifier that no other chart of the page has.
    fn runs(&self, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let (low, high) = (self.y.low, self.y.high);
        let inside = |point: &(f64, f64)| (low..=high).contains(&point.1);
        if let [only] = points {
            return if inside(only) { vec![vec![*only]] } else { Vec::new() };
        }
        let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if from.1.max(to.1) < low || from.1.min(to.1) > high {
                continue;
            }
            let end = |point: (f64, f64)| match point.1 {
                y if y < low => crossing(from, to, low),
                y if y > high => crossing(from, to, high),
                _ => point,
            };
            match runs.last_mut().filter(|_| inside(&from)) {
                Some(run) => run.push(end(to)),
                None => runs.push(vec![end(from), end(to)]),
            }
        }
        runs
    }

    /// The part of an area that lies within the values shown.
    fn area(&self, outline: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (low, high) = (self.y.low, self.y.high);
        cut(&cut(outline, low, |y| y >= low), high, |y| y <= high)
    }

    /// The lines behind the plot and the figures at them. The line of zero is stronger, or else the one that
    /// is next to it.
    fn grid(&self) -> Svg {
        let mut lines = String::new();
        let mut figures = Svg::default();
        for (tick, figure) in self.y.ticks().into_iter().zip(self.y.figures()) {
            let y = self.up(tick);
            lines += &format!("M{:.1} {y:.1}H{:.1}", self.left, self.right);
            let text =
                Text { anchor: "end", faint: true, ..Text::at(self.left - 8.0, y + HALF_LETTER) };
            figures += text.write(&figure);
        }
        for (tick, figure) in self.x.ticks().into_iter().zip(self.x.figures()) {
            let x = self.across(tick);
            lines += &format!("M{x:.1} {:.1}V{:.1}", self.top, self.bottom);
            let text =
                Text { anchor: "middle", faint: true, ..Text::at(x, self.bottom + ROW - 3.0) };
            figures += text.write(&figure);
        }
        let base = self.up(0_f64.clamp(self.y.low, self.y.high));
        svg!(
            "<path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.13\" d=\"{}\"/>\n\
             <path fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.6\" \
             d=\"M{:.1} {:.1}H{:.1}\"/>\n{}",
            lines,
            self.left,
            base,
            self.right,
            figures
        )
    }
}

/// Where a line between two points, one on each side, has a value.
fn crossing(from: (f64, f64), to: (f64, f64), y: f64) -> (f64, f64) {
    let share = (y - from.1) / (to.1 - from.1);
    (from.0 + share * (to.0 - from.0), y)
}

/// An area without what lies beyond one edge, after Sutherland and Hodgman.
fn cut(outline: &[(f64, f64)], edge: f64, keeps: impl Fn(f64) -> bool) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    let before = outline.iter().cycle().skip(outline.len().saturating_sub(1));
    for (&from, &to) in before.zip(outline) {
        if keeps(from.1) != keeps(to.1) {
            kept.push(crossing(from, to, edge));
        }
        if keeps(to.1) {
            kept.push(to);
        }
    }
    kept
}

/// A series with only what is drawn of it.
struct Trace<'a> {
    number: usize,
    name: &'a str,
    line: Vec<(f64, f64)>,
    low: Vec<(f64, f64)>,
    high: Vec<(f64, f64)>,
}

impl<'a> Trace<'a> {
    /// The two sides of the band are thinned each by itself, so that the spikes of both stay.
    fn of((number, series): (usize, &'a Series)) -> Self {
        let known = |point: &(f64, f64)| usable(point.0) && usable(point.1);
        let band = series.band.as_deref().unwrap_or_default();
        let sides = series.points.iter().zip(band).filter(|(_, side)| known(side));
        let (low, high): (Vec<_>, Vec<_>) = sides
            .filter(|(point, _)| known(point))
            .map(|(point, side)| ((point.0, side.0.min(side.1)), (point.0, side.0.max(side.1))))
            .unzip();
        let line: Vec<_> = series.points.iter().copied().filter(known).collect();
        Self { number, name: &series.name, line: thin(line), low: thin(low), high: thin(high) }
    }

    /// All that has to find room in the plot.
    fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.line.iter().chain(&self.low).chain(&self.high)
    }

    /// The colour goes by the number, so that it stays when another series has no points.
    fn colour(&self) -> &'static str {
        COLOURS[self.number % COLOURS.len()]
    }

    /// What makes a line of this series. With more series than colours the dashes are shifted, so that no
    /// two of the first sixty-four look the same.
    fn stroke(&self) -> Svg {
        let dashes = DASHES[(self.number + self.number / COLOURS.len()) % DASHES.len()];
        let stroke = svg!("stroke=\"{}\" stroke-width=\"2\"", self.colour());
        if dashes.is_empty() {
            return stroke;
        }
        stroke + svg!(" stroke-dasharray=\"{}\"", dashes)
    }

    /// What makes an area of this series. Its edge is drawn too: it is all there is to see of a single point's.
    fn fill(&self) -> Svg {
        svg!(
            "fill=\"{colour}\" fill-opacity=\"0.2\" stroke=\"{colour}\" stroke-opacity=\"0.35\"",
            colour = self.colour(),
        )
    }

    /// The area and the line, named for whoever points at them.
    fn drawn(&self, frame: &Frame) -> Svg {
        let outline: Vec<_> = self.high.iter().chain(self.low.iter().rev()).copied().collect();
        let area = path(frame, &frame.area(&outline));
        let mut drawn = svg!("<g><title>{}</title>", self.name);
        if !area.is_empty() {
            drawn += svg!("<path {} d=\"{}Z\"/>", self.fill(), area);
        }
        let mut lines = String::new();
        for run in frame.runs(&self.line) {
            let place = frame.place(run[0]);
            if run.iter().any(|&point| frame.place(point) != place) {
                lines += &path(frame, &run);
            } else {
                drawn += self.dot(frame, run[0]);
            }
        }
        if !lines.is_empty() {
            drawn += svg!(
                "<path fill=\"none\" {} stroke-linejoin=\"round\" d=\"{}\"/>",
                self.stroke(),
                lines
            );
        }
        drawn + Svg::fixed("</g>\n")
    }

    /// A line from a point to itself would not be seen.
    fn dot(&self, frame: &Frame, (x, y): (f64, f64)) -> Svg {
        svg!(
            "<circle fill=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>",
            self.colour(),
            frame.across(x),
            frame.up(y)
        )
    }
}

/// Straight lines from point to point.
fn path(frame: &Frame, points: &[(f64, f64)]) -> String {
    let places: Vec<String> = points.iter().map(|&point| frame.place(point)).collect();
    if places.is_empty() { String::new() } else { format!("M{}", places.join("L")) }
}

/// A line of few enough points that looks the same: the first, the last, and the lowest and highest of each
/// of the stretches between them, so that a spike of a single point is still seen.
fn thin(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (len, stretches) = (points.len(), MOST_POINTS / 2 - 1);
    if len <= MOST_POINTS {
        return points;
    }
    let within = |stretch: usize| 1 + stretch * (len - 2) / stretches;
    let by_value = |&a: &usize, &b: &usize| points[a].1.total_cmp(&points[b].1);
    let mut kept = vec![0];
    for stretch in 0..stretches {
        let all = || within(stretch)..within(stretch + 1);
        let mut ends: Vec<usize> =
            all().min_by(by_value).into_iter().chain(all().max_by(by_value)).collect();
        ends.sort_unstable();
        ends.dedup();
        kept.extend(ends);
    }
    kept.push(len - 1);
    kept.into_iter().map(|number| points[number]).collect()
}

/// The names of the series below the plot, in as many rows as they need.
#[derive(Default)]
struct Legend {
    rows: Vec<Svg>,
}

impl Legend {
    /// The last row that there may be keeps room for the count of what finds none.
    fn of(traces: &[Trace<'_>]) -> Self {
        let mut rows = Vec::new();
        let (mut row, mut x) = (Svg::default(), MARGIN);
        for trace in traces {
            let name = fitted(trace.name, WIDEST_NAME);
            let room = SAMPLE + width(&name);
            let last = rows.len() + 1 == MOST_ROWS;
            let end = WIDTH - MARGIN - if last { COUNT } else { 0.0 };
            if x > MARGIN && x + room > end {
                if last {
                    let left = traces.len() - trace.number;
                    row += Text { faint: true, ..Text::at(x, 0.0) }.write(&format!("+ {left}"));
                    break;
                }
                rows.push(std::mem::take(&mut row));
                x = MARGIN;
            }
            row += entry(trace, &name, x);
            x += room + BETWEEN_NAMES;
        }
        rows.push(row);
        Self { rows }
    }

    /// The rows from a height on.
    fn drawn(&self, top: f64) -> Svg {
        let row = |(number, row): (usize, &Svg)| {
            let y = top + (number as f64 + 1.0) * ROW - HALF_LETTER;
            svg!("<g transform=\"translate(0 {:.1})\">\n{}</g>\n", y, row)
        };
        self.rows.iter().enumerate().map(row).collect()
    }
}

/// A name of the legend, after what its line and its area look like. Whoever points at it is shown what may
/// have been cut.
fn entry(trace: &Trace<'_>, name: &str, x: f64) -> Svg {
    let mut drawn = svg!("<g><title>{}</title>", trace.name);
    let end = x + SAMPLE - 6.0;
    if !trace.low.is_empty() {
        drawn += svg!(
            "<rect {} x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"10\"/>",
            trace.fill(),
            x,
            -HALF_LETTER - 5.0,
            end - x
        );
    }
    drawn += svg!(
        "<path fill=\"none\" {} d=\"M{:.1} {:.1}H{:.1}\"/>",
        trace.stroke(),
        x,
        -HALF_LETTER,
        end
    );
    drawn + Text::at(x + SAMPLE, 0.0).write(name).trimmed() + Svg::fixed("</g>\n")
}

/// How a piece of text stands. It has the colour of the text around the chart.
struct Text {
    x: f64,
    y: f64,
    size: f64,
    weight: u16,
    anchor: &'static str,
    faint: bool,
}

impl Text {
    /// Beginning at a place, as most text does.
    fn at(x: f64, y: f64) -> Self {
        Self { x, y, size: FONT, weight: 400, anchor: "start", faint: false }
    }

    /// The element, if there is something to write.
    fn write(&self, content: &str) -> Svg {
        if content.is_empty() {
            return Svg::default();
        }
        svg!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{}\" font-weight=\"{}\" \
             text-anchor=\"{}\" fill=\"currentColor\"{}>{}</text>\n",
            self.x,
            self.y,
            self.size,
            self.weight,
            self.anchor,
            Svg::fixed(if self.faint { " fill-opacity=\"0.8\"" } else { "" }),
            content
        )
    }
}

/// The width of the widest of some figures.
fn widest(figures: &[String]) -> f64 {
    figures.iter().map(|figure| width(figure)).fold(0.0, f64::max)
}

/// As much of a text as has room. The width is summed up letter by letter, so that a long text costs no more
/// than its length.
fn fitted(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut used = width("…");
    let fits = |c: &char| {
        used += width(c.encode_utf8(&mut [0; 4]));
        used <= room
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, points: &[(f64, f64)]) -> Series {
        Series { name: name.into(), points: points.to_vec(), band: None }
    }

    fn chart(series: Vec<Series>) -> Chart {
        Chart { title: "title".into(), series, ..Chart::default() }
    }

    /// Every number in the attributes of a chart.
    fn numbers(svg: &str) -> Vec<&str> {
        let parts = svg.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
        parts.filter(|part| part.contains(|c: char| c.is_ascii_digit())).collect()
    }

    #[test]
    fn steps_are_one_two_or_five() {
        for (least, expected) in [
            (1.0, (1.0, 0)),
            (1.1, (2.0, 0)),
            (2.0, (2.0, 0)),
            (2.5, (5.0, 0)),
            (5.1, (1.0, 1)),
            (1000.0, (1.0, 3)),
            (0.2, (2.0, -1)),
            (0.000_3, (5.0, -4)),
            (1e200, (1.0, 200)),
        ] {
            assert_eq!(step(least), expected, "{least}");
        }
    }

    #[test]
    fn figures_are_round() {
        let over = |low, high, most| Axis::over((low, high), most).figures();
        assert_eq!(over(0.0, 1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(over(0.0, 100.0, 5), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(over(3.0, 17.0, 5), ["5", "10", "15"]);
        assert_eq!(over(-1.0, 1.0, 5), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(over(0.0, 0.1, 5), ["0.00", "0.02", "0.04", "0.06", "0.08", "0.10"]);
        assert_eq!(over(2019.0, 2023.0, 5), ["2019", "2020", "2021", "2022", "2023"]);
        assert_eq!(over(0.0, 12_000.0, 5), ["0", "5,000", "10,000"]);
        assert_eq!(over(-2e6, 1e6, 5), ["−2,000,000", "−1,000,000", "0", "1,000,000"]);
    }

    #[test]
    fn very_small_and_very_large_figures_have_powers() {
        let over = |high| Axis::over((0.0, high), 5).figures();
        assert_eq!(over(0.02), ["0", "5×10⁻³", "10×10⁻³", "15×10⁻³", "20×10⁻³"]);
        assert_eq!(over(3e-7), ["0", "100×10⁻⁹", "200×10⁻⁹", "300×10⁻⁹"]);
        assert_eq!(over(1e10), ["0", "2×10⁹", "4×10⁹", "6×10⁹", "8×10⁹", "10×10⁹"]);
    }

    #[test]
    fn values_go_from_zero_to_a_round_number() {
        let around = |low, high| {
            let axis = chart(Vec::new()).y_axis((low, high));
            let figures = axis.figures();
            assert!(axis.low <= low && axis.high >= high);
            (figures[0].clone(), figures[figures.len() - 1].clone())
        };
        let ends = |first: &str, last: &str| (first.to_owned(), last.to_owned());
        assert_eq!(around(3.0, 87.0), ends("0", "100"));
        assert_eq!(around(0.4, 1.0), ends("0.0", "1.0"));
        assert_eq!(around(-3.0, 12.0), ends("−5", "15"));
        assert_eq!(around(-70.0, -30.0), ends("−80", "0"));
        assert_eq!(around(0.0, 0.0), ends("0.0", "1.0"));
        assert_eq!(around(10_001.0, 10_001.0), ends("0", "15,000"));
    }

    #[test]
    fn a_given_range_is_kept_unless_it_is_none() {
        let axis = |range| Chart { y_range: Some(range), ..chart(Vec::new()) }.y_axis((3.0, 8.0));
        assert_eq!(axis((2.0, 4.0)).figures(), ["2.0", "2.5", "3.0", "3.5", "4.0"]);
        assert_eq!(axis((4.0, 2.0)).figures(), axis((2.0, 4.0)).figures());
        for none in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (7.0, 7.0)] {
            assert_eq!(axis(none).figures(), ["0", "2", "4", "6", "8"]);
        }
    }

    #[test]
    fn whole_numbers_have_nothing_between_them() {
        assert_eq!(x_axis((1.0, 3.0), 500.0, true).figures(), ["1", "2", "3"]);
        assert_eq!(x_axis((1.0, 3.0), 500.0, false).figures(), ["1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(x_axis((0.0, 8e6), 200.0, true).figures(), ["0", "5,000,000"]);
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let holes = [
            (0.0, 1.0),
            (1.0, f64::NAN),
            (f64::INFINITY, 2.0),
            (2.0, f64::NEG_INFINITY),
            (3.0, f64::MAX),
            (4.0, 2.0),
        ];
        let mut with = series("a", &holes);
        let mut without = series("a", &[(0.0, 1.0), (4.0, 2.0)]);
        assert_eq!(chart(vec![with.clone()]).svg(), chart(vec![without.clone()]).svg());
        let gap = (f64::NAN, 1.0);
        with.band = Some(vec![(0.5, 1.5), gap, gap, gap, gap, (3.0, 1.0), (0.0, 0.0)]);
        without.band = Some(vec![(0.5, 1.5), (1.0, 3.0)]);
        let svg = chart(vec![with]).svg();
        assert_eq!(svg, chart(vec![without]).svg());
        assert!(svg.contains("fill-opacity=\"0.2\""));
    }

    #[test]
    fn extremes_are_drawn_in_the_picture() {
        let extremes = [1e-320, -1e-300, 0.0, 1e-9, 1.0, 1e15, 1e15 + 1.0, -1e290, 1e290];
        let all = |&y: &f64| extremes.iter().map(move |&x| (x, y));
        let points: Vec<(f64, f64)> = extremes.iter().flat_map(all).collect();
        let ranges = [None, Some((1e-280, 2e-280)), Some((-1.0, 1.0)), Some((-1e290, 1e290))];
        for from in 0..points.len() {
            for some in [&points[from..], &points[from..=from]] {
                for y_range in ranges {
                    let band = Some(some.iter().map(|point| (-point.1, point.0)).collect());
                    let series = Series { band, ..series("a", some) };
                    let svg = Chart { y_range, ..chart(vec![series]) }.svg();
                    let drawn = svg.split("<g>").nth(1).unwrap();
                    assert!(!svg.contains("NaN") && !drawn.contains("inf"), "{svg}");
                    let within = |number: &&str| number.parse::<f64>().unwrap().abs() <= WIDTH;
                    assert!(numbers(drawn).iter().all(within), "{svg}");
                }
            }
        }
    }

    #[test]
    fn names_are_escaped() {
        let chart = Chart {
            title: "a<b".into(),
            x_label: "<x>".into(),
            y_label: "\"y\"".into(),
            series: vec![series("<s>&", &[(0.0, 1.0)]), series("暴雨", &[(0.0, 2.0)])],
            y_range: None,
        };
        let svg = chart.svg();
        for part in ["a&lt;b", "&lt;x&gt;", "&quot;y&quot;", "&lt;s&gt;&amp;", "暴雨"] {
            assert!(svg.contains(part), "{part}");
        }
        assert!(!["a<b", "<x>", "<s>"].iter().any(|part| svg.contains(part)));
        assert!(resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).is_ok());
    }

    #[test]
    fn thinning_keeps_the_ends_and_a_spike() {
        let mut points: Vec<(f64, f64)> =
            (0..10_000).map(|number| (f64::from(number), f64::from(number % 7))).collect();
        points[4_321].1 = 99.0;
        points[8_765].1 = -99.0;
        let few = thin(points.clone());
        assert!((500..=MOST_POINTS).contains(&few.len()));
        assert_eq!((few[0], few[few.len() - 1]), (points[0], points[9_999]));
        assert!(few.contains(&points[4_321]) && few.contains(&points[8_765]));
        assert!(few.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(thin(points[..MOST_POINTS].to_vec()), points[..MOST_POINTS]);
        assert!(thin(points[..=MOST_POINTS].to_vec()).len() <= MOST_POINTS);
    }

    #[test]
    fn without_points_it_says_so() {
        let nothing = [vec![], vec![series("a", &[])], vec![series("a", &[(f64::NAN, 1.0)])]];
        for series in nothing {
            let svg = chart(series).svg();
            assert!(svg.contains(">no data</text>") && svg.contains("<title>title</title>"));
            assert!(!svg.contains("<path"));
        }
    }

    #[test]
    fn a_single_point_is_a_dot() {
        let svg = chart(vec![series("a", &[(5.0, 1.0)])]).svg();
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(svg.contains(">5</text>"));
    }

    #[test]
    fn a_line_is_cut_where_it_leaves_the_range() {
        let up_and_down = [(0.0, 0.0), (2.0, 2.0), (4.0, 0.0), (5.0, 0.5)];
        let chart = Chart { y_range: Some((0.0, 1.0)), ..chart(vec![series("a", &up_and_down)]) };
        let traces = [Trace::of((0, &chart.series[0]))];
        let frame = chart.frame(&traces, 0).unwrap();
        let runs = frame.runs(&traces[0].line);
        let expected = [vec![(0.0, 0.0), (1.0, 1.0)], vec![(3.0, 1.0), (4.0, 0.0), (5.0, 0.5)]];
        assert_eq!(runs, expected);
        let area = frame.area(&[(0.0, 0.0), (2.0, 2.0), (4.0, 0.0)]);
        assert_eq!(area, [(0.0, 0.0), (1.0, 1.0), (3.0, 1.0), (4.0, 0.0)]);
    }

    #[test]
    fn the_legend_wraps_and_counts_what_has_no_room() {
        let named = |name: &str, count: usize| -> Vec<Series> {
            (0..count).map(|_| series(name, &[(0.0, 1.0), (1.0, 2.0)])).collect()
        };
        let rows = |all: &[Series]| {
            let traces: Vec<Trace<'_>> = all.iter().enumerate().map(Trace::of).collect();
            Legend::of(&traces).rows
        };
        assert_eq!(rows(&named("ab", 4)).len(), 1);
        // 34 and 8 × 1.03 × 13 are 141.12. With 18 between them three take 459.36, but four 618.48 of 616.
        let chinese = rows(&named("关键词聚焦爬取法", 5));
        let counts: Vec<usize> = chinese.iter().map(|row| row.matches("<path").count()).collect();
        assert_eq!(counts, [3, 2]);
        // 34 and (19 × 0.58 + 2 × 0.95) × 13 are 201.96, so that each of the five rows has two.
        let many = rows(&named("a name of some length", 40));
        assert_eq!(many.len(), MOST_ROWS);
        assert!(many[MOST_ROWS - 1].contains(">+ 30</text>"));
        assert!(!chart(named("only", 1)).svg().contains(">only</text>"));
    }

    #[test]
    fn series_look_different_without_colours_and_beyond_them() {
        let none = Series::default();
        let strokes: Vec<Svg> = (0..64).map(|number| Trace::of((number, &none)).stroke()).collect();
        let different: std::collections::BTreeSet<&Svg> = strokes.iter().collect();
        assert_eq!(different.len(), 64);
        let dashes: std::collections::BTreeSet<&str> = DASHES.into_iter().collect();
        assert_eq!(dashes.len(), DASHES.len());
    }

    #[test]
    fn a_chart_is_the_same_each_time_and_has_two_decimals_at_most() {
        let wave: Vec<(f64, f64)> =
            (0..2_000).map(f64::from).map(|x| (x / 7.0, (x / 90.0).sin() / 3.0)).collect();
        let chart = chart(vec![series("wave", &wave), series("", &wave[..1])]);
        let svg = chart.svg();
        assert_eq!(svg, chart.svg());
        let decimals = |number: &&str| number.split_once('.').map_or(0, |(_, rest)| rest.len());
        assert!(numbers(&svg).iter().map(decimals).max() <= Some(2));
        assert!(svg.starts_with("<svg ") && svg.contains("viewBox=\"0 0 640 360\" role=\"img\""));
    }

    #[test]
    fn long_texts_are_cut_to_their_room() {
        assert_eq!(fitted("short", 100.0), "short");
        let cut = fitted(&"暴".repeat(50), 100.0);
        assert!(cut.ends_with("暴…") && width(&cut) <= 100.0);
    }
}
