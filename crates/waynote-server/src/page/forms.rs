//! What all forms share: hidden fields, and what becomes of a form that was sent.

use maud::{Markup, html};

/// Hidden fields.
pub(crate) fn hidden(fields: &[(&str, String)]) -> Markup {
    html! { @for (name, value) in fields { input type="hidden" name=(name) value=(value); } }
}

/// What becomes of a form that was sent.
pub(crate) enum Outcome {
    /// It was done: the browser goes there.
    Done(String),
    /// It was not done: the form is shown again, with what was typed.
    Again(Markup),
}
