//! The prompt of an iteration: a template and its values.
//!
//! Values are data: no note, spec or task file is read as a template.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};

use crate::error::{Error, Result};

/// The template that is used unless the user names another. The order of its sections is ralph.nu's.
///
/// `ended` ends a part with a line end where it has none, so that the line end after it makes an empty line.
const BUILT_IN: &str = "\
## Context
- Iteration: #{{ iteration }}
- Session: {{ session }}

{% if spec %}
## Spec
{{ spec | ended }}
{% endif %}
{% if notes %}
{{ notes | ended }}
{% endif %}
{% if question %}
## Answer from a Person
An earlier iteration asked:

{{ question | ended }}
The person's answer:

{{ answer | ended }}
{% endif %}
{% if tasks %}
## Current Task State
{{ tasks | ended }}
{% endif %}
## Available Tools
{{ tools | ended }}
## Instructions
{{ instructions | ended }}{{ extra }}";

/// Tools that the agent can call; a shell's form beside each, for agents that have no MCP server.
const TOOLS: &str = "\
They are tools of the MCP server waynote. Without MCP, run the command in a shell instead.
- note_add(content, type, resolves?) - Record a learning, tip, stuck or decision for later iterations
  Shell: waynote log add TEXT --type learning|stuck|tip|decision [--resolves NOTE]
  resolves: the stuck note that this one solves, by its #iteration or some of its words
- note_list(type?) - View the notes
  Shell: waynote log list
- session_complete(summary) - Everything is done: end the loop
  Shell: waynote log complete SUMMARY
- blocked(question) - A person must decide: end the loop with a question
  Shell: waynote log blocked QUESTION
";

/// Rules of the loop: an agent does not know that it runs in one.
const INSTRUCTIONS: &str = "\
1. This is one iteration of a loop: a run with a fresh context. Only notes and files carry over from one iteration to
   the next.
2. Read the notes first, if there are any; do not try again what they say does not work.
3. Pick one thing that is not done yet, the most important. Do that one thing and check that it works.
4. If stuck or learned something important: call note_add(). Say what you tried and what came of it; the reader knows
   nothing else of this run.
5. When a stuck note is solved: call note_add() with what solved it, and `resolves` naming that note.
6. Leave the files in a state that the next iteration can go on from: nothing half-done, the task list up to date.
7. When everything is done, and only then: call session_complete(summary).
8. When a person must decide: call blocked(question). Do not guess, and do not wait: the answer comes with a later
   iteration.
9. Then stop. The next iteration starts by itself.
";

/// A template of the user's own.
#[derive(Debug, Clone)]
pub struct Template {
    /// Its origin, for errors.
    pub name: String,
    /// Its text, with the placeholders that `docs/loops.md` lists.
    pub source: String,
}

/// The values of a template. An empty text is none, and the built-in template leaves its section out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts<'a> {
    pub(crate) session: &'a str,
    pub(crate) iteration: i64,
    /// The spec file's text.
    pub(crate) spec: &'a str,
    /// The section of notes with its heading.
    pub(crate) notes: &'a str,
    /// The task file's text.
    pub(crate) tasks: &'a str,
    /// An earlier iteration's question, and a person's answer.
    pub(crate) answer: Option<(&'a str, &'a str)>,
    /// The text that the agent prints to end the loop.
    pub(crate) until: &'a str,
    /// Further instructions of the user.
    pub(crate) extra: &'a str,
}

impl Parts<'_> {
    /// The placeholders and what they stand for.
    fn values(&self) -> BTreeMap<&'static str, Value> {
        let (question, answer) = self.answer.unwrap_or_default();
        let question = quoted(question);
        let mut instructions = INSTRUCTIONS.to_owned();
        if !self.until.is_empty() {
            // Among other words: a client that prints its prompt must not be taken for one that is done.
            let done = format!(
                "7. When everything is done, and only then: print {} alone on a line, and",
                self.until
            );
            instructions =
                instructions.replace("7. When everything is done, and only then:", &done);
        }
        // A section with its heading, as ralph.nu fills its placeholder of that name.
        let extra = match self.extra.trim() {
            "" => String::new(),
            extra => format!("\n## Additional Instructions\n{extra}\n"),
        };
        BTreeMap::from([
            ("answer", answer.into()),
            ("extra", extra.into()),
            ("instructions", instructions.into()),
            ("iteration", self.iteration.into()),
            ("notes", self.notes.into()),
            ("question", question.into()),
            ("session", self.session.into()),
            ("spec", self.spec.into()),
            ("tasks", self.tasks.into()),
            ("tools", TOOLS.into()),
            ("until", self.until.into()),
        ])
    }
}

/// A question as a code block that nothing in it can end. An agent wrote it: none of it shall read as the answer to it.
fn quoted(question: &str) -> String {
    if question.is_empty() {
        return String::new();
    }
    waynote::visible::code_block(&waynote::secrets::masked(question), "")
}

