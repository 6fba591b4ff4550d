//! The forms that a picture can have, whatever it is of.

use std::path::{Path, PathBuf};

use crate::model::Diagram;
use crate::network::Network;

/// A form of a picture, told by the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `.svg`.
    Svg,
    /// `.html`, to pan and search.
    Html,
    /// `.png`.
    #[cfg(feature = "png")]
    Png,
    /// `.dot`, for Graphviz.
    Dot,
}

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// No font on this machine has the letters.
    #[error(
        "no font on this machine has {letter:?}; install one (such as fonts-noto-cjk), or write SVG \
         or HTML, which the reader's machine draws"
    )]
    NoFont {
        /// The first letter that no font has.
        letter: char,
    },
    /// The picture is too large.
    #[error(
        "the picture would be {width} × {height} pixels; write SVG or HTML, which have no size"
    )]
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
    },
    /// The drawing failed.
    #[error("the picture cannot be drawn: {0}")]
    Drawing(String),
}

/// The endings that are known.
const ENDINGS: &str =
    if cfg!(feature = "png") { ".svg, .html, .png or .dot" } else { ".svg, .html or .dot" };

/// A file whose name does not tell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: name a {ENDINGS} file", .0.display())]
pub struct NoForm(PathBuf);

impl Form {
    /// The form that a file of this name has.
    pub fn of(path: &Path) -> Result<Self, NoForm> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("html") => Ok(Self::Html),
            #[cfg(feature = "png")]
            Some("png") => Ok(Self::Png),
            Some("dot") => Ok(Self::Dot),
            _ => Err(NoForm(path.to_owned())),
        }
    }
}

macro_rules! drawn {
    ($($picture:ty),*) => {$(
        impl $picture {
            /// The picture as a file of a form, with so many pixels for each unit if it has pixels.
            #[cfg_attr(not(feature = "png"), expect(unused_variables, reason = "nothing has pixels"))]
            pub fn drawn(&self, form: Form, scale: f32) -> Result<Vec<u8>, PngError> {
                match form {
                    Form::Svg => Ok(self.to_svg().into_bytes()),
                    Form::Html => Ok(self.to_html().into_bytes()),
                    Form::Dot => Ok(self.to_dot().into_bytes()),
                    #[cfg(feature = "png")]
                    Form::Png => self.to_png(scale),
                }
            }
        }
    )*};
}

drawn!(Diagram, Network);
