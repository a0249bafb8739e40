//! Programs that take a password or a token as an argument, and where: data for [`crate::commands`].

use std::collections::HashMap;
use std::sync::LazyLock;

/// The kind of value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Takes {
    /// `password`: a password and nothing else: any value that is no placeholder.
    Password,
    /// `chosen`: a password, or a word that is none: what has a digit or a sign in it.
    Chosen,
    /// `token`: a token or a key, which a generator made.
    Token,
    /// `user:password`
    Login,
    /// `user:password@host`
    LoginAtHost,
    /// `user/password`, with this sign or another between.
    LoginBy(char),
}

/// The places of an option's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    /// `-p password`: in the next argument, or behind `=`.
    Apart,
    /// `-p+password`: right behind the option.
    Attached,
    /// `-p?password`: either.
    Both,
}

/// An option, or a word before a value.
#[derive(Clone)]
pub(crate) struct Taking {
    /// A word that the command has before, as `login` in `login -p password`; empty for none.
    pub(crate) needed: &'static str,
    /// Empty for an argument that belongs to no option: `* password`.
    pub(crate) option: &'static str,
    pub(crate) takes: Takes,
    pub(crate) form: Form,
}

/// The options of each program.
pub(crate) static PROGRAMS: LazyLock<HashMap<&str, Vec<Taking>>> = LazyLock::new(|| {
    let rows = PROGRAM_ROWS.lines().filter_map(|row| row.split_once(':'));
    let named = rows.flat_map(|(names, options)| {
        let options = takings(options);
        names.split(' ').map(move |name| (name, options.clone()))
    });
    named.collect()
});

/// Commands that read a password from the text that is piped into them: a word of theirs, and what it takes.
pub(crate) static READERS: LazyLock<Vec<Taking>> = LazyLock::new(|| {
    takings(
        "--password-stdin password; --stdin chosen; --passphrase-fd password; --with-token token; secret token; \
         --pass-stdin password; chpasswd user:password; -S chosen; kinit password; smbpasswd password; passwd chosen; \
         cryptsetup chosen; sudo chosen; base64 chosen",
    )
});

/// Options with which any program takes a password. Only a strong one counts there.
pub(crate) static ANY: LazyLock<Vec<Taking>> = LazyLock::new(|| {
    takings(
        "-p?chosen; -P?chosen; -w chosen; -a chosen; -pw chosen; -u user:password; -U user:password; \
         -a user:password; --user user:password; --auth user:password; --creds user:password; \
         --login user:password; --pass chosen; --pw chosen; /p:+chosen",
    )
});

fn takings(options: &'static str) -> Vec<Taking> {
    let options = options.split(';').map(str::trim);
    let options = options.filter(|option| !option.is_empty());
    options.map(taking).collect()
}

fn taking(text: &'static str) -> Taking {
    let at = text.rfind([' ', '+', '?']).unwrap_or_default();
    let (option, takes) = (&text[..at], &text[at + 1..]);
    let form = match text.as_bytes()[at] {
        b'+' => Form::Attached,
        b'?' => Form::Both,
        _ => Form::Apart,
    };
    let (needed, option) = option.split_once(' ').unwrap_or(("", option));
    let takes = match takes {
        "password" => Takes::Password,
        "chosen" => Takes::Chosen,
        "token" => Takes::Token,
        "user:password" => Takes::Login,
        "user:password@host" => Takes::LoginAtHost,
        login => Takes::LoginBy(login.chars().nth("user".len()).unwrap_or_default()),
    };
    Taking {
        needed,
        option: if option == "*" { "" } else { option },
        takes,
        form,
    }
}

/// A row is a program, or several that take the same, and its options.
///
/// Apart, the password of `mysql -p` would be the name of a database; behind the `-p` of `influx` may stand the rest of a
/// longer option, `-precision`.
const PROGRAM_ROWS: &str = "\
curl: -u?user:password; -U?user:password; --user user:password; --proxy-user user:password; --oauth2-bearer token; \
    -b token