/// Makes the prompt.
pub(crate) fn render(template: Option<&Template>, parts: &Parts<'_>) -> Result<String> {
    let (name, source) = match template {
        Some(template) => (template.name.as_str(), template.source.as_str()),
        None => ("the built-in template", BUILT_IN),
    };
    let mut values = parts.values();
    let inbox = inbox(&values);
    values.insert("inbox", inbox.into());
    let values = values;
    let refused = |line: Option<usize>, reason: &str| refused(name, line, reason, &values);
    let failed = |error: minijinja::Error| {
        let kind = error.kind().to_string();
        refused(error.line(), error.detail().unwrap_or(&kind))
    };
    let mut environment = environment().map_err(failed)?;
    environment.add_template(name, source).map_err(failed)?;
    let compiled = environment.get_template(name).map_err(failed)?;
    // In every branch: an error in a later iteration would come at three in the morning.
    let names = compiled.undeclared_variables(false).into_iter();
    let unknown = names.filter(|name| !values.contains_key(name.as_str()));
    if let Some(name) = unknown.min() {
        return Err(refused(None, &format!("there is no placeholder `{name}`")));
    }
    let prompt = compiled.render(&values).map_err(failed)?;
    if prompt.trim().is_empty() {
        return Err(refused(None, "it makes an empty prompt"));
    }
    Ok(prompt)
}

/// The built-in template's section with the answer of a person, for templates that were written for ralph.nu, where it
/// is called inbox. Empty where there is no answer.
fn inbox(values: &BTreeMap<&'static str, Value>) -> String {
    let begin = BUILT_IN.find("{% if question %}").unwrap_or_default();
    let section = &BUILT_IN[begin..];
    let end = section.find("{% if tasks %}").unwrap_or_default();
    let rendered =
        environment().and_then(|environment| environment.render_str(&section[..end], values));
    rendered.unwrap_or_default()
}

/// The language of templates, without anything that it does not need.
fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = SyntaxConfig::builder()
        // A line that holds only `{% if … %}` is no line of the prompt.
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    environment.set_syntax(syntax);
    environment.add_filter("ended", ended);
    Ok(environment)
}

