//! Credentials that are known by what stands around them: for each kind the words beside which it is looked for, and
//! which reader looks there. The first kinds say most: where two find the same, the earlier one names it.

use super::{Trigger, rows, word};
use crate::triggers::Look;

pub(crate) const PRIVATE_KEY: &str = "private-key";
pub(crate) const JWT: &str = "jwt";
pub(crate) const PASSWORD_IN_URL: &str = "password-in-url";
pub(crate) const AUTHORIZATION: &str = "authorization-header";
pub(crate) const AWS_SECRET: &str = "aws-secret-key";
pub(crate) const LOGIN: &str = "encoded-login";
pub(crate) const COOKIE: &str = "session-cookie";
pub(crate) const TOKEN_IN_URL: &str = "token-in-url";
pub(crate) const ENTROPY: &str = "high-entropy-assignment";
pub(crate) const PASSWORD: &str = "password-assignment";
pub(crate) const COMMAND: &str = "command-line-password";

rows! { FORMS
    PRIVATE_KEY "Private key with its heading (PEM, OpenSSH, PGP, PuTTY)"
    words [
        // The last two of five dashes: rows of them are frequent, and other words begin with dashes.
        word("--BEGIN ", true, Look::Armour),
        word("Private-Lines: ", true, Look::Putty),
    ]
    yes [
        "-----BEGIN {}PRIVATE KEY-----\n{b64:64}\n{b64:64}\n{b64:20}==\n-----END {}PRIVATE KEY-----\n",
        "-----BEGIN RSA {}PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{hex:32}\n\n{b64:64}\n{b64:64}\n-----END RSA {}PRIVATE KEY-----",
        "-----BEGIN OPENSSH {}PRIVATE KEY-----\n{b64:70}\n{b64:70}\n",
        "-----BEGIN PGP {}PRIVATE KEY BLOCK-----\n\n{b64:64}\n{b64:64}\n={b64:4}\n-----END PGP {}PRIVATE KEY BLOCK-----",
        "{\"private_key\": \"-----BEGIN {}PRIVATE KEY-----\\n{b64:64}\\n{b64:64}\\n-----END {}PRIVATE KEY-----\\n\"}",
        "key: |\n    -----BEGIN EC {}PRIVATE KEY-----\n    {b64:64}\n    {b64:64}\n    -----END EC {}PRIVATE KEY-----",
        "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{b64:48}\nPrivate-MAC: x",
    ]
    no [
        "-----BEGIN {}PRIVATE KEY-----\n...\n-----END {}PRIVATE KEY-----",
        "a file that begins with -----BEGIN {}PRIVATE KEY----- is a key",
        "-----BEGIN PUBLIC KEY-----\n{b64:64}\n{b64:64}\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\n{b64:64}\n{b64:64}\n-----END CERTIFICATE-----",
        "-----BEGIN {}PRIVATE KEY-----\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n-----END {}PRIVATE KEY-----",
    ]

    JWT "JSON web token with its signature"
    words [
        word("eyJ", true, Look::Jwt),
    ]
    yes [
        "eyJ{alnum:33}.eyJ{alnum:60}.{url:43}",
        "the token `eyJ{alnum:33}.eyJ{alnum:60}.{url:43}`.",
        "eyJ{alnum:60}.{url:60}.{url:16}.{url:80}.{url:22}",
    ]
    no [
        "eyJhbGciOiJIUzI1NiJ9",
        "eyJ...",
        "eyJ{alnum:33}.eyJzdWIiOiIxMjM0NTY3ODkwIiwi{alnum:20}.{url:43}",
        "heyJ{alnum:33}.eyJ{alnum:60}.{url:43}",
    ]

    PASSWORD_IN_URL "Password in a URL, `scheme://user:password@host`"
    words [
        word("://", true, Look::Url),
        word(":thin:", true, Look::Thin),
    ]
    yes [
        "postgres://app:{alnum:12}@db.corp.internal/shop",
        "https://deploy:sword{digit:2}fish@git.acme.io/x.git",
        "redis://:{alnum:16}@cache-1.acme.io:6379/0",
        "amqps://u:p%40{alnum:8}@mq.acme.io",
        "(postgres://app:{alnum:12}7xQ@localhost/shop)",
        "mongodb+srv://app:{alnum:12}@a.mongodb.net",
        "https://{hex:40}@git.acme.io/x.git",
        "postgres://app:aB3!/{alnum:6}9k@db.corp.internal/shop",
    ]
    no [
        "postgres://user:password@host/db",
        "https://user:pass@example.com/",
        "postgres://app:$DB_PASSWORD@db.corp.internal/shop",
        "postgres://app:${PASSWORD}@db.corp.internal/shop",
        "https://user:<password>@git.acme.io",
        "https://user:***@git.acme.io",
        "https://x:{{ token }}@git.acme.io",
        "amqp://guest:guest@rabbit:5672",
        "https://acme.io:8080/a@b",
        "ssh://git@github.com:22/x",
        "http://[::1]:80/user:x@y",
        "https://{hex:32}@o1.ingest.sentry.io/1",
        "postgres://me:simple@localhost/test",
    ]

    AUTHORIZATION "Value of an `Authorization` header, Bearer or Basic"
    words [
        word("bearer ", false, Look::Scheme),
        word("basic ", false, Look::Scheme),
        word("authorization", false, Look::Authorization),
    ]
    yes [
        "Authorization: Bearer {alnum:32}",
        "curl -H 'authorization: bearer {url:40}' x",
        "Authorization: Basic dXNlcjpL{}N3ghcTlwTHptMlY=",
    ]
    no [
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "Bearer YOUR_ACCESS_TOKEN",
        "the bearer understands the documentation",
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "basic understanding",
    ]

    AWS_SECRET "AWS secret access key, by its name and form"
    words [
        // Looked for behind the names of `password-assignment`.
    ]
    yes [
        "aws_secret_access_key = {b64:40}",
        "AWS_SECRET_ACCESS_KEY={b64:40}",
        "secretAccessKey: '{b64:40}'",
    ]
    no [
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "aws_secret_access_key = ...",
    ]

    LOGIN "User and password together in base64, as Docker and npm keep them"
    words [
        // Looked for behind the names of `password-assignment`.
    ]
    yes [
        "{\"auths\": {\"acme.io\": {\"auth\": \"b3BzOkZ{}hbGNvbjQyMSFx\"}}}",
        "_auth=b3BzOkZ{}hbGNvbjQyMSFx",
    ]
    no [
        "\"auth\": \"dXNlcjpwYXNzd29yZA==\"",
        "auth: basic",
        "author = someone",
    ]

    COOKIE "Value of a session's cookie"
    words [
        word("cookie", false, Look::Cookie),
    ]
    yes [
        "Cookie: theme=dark; session={url:43}",
        "Set-Cookie: JSESSIONID={hex:32}; HttpOnly",
        "\"Cookie\": \"sid={alnum:32}\"",
    ]
    no [
        "Cookie: theme=dark; lang=en",
        "Set-Cookie: csrftoken={alnum:32}",
        "the cookie is called sid",
        "Cookie: session=<id>",
    ]

    TOKEN_IN_URL "Token in the path of a URL, as webhooks have it"
    words [
        // Looked for in the URLs of `password-in-url`.
    ]
    yes [
        "https://api.acme.io/v1/token/{alnum:40}/orders",
        "https://acme.io/webhooks/{alnum:32}",
        "https://hooks.zapier.com/hooks/catch/{digit:7}/k7{base36:4}2x/",
    ]
    no [
        "https://github.com/acme/webhooks/commit/{hex:40}",
        "https://acme.io/docs/token/getting-started-2026",
        "https://acme.io/webhooks/<token>",
        "https://acme.io/orders/{alnum:32}",
    ]

    ENTROPY "Random value under a name such as `api_key`, `token`, `secret`"
    words [
        // Looked for behind the names of `password-assignment`.
    ]
    yes [
        "API_KEY={alnum:32}",
        "export SECRET_TOKEN='{hex:40}'",
        "api_key: {hex:32}",
        "\"clientSecret\": \"{url:40}\"",
        "config[\"auth_token\"] = \"{alnum:24}\"",
        "--api-key {alnum:32}",
        "//npm.example.com/:_authToken={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
        "X-Api-Key: {alnum:40}",
        "the API key is {hex:32}.",
        "{\\\"token\\\": \\\"{alnum:30}\\\"}",
        "secret_key_base: {hex:128}",
        "heroku_api_key={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
        "DISCORD_TOKEN=M{alnum:23}.{alnum:6}.{url:27}",
        "?access_token={alnum:32}&x=1",
    ]
    no [
        "API_KEY=your_api_key_here_1234",
        "token = request.headers.get('X-Token')",
        "next_token: {alnum:40}",
        "public_key: {alnum:40}",
        "csrf_token={hex:32}",
        "api_key = os.environ['API_KEY']",
        "secretName: my-registry-credentials-2024",
        "keyboard=1",
        "client-token: {hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
        "token: Option<AccessToken>",
        "max_tokens: 4096",
        "secret: {{ .Values.secret }}",
        "token_endpoint: https://idp.acme.io/oauth2/v2/token",
        "primary key: user_account_2fa_settings",
        "SECRET_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ]

    PASSWORD "Strong password under a name such as `password`"
    words [
        word("pass", false, Look::Name),
        word("pwd", false, Look::Name),
        word("psk", false, Look::Name),
        word("_pw", false, Look::Name),
        word("-pw", false, Look::Name),
        word(" pw", false, Look::Name),
        word("rootpw", false, Look::Name),
        word("bindpw", false, Look::Name),
        word("secret", false, Look::Name),
        word("token", false, Look::Name),
        word("key", false, Look::Name),
        word("cred", false, Look::Name),
        word("auth", false, Look::Name),
        word("SecureString", true, Look::Name),
        // Ends of names, which are rare in texts.
        word("nnwort", false, Look::Name),
        word("ña", true, Look::Name),
        word("enha", false, Look::Name),
        word("htwoord", false, Look::Name),
        word("\npw", false, Look::Name),
        word("login(", false, Look::Call),
        word("auth(", false, Look::Call),
        // Of `connect(` and `connection(`.
        word("ct(", false, Look::Connect),
        word("on(", false, Look::Connect),
        word("PDO(", true, Look::Connect),
        word(":5432:", true, Look::Pgpass),
        word(":5433:", true, Look::Pgpass),
        word(":6432:", true, Look::Pgpass),
    ]
    yes [
        "password=Tr0ub4d{}or&3",
        "DB_PASSWORD=\"K7!{alnum:6}9a\"",
        "db:\n  password: 'x9$Lm2#{alnum:4}q'",
        "{\"dbPassword\": \"aB3!{alnum:8}\"}",
        "the admin password is Blue7!Heron{digit:2}",
        "**Password**: `R3d!{alnum:6}x1`",
        "spring.datasource.password=p4$s{alnum:6}Q",
        "<property name=\"db.password\" value=\"hQ8!{alnum:6}z2\"/>",
        "{\"name\": \"DB_PASSWORD\", \"value\": \"hQ8!{alnum:6}z2\"}",
        "password: >-\n  hQ8!{alnum:6}z2",
        "DB_PASSWORD=Falcon{digit:4}!",
        "mysql --password 'hQ8!{alnum:6}z2' -u root",
        "machine acme.io login me password gH5!{alnum:8}9k",
        "- name: DB_PASSWORD\n  value: 'Zq4!{alnum:8}2x'",
        "<password>Ab1!{alnum:6}</password>",
        "let password: &str = \"aB3!{alnum:8}\";",
    ]
    no [
        "password=password123",
        "password = getpass.getpass()",
        "password: String",
        "- pass -march=x86-64{alnum:4} to the compiler",
        "PASSWORD=$DB_PASSWORD",
        "password: ${DB_PASSWORD}",
        "password: <your password>",
        "password=changeme!1A",
        "password: \"********\"",
        "the password is required and must be given",
        "password_file=/run/secrets/db",
        "password_hash=$2b$12${alnum:53}",
        "passwords are hashed with Argon2id+Salt!",
    ]

    COMMAND "Password or token in a command line, as behind `mysql -p`, `curl -u`"
    words [
        word(" -p", false, Look::Command),
        word(" -u", false, Look::Command),
        word(" -a", false, Look::Command),
        word(" -w", false, Look::Command),
        word(" -x", false, Look::Command),
        word(" -k", false, Look::Command),
        word(" -s", false, Look::Command),
        word(" -t", false, Look::Command),
        word(" -b", false, Look::Command),
        word(" -hp", true, Look::Command),
        word("\"-p", false, Look::Command),
        word("\"-u", false, Look::Command),
        word("\"-a", false, Look::Command),
        word("\"-w", false, Look::Command),
        word("'-p", false, Look::Command),
        word("'-u", false, Look::Command),
        word("'-a", false, Look::Command),
        word("'-w", false, Look::Command),
        word(" --user", true, Look::Command),
        word(" --auth", true, Look::Command),
        word(" --login", true, Look::Command),
        word(" --proxy-user", true, Look::Command),
        word(" --body", true, Look::Command),
        word(" --uri", true, Look::Command),
        word(" --value", true, Look::Command),
        word(" --parameter-v", true, Look::Command),
        word(" --creds", true, Look::Command),
        word(" --src-creds", true, Look::Command),
        word(" --dest-creds", true, Look::Command),
        word(" --pass", true, Look::Command),
        word(" --http-pass", true, Look::Command),
        word(" --secret", true, Look::Command),
        word(" --oauth2", true, Look::Command),
        word(" --ks-pass", true, Look::Command),
        word(" /p", false, Look::Command),
        word(" /rp", false, Look::Command),
        word("sqlplus", false, Look::Command),
        word("expdp ", false, Look::Command),
        word("impdp ", false, Look::Command),
        word("sqlldr ", false, Look::Command),
        word("rman ", false, Look::Command),
        word(" login ", true, Look::Command),
        word(" auth ", true, Look::Command),
        word("-authtoken", true, Look::Command),
        word(" unseal ", true, Look::Command),
        word("chpasswd", true, Look::Command),
        word("-stdin", true, Look::Command),
        word("--with-token", true, Look::Command),
        word("alias set ", true, Look::Command),
        word("net use ", false, Look::Command),
        word("net user ", false, Look::Command),
        word("secret set", true, Look::Command),
        word("cryptsetup", true, Look::Command),
        word("<<<", true, Look::Command),
        word("encrypt_string", true, Look::Command),
        word(" -N ", true, Look::Command),
        word("wpa_passphrase ", true, Look::Command),
        word("nmcli ", true, Look::Command),
        word("rclone ", true, Look::Command),
    ]
    yes [
        "curl -u ops:Falcon{digit:4}! https://acme.io",
        "sudo docker exec db mysql -uroot -pk7{alnum:8}2x shop",
        "`sshpass -p 'Falcon{digit:4}' ssh ops@host`",
        "[\"redis-cli\", \"-a\", \"Falcon{digit:4}\", \"ping\"]",
        "sqlplus app/Falcon{digit:4}@SHOP",
        "echo Falcon{digit:4} | docker login -u ci --password-stdin",
        "docker login \\\n  -u ci \\\n  -p Falcon{digit:4} registry.acme.io",
        "anything -u root -p 'k7!{alnum:6}#2x'",
        "ssh host \"mysql -uroot -pFalcon{digit:4}\"",
    ]
    no [
        "curl -u user:password https://acme.io",
        "curl -u $USER:$PASS https://acme.io",
        "mysql -u root -p Falcon42",
        "docker run -p 8080:80 nginx",
        "mkdir -p App-1.2/Data2",
        "sshpass -p password ssh host",
        "sqlplus / as sysdba",
        "echo $PASSWORD | docker login --password-stdin",
    ]
}

/// The end of a text in quotes, which may go on in another one.
pub(crate) const SPLICES: &[Trigger] = &[
    word("\" +", true, Look::Quote),
    word("\"+\"", true, Look::Quote),
    word("\" .", true, Look::Quote),
    word("\".\"", true, Look::Quote),
    word("\" \"", true, Look::Quote),
    word("\" \\", true, Look::Quote),
    word("\"\n ", true, Look::Quote),
    word("\"\n\"", true, Look::Quote),
    word("\"\n\t", true, Look::Quote),
    word("' +", true, Look::Quote),
    word("'+'", true, Look::Quote),
    word("' .", true, Look::Quote),
    word("'.'", true, Look::Quote),
    word("' '", true, Look::Quote),
    word("' \\", true, Look::Quote),
    word("'\n ", true, Look::Quote),
    word("'\n'", true, Look::Quote),
    word("'\n\t", true, Look::Quote),
];
