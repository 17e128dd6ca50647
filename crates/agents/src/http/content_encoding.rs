//! Compressed bodies, read as what they contain.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use futures_util::future::BoxFuture;

use super::{Body, Next};
use crate::error::TargetError;
use ananke_base::context::At;

/// The number of compressed bytes that are read at once. They become at most some thousand times as many, and a reader can
/// stop after each piece.
const PIECE: usize = 1 << 10;

/// Wraps `body` so that it is decompressed while it is read. `encoding` is the value of the response's header `content-encoding`.
///
/// # Errors
/// If the encoding is not supported.
pub(super) fn decoded(encoding: &str, body: Box<dyn Body>) -> Result<Box<dyn Body>, TargetError> {
    // No request asks for compression by itself, but the `headers` of a target may, and some servers compress unasked.
    let decoder = match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => return Ok(body),
        "gzip" | "x-gzip" => Decompressor::Gzip(MultiGzDecoder::new(Vec::new())),
        // Servers send two formats by this name. The first byte of the body will show which one it is.
        "deflate" => Decompressor::Unknown,
        other => {
            let message = format!(
                "the response is compressed with `{}`, which is not supported",
                other.escape_debug()
            );
            let help = "remove `accept-encoding` from the target's `headers`, or have the server send what is not compressed, or `gzip`";
            return Err(TargetError::new(message).with_help(help));
        }
    };
    Ok(Box::new(DecodedBody {
        body,
        decoder,
        compressed: Bytes::new(),
        // The first bytes of the body replace this moment.
        at: At::default(),
    }))
}

/// A body that is decompressed while it is read. What is decompressed has the stamp of the bytes it came from.
struct DecodedBody {
    body: Box<dyn Body>,
    decoder: Decompressor,
    /// The bytes that have come and are not decompressed yet.
    compressed: Bytes,
    /// The moment of their arrival.
    at: At,
}

enum Decompressor {
    Gzip(MultiGzDecoder<Vec<u8>>),
    /// `deflate`, of which nothing has come.
    Unknown,
    /// `deflate` as RFC 9110 has it.
    Zlib(ZlibDecoder<Vec<u8>>),
    /// `deflate` as some servers send it.
    Raw(DeflateDecoder<Vec<u8>>),
}

impl Decompressor {
    /// Decompresses the next piece of a body, and returns what it contains. That is empty if the piece alone has no complete
    /// content.
    ///
    /// # Errors
    /// If the piece is not a valid part of the format.
    fn decode(&mut self, compressed: &[u8]) -> io::Result<Vec<u8>> {
        // Servers send two formats as `deflate`: zlib, which has a header, and the raw data without one. The first byte of the
        // body decides. In a header, its low four bits are the method, always 8, and its highest bit is 0, because the window has
        // at most 32 KiB (RFC 1950, 2.2).
        if matches!(self, Self::Unknown)
            && let Some(first) = compressed.first()
        {
            let is_zlib = first & 0x8f == 8;
            *self = if is_zlib {
                Self::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Self::Raw(DeflateDecoder::new(Vec::new()))
            };
        }
        // The three decoders have no common trait, so a macro has the steps: write the compressed bytes, have the decoder put out
        // everything that it can, and take its output, so that the next piece begins with an empty one.
        macro_rules! decode {
            ($decoder:expr) => {{
                $decoder.write_all(compressed)?;
                $decoder.flush()?;
                Ok(std::mem::take($decoder.get_mut()))
            }};
        }
        match self {
            Self::Gzip(decoder) => decode!(decoder),
            Self::Zlib(decoder) => decode!(decoder),
            Self::Raw(decoder) => decode!(decoder),
            // The piece was empty, so the format is still open.
            Self::Unknown => Ok(Vec::new()),
        }
    }

    /// Checks that nothing is missing at the end.
    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(decoder) => decoder.try_finish(),
            Self::Zlib(decoder) => decoder.try_finish(),
            Self::Raw(decoder) => decoder.try_finish(),
            Self::Unknown => Ok(()),
        }
    }
}

impl DecodedBody {
    /// Returns the next decompressed bytes of the body, with the moment at which the compressed ones came. Waits for more of the
    /// body until the moment `until`, if there are none yet.
    async fn take(&mut self, until: At) -> Next {
        loop {
            // The bytes that have come are decompressed in small pieces, each returned alone. So the reader can stop at its limit
            // for the size of a response, and a small body that decompresses to gigabytes does not fill the memory.
            while !self.compressed.is_empty() {
                let piece = self.compressed.split_to(self.compressed.len().min(PIECE));
                match self.decoder.decode(&piece) {
                    // The decoder needs more before it has output.
                    Ok(bytes) if bytes.is_empty() => {}
                    Ok(bytes) => return Next::Bytes(self.at, Bytes::from(bytes)),
                    Err(_) => {
                        return self.broken("it is not compressed as its `content-encoding` says");
                    }
                }
            }
            match self.body.next(until).await {
                // The loop goes on with these bytes.
                Next::Bytes(at, bytes) => {
                    self.at = at;
                    self.compressed = bytes;
                }
                // Bytes that came too late are quoted in a warning and not read, so an error in them is ignored.
                Next::After(at, bytes) => {
                    let decoded = self.decoder.decode(&bytes).unwrap_or_default();
                    return Next::After(at, decoded.into());
                }
                Next::End if self.decoder.finish().is_err() => {
                    return self.broken("its compressed body is incomplete");
                }
                // A complete end, a broken connection and a timeout are the same for compressed bodies.
                next => return next,
            }
        }
    }

    fn broken(&self, why: &str) -> Next {
        Next::Broken(self.at, why.to_owned())
    }
}

impl Body for DecodedBody {
    fn next(&mut self, until: At) -> BoxFuture<'_, Next> {
        Box::pin(self.take(until))
    }
}
