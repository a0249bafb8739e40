//! Credentials for tests, made from examples, so that no file of the project holds what looks like one.

/// Random as a generator's, and the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    /// The example with its random characters.
    pub(crate) fn made(&mut self, example: &str) -> String {
        let mut out = String::new();
        let mut rest = example;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let class = after
                .split_once('}')
                .and_then(|(inside, after)| Some((self.run(inside)?, after)));
            rest = match class {
                Some((run, after)) => {
                    out.push_str(&run);
                    after
                }
                None => {
                    out.push('{');
                    after
                }
            };
        }
        encoded(out + rest)
    }

    fn run(&mut self, inside: &str) -> Option<String> {
        if inside.is_empty() {
            return Some(String::new());
        }
        let (class, length) = inside.split_once(':')?;
        let (digits, lower, upper) = (
            "0123456789",
            "abcdefghijklmnopqrstuvwxyz",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        );
        let of = match class {
            "digit" => digits.to_owned(),
            "hex" => format!("{digits}abcdef"),
            "lower" => lower.to_owned(),
            "letters" => format!("{lower}{upper}"),
            "caps" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".to_owned(),
            "base32" => format!("{upper}234567"),
            "base36" => format!("{digits}{lower}"),
            "alnum" => format!("{digits}{lower}{upper}"),
            "url" => format!("{digits}{lower}{upper}-_"),
            "b64" => format!("{digits}{lower}{upper}+/"),
            _ => return None,
        };
        let length: usize = length.parse().ok()?;
        let of: Vec<char> = of.chars().collect();
        let mut run: String = (0..length).map(|_| of[self.next(of.len())]).collect();
        // A generator's last character may be a joint; the end of a sentence is not told apart from it.
        if run.ends_with(['-', '_', '+', '/']) {
            run.pop();
            run.push('q');
        }
        Some(run)
    }
}

/// The text with what stands in `{b64|…|}` or `{hex|…|}` encoded, the innermost first.
fn encoded(mut text: String) -> String {
    loop {
        let begins = ["{b64|", "{hex|"].map(|name| Some((text.rfind(name)?, name)));
        let Some((begin, name)) = begins.into_iter().flatten().max() else {
            return text;
        };
        let inside = begin + name.len();
        let Some(length) = text[inside..].find("|}") else {
            return text;
        };
        let of = &text.as_bytes()[inside..inside + length];
        let put = match name {
            "{b64|" => data_encoding::BASE64.encode(of),
            _ => data_encoding::HEXLOWER.encode(of),
        };
        text.replace_range(begin..inside + length + 2, &put);
    }
}
