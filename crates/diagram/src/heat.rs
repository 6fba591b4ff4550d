//! Heat maps: the values of a measurement over two settings. Greater values have darker cells, and
//! each cell shows its value.

use crate::markup::{Svg, svg};
use crate::svg::{FONTS, text};

const CELL: f64 = 74.0;
const ROW: f64 = 30.0;
const LEFT: f64 = 120.0;
const TOP: f64 = 74.0;
const FONT: f64 = 13.0;

/// The values of a measurement over two settings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// The setting that varies from left to right, and its values.
    pub x: (String, Vec<String>),
    /// The setting that varies downwards, and its values.
    pub y: (String, Vec<String>),
    /// A row for each value of `y`. `None` leaves a cell blank.
    pub cells: Vec<Vec<Option<f64>>>,
    /// The column and row of the cell to highlight.
    pub best: Option<(usize, usize)>,
}

impl HeatMap {
    /// Returns the heat map as an `<svg>` element that fills the width of its container.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let width = LEFT + self.x.1.len() as f64 * CELL + 20.0;
        let height = TOP + self.y.1.len() as f64 * ROW + 16.0;
        let mut drawn = svg!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             style=\"display:block;width:100%;max-width:{width}px;height:auto;font-family:{fonts};font-size:{font}px\">\n\
             <title>{title}</title>\n\
             <text x=\"10\" y=\"20\" font-size=\"15\" font-weight=\"600\" fill=\"currentColor\">{title}</text>\n",
            width = width,
            height = height,
            fonts = FONTS,
            font = FONT,
            title = self.title,
        );
        let known =
            || self.cells.iter().flatten().flatten().copied().filter(|value| value.is_finite());
        let (least, most) = known().fold((f64::MAX, f64::MIN), |(a, b), it| (a.min(it), b.max(it)));
        drawn += text([LEFT, 44.0], "start", &self.x.0);
        drawn += text([LEFT - 10.0, TOP - 10.0], "end", &self.y.0);
        for (at, value) in self.x.1.iter().enumerate() {
            drawn += text([LEFT + (at as f64 + 0.5) * CELL, TOP - 10.0], "middle", value);
        }
        for (row, value) in self.y.1.iter().enumerate() {
            drawn += text([LEFT - 10.0, TOP + row as f64 * ROW + 20.0], "end", value);
            for column in 0..self.x.1.len() {
                let value =
                    self.cells.get(row).and_then(|cells| cells.get(column)).copied().flatten();
                let share =
                    |value: f64| if most > least { (value - least) / (most - least) } else { 0.5 };
                let value = value.filter(|value| value.is_finite());
                drawn += cell(
                    column,
                    row,
                    value.map(|it| (it, share(it))),
                    self.best == Some((column, row)),
                );
            }
        }
        drawn + Svg::fixed("</svg>\n")
    }
}

/// Draws a cell. `value` is the value and its position in the range of all values, from 0 to 1.
fn cell(column: usize, row: usize, value: Option<(f64, f64)>, is_best: bool) -> Svg {
    let (x, y) = (LEFT + column as f64 * CELL, TOP + row as f64 * ROW);
    let Some((value, share)) = value else { return Svg::default() };
    // From pale to dark blue; the text is white on dark cells.
    let tone = |from: f64, to: f64| (from + share * (to - from)).round();
    let fill = format!("rgb({},{},{})", tone(233.0, 8.0), tone(242.0, 64.0), tone(250.0, 129.0));
    let ink = if share > 0.55 { "#fff" } else { "#10233a" };
    let (edge, thickness) = if is_best { ("#d55e00", 3_usize) } else { ("#fff", 1) };
    svg!(
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" \
         stroke=\"{}\" stroke-width=\"{}\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{}\">{:.3}</text>\n",
        x,
        y,
        CELL - 2.0,
        ROW - 2.0,
        fill,
        edge,
        thickness,
        x + CELL / 2.0 - 1.0,
        y + 19.0,
        ink,
        value
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_drawn_and_the_best_is_highlighted() {
        let values = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let map = HeatMap {
            title: "λ and τ".to_owned(),
            x: ("λ".to_owned(), values(&["0.2", "0.3"])),
            y: ("τ".to_owned(), values(&["0.6", "0.7"])),
            cells: vec![vec![Some(0.5), None], vec![Some(0.9), Some(f64::NAN)]],
            best: Some((0, 1)),
        };
        let svg = map.svg();
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains(">0.900<") && svg.contains("#d55e00") && !svg.contains("NaN"));
        assert!(!HeatMap::default().svg().contains("NaN"));
    }
}
