//! The block as a resource.

use rmcp::model::Resource;

use crate::reply::Refusal;

/// The block.
pub(crate) const CONTEXT: &str = "waynote://context";

pub(crate) const MARKDOWN: &str = "text/markdown";

/// Refuses any other URI. Clients that normalize URIs add a slash.
pub(crate) fn check(uri: &str) -> Result<(), Refusal> {
    if uri.strip_suffix('/').unwrap_or(uri) == CONTEXT {
        return Ok(());
    }
    let shown: String = waynote::visible::visible(uri).chars().take(80).collect();
    let what = format!("there is no resource {shown}");
    Err(Refusal::not_found(
        what,
        format!("the resource is {CONTEXT}"),
    ))
}

pub(crate) fn context() -> Resource {
    Resource::new(CONTEXT, "context")
        .with_description("The notes that apply here, within the budget")
        .with_mime_type(MARKDOWN)
}
