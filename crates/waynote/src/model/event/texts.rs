//! The texts of an event, which can be forgotten: the words of agents, people and programs.

use super::SessionEvent;

/// The placeholder for a forgotten text of an event.
pub const FORGOTTEN: &str = "[forgotten]";

/// The least bytes of a part that counts: a shorter one may occur in another text by chance.
const LEAST_PART: usize = 8;

impl SessionEvent {
    /// The texts of the event, without forgotten ones: a question, an answer, a summary, an agent's last output, the
    /// details of an end.
    pub fn texts(&self) -> Vec<&str> {
        let text = match self {
            Self::LoopEnded { detail, .. } => detail.as_deref(),
            Self::IterationEnded { said, .. } => said.as_deref(),
            Self::Completed { summary, .. } => Some(summary.as_str()),
            Self::Blocked { question, .. } => Some(question.as_str()),
            Self::Answered { answer } => Some(answer.as_str()),
            Self::LoopStarted { .. }
            | Self::IterationStarted { .. }
            | Self::StopRequested
            | Self::Archived
            | Self::Unarchived
            | Self::Resolved { .. } => None,
        };
        text.filter(|text| *text != FORGOTTEN).into_iter().collect()
    }

    /// True if a text of the event is this text, or contains it as a part of at least 8 bytes.
    pub(crate) fn says(&self, text: &str) -> bool {
        let part = text.trim();
        self.texts()
            .into_iter()
            .any(|said| said.trim() == part || (part.len() >= LEAST_PART && said.contains(part)))
    }

    /// The event with its texts replaced by [`FORGOTTEN`].
    pub(crate) fn forgotten(&self) -> Self {
        let mut event = self.clone();
        // The same variants as in `texts`.
        if let Self::LoopEnded {
            detail: Some(said), ..
        }
        | Self::IterationEnded {
            said: Some(said), ..
        }
        | Self::Completed { summary: said, .. }
        | Self::Blocked { question: said, .. }
        | Self::Answered { answer: said } = &mut event
        {
            FORGOTTEN.clone_into(said);
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_event_says_nothing() {
        let asked = SessionEvent::Blocked {
            iteration: 3,
            question: "Is hunter2-hunter2 right?".into(),
        };
        assert!(asked.says("hunter2-hunter2\n"));
        assert!(!asked.says("right?"));
        assert!(asked.says(" Is hunter2-hunter2 right? "));
        let forgotten = asked.forgotten();
        assert_eq!(forgotten.texts(), Vec::<&str>::new());
        assert_eq!(
            forgotten.to_string(),
            "the agent asked a person in iteration 3:\n[forgotten]"
        );
    }
}
