//! Programs that take a password or a token as an argument, and where: data for [`crate::commands`].

use Takes::{Chosen, Login, LoginAtHost, LoginBy, Password, Token};

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Takes {
    /// A password and nothing else: any value that is no placeholder.
    Password,
    /// A password, or a word that is none: what has a digit or a sign in it.
    Chosen,
    /// A token or a key, which a generator made.
    Token,
    /// `user:password`
    Login,
    /// `user:password@host`
    LoginAtHost,
    /// `user:password` with another sign between.
    LoginBy(char),
}

/// The places of an option's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// In the next argument, or behind `=`.
    Apart,
    /// Right behind the option: `-psecret`.
    Attached,
    /// Either.
    Both,
}

/// A program, or several that take the same.
pub(crate) struct Program {
    pub(crate) names: &'static [&'static str],
    /// An option, or a word before the value: its text, what it takes, where. `login -p` is the option `-p` of a command
    /// that has the word `login` before.
    pub(crate) options: &'static [(&'static str, Takes, Form)],
    /// The kind of an argument that belongs to no option.
    pub(crate) argument: Option<Takes>,
}

const fn program(
    names: &'static [&'static str],
    options: &'static [(&'static str, Takes, Form)],
) -> Program {
    Program {
        names,
        options,
        argument: None,
    }
}

const fn with_argument(
    names: &'static [&'static str],
    options: &'static [(&'static str, Takes, Form)],
    argument: Takes,
) -> Program {
    Program {
        names,
        options,
        argument: Some(argument),
    }
}

use Form::{Apart, Attached, Both};