http https xh xhs: -a?user:password; --auth user:password
ab: -A?user:password; -P?user:password
siege hey wrk oha: -a user:password
wget aria2c: --http-password password; --ftp-password password; --proxy-password password; --password password; \
    --http-passwd password; --ftp-passwd password
mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlbinlog mysqlslap mysqlsh mysqlpump mariadb \
    mariadb-dump mariadb-admin mydumper xtrabackup mycli mytop: -p+password; --password+password; --password chosen; \
    --uri user:password@host
sshpass: -p?password
ansible-vault: encrypt_string password
docker podman nerdctl helm buildah crane oras regctl skopeo cosign: login -p?password; --password password; --creds \
    user:password; --src-creds user:password; --dest-creds user:password
redis-cli redis-benchmark valkey-cli keydb-cli iredis: -a?password; --pass password
az: login -p password; secret --value password
aws: --secret-string password; --master-user-password password; put-parameter --value chosen
gh glab: secret --body password; secret -b?password; -t token
ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldapcompare ldapmodrdn ldapvc: -w?password
ldappasswd: -w?password; -s password; -a password
sqlplus sqlplus64 sqlcl rman expdp impdp sqlldr: target user/password; catalog user/password; * user/password
mongosh mongo mongodump mongorestore mongoexport mongoimport mongostat mongotop: -p?password; --password password
sqlcmd bcp osql isql tsql mssql-cli usql go-sqlcmd: -P?password
cqlsh clickhouse-client influx cypher-shell arangosh couchbase-cli cbq snowsql: -p password; -p+chosen; --password \
    password; -password password; -t token
smbclient rpcclient smbmap smbget nmblookup: -U?user%password; --user user%password; -p chosen
7z 7za 7zz rar unrar: -p+password; -hp+password
zip unzip zipcloak: -P?password; --password password
keytool jarsigner apksigner: -storepass password; -keypass password; -deststorepass password; -srcstorepass \
    password; --ks-pass password
openssl: -k password; -K token; -pass password; -passin password; -passout password; -password password
gpg gpg2: --passphrase password
vault bao: login token; unseal token
snyk: auth token
ngrok: authtoken token; add-authtoken token; --authtoken token
cargo: login token
npm pnpm yarn: _auth token; npmAuthToken token
nuget dotnet: -k token; -ApiKey token; setapikey token
twine: -p password
flit hatch maturin uv poetry: publish -p chosen; publish -t token
mc mcli: * token
oc cf ibmcloud bx rosa eb: login -p?password; --apikey token; -t token
doctl hcloud linode-cli vultr-cli scw civo vercel netlify wrangler heroku flyctl fly railway: -t token; -token \
    token; --auth token
ipmitool ipmiutil ipmipower: -P?password; -p chosen
snmpwalk snmpget snmpset snmpbulkwalk snmpgetnext snmpstatus snmptable: -A?password; -X?password
xfreerdp xfreerdp3 wfreerdp sdl-freerdp cmdkey mstsc schtasks wmic psexec: /p:+password; /pass:+password; \
    /password:+password; /rp password; -p password
plink pscp psftp putty: -pw password
rdesktop evil-winrm crackmapexec netexec nxc hydra winexe: -p password; -p+chosen
kinit realm: -p?chosen
htpasswd net wpa_passphrase: * chosen
lftp ncftp ncftpget ncftpput: -u user,password; -p chosen
svn hg p4 cvs: --password password; -P chosen
swaks: -ap password; --auth-password password
sendemail sendEmail mailsend: -xp password; -pass password
nmcli iwctl wifi: connect password password; password chosen; --passphrase password
rclone: pass chosen; obscure chosen; token token
kcadm.sh kcadm ipa samba-tool zowe jira acli confluence sonar-scanner mosquitto_pub mosquitto_sub kcat hdbsql db2 \
    ttisql: -p chosen; -P chosen; --password password
nats etcdctl consul nomad argocd kubectl terraform gcloud sentry-cli stripe databricks: --user user:password; -token \
    token; -t token
ssh-keygen: -N password; -P password
chpasswd newusers:
";
