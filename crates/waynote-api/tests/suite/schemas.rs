//! The schemas of the API.

use proptest::prelude::*;
use utoipa::OpenApi;

use super::given;

#[derive(OpenApi)]
#[openapi(components(schemas(
    waynote_api::Ask,
    waynote_api::Answers,
    waynote_api::AsOfRequest,
    waynote_api::NotesFound,
    waynote_api::SearchRequest,
    waynote_api::HitsFound,
    waynote_api::ApplyRequest,
    waynote_api::ApplyAnswer,
    waynote_api::RecordRequest,
    waynote_api::ForgetRequest,
    waynote_api::Forgotten,
    waynote_api::BlockAsk,
    waynote_api::BlockAnswer,
    waynote_api::Report,
    waynote_api::Problem,
)))]
struct Document;

#[test]
fn every_reference_of_a_schema_is_in_the_document() {
    let document = serde_json::to_value(Document::openapi()).unwrap();
    let text = document.to_string();
    for part in text.split("\"#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(
            document["components"]["schemas"].get(name).is_some(),
            "{name}"
        );
    }
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
}

proptest! {
    /// The schema of an event is made from a type beside the library's: both have the same form.
    #[test]
    fn events_have_the_form_of_their_schema(event in given::event()) {
        let written = serde_json::to_value(&event).unwrap();
        let form: waynote_api::SessionEvent = serde_json::from_value(written.clone()).unwrap();
        prop_assert_eq!(serde_json::to_value(&form).unwrap(), written);
    }
}
