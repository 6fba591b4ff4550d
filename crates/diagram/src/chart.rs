//! Line charts for HTML pages.
//!
//! A chart has no style sheet and no element ids, so that one page can hold any number of them. Its
//! text takes the colour of the text around it and so follows light and dark mode; the colours of
//! the lines are visible on both.

use crate::label::{FONT, width};
use crate::markup::{Svg, svg};
use crate::svg::FONTS;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const MARGIN: f64 = 12.0;
/// Font size of the title.
const TITLE: f64 = 16.0;
/// Height of a line of text below or above the plot.
const ROW: f64 = 19.0;
/// Distance from the baseline to the middle of a letter, by which text beside a line is moved down.
const HALF_LETTER: f64 = 4.5;
/// Greatest number of steps of the x axis.
const MOST_ACROSS: u8 = 8;
/// Greatest number of steps of the y axis.
const MOST_UP: u8 = 5;
/// Least space between two numbers of the x axis.
const BETWEEN_FIGURES: f64 = 14.0;
/// Greatest number of points that are drawn of a series: about one for each unit of the width.
const MOST_POINTS: usize = 600;
/// Greatest absolute value that is drawn. Greater numbers are left out like those that are not
/// finite, so that no sum or difference overflows. Numbers below its reciprocal count as zero.
const LARGEST: f64 = 1e290;
/// Width of a range, relative to its numbers, below which it is treated as a single number, because
/// its axis numbers would not differ.
const NARROWEST: f64 = 1e-9;
/// Tolerance for rounding errors, as a share of a step.
const ROUNDING: f64 = 1e-6;

/// Width of the sample line before a name in the legend.
const SAMPLE: f64 = 34.0;
/// Space between two entries of the legend.
const BETWEEN_NAMES: f64 = 18.0;
/// Greatest width of a name in the legend.
const WIDEST_NAME: f64 = 260.0;
/// Greatest number of rows of the legend; the remaining series are only counted.
const MOST_ROWS: usize = 5;
/// Width of that count.
const COUNT: f64 = 56.0;

/// Colours that remain distinguishable in all three kinds of colour blindness, and have a contrast
/// of 3:1 on white and on dark backgrounds. The first four are from Okabe and Ito, whose yellow is
/// invisible on white.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "currentColor", "#8822ff", "#aa4433", "#9988ee"];
/// Dash patterns distinguish the lines where there are no colours. Each fits into a sample.
const DASHES: [&str; 8] = ["", "8 4", "2 3", "10 3 2 3", "15 4", "4 2 4 6", "10 3 2 3 2 3", "4 8"];

/// A line in a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, joined in this order. Points that are not finite are skipped.
    pub points: Vec<(f64, f64)>,
    /// The lower and upper bound of each point, in the same order, drawn as a band behind the line.
    pub band: Option<Vec<(f64, f64)>>,
}

/// A line chart of one or more series.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// The label of the x axis.
    pub x_label: String,
    /// The label of the y axis.
    pub y_label: String,
    /// The lines, which differ in colour and dash pattern.
    pub series: Vec<Series>,
    /// The range of the y axis. By default it goes from zero to a round number above all values,
    /// and starts at a round number below zero if there are negative values.
    pub y_range: Option<(f64, f64)>,
}

impl Chart {
    /// Returns the chart as an `<svg>` element that fills the width of its container.
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

    /// Returns the beginning of the element. Screen readers need a name for the picture; without a
    /// title, it is the label of the y axis.
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

    /// Draws the labels of the axes. That of the y axis is placed above it, because rotated text is
    /// hard to read, Chinese most of all.
    fn labels(&self, frame: &Frame) -> Svg {
        let x = f64::midpoint(frame.left, frame.right);
        let below = Text { anchor: "middle", ..Text::at(x, frame.bottom + 2.0 * ROW - 3.0) };
        let above = Text::at(MARGIN, frame.top - MARGIN);
        let room = WIDTH - 2.0 * MARGIN;
        above.write(&fitted(&self.y_label, room)) + below.write(&fitted(&self.x_label, room))
    }

    /// Returns the height of the numbers and the label of the x axis.
    fn below(&self) -> f64 {
        if self.x_label.is_empty() { ROW } else { 2.0 * ROW }
    }

    /// Returns the position of the plot and its axes, or `None` if there are no points. The sides
    /// leave space for half of the last number of the x axis.
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

