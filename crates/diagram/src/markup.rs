//! SVG that is safe by construction: the only way to put text into it escapes the text.

use std::fmt::{self, Write as _};
use std::ops::{Add, AddAssign, Deref};

/// A piece of SVG, for a page or a file.
///
/// Only this crate creates it. Every value in it is escaped, unless it is a number or SVG itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Svg(String);

/// Writes SVG as `format!` writes text. Values follow the template and are never captured by name
/// within it, so that each passes through [`Shown`], which escapes it.
macro_rules! svg {
    ($template:literal, $($name:ident = $value:expr),+ $(,)?) => {
        // `concat!` prevents the template from capturing variables, which would not be escaped.
        $crate::markup::Svg::written(format_args!(
            concat!($template),
            $($name = $crate::markup::Shown(&$value)),+
        ))
    };
    ($template:literal $(, $value:expr)* $(,)?) => {
        $crate::markup::Svg::written(format_args!(
            concat!($template)
            $(, $crate::markup::Shown(&$value))*
        ))
    };
}
pub(crate) use svg;

impl Svg {
    /// Wraps markup that is part of the program.
    pub(crate) fn fixed(markup: &'static str) -> Self {
        Self(markup.to_owned())
    }

    /// The expansion of `svg!`. Call the macro instead, which ensures the escaping.
    pub(crate) fn written(arguments: fmt::Arguments<'_>) -> Self {
        Self(arguments.to_string())
    }

    /// Removes trailing white space.
    pub(crate) fn trimmed(mut self) -> Self {
        self.0.truncate(self.0.trim_end().len());
        self
    }

    /// Returns the markup as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the markup as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Svg {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Svg {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl AddAssign for Svg {
    fn add_assign(&mut self, more: Self) {
        self.0 += &more.0;
    }
}

impl Add for Svg {
    type Output = Self;

    fn add(mut self, more: Self) -> Self {
        self += more;
        self
    }
}

impl FromIterator<Svg> for Svg {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let mut all = Self::default();
        parts.into_iter().for_each(|part| all += part);
        all
    }
}

/// A value as it is written into SVG.
pub(crate) struct Shown<'a, T: ?Sized>(pub(crate) &'a T);

impl<T: Value + ?Sized> fmt::Display for Shown<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(out)
    }
}

/// The types that can be written into SVG: text, which is escaped, numbers, and SVG.
pub(crate) trait Value {
    fn write(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl Value for str {
    /// Escapes the text, and drops characters that XML does not allow.
    fn write(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.chars() {
            match c {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\n' | '\t' => out.write_char(c)?,
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => out.write_char(c)?,
            }
        }
        Ok(())
    }
}

impl Value for String {
    fn write(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().write(out)
    }
}

impl Value for Svg {
    fn write(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl<T: Value + ?Sized> Value for &T {
    fn write(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).write(out)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Value for $number {
            fn write(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        }
    )*};
}

numbers!(f64, u16, usize);

#[cfg(test)]
mod tests {
    #[test]
    fn text_is_escaped_and_svg_and_numbers_are_not() {
        let inner = svg!("<title>{}</title>", "a<b> & \"c\"\u{0}\n");
        assert_eq!(inner.as_str(), "<title>a&lt;b&gt; &amp; &quot;c&quot;\n</title>");
        let outer = svg!("<g x=\"{x:.1}\">{inner}</g>", x = 1.25, inner = inner);
        assert!(outer.starts_with("<g x=\"1.2\"><title>a&lt;b"));
        assert_eq!(svg!("{{}}{}", 3_usize).as_str(), "{}3");
    }
}
