//! JSON with comments, read as the clients read it.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;

use crate::formats::refusal::{EditResult, Refusal};

/// The value of a file.
pub(crate) fn read(text: &str) -> Option<Value> {
    parse(text).ok()?.to_serde_value()
}

/// JSON with comments and commas after the last, and nothing looser: what the clients themselves read.
pub(super) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

pub(super) fn parse(text: &str) -> EditResult<CstRootNode> {
    CstRootNode::parse(text, &OPTIONS).map_err(|error| unreadable(&error))
}

pub(super) fn unreadable(error: &jsonc_parser::errors::ParseError) -> Refusal {
    Refusal::damaged(
        Some(error.line_display()),
        lowercase_first(&error.kind().to_string()),
    )
}

fn lowercase_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}
