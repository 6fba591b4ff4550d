//! Rendering as PNG.

use resvg::{tiny_skia, usvg};

use std::collections::BTreeSet;

use crate::draw::PngError;

/// Greatest number of pixels of a picture.
const MOST_PIXELS: u64 = 200_000_000;

/// Renders an SVG file. `labels` are its texts, which the fonts of the machine must have.
pub(crate) fn drawn<'a>(
    svg: &str,
    labels: impl Iterator<Item = &'a String>,
    scale: f32,
) -> Result<Vec<u8>, PngError> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_system_fonts();
    let letters = labels.flat_map(|label| label.chars());
    let letters = letters.filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    if let Some(letter) = letter_without_font(&letters, options.fontdb.as_ref()) {
        return Err(PngError::NoFont { letter });
    }
    let tree = usvg::Tree::from_str(svg, &options)
        .map_err(|error| PngError::Drawing(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(scale);
    let size =
        size.ok_or_else(|| PngError::Drawing(format!("at the scale {scale} no pixels are left")))?;
    let (width, height) = (size.width(), size.height());
    let too_large = || PngError::TooLarge { width, height };
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(too_large());
    }
    let mut pixels = tiny_skia::Pixmap::new(width, height).ok_or_else(too_large)?;
    let scale = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Drawing(error.to_string()))
}

/// Returns a letter that no font has, which would be drawn as an empty box.
fn letter_without_font(letters: &BTreeSet<char>, fonts: &usvg::fontdb::Database) -> Option<char> {
    let mut missing = letters.clone();
    for face in fonts.faces() {
        if missing.is_empty() {
            break;
        }
        fonts.with_face_data(face.id, |data, index| {
            if let Ok(face) = ttf_parser::Face::parse(data, index) {
                missing.retain(|&letter| face.glyph_index(letter).is_none());
            }
        });
    }
    missing.first().copied()
}
