//! The forms that a picture can have, whatever it is of.

use std::path::{Path, PathBuf};

use ontrail_diagram::{Draw, PngError};

use crate::viewer::viewer_page;

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

    /// A picture as a file of this form, with so many pixels for each unit if it has pixels.
    #[cfg_attr(not(feature = "png"), expect(unused_variables, reason = "nothing has pixels"))]
    pub fn drawn(self, picture: &impl Draw, scale: f32) -> Result<Vec<u8>, PngError> {
        match self {
            Self::Svg => Ok(picture.to_svg().into_bytes()),
            Self::Html => Ok(viewer_page(picture).into_bytes()),
            Self::Dot => Ok(picture.to_dot().into_bytes()),
            #[cfg(feature = "png")]
            Self::Png => picture.to_png(scale),
        }
    }
}
