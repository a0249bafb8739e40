//! The state of a session as a chip.

use maud::Markup;
use waynote::{SessionState, SessionStatus};

use crate::page::words::chip;

/// The chip with the state's words.
pub(crate) fn state_chip(status: &SessionStatus) -> Markup {
    let kind = match status.state {
        SessionState::Running | SessionState::Answered => "whole",
        SessionState::Waiting => "line",
        SessionState::Done => "done",
        SessionState::Stalled | SessionState::Failed | SessionState::Lost => "bad",
        _ => "",
    };
    chip(kind, status.state.as_str())
}
