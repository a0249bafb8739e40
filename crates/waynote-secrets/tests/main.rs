//! What is found, how often, and what is not refused.

#[path = "suite/made.rs"]
mod made;
#[path = "suite/recall.rs"]
mod recall;
#[path = "suite/rules.rs"]
mod rules;
