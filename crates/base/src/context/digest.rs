//! A short fingerprint of a text: the same on every machine and in every version of the program.

/// FNV-1a with 64 bits, as 16 hexadecimal digits. It notices a change; it keeps no secret.
pub fn digest(text: &str) -> String {
    format!("{:016x}", digest_number(text))
}

/// The number that [`digest`] writes.
pub fn digest_number(text: &str) -> u64 {
    let mixed = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mixed)
}

/// A fingerprint of many bytes, eight at a time, as 16 hexadecimal digits: for what one program writes and reads again. It
/// notices a change; it keeps no secret.
pub fn fingerprint(bytes: &[u8]) -> String {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(FACTOR);
        // The high half has seen every bit.
        product ^ (product >> 32)
    };
    let mut words = bytes.chunks_exact(8);
    let hash = words.by_ref().fold(bytes.len() as u64, |hash, word| {
        mixed(
            hash,
            u64::from_le_bytes(word.try_into().unwrap_or_default()),
        )
    });
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    let hash = mixed(mixed(hash, u64::from_le_bytes(last)), FACTOR);
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_fingerprint_notices_every_small_change() {
        let text: Vec<u8> = (0..100).collect();
        let mut seen = BTreeSet::new();
        for length in 0..text.len() {
            assert!(seen.insert(fingerprint(&text[..length])));
        }
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.clone();
                changed[at] ^= 1 << bit;
                assert!(seen.insert(fingerprint(&changed)), "{at} {bit}");
            }
        }
    }

    #[test]
    fn is_the_published_function() {
        assert_eq!(digest(""), "cbf29ce484222325");
        assert_eq!(digest("foobar"), "85944171f73967e8");
    }
}
