//! The reports to an audit log.

use std::fmt::Display;

use waynote::{Error, Result};

use super::NarrowedStore;
use crate::Line;

impl<S> NarrowedStore<S> {
    /// Tells of a refusal.
    pub(super) fn told<T>(&self, call: &'static str, may: Result<T>) -> Result<T> {
        if let Err(Error::Denied { what, reason }) = &may {
            self.tell(call, true, format!("{what}: {reason}"));
        }
        may
    }

    /// Tells of a call that only an admin may make, and how it went.
    pub(super) fn administered<T>(
        &self,
        call: &'static str,
        of: &impl Display,
        result: &Result<T>,
    ) {
        let detail = match result {
            Ok(_) => of.to_string(),
            Err(error) => format!("{of}: failed ({})", error.kind()),
        };
        self.tell(call, false, detail);
    }

    fn tell(&self, call: &'static str, refused: bool, detail: String) {
        if let Some(watch) = &self.watch {
            watch.saw(Line {
                call,
                token: self.grant.token.clone(),
                refused,
                detail,
            });
        }
    }
}
