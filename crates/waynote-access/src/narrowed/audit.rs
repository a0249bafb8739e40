//! Reports calls to the audit log.

use std::fmt::Display;

use waynote::{Error, Result};

use super::NarrowedStore;
use crate::Line;

impl<S> NarrowedStore<S> {
    /// Reports a refusal, and returns the result.
    pub(super) fn reported<T>(&self, call: &'static str, may: Result<T>) -> Result<T> {
        if let Err(Error::Denied { what, reason }) = &may {
            self.report(call, true, format!("{what}: {reason}"));
        }
        may
    }

    /// Reports an admin's call and its outcome.
    pub(super) fn report_admin_call<T>(
        &self,
        call: &'static str,
        of: &impl Display,
        result: &Result<T>,
    ) {
        let detail = match result {
            Ok(_) => of.to_string(),
            Err(error) => format!("{of}: failed ({})", error.kind()),
        };
        self.report(call, false, detail);
    }

    fn report(&self, call: &'static str, refused: bool, detail: String) {
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