pub(crate) static PROGRAMS: &[Program] = &[
    program(
        &["curl"],
        &[
            ("-u", Login, Both),
            ("-U", Login, Both),
            ("--user", Login, Apart),
            ("--proxy-user", Login, Apart),
            ("--oauth2-bearer", Token, Apart),
            ("-b", Token, Apart),
        ],
    ),
    program(
        &["http", "https", "xh", "xhs"],
        &[("-a", Login, Both), ("--auth", Login, Apart)],
    ),
    program(&["ab"], &[("-A", Login, Both), ("-P", Login, Both)]),
    program(&["siege", "hey", "wrk", "oha"], &[("-a", Login, Apart)]),
    program(
        &["wget", "aria2c"],
        &[
            ("--http-password", Password, Apart),
            ("--ftp-password", Password, Apart),
            ("--proxy-password", Password, Apart),
            ("--password", Password, Apart),
            ("--http-passwd", Password, Apart),
            ("--ftp-passwd", Password, Apart),
        ],
    ),
    program(
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlcheck",
            "mysqlshow",
            "mysqlbinlog",
            "mysqlslap",
            "mysqlsh",
            "mysqlpump",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
            "mydumper",
            "xtrabackup",
            "mycli",
            "mytop",
        ],
        // Apart, it would be the name of a database.
        &[
            ("-p", Password, Attached),
            ("--password", Password, Attached),
            ("--password", Chosen, Apart),
            ("--uri", LoginAtHost, Apart),
        ],
    ),
    program(&["sshpass"], &[("-p", Password, Both)]),
    program(&["ansible-vault"], &[("encrypt_string", Password, Apart)]),
    program(
        &[
            "docker", "podman", "nerdctl", "helm", "buildah", "crane", "oras", "regctl", "skopeo",
            "cosign",
        ],
        &[
            ("login -p", Password, Both),
            ("--password", Password, Apart),
            ("--creds", Login, Apart),
            ("--src-creds", Login, Apart),
            ("--dest-creds", Login, Apart),
        ],
    ),
    program(
        &[
            "redis-cli",
            "redis-benchmark",
            "valkey-cli",
            "keydb-cli",
            "iredis",
        ],
        &[("-a", Password, Both), ("--pass", Password, Apart)],
    ),
    program(
        &["az"],
        &[
            ("login -p", Password, Apart),
            ("secret --value", Password, Apart),
        ],
    ),
    program(
        &["aws"],
        &[
            ("--secret-string", Password, Apart),
            ("--master-user-password", Password, Apart),
            ("put-parameter --value", Chosen, Apart),
        ],
    ),
    program(
        &["gh", "glab"],
        &[
            ("secret --body", Password, Apart),
            ("secret -b", Password, Both),
            ("-t", Token, Apart),
        ],
    ),
    program(
        &[
            "ldapsearch",
            "ldapmodify",
            "ldapadd",
            "ldapdelete",
            "ldapwhoami",
            "ldapcompare",
            "ldapmodrdn",
            "ldapvc",
        ],
        &[("-w", Password, Both)],
    ),
    program(
        &["ldappasswd"],
        &[
            ("-w", Password, Both),
            ("-s", Password, Apart),
            ("-a", Password, Apart),
        ],
    ),
    with_argument(
        &[
            "sqlplus",
            "sqlplus64",
            "sqlcl",
            "rman",
            "expdp",
            "impdp",
            "sqlldr",
        ],
        &[
            ("target", LoginBy('/'), Apart),
            ("catalog", LoginBy('/'), Apart),
        ],
        LoginBy('/'),
    ),
    program(
        &[
            "mongosh",
            "mongo",
            "mongodump",
            "mongorestore",
            "mongoexport",
            "mongoimport",
            "mongostat",
            "mongotop",
        ],
        &[("-p", Password, Both), ("--password", Password, Apart)],
    ),
    program(
        &[
            "sqlcmd",
            "bcp",
            "osql",
            "isql",
            "tsql",
            "mssql-cli",
            "usql",
            "go-sqlcmd",
        ],
        &[("-P", Password, Both)],
    ),
    program(
        &[
            "cqlsh",
            "clickhouse-client",
            "influx",
            "cypher-shell",
            "arangosh",
            "couchbase-cli",
            "cbq",
            "snowsql",
        ],
        // Behind `-p` may stand the rest of a longer option: `-precision`.
        &[
            ("-p", Password, Apart),
            ("-p", Chosen, Attached),
            ("--password", Password, Apart),
            ("-password", Password, Apart),
            ("-t", Token, Apart),
        ],
    ),
    program(
        &["smbclient", "rpcclient", "smbmap", "smbget", "nmblookup"],
        &[
            ("-U", LoginBy('%'), Both),
            ("--user", LoginBy('%'), Apart),
            ("-p", Chosen, Apart),
        ],
    ),
    program(
        &["7z", "7za", "7zz", "rar", "unrar"],
        &[("-p", Password, Attached), ("-hp", Password, Attached)],
    ),
    program(
        &["zip", "unzip", "zipcloak"],
        &[("-P", Password, Both), ("--password", Password, Apart)],
    ),
    program(
        &["keytool", "jarsigner", "apksigner"],
        &[
            ("-storepass", Password, Apart),
            ("-keypass", Password, Apart),
            ("-deststorepass", Password, Apart),
            ("-srcstorepass", Password, Apart),
            ("--ks-pass", Password, Apart),
        ],
    ),
    program(
        &["openssl"],
        &[
            ("-k", Password, Apart),
            ("-K", Token, Apart),
            ("-pass", Password, Apart),
            ("-passin", Password, Apart),
            ("-passout", Password, Apart),
            ("-password", Password, Apart),
        ],
    ),
    program(&["gpg", "gpg2"], &[("--passphrase", Password, Apart)]),
    program(
        &["vault", "bao"],
        &[("login", Token, Apart), ("unseal", Token, Apart)],
    ),
    program(&["snyk"], &[("auth", Token, Apart)]),
    program(
        &["ngrok"],
        &[
            ("authtoken", Token, Apart),
            ("add-authtoken", Token, Apart),
            ("--authtoken", Token, Apart),
        ],
    ),
    program(&["cargo"], &[("login", Token, Apart)]),
    program(
        &["npm", "pnpm", "yarn"],
        &[("_auth", Token, Apart), ("npmAuthToken", Token, Apart)],
    ),
    program(
        &["nuget", "dotnet"],
        &[
            ("-k", Token, Apart),
            ("-ApiKey", Token, Apart),
            ("setapikey", Token, Apart),
        ],
    ),
    program(&["twine"], &[("-p", Password, Apart)]),
    program(
        &["flit", "hatch", "maturin", "uv", "poetry"],
        &[("publish -p", Chosen, Apart), ("publish -t", Token, Apart)],
    ),
    with_argument(&["mc", "mcli"], &[], Token),
    program(
        &["oc", "cf", "ibmcloud", "bx", "rosa", "eb"],
        &[
            ("login -p", Password, Both),
            ("--apikey", Token, Apart),
            ("-t", Token, Apart),
        ],
    ),
    program(
        &[
            "doctl",
            "hcloud",
            "linode-cli",
            "vultr-cli",
            "scw",
            "civo",
            "vercel",
            "netlify",
            "wrangler",
            "heroku",
            "flyctl",
            "fly",
            "railway",
        ],
        &[
            ("-t", Token, Apart),
            ("-token", Token, Apart),
            ("--auth", Token, Apart),
        ],
    ),
    program(
        &["ipmitool", "ipmiutil", "ipmipower"],
        &[("-P", Password, Both), ("-p", Chosen, Apart)],
    ),
    program(
        &[
            "snmpwalk",
            "snmpget",
            "snmpset",
            "snmpbulkwalk",
            "snmpgetnext",
            "snmpstatus",
            "snmptable",
        ],
        &[("-A", Password, Both), ("-X", Password, Both)],
    ),
    program(
        &[
            "xfreerdp",
            "xfreerdp3",
            "wfreerdp",
            "sdl-freerdp",
            "cmdkey",
            "mstsc",
            "schtasks",
            "wmic",
            "psexec",
        ],
        &[
            ("/p:", Password, Attached),
            ("/pass:", Password, Attached),
            ("/password:", Password, Attached),
            ("/rp", Password, Apart),
            ("-p", Password, Apart),
        ],
    ),
    program(
        &["plink", "pscp", "psftp", "putty"],
        &[("-pw", Password, Apart)],
    ),
    program(
        &[
            "rdesktop",
            "evil-winrm",
            "crackmapexec",
            "netexec",
            "nxc",
            "hydra",
            "winexe",
        ],
        &[("-p", Password, Apart), ("-p", Chosen, Attached)],
    ),
    program(&["kinit", "realm"], &[("-p", Chosen, Both)]),
    with_argument(&["htpasswd", "net", "wpa_passphrase"], &[], Chosen),
    program(
        &["lftp", "ncftp", "ncftpget", "ncftpput"],
        &[("-u", LoginBy(','), Apart), ("-p", Chosen, Apart)],
    ),
    program(
        &["svn", "hg", "p4", "cvs"],
        &[("--password", Password, Apart), ("-P", Chosen, Apart)],
    ),
    program(
        &["swaks"],
        &[
            ("-ap", Password, Apart),
            ("--auth-password", Password, Apart),
        ],
    ),
    program(
        &["sendemail", "sendEmail", "mailsend"],
        &[("-xp", Password, Apart), ("-pass", Password, Apart)],
    ),
    program(
        &["nmcli", "iwctl", "wifi"],
        &[
            ("connect password", Password, Apart),
            ("password", Chosen, Apart),
            ("--passphrase", Password, Apart),
        ],
    ),
    program(
        &["rclone"],
        &[
            ("pass", Chosen, Apart),
            ("obscure", Chosen, Apart),
            ("token", Token, Apart),
        ],
    ),
    program(
        &[
            "kcadm.sh",
            "kcadm",
            "ipa",
            "samba-tool",
            "zowe",
            "jira",
            "acli",
            "confluence",
            "sonar-scanner",
            "mosquitto_pub",
            "mosquitto_sub",
            "kcat",
            "hdbsql",
            "db2",
            "ttisql",
        ],
        &[
            ("-p", Chosen, Apart),
            ("-P", Chosen, Apart),
            ("--password", Password, Apart),
        ],
    ),
    program(
        &[
            "nats",
            "etcdctl",
            "consul",
            "nomad",
            "argocd",
            "kubectl",
            "terraform",
            "gcloud",
            "sentry-cli",
            "stripe",
            "databricks",
        ],
        &[
            ("--user", Login, Apart),
            ("-token", Token, Apart),
            ("-t", Token, Apart),
        ],
    ),
    program(
        &["ssh-keygen"],
        &[("-N", Password, Apart), ("-P", Password, Apart)],
    ),
    program(&["chpasswd", "newusers"], &[]),
];

