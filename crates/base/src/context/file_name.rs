//! Names that some file systems keep for devices.

/// Names that some file systems keep for devices, whatever ending follows.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Whether `name`, in lower case and without an ending, names a device somewhere.
pub fn is_device(name: &str) -> bool {
    let is_port = |kind: &str| {
        name.strip_prefix(kind)
            .is_some_and(|number| number.len() == 1)
    };
    RESERVED.contains(&name) || is_port("com") || is_port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_known() {
        assert!(["con", "aux", "com1", "lpt9"].into_iter().all(is_device));
        assert!(
            !["cone", "com", "com10", "computer", ""]
                .into_iter()
                .any(is_device)
        );
    }
}