/// The text with a line end after its last line.
fn ended(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn refused(
    name: &str,
    line: Option<usize>,
    reason: &str,
    values: &BTreeMap<&'static str, Value>,
) -> Error {
    Error::Template {
        name: name.to_owned(),
        line,
        reason: reason.to_owned(),
        placeholders: values.keys().copied().collect(),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;

    fn own(source: &str) -> Template {
        Template {
            name: "prompt.md".into(),
            source: source.into(),
        }
    }

    fn render(template: impl Into<Option<Template>>, parts: &Parts<'_>) -> Result<String> {
        super::render(template.into().as_ref(), parts)
    }

    fn parts() -> Parts<'static> {
        Parts {
            session: "nightly",
            iteration: 4,
            spec: "# Shop\nA cart that works.\n",
            notes: "## Notes from Previous Iterations\nSTUCK:\n  - [#3] 100 requests a minute",
            tasks: "- [x] cart\n- [ ] import\n",
            answer: Some(("Which currency?", "Euro.")),
            until: "ALL DONE",
            extra: "",
        }
    }

    fn refusal(source: &str) -> String {
        render(own(source), &parts()).unwrap_err().to_string()
    }

    #[test]
    fn the_sections_come_in_the_order_of_the_source() {
        assert_snapshot!(render(None, &parts()).unwrap(), @"
        ## Context
        - Iteration: #4
        - Session: nightly

        ## Spec
        # Shop
        A cart that works.

        ## Notes from Previous Iterations
        STUCK:
          - [#3] 100 requests a minute

        ## Answer from a Person
        An earlier iteration asked:

        ```
        Which currency?
        ```

        The person's answer:

        Euro.

        ## Current Task State
        - [x] cart
        - [ ] import

        ## Available Tools
        They are tools of the MCP server waynote. Without MCP, run the command in a shell instead.
        - note_add(content, type, resolves?) - Record a learning, tip, stuck or decision for later iterations
          Shell: waynote log add TEXT --type learning|stuck|tip|decision [--resolves NOTE]
          resolves: the stuck note that this one solves, by its #iteration or some of its words
        - note_list(type?) - View the notes
          Shell: waynote log list
        - session_complete(summary) - Everything is done: end the loop
          Shell: waynote log complete SUMMARY
        - blocked(question) - A person must decide: end the loop with a question
          Shell: waynote log blocked QUESTION

        ## Instructions
        1. This is one iteration of a loop: a run with a fresh context. Only notes and files carry over from one iteration to
           the next.
        2. Read the notes first, if there are any; do not try again what they say does not work.
        3. Pick one thing that is not done yet, the most important. Do that one thing and check that it works.
        4. If stuck or learned something important: call note_add(). Say what you tried and what came of it; the reader knows
           nothing else of this run.
        5. When a stuck note is solved: call note_add() with what solved it, and `resolves` naming that note.
        6. Leave the files in a state that the next iteration can go on from: nothing half-done, the task list up to date.
        7. When everything is done, and only then: print ALL DONE alone on a line, and call session_complete(summary).
        8. When a person must decide: call blocked(question). Do not guess, and do not wait: the answer comes with a later
           iteration.
        9. Then stop. The next iteration starts by itself.
        ");
    }

    #[test]
    fn what_is_empty_leaves_its_section_out() {
        let parts = Parts {
            session: "nightly",
            iteration: 1,
            ..Parts::default()
        };
        let prompt = render(None, &parts).unwrap();
        let headings: Vec<&str> = prompt
            .lines()
            .filter(|line| line.starts_with('#'))
            .collect();
        assert_eq!(
            headings,
            ["## Context", "## Available Tools", "## Instructions"]
        );
    }

    #[test]
    fn a_template_error_names_the_line_and_what_there_is() {
        assert_snapshot!(refusal("one\n{% if spec %}\n{{ nots }}\n{% endif %}"), @"prompt.md: there is no placeholder `nots`");
        assert_snapshot!(refusal("nots {{ tasks }}\n\n{{ notes ~ nots }} {{ aaa }}"), @"prompt.md: there is no placeholder `aaa`");
        assert_snapshot!(refusal("a\n{{ notes "), @"prompt.md, line 2: unexpected end of input, expected end of variable block");
        assert_snapshot!(refusal("{% if not spec %}{{ nots }}{% endif %}x"), @"prompt.md: there is no placeholder `nots`");
        assert_snapshot!(refusal("a\n{{ notes | upper }}"), @"prompt.md, line 2: filter upper is unknown");
        assert_snapshot!(refusal("{{ notes.first }}"), @"prompt.md, line 1: undefined value");
        assert_snapshot!(refusal("{% include 'other' %}"), @"prompt.md, line 1: unknown statement include");
        assert_snapshot!(refusal(" {% if false %}never{% endif %}\n"), @"prompt.md: it makes an empty prompt");
    }

    /// Two of the lines of ralph.nu's own template, with every placeholder it has.
    const OF_RALPH: &str = "Session: {{session}} | Iteration: #{{iteration}}\nSpec: {{spec}}\n{{inbox}}{{notes}}\n## Task State\n{{tasks}}\n{{extra}}";

    #[test]
    fn a_template_of_ralph_is_filled() {
        let parts = Parts {
            extra: " Mind the tests. ",
            spec: "SPEC",
            ..parts()
        };
        assert_snapshot!(render(own(OF_RALPH), &parts).unwrap(), @"
        Session: nightly | Iteration: #4
        Spec: SPEC
        ## Answer from a Person
        An earlier iteration asked:

        ```
        Which currency?
        ```

        The person's answer:

        Euro.

        ## Notes from Previous Iterations
        STUCK:
          - [#3] 100 requests a minute
        ## Task State
        - [x] cart
        - [ ] import


        ## Additional Instructions
        Mind the tests.
        ");
    }

    #[test]
    fn names_that_a_template_sets_itself_are_known_and_a_raw_block_keeps_its_braces() {
        for (source, expected) in [
            (
                "{% set head = 'H' %}{% for part in [notes, tasks] %}{{ head }}{{ loop.index }}{% endfor %}",
                "H1H2",
            ),
            (
                "{% raw %}{{ nots }}{% endraw %} {{ iteration }}\r\n",
                "{{ nots }} 4\r\n",
            ),
        ] {
            assert_eq!(render(own(source), &parts()).unwrap(), expected);
        }
    }

    const HOSTILE: &[&str] = &[
        "{{ tasks }}",
        "{{tasks}}",
        "{% raw %}",
        "{% endraw %}",
        "{% if x %}",
        "{# gone #}",
        "{{ '{{' }}",
        "<b> & \"quotes\" '",
        "line\r\n",
        "\r",
        "\0",
        "{prompt}",
        "}}",
        "%}",
    ];

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            proptest::sample::select(HOSTILE).prop_map(str::to_owned),
            ".{0,12}".prop_map(|text| text),
            Just("\n".to_owned()),
        ];
        proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_part_keeps_its_bytes(spec in text(), notes in text(), tasks in text(), question in text(), answer in text()) {
            let parts = Parts {
                session: "s", iteration: 2, spec: &spec, notes: &notes, tasks: &tasks,
                answer: Some((&question, &answer)), until: "", extra: "",
            };
            let source = "[{{ spec }}][{{ notes }}][{{ tasks }}][{{ question }}][{{ answer }}]";
            let expected = format!("[{spec}][{notes}][{tasks}][{}][{answer}]", quoted(&question));
            prop_assert_eq!(render(own(source), &parts).unwrap(), expected);
            let prompt = render(None, &parts).unwrap();
            for part in [&spec, &notes, &tasks, &answer] {
                prop_assert!(question.is_empty() && std::ptr::eq(part, &answer) || prompt.contains(part.as_str()));
            }
        }

        #[test]
        fn no_template_makes_it_panic(source in text(), body in "[a-z{}%# .|'\"\\n\\[\\]0-9-]{0,40}") {
            let _ = render(own(&source), &parts());
            let _ = render(own(&body), &parts());
        }
    }
}
