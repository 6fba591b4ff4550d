//! The diagram of critical differences (Demšar 2006): mean ranks along an axis, and bars that join
//! those that do not differ significantly.

use crate::markup::{Svg, svg};
use crate::svg::{FONTS, text};

/// Length of the axis.
const AXIS_LENGTH: f64 = 340.0;
const FONT: f64 = 13.0;
const ROW: f64 = 22.0;
/// Least space for names on either side.
const LEAST_MARGIN: f64 = 190.0;
/// Width of an ASCII letter.
const LETTER: f64 = 7.6;
/// Width of any other letter, such as a Chinese character.
const WIDE_LETTER: f64 = 13.5;
/// Position of the axis, below the title, the bar of the critical difference and the axis numbers.
const AXIS: f64 = 92.0;
/// Distance between two group bars.
const BAR: f64 = 9.0;

/// Mean ranks, the best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankDiagram {
    /// The title.
    pub title: String,
    /// The names and mean ranks, from the best to the worst.
    pub ranks: Vec<(String, f64)>,
    /// The smallest difference of mean ranks that is significant.
    pub critical_difference: f64,
    /// First and last index of each group within which no difference is significant.
    pub groups: Vec<[usize; 2]>,
}

impl RankDiagram {
    /// Returns the diagram as an `<svg>` element that fills the width of its container.
    #[must_use]
    pub fn svg(&self) -> Svg {
        self.element(&Svg::default())
    }

    /// Returns the diagram as a stand-alone file with a white background.
    #[must_use]
    pub fn to_svg(&self) -> String {
        self.element(&Svg::fixed("color:#1d1d1f;background:#fff;")).into_string()
    }

    /// Returns the element; `style` goes before its own style.
    fn element(&self, style: &Svg) -> Svg {
        let half = self.ranks.len().div_ceil(2);
        let names = AXIS + 18.0 + self.groups.len() as f64 * BAR;
        let mut drawn = svg!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             style=\"{style}display:block;width:100%;height:auto;font-family:{fonts};font-size:{font}px\">\n<title>{title}</title>\n\
             <text x=\"10\" y=\"20\" font-size=\"15\" font-weight=\"600\" fill=\"currentColor\">{title}</text>\n",
            width = self.right() + self.left(),
            height = names + half as f64 * ROW + 14.0,
            style = style,
            fonts = FONTS,
            font = FONT,
            title = self.title,
        );
        drawn += self.axis();
        drawn += self.difference();
        for (at, (name, rank)) in self.ranks.iter().enumerate() {
            drawn += self.name(at, half, names, name, *rank);
        }
        for (at, [from, to]) in self.groups.iter().enumerate() {
            let y = AXIS + 14.0 + at as f64 * BAR;
            let (from, to) = (self.x(self.ranks[*from].1) - 4.0, self.x(self.ranks[*to].1) + 4.0);
            drawn += line([from, y], [to, y], 4.0);
        }
        drawn + Svg::fixed("</svg>\n")
    }

    /// Returns the start of the axis, which leaves space for the longest name and its rank.
    fn left(&self) -> f64 {
        let letter = |it: char| if it.is_ascii() { LETTER } else { WIDE_LETTER };
        let width = |name: &String| name.chars().map(letter).sum::<f64>();
        let widest = self.ranks.iter().map(|(name, _)| width(name)).fold(0.0, f64::max);
        (widest + 6.0 * LETTER + 40.0).max(LEAST_MARGIN)
    }

    fn right(&self) -> f64 {
        self.left() + AXIS_LENGTH
    }

    /// Returns the first and the last rank on the axis.
    fn range(&self) -> (f64, f64) {
        let most = (self.ranks.len() as f64).max(2.0);
        (1.0, most)
    }

    fn x(&self, rank: f64) -> f64 {
        let (least, most) = self.range();
        self.left() + (rank - least) / (most - least) * AXIS_LENGTH
    }

    fn axis(&self) -> Svg {
        let mut drawn = line([self.left(), AXIS], [self.right(), AXIS], 1.4);
        let count = self.ranks.len().max(2);
        let step = count.div_ceil(12).max(1);
        for rank in (1..=count).step_by(step) {
            let x = self.x(rank as f64);
            drawn += line([x, AXIS - 6.0], [x, AXIS], 1.2);
            drawn += text([x, AXIS - 10.0], "middle", &rank.to_string());
        }
        drawn
    }

    /// Draws the critical difference as a bar.
    fn difference(&self) -> Svg {
        let (least, most) = self.range();
        let length = self.critical_difference / (most - least) * AXIS_LENGTH;
        let words = format!("CD = {:.2}", self.critical_difference);
        let y = 44.0;
        let start = self.left();
        if length > AXIS_LENGTH {
            return text([start, y + 4.0], "start", &format!("{words}, longer than the axis"));
        }
        let ends: Svg = [start, start + length]
            .iter()
            .map(|x| line([*x, y - 4.0], [*x, y + 4.0], 1.4))
            .collect();
        line([start, y], [start + length, y], 1.4)
            + ends
            + text([start + length + 8.0, y + 4.0], "start", &words)
    }

    /// Draws a name beside the axis, the better half on the left, with a line to its rank.
    fn name(&self, at: usize, half: usize, top: f64, name: &str, rank: f64) -> Svg {
        let x = self.x(rank);
        let is_left = at < half;
        // The outermost ranks get the topmost names, so that lines do not cross.
        let row = if is_left { at } else { self.ranks.len() - 1 - at };
        let y = top + row as f64 * ROW + 10.0;
        let (end, anchor, place) = if is_left {
            (self.left() - 20.0, "end", self.left() - 26.0)
        } else {
            (self.right() + 20.0, "start", self.right() + 26.0)
        };
        let words =
            if is_left { format!("{name}  {rank:.2}") } else { format!("{rank:.2}  {name}") };
        line([x, AXIS], [x, y], 1.0)
            + line([x, y], [end, y], 1.0)
            + text([place, y + 4.5], anchor, &words)
    }
}

fn line([x1, y1]: [f64; 2], [x2, y2]: [f64; 2], width: f64) -> Svg {
    svg!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"currentColor\" \
         stroke-width=\"{}\"/>\n",
        x1,
        y1,
        x2,
        y2,
        width
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_group_is_drawn() {
        let ranks =
            [("a&b", 1.2), ("c", 1.9), ("d", 2.9)].map(|(name, rank)| (name.to_owned(), rank));
        let diagram = RankDiagram {
            title: "ranks".to_owned(),
            ranks: ranks.into(),
            critical_difference: 0.8,
            groups: vec![[0, 1]],
        };
        let svg = diagram.svg();
        assert!(
            svg.contains("a&amp;b  1.20") && svg.contains("2.90  d") && svg.contains("CD = 0.80")
        );
        assert_eq!(svg.matches("stroke-width=\"4\"").count(), 1);
        assert!(!svg.contains("NaN"));
        let empty = RankDiagram::default().svg();
        assert!(!empty.contains("NaN") && !empty.contains("inf"));
        let far = RankDiagram { critical_difference: 9.0, ..diagram }.svg();
        assert!(far.contains("longer than the axis"));
    }
}
