//! Antigravity: a plugin that its user installs. It takes hooks only from `hooks.json` at a plugin's root.

use crate::client::{Client, Event};
use crate::profile::Profile;
use crate::profile::answer::Form;

pub(super) static PROFILE: Profile = Profile {
    client: Client::Antigravity,
    word: "antigravity",
    aliases: &["agy"],
    title: "Antigravity",
    program: "agy",
    // It runs before each call of the model: a session gets its block with the first, later what is new.
    events: &[(Event::Prompt, "PreInvocation")],
    block_event: Some(Event::Prompt),
    answer: Form::Steps,
    server: ["", "", "mcpServers"],
    shell_variable: "ANTIGRAVITY_AGENT",
    files: |_| Ok(Vec::new()),
    // Its plugin is installed by its own command.
    trust: |_, _| Ok(()),
    ..Profile::BASE
};