/// Commands that read a password from the text that is piped into them: a word of theirs, and what it takes.
pub(crate) const READERS: &[(&str, Takes)] = &[
    ("--password-stdin", Password),
    ("--stdin", Chosen),
    ("--passphrase-fd", Password),
    ("--with-token", Token),
    ("secret", Token),
    ("--pass-stdin", Password),
    ("chpasswd", Login),
    ("-S", Chosen),
    ("kinit", Password),
    ("smbpasswd", Password),
    ("passwd", Chosen),
    ("cryptsetup", Chosen),
    ("sudo", Chosen),
    ("base64", Chosen),
];

/// Options with which any program takes a password. Only a strong one counts there.
pub(crate) const ANY: &[(&str, Takes, Form)] = &[
    ("-p", Chosen, Both),
    ("-P", Chosen, Both),
    ("-w", Chosen, Apart),
    ("-a", Chosen, Apart),
    ("-pw", Chosen, Apart),
    ("-u", Login, Apart),
    ("-U", Login, Apart),
    ("-a", Login, Apart),
    ("--user", Login, Apart),
    ("--auth", Login, Apart),
    ("--creds", Login, Apart),
    ("--login", Login, Apart),
    ("--pass", Chosen, Apart),
    ("--pw", Chosen, Apart),
    ("/p:", Chosen, Attached),
];
