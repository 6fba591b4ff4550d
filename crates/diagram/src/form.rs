//! The forms that a picture can have, whatever it is of.

use std::path::{Path, PathBuf};

use crate::model::Diagram;
use crate::network::Network;
use crate::png::PngError;

/// A form of a picture, told by the name of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `.svg`.
    Svg,
    /// `.html`, to pan and search.
    Html,
    /// `.png`.
    Png,
    /// `.dot`, for Graphviz.
    Dot,
}

/// A file whose name does not tell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: name a .svg, .html, .png or .dot file", .0.display())]
pub struct NoForm(PathBuf);

impl Form {
    /// The form that a file of this name has.
    pub fn of(path: &Path) -> Result<Self, NoForm> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("html") => Ok(Self::Html),
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
            pub fn drawn(&self, form: Form, scale: f32) -> Result<Vec<u8>, PngError> {
                match form {
                    Form::Svg => Ok(self.to_svg().into_bytes()),
                    Form::Html => Ok(self.to_html().into_bytes()),
                    Form::Dot => Ok(self.to_dot().into_bytes()),
                    Form::Png => self.to_png(scale),
                }
            }
        }
    )*};
}

drawn!(Diagram, Network);
