//! Texts for people and models: [`visible`] drops characters that hide something, shows controls as codes, and keeps
//! one text from ending another's Markdown; [`text`] has counts, days, and lines cut short; [`json`] mends what parsers
//! refuse.

pub mod json;
pub mod text;
pub mod visible;
