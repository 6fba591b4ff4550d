//! Content codings: how a server packs a body.

use std::io::{self, Read};

use brotli_decompressor::Decompressor;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use zstd::stream::read::Decoder as ZstdDecoder;

/// More codings on top of one another than this are a joke or an attack.
const MOST_CODINGS: usize = 4;

/// A body without its packing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// The body.
    pub bytes: Vec<u8>,
    /// Whether it was longer than allowed and its end is missing: perhaps a bomb.
    pub cut: bool,
    /// Whether the packing was broken, so that the end, or the unpacking as a whole, is missing.
    pub broken: bool,
}

/// Unpacks a body by the value of its `Content-Encoding`, up to `most` bytes. Codings that are not
/// known leave it as it is. What came before a broken place is kept; where nothing did, the body was
/// not packed after all, as some servers say it is.
///
/// ```
/// # use ontrail_archive::unpack;
/// assert_eq!(unpack("identity", b"abc".to_vec(), 10).bytes, b"abc");
/// assert!(unpack("gzip", b"abc".to_vec(), 10).broken);
/// ```
#[must_use]
pub fn unpack(codings: &str, body: Vec<u8>, most: usize) -> Unpacked {
    let mut unpacked = Unpacked { bytes: body, cut: false, broken: false };
    // The last coding was applied last.
    for coding in codings.rsplit(',').take(MOST_CODINGS) {
        let step = {
            let bytes = &unpacked.bytes[..];
            match coding.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => read(MultiGzDecoder::new(bytes), most),
                "deflate" => {
                    let zlib = read(ZlibDecoder::new(bytes), most);
                    // Half of the web's servers leave the wrapper off.
                    if zlib.bytes.is_empty() && zlib.broken {
                        read(DeflateDecoder::new(bytes), most)
                    } else {
                        zlib
                    }
                }
                "br" => read(Decompressor::new(bytes, 4_096), most),
                "zstd" => match ZstdDecoder::with_buffer(bytes) {
                    Ok(mut decoder) => {
                        // Frames may ask for windows of gigabytes; RFC 9659 allows 8 MB.
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

/// Reads what a decoder gives.
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
    fn bombs_are_cut() {
        let unpacked = unpack("gzip", gzip(&vec![0; 10_000_000]), 1_000);
        assert_eq!((unpacked.bytes.len(), unpacked.cut), (1_000, true));
        assert!(!unpack("gzip", gzip(&[0; 1_000]), 1_000).cut);
    }

    #[test]
    fn what_is_broken_keeps_its_start() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let packed = gzip(&text);
        let half = unpack("gzip", packed[..packed.len() / 2].to_vec(), 1 << 20);
        assert!(half.broken && !half.bytes.is_empty() && text.starts_with(&half.bytes));
        let plain = unpack("br", b"<p>not packed at all".to_vec(), 100);
        assert_eq!((plain.bytes.as_slice(), plain.broken), (&b"<p>not packed at all"[..], true));
    }
}
