//! A real browser, controlled over WebDriver.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use base64::Engine;
use serde_json::{Value, json};
use ureq::Agent;

use super::support::wait_until;

/// A driver of browsers, and one browser.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    pub(crate) session: String,
    /// Kept open, since the driver may print more.
    _said: Lines<BufReader<ChildStdout>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) is_dark: bool,
    pub(crate) has_script: bool,
}

pub(crate) const WIDE: Look = Look {
    width: 1280,
    height: 900,
    is_dark: false,
    has_script: true,
};

/// Keys that are no characters, as WebDriver names them.
pub(crate) const TAB: &str = "\u{E004}";
pub(crate) const ESCAPE: &str = "\u{E00C}";

impl Browser {
    pub(crate) fn open(look: Look) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .expect("chromedriver is installed");
        let mut said = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = said
            .by_ref()
            .map(|line| line.unwrap())
            .find_map(|line| {
                line.split("successfully on port ")
                    .nth(1)?
                    .trim_end_matches('.')
                    .parse()
                    .ok()
            })
            .expect("chromedriver says its port");
        let scheme = if look.is_dark { 0 } else { 1 };
        let script = if look.has_script { 1 } else { 2 };
        let mut browser = Self {
            driver,
            port,
            session: String::new(),
            _said: said,
        };
        let capabilities = json!({ "alwaysMatch": {
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": {
                "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                    format!("--blink-settings=preferredColorScheme={scheme}")],
                "prefs": { "profile.managed_default_content_settings.javascript": script },
                "mobileEmulation": { "deviceMetrics": { "width": look.width, "height": look.height, "pixelRatio": 1.0, "touch": false } },
            },
        }});
        let made = browser.call("POST", "/session", &json!({ "capabilities": capabilities }));
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        browser
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let value = self.send(method, path, body);
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        // An answer that says what went wrong is an answer.
        let agent = Agent::config_builder().http_status_as_error(false);
        let agent: Agent = agent.build().into();
        let answer = match method {
            "POST" => agent.post(url).send(body.to_string()),
            "DELETE" => agent.delete(url).call(),
            _ => agent.get(url).call(),
        };
        let answer = answer.unwrap().into_body().read_to_vec().unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        answer["value"].clone()
    }

    pub(crate) fn go(&self, url: &str) {
        let path = format!("{}/url", self.session);
        self.call("POST", &path, &json!({ "url": url }));
    }

    /// Runs a script, and returns its result.
    pub(crate) fn run(&self, script: &str) -> Value {
        let path = format!("{}/execute/sync", self.session);
        self.call("POST", &path, &json!({ "script": script, "args": [] }))
    }

    pub(crate) fn says(&self, text: &str) -> bool {
        let body = self.run("return document.body.innerText");
        body.as_str().unwrap().contains(text)
    }

    pub(crate) fn wait(&self, script: &str) {
        wait_until(|| self.run(script) == json!(true), script);
    }

    pub(crate) fn wait_for(&self, text: &str) {
        wait_until(|| self.says(text), text);
    }

    /// Presses keys as a person does.
    pub(crate) fn press(&self, keys: &str) {
        // A browser drops keys that are pressed before it has painted the page for the first time.
        self.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        let keys = keys.chars().flat_map(|key| {
            let key = key.to_string();
            [
                json!({ "type": "keyDown", "value": key }),
                json!({ "type": "keyUp", "value": key }),
            ]
        });
        let actions = json!([{ "type": "key", "id": "keys", "actions": keys.collect::<Vec<_>>() }]);
        let path = format!("{}/actions", self.session);
        self.call("POST", &path, &json!({ "actions": actions }));
    }

    /// The elements that match a selector, as the driver names them.
    fn find_all(&self, selector: &str) -> Vec<String> {
        let path = format!("{}/elements", self.session);
        let asked = json!({ "using": "css selector", "value": selector });
        let found = self.call("POST", &path, &asked);
        let name = |of: &Value| of.as_object().unwrap().values().next().unwrap().clone();
        let found = found.as_array().unwrap().iter();
        found
            .map(|of| name(of).as_str().unwrap().to_owned())
            .collect()
    }

    /// Waits for an element, and runs the command `act` on it. The element may be replaced at any time, and is then
    /// looked up again.
    fn with(&self, selector: &str, act: &str, body: &Value) {
        let mut last = Value::Null;
        wait_until(
            || {
                let found = self.find_all(selector);
                let Some(id) = found.first() else {
                    return false;
                };
                let path = format!("{}/element/{id}/{act}", self.session);
                last = self.send("POST", &path, body);
                last["error"].is_null()
            },
            &format!("{act} {selector}"),
        );
    }

    /// Clicks on an element, as a person does: it has to be visible.
    pub(crate) fn click(&self, selector: &str) {
        self.with(selector, "click", &json!({}));
    }

    /// Writes into a field, at its end.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        self.with(selector, "value", &json!({ "text": text }));
    }

    pub(crate) fn source(&self) -> String {
        let path = format!("{}/source", self.session);
        let source = self.call("GET", &path, &Value::Null);
        source.as_str().unwrap().to_owned()
    }

    /// Waits until the page has a text: the page after a click may load later than the click returns.
    pub(crate) fn wait_for_source(&self, text: &str) {
        wait_until(|| self.source().contains(text), text);
    }

    pub(crate) fn shot(&self, name: &str) {
        #[expect(
            clippy::disallowed_methods,
            reason = "a folder for whoever looks at them"
        )]
        let Ok(folder) = std::env::var("WAYNOTE_SHOTS") else {
            return;
        };
        let shot = self.call("GET", &format!("{}/screenshot", self.session), &Value::Null);
        let engine = base64::engine::general_purpose::STANDARD;
        let png = engine.decode(shot.as_str().unwrap()).unwrap();
        std::fs::write(format!("{folder}/{name}.png"), png).unwrap();
    }

    /// Asserts that the page's policy refused nothing, and no script failed.
    pub(crate) fn has_no_complaints(&self) {
        let path = format!("{}/se/log", self.session);
        let log = self.call("POST", &path, &json!({ "type": "browser" }));
        let mut lines = log.as_array().unwrap().iter();
        let is_bad = |line: &Value| {
            // A refused form is no complaint.
            let is_refusal = line["message"].as_str().unwrap().contains("status of 422");
            line["level"] == "SEVERE" && !is_refusal
        };
        assert!(!lines.any(is_bad), "{log}");
    }

    pub(crate) fn is_usable(&self) {
        #[expect(
            clippy::disallowed_methods,
            reason = "axe-core is not part of this repository"
        )]
        let Ok(axe) = std::env::var("WAYNOTE_AXE") else {
            return;
        };
        let axe = std::fs::read_to_string(axe).unwrap();
        self.run(&format!("{axe}; return 1"));
        let path = format!("{}/execute/async", self.session);
        let script = "const done = arguments[0]; axe.run({ resultTypes: ['violations'] }).then((found) => done(found.violations.map((of) => \
                      [of.impact, of.id, of.nodes.map((node) => node.target.join(' ') + ': ' + node.failureSummary)])))";
        let found = self.call("POST", &path, &json!({ "script": script, "args": [] }));
        let serious = found
            .as_array()
            .unwrap()
            .iter()
            .filter(|of| of[0] == "serious" || of[0] == "critical");
        let serious: Vec<String> = serious.map(Value::to_string).collect();
        let at = self.run("return location.pathname");
        assert!(serious.is_empty(), "{at}: {}", serious.join("\n"));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failure: a browser outlives its driver.
        if !self.session.is_empty() {
            self.send("DELETE", &self.session, &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
