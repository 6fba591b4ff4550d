//! Content codings: the compression of response bodies.

use std::io::{self, Read};

use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use zstd::stream::read::Decoder as ZstdDecoder;

/// Maximum number of codings that are undone. No honest server applies more.
const MAX_CODINGS: usize = 4;

/// A decompressed body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// The body.
    pub bytes: Vec<u8>,
    /// True if the body was longer than the limit, so that its end is missing; it may be a
    /// decompression bomb.
    pub cut: bool,
    /// True if the compressed data was broken, so that the end is missing or the body is unchanged.
    pub broken: bool,
}

/// Decompresses a body according to its `Content-Encoding`, up to `most` bytes. Unknown codings are
/// ignored. If the data is broken, everything before the broken part is kept. If there is nothing
/// before it, the body is returned unchanged, since some servers name a coding that they did not
/// apply.
///
/// ```
/// # use ontrail_archive::unpack;
/// assert_eq!(unpack("identity", b"abc".to_vec(), 10).bytes, b"abc");
/// assert!(unpack("gzip", b"abc".to_vec(), 10).broken);
/// ```
#[must_use]
pub fn unpack(codings: &str, body: Vec<u8>, most: usize) -> Unpacked {
    let mut unpacked = Unpacked { bytes: body, cut: false, broken: false };
    // Codings are listed in the order in which they were applied, so the last is undone first.
    for coding in codings.rsplit(',').take(MAX_CODINGS) {
        let step = {
            let bytes = &unpacked.bytes[..];
            match coding.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => read(MultiGzDecoder::new(bytes), most),
                "deflate" => {
                    let zlib = read(ZlibDecoder::new(bytes), most);
                    // Many servers send raw deflate data without the zlib wrapper.
                    if zlib.bytes.is_empty() && zlib.broken {
                        read(DeflateDecoder::new(bytes), most)
                    } else {
                        zlib
                    }
                }
                "br" => read(Decompressor::new(bytes, 4_096), most),
                "zstd" => match ZstdDecoder::with_buffer(bytes) {
                    Ok(mut decoder) => {
                        // Frames may ask for windows of gigabytes; RFC 9659 allows only 8 MB.
                        let _ = decoder.window_log_max(23);
                        read(decoder, most)
                    }
                    Err(_) => Unpacked { bytes: Vec::new(), cut: false, broken: true },
                },
                _ => continue,
            }
        };
        unpacked.cut |= step.cut;
        unpacked.broken |= step.broken;
        if !(step.broken && step.bytes.is_empty()) {
            unpacked.bytes = step.bytes;
        }
    }
    unpacked
}

/// Reads at most `most` bytes from a decoder.
fn read(mut decoder: impl Read, most: usize) -> Unpacked {
    let mut bytes = Vec::new();
    let result: io::Result<usize> = decoder.by_ref().take(most as u64 + 1).read_to_end(&mut bytes);
    let cut = bytes.len() > most;
    bytes.truncate(most);
    Unpacked { bytes, cut, broken: result.is_err() }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_coding_is_undone() {
        let text = "暴雨 rain ".repeat(100).into_bytes();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(&text).unwrap();
        for (coding, packed) in [
            ("gzip", gzip(&text)),
            ("X-GZIP", gzip(&text)),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", raw.finish().unwrap()),
            ("zstd", zstd::encode_all(&text[..], 1).unwrap()),
            ("gzip, gzip", gzip(&gzip(&text))),
            ("identity", text.clone()),
            ("something", text.clone()),
        ] {
            let unpacked = unpack(coding, packed, 10_000);
            assert_eq!(unpacked, Unpacked { bytes: text.clone(), cut: false, broken: false });
        }
    }

    #[test]
    fn brotli_is_undone() {
        // "rain" as an uncompressed metablock of brotli, by RFC 7932.
        let packed = vec![0x8b, 0x01, 0x80, b'r', b'a', b'i', b'n', 0x03];
        assert_eq!(unpack("br", packed, 100).bytes, b"rain");
    }

    #[test]
    fn decompression_bombs_are_cut() {
        let unpacked = unpack("gzip", gzip(&vec![0; 10_000_000]), 1_000);
        assert_eq!((unpacked.bytes.len(), unpacked.cut), (1_000, true));
        assert!(!unpack("gzip", gzip(&[0; 1_000]), 1_000).cut);
    }

    #[test]
    fn a_broken_body_keeps_its_start() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let packed = gzip(&text);
        let half = unpack("gzip", packed[..packed.len() / 2].to_vec(), 1 << 20);
        assert!(half.broken && !half.bytes.is_empty() && text.starts_with(&half.bytes));
        let plain = unpack("br", b"<p>not packed at all".to_vec(), 100);
        assert_eq!((plain.bytes.as_slice(), plain.broken), (&b"<p>not packed at all"[..], true));
    }
}
