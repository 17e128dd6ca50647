//! Ids that name the lane they were made for. They come back in the next request of the conversation.

use ananke_base::context::digest_number;

/// The number of letters by which an id names its lane.
const LETTERS: usize = 4;

/// The letters that ids consist of: those that every API allows.
const ALPHABET: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The letters of a lane and the numbers of its ids so far. The same requests get the same ids in each run.
#[derive(Clone, Debug)]
pub(crate) struct Mint {
    letters: String,
    calls: u64,
    responses: u64,
}

impl Mint {
    /// The mint of a lane. `letters` are its own alone.
    pub(crate) fn new(letters: String) -> Self {
        Self {
            letters,
            calls: 0,
            responses: 0,
        }
    }

    /// A new id of a call to a tool.
    pub(crate) fn call(&mut self) -> String {
        self.calls += 1;
        format!("call_{}{}", self.letters, self.calls)
    }

    /// A new id of a response, to which each API adds its own prefix.
    pub(crate) fn response(&mut self) -> String {
        self.responses += 1;
        format!("{}{}", self.letters, self.responses)
    }
}

/// The letters of the lane with this name, as the `attempt`-th choice: others may have the same by chance.
pub(crate) fn letters_of(name: &str, attempt: usize) -> String {
    let base = u64::try_from(ALPHABET.len()).unwrap_or(1);
    let mut number = digest_number(&format!("{attempt} {name}"));
    // The halves are mixed, because the low bits of the hash depend on few characters of the name.
    number ^= number >> 32;
    let mut letters = String::new();
    for _ in 0..LETTERS {
        let place = usize::try_from(number % base).unwrap_or_default();
        letters.push(char::from(ALPHABET[place]));
        number /= base;
    }
    letters
}

/// The letters that an id has after its prefix, if it was made here: they are followed by a number.
pub(crate) fn minted_letters(id: &[u8]) -> Option<&str> {
    let letters = id.get(..LETTERS)?;
    let follows = id.get(LETTERS)?;
    let is_minted = letters.iter().all(u8::is_ascii_alphabetic) && follows.is_ascii_digit();
    if is_minted {
        std::str::from_utf8(letters).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_name_their_lane() {
        let letters = letters_of("shop.test.yaml::pays", 0);
        let mut mint = Mint::new(letters.clone());
        assert_eq!(mint.call(), format!("call_{letters}1"));
        assert_eq!(mint.call(), format!("call_{letters}2"));
        assert_eq!(minted_letters(mint.response().as_bytes()), Some(&*letters));
    }

    #[test]
    fn ids_of_others_name_no_lane() {
        for id in ["", "abc", "abcd", "01Abcd9", "ÄÖÜß1", "ab1d2"] {
            assert_eq!(minted_letters(id.as_bytes()), None, "{id}");
        }
    }

    #[test]
    fn another_attempt_has_other_letters() {
        assert_ne!(letters_of("a", 0), letters_of("a", 1));
        assert_ne!(letters_of("a", 0), letters_of("b", 0));
    }
}
