//! The parts that all forms share: hidden fields, and the outcome of a form.

use maud::{Markup, html};

/// Hidden fields.
pub(crate) fn hidden(fields: &[(&str, String)]) -> Markup {
    html! { @for (name, value) in fields { input type="hidden" name=(name) value=(value); } }
}

/// The outcome of a form that was sent.
pub(crate) enum Outcome {
    /// The action was carried out: the browser goes to this address.
    Done(String),
    /// The action was not carried out: the form is shown again, with its values.
    Again(Markup),
}