    /// Returns the y axis for values within a range.
    fn y_axis(&self, (low, high): (f64, f64)) -> Axis {
        let given = self.y_range.map(|(a, b)| (a.min(b), a.max(b)));
        match given.filter(|&range| usable(range.0) && usable(range.1) && !narrow(range)) {
            Some(range) => Axis::over(range, MOST_UP),
            None => Axis::around((low.min(0.0), high.max(0.0)), MOST_UP),
        }
    }
}

/// Returns the x axis with as many numbers as fit side by side. If all points are at whole numbers,
/// such as years, the axis has no fractions.
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

/// Returns true if a number can be drawn; false for NaN, which compares as false.
fn usable(number: f64) -> bool {
    number.abs() <= LARGEST
}

/// Returns true if a range is too narrow to be divided.
fn narrow((low, high): (f64, f64)) -> bool {
    high - low <= (low.abs().max(high.abs()) * NARROWEST).max(1.0 / LARGEST)
}

/// Widens a range that consists of a single number.
fn widened((low, high): (f64, f64)) -> (f64, f64) {
    if narrow((low, high)) {
        let room = (low.abs() * 1e-3).max(0.5);
        (low - room, high + room)
    } else {
        (low, high)
    }
}

/// Returns the least and the greatest number, if there are any.
fn range(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.map(|number| (number, number)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// A range and the step between its numbers, which is 1, 2 or 5 times a power of ten. The digit and
/// the exponent are stored separately, so that the numbers are written without rounding errors.
#[derive(Debug, Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    digit: f64,
    exponent: i32,
}

impl Axis {
    /// Creates an axis over exactly this range, with at most `most` steps.
    fn over((low, high): (f64, f64), most: u8) -> Self {
        let (digit, exponent) = step((high - low) / f64::from(most));
        Self { low, high, digit, exponent }
    }

    /// Creates an axis over a range that is extended to the next step at both ends. If the range is
    /// empty, the axis goes from 0 to 1.
    fn around((low, high): (f64, f64), most: u8) -> Self {
        let axis = Self::over(if narrow((low, high)) { (0.0, 1.0) } else { (low, high) }, most);
        let step = axis.step();
        let (first, last) =
            ((axis.low / step + ROUNDING).floor(), (axis.high / step - ROUNDING).ceil());
        Self { low: axis.low.min(first * step), high: axis.high.max(last * step), ..axis }
    }

    /// Returns the step as one number, for calculations in which rounding does not matter.
    fn step(&self) -> f64 {
        self.digit * 10_f64.powi(self.exponent)
    }

    /// Returns the axis numbers as multiples of the step: whole numbers, so that errors do not
    /// accumulate. Adding 0.0 turns −0 into 0.
    fn multiples(&self) -> Vec<f64> {
        let step = self.step();
        let (first, last) =
            ((self.low / step - ROUNDING).ceil(), (self.high / step + ROUNDING).floor());
        let next = |multiple: &f64| Some(multiple + 1.0);
        let all = std::iter::successors(Some(first), next);
        all.take_while(|&multiple| multiple <= last).map(|multiple| multiple + 0.0).collect()
    }

    /// Returns the positions of the axis numbers.
    fn ticks(&self) -> Vec<f64> {
        self.multiples().iter().map(|multiple| multiple * self.step()).collect()
    }

    /// Returns the axis numbers as text, with the decimals that the step needs. More than two
    /// decimals, or very many digits, are written with a power of a thousand instead. Thousands are
    /// separated if any number of the axis has five digits or more; years have four.
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

/// Returns the smallest of 1, 2 and 5 times a power of ten that is not below a number, as digit and
/// exponent.
fn step(least: f64) -> (f64, i32) {
    #[expect(clippy::cast_possible_truncation, reason = "a double's exponent is below 400")]
    let exponent = least.log10().floor() as i32;
    let share = least / 10_f64.powi(exponent);
    match [1.0, 2.0, 5.0].into_iter().find(|digit| share <= digit * (1.0 + ROUNDING)) {
        Some(digit) => (digit, exponent),
        None => (1.0, exponent + 1),
    }
}

/// Inserts commas between the thousands of a number.
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

/// Returns an exponent in superscript digits, which need no markup.
fn raised(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    exponent.to_string().chars().map(raise).collect()
}

/// The position of the plot in the picture, and its axes.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
}

impl Frame {
    /// Returns the horizontal position of a value.
    fn across(&self, x: f64) -> f64 {
        self.left + (x - self.x.low) / (self.x.high - self.x.low) * (self.right - self.left)
    }

    /// Returns the vertical position of a value, counted from the top of the picture.
    fn up(&self, y: f64) -> f64 {
        self.bottom - (y - self.y.low) / (self.y.high - self.y.low) * (self.bottom - self.top)
    }

    /// Returns a point as written in a path.
    fn place(&self, (x, y): (f64, f64)) -> String {
        format!("{:.1} {:.1}", self.across(x), self.up(y))
    }

    /// Returns the parts of a line that lie within the y range. They are computed here and not by a
    /// clipping path, which would need an id that is unique in the page.
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

    /// Returns the part of an area that lies within the y range.
    fn area(&self, outline: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let (low, high) = (self.y.low, self.y.high);
        cut(&cut(outline, low, |y| y >= low), high, |y| y <= high)
    }

    /// Draws the grid lines and their numbers. The line at zero, or the one closest to it, is
    /// stronger.
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

/// Returns the point at which a line between two points, one on each side, has the value `y`.
fn crossing(from: (f64, f64), to: (f64, f64), y: f64) -> (f64, f64) {
    let share = (y - from.1) / (to.1 - from.1);
    (from.0 + share * (to.0 - from.0), y)
}

/// Clips an area at one edge, by the method of Sutherland and Hodgman.
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

/// The points of a series that are drawn.
struct Trace<'a> {
    number: usize,
    name: &'a str,
    line: Vec<(f64, f64)>,
    low: Vec<(f64, f64)>,
    high: Vec<(f64, f64)>,
}

impl<'a> Trace<'a> {
    /// Selects the points to draw. The two sides of the band are thinned separately, so that both
    /// keep their spikes.
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

    /// Returns all points that must fit into the plot.
    fn points(&self) -> impl Iterator<Item = &(f64, f64)> {
        self.line.iter().chain(&self.low).chain(&self.high)
    }

    /// Returns the colour, which depends only on the position of the series, so that it does not
    /// change when another series has no points.
    fn colour(&self) -> &'static str {
        COLOURS[self.number % COLOURS.len()]
    }

    /// Returns the attributes of the line. With more series than colours, the dash patterns are
    /// shifted, so that no two of the first sixty-four series look the same.
    fn stroke(&self) -> Svg {
        let dashes = DASHES[(self.number + self.number / COLOURS.len()) % DASHES.len()];
        let stroke = svg!("stroke=\"{}\" stroke-width=\"2\"", self.colour());
        if dashes.is_empty() {
            return stroke;
        }
        stroke + svg!(" stroke-dasharray=\"{}\"", dashes)
    }

    /// Returns the attributes of the band. Its edge is drawn too, because the band of a single
    /// point has no area.
    fn fill(&self) -> Svg {
        svg!(
            "fill=\"{colour}\" fill-opacity=\"0.2\" stroke=\"{colour}\" stroke-opacity=\"0.35\"",
            colour = self.colour(),
        )
    }

    /// Draws the band and the line, with the name as a tooltip.
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

    /// Draws a single point as a dot, because a line of length zero is invisible.
    fn dot(&self, frame: &Frame, (x, y): (f64, f64)) -> Svg {
        svg!(
            "<circle fill=\"{}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/>",
            self.colour(),
            frame.across(x),
            frame.up(y)
        )
    }
}

