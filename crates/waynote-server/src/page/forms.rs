//! The parts that all forms share: hidden fields, and the outcome of a form.

use maud::{Markup, html};

/// Hidden fields.
pub(crate) fn hidden(fields: &[(&str, String)]) -> Markup {
    html! { @for (name, value) in fields { input type="hidden" name=(name) value=(value); } }
}

/// The outcome of a form that was sent.
pub(crate) enum Outcome {
    /// It was done: the browser goes there.
    Done(String),
    /// It was not done: the form is shown again, with what was typed.
    Again(Markup),
}
