//! The parts that all forms share: hidden fields, a form that was sent, and its outcome.

use maud::{Markup, html};
use waynote::{Error, Stamp, Store};

use super::fields::Fields;
use super::site::Site;

/// Hidden fields.
pub(crate) fn hidden(fields: &[(&str, String)]) -> Markup {
    html! { @for (name, value) in fields { input type="hidden" name=(name) value=(value); } }
}

/// A form that was sent, with all that its action needs.
#[derive(Clone, Copy)]
pub(crate) struct Sent<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) site: &'a Site<'a>,
    /// The last word of its path.
    pub(crate) act: &'a str,
    pub(crate) fields: &'a Fields,
    pub(crate) stamp: &'a Stamp,
}

impl Sent<'_> {
    /// The error for an action that there is not.
    pub(crate) fn unknown(&self) -> Error {
        Error::not_found(format!("action {}", waynote::visible::visible(self.act)))
    }
}

/// The outcome of a form that was sent.
pub(crate) enum Outcome {
    /// The action was carried out: the browser goes to this address.
    Done(String),
    /// The action was not carried out: the form is shown again, with its values.
    Again(Markup),
}