/// Returns a path of straight lines from point to point.
fn path(frame: &Frame, points: &[(f64, f64)]) -> String {
    let places: Vec<String> = points.iter().map(|&point| frame.place(point)).collect();
    if places.is_empty() { String::new() } else { format!("M{}", places.join("L")) }
}

/// Reduces the points of a line without changing its look: keeps the first, the last, and the
/// lowest and highest point of each section between them, so that a spike of a single point remains
/// visible.
fn thin(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let (len, sections) = (points.len(), MOST_POINTS / 2 - 1);
    if len <= MOST_POINTS {
        return points;
    }
    let start = |section: usize| 1 + section * (len - 2) / sections;
    let by_value = |&a: &usize, &b: &usize| points[a].1.total_cmp(&points[b].1);
    let mut kept = vec![0];
    for section in 0..sections {
        let all = || start(section)..start(section + 1);
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
    /// Arranges the names in rows. The last row leaves space for the count of the remaining series.
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

    /// Draws the rows below the height `top`.
    fn drawn(&self, top: f64) -> Svg {
        let row = |(number, row): (usize, &Svg)| {
            let y = top + (number as f64 + 1.0) * ROW - HALF_LETTER;
            svg!("<g transform=\"translate(0 {:.1})\">\n{}</g>\n", y, row)
        };
        self.rows.iter().enumerate().map(row).collect()
    }
}

/// Draws an entry of the legend: a sample of the line and the band, and the name. The tooltip has
/// the full name, which may have been shortened.
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

/// The position and style of a text, which has the colour of the text around the chart.
struct Text {
    x: f64,
    y: f64,
    size: f64,
    weight: u16,
    anchor: &'static str,
    faint: bool,
}

impl Text {
    /// Creates the style of a text that starts at a point.
    fn at(x: f64, y: f64) -> Self {
        Self { x, y, size: FONT, weight: 400, anchor: "start", faint: false }
    }

    /// Returns the element, or nothing if the text is empty.
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

/// Returns the width of the widest number.
fn widest(figures: &[String]) -> f64 {
    figures.iter().map(|figure| width(figure)).fold(0.0, f64::max)
}

/// Shortens a text to the available space. The width is summed letter by letter, so that the cost
/// is linear in the length of the text.
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

    /// Returns every number in the attributes of a chart.
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
    fn axis_numbers_are_round() {
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
    fn very_small_and_very_large_axis_numbers_have_powers() {
        let over = |high| Axis::over((0.0, high), 5).figures();
        assert_eq!(over(0.02), ["0", "5×10⁻³", "10×10⁻³", "15×10⁻³", "20×10⁻³"]);
        assert_eq!(over(3e-7), ["0", "100×10⁻⁹", "200×10⁻⁹", "300×10⁻⁹"]);
        assert_eq!(over(1e10), ["0", "2×10⁹", "4×10⁹", "6×10⁹", "8×10⁹", "10×10⁹"]);
    }

    #[test]
    fn the_y_axis_goes_from_zero_to_a_round_number() {
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
    fn a_given_range_is_used_if_it_is_valid() {
        let axis = |range| Chart { y_range: Some(range), ..chart(Vec::new()) }.y_axis((3.0, 8.0));
        assert_eq!(axis((2.0, 4.0)).figures(), ["2.0", "2.5", "3.0", "3.5", "4.0"]);
        assert_eq!(axis((4.0, 2.0)).figures(), axis((2.0, 4.0)).figures());
        for invalid in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (7.0, 7.0)] {
            assert_eq!(axis(invalid).figures(), ["0", "2", "4", "6", "8"]);
        }
    }

    #[test]
    fn an_axis_of_whole_numbers_has_no_fractions() {
        assert_eq!(x_axis((1.0, 3.0), 500.0, true).figures(), ["1", "2", "3"]);
        assert_eq!(x_axis((1.0, 3.0), 500.0, false).figures(), ["1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(x_axis((0.0, 8e6), 200.0, true).figures(), ["0", "5,000,000"]);
    }

    #[test]
    fn points_that_are_not_finite_are_left_out() {
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
    fn extreme_values_stay_within_the_picture() {
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
    fn a_chart_without_points_shows_no_data() {
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
    fn the_legend_wraps_and_counts_the_names_that_do_not_fit() {
        let named = |name: &str, count: usize| -> Vec<Series> {
            (0..count).map(|_| series(name, &[(0.0, 1.0), (1.0, 2.0)])).collect()
        };
        let rows = |all: &[Series]| {
            let traces: Vec<Trace<'_>> = all.iter().enumerate().map(Trace::of).collect();
            Legend::of(&traces).rows
        };
        assert_eq!(rows(&named("ab", 4)).len(), 1);
        // 34 + 8 × 1.03 × 13 = 141.12. With 18 between them, three need 459.36 of 616, but four
        // 618.48.
        let chinese = rows(&named("关键词聚焦爬取法", 5));
        let counts: Vec<usize> = chinese.iter().map(|row| row.matches("<path").count()).collect();
        assert_eq!(counts, [3, 2]);
        // 34 + (19 × 0.58 + 2 × 0.95) × 13 = 201.96, so each of the five rows has two names.
        let many = rows(&named("a name of some length", 40));
        assert_eq!(many.len(), MOST_ROWS);
        assert!(many[MOST_ROWS - 1].contains(">+ 30</text>"));
        assert!(!chart(named("only", 1)).svg().contains(">only</text>"));
    }

    #[test]
    fn series_differ_without_colours_and_beyond_the_number_of_colours() {
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
    fn long_texts_are_shortened_to_the_available_space() {
        assert_eq!(fitted("short", 100.0), "short");
        let cut = fitted(&"暴".repeat(50), 100.0);
        assert!(cut.ends_with("暴…") && width(&cut) <= 100.0);
    }
}
