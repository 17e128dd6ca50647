//! Reads from a pipe that may be closed already.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Reads some bytes: 0 at the end. Never returns if there is nothing to read from.
pub async fn read_some(pipe: Option<&mut (impl AsyncRead + Unpin)>, buffer: &mut [u8]) -> usize {
    match pipe {
        // A pipe that cannot be read is at its end.
        Some(pipe) => pipe.read(buffer).await.unwrap_or_default(),
        None => std::future::pending().await,
    }
}
