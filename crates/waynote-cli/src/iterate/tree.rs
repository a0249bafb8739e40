//! stand-in
use std::path::Path;
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(String);
impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
pub(crate) fn fingerprint(_: &Path, _: &[&Path]) -> Option<Fingerprint> {
    None
}
