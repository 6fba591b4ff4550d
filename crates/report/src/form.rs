//! The file formats of pictures.

use std::path::{Path, PathBuf};

use ontrail_diagram::{Draw, PngError};

use crate::viewer::viewer_page;

/// The file format of a picture, chosen by the extension of its file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `.svg`, a vector graphic.
    Svg,
    /// `.html`, a page in which the picture can be panned and searched.
    Html,
    /// `.png`, pixels.
    #[cfg(feature = "png")]
    Png,
    /// `.dot`, for Graphviz.
    Dot,
}

/// The supported extensions.
const ENDINGS: &str =
    if cfg!(feature = "png") { ".svg, .html, .png or .dot" } else { ".svg, .html or .dot" };

/// Error for a file name without a supported extension.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: name a {ENDINGS} file", .0.display())]
pub struct NoForm(PathBuf);

impl Form {
    /// Returns the format for a file name.
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

    /// Writes a picture in this format; for PNG, with `scale` pixels for each unit.
    #[cfg_attr(not(feature = "png"), expect(unused_variables, reason = "only PNG has a scale"))]
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
