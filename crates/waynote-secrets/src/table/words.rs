//! Placeholders, which are no credentials; and parts of URLs and headers with a credential beside them.

use super::lists;

/// The most frequent pairs of letters: four of five in words, one of five in random letters.
pub(crate) const PAIRS: &str = concat!(
    "abacadagaialamanaparasatblcacechcickclcocrctdadedieaecedeeefelemeneperesetexfefifogegrhahehiiaicidie",
    "ifigiliminioipisitivizkelalelilllolymamemimompnancndnengninonsntocodolomonoporosotouowpapeplpoppprpt",
    "rardrerirmrorrrsrtrurysascseshsisospssstsutatethtitotrtstutyulumunurusutvavevize",
);

lists! {
    /// Placeholders that everybody uses for a password.
    SHOWN
        "password passwd passwort pass pwd pw p pword psw secret mysecret s3cret secr3t token mytoken key apikey"
        "api_key credential foo bar baz test testing guest root admin user username postgres mysql hunter2 tiger"
        "changeme dev demo b x pat example p@ssw0rd opensesame android minioadmin rabbitmq elastic redis geheim"
        "stdin prompt none null true false value string text word";

    /// Beginnings of a value that is no credential: a variable, a template, a path, a place where secrets are kept.
    REFERENCES
        "$ { < [ ( / ./ ../ ~/ process.env os.environ env. env: ENV[ op:// vault: arn: file: secrets. fd:";

    /// Unreachable hosts: a password for them is an example, unless it looks like a real secret.
    NOWHERE
        "localhost 127. [::1] 0.0.0.0 example. www.example your some";

    NOWHERE_ENDS
        ".example .test .invalid .localhost .local example.com example.org example.net domain.com host.com"
        "server.com";

    /// Parts of a path behind which a token stands.
    BEFORE_TOKENS
        "token tokens key keys apikey api-key api_key secret secrets access_token access-token auth reset"
        "reset-password password-reset magic magic-link verify-email unsubscribe-token authkey sas signature";

    /// Parts of a path, or of a host, behind which everything random is a token.
    HOOKS
        "hook hooks webhook webhooks webhookb2 incomingwebhook incoming-webhook";

    /// Hosts whose URLs are secrets: a caller needs nothing else.
    HOSTS
        "hc-ping.com ntfy.sh webhook.site maker.ifttt.com outlook.office.com";

    /// Parts of a path behind which a hash is no token.
    PATHS_OF_CODE
        "commit commits blob tree raw blame compare releases pull issues package packages docs document wiki crates"
        "archive";

    /// Parts of placeholders in a place where nothing but a password can stand.
    OF_PLACES
        "token apikey api_key api-key credential 123456";

    /// Parts of placeholders.
    PLACEHOLDERS
        "example placeholder changeme change_me change-me changeit replace redacted masked dummy sample your insert"
        "todo xxxx **** .... 0000000 1234567 12345678 abcdef abc123 abcd1234 qwerty foobar foo_ secretkey mysecret"
        "my_secret my-secret mytoken letmein deadbeef lorem";

    /// Placeholders among tokens that have a form of their own: only words that no generator makes.
    TOKEN_PLACEHOLDERS
        "example placeholder redacted masked xxxxx your_ your- _here -here 00000000 12345678 abcdefg replace";

    /// Texts that no credential contains.
    INSIDE
        "${ {{ }} $( <% :// ... … (*";

    /// Words that are followed by a number in code and in examples, not in passwords.
    OF_CODE
        "pass pwd secret test user admin demo token key login change default string value type field";

    /// Cookies without credentials.
    HARMLESS
        "csrf xsrf consent locale lang theme _ga _gid _gcl _fbp _hj utm optanon tz";
}
