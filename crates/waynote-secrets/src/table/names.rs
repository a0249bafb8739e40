//! The words of names that credentials are assigned to: `DB_PASSWORD`, `clientSecret`.

use super::lists;

lists! {
    /// Words behind the one that counts.
    SUFFIXES
        "value val string str text plain plaintext cleartext base64 b64 raw prod production dev live staging old"
        "new primary secondary default env base test data";

    /// Ends of the last word of a password's name.
    PASSWORDS
        "password passwd passphrase passwort kennwort contraseña senha wachtwoord pwd passcode requirepass"
        "masterauth userpass dbpass sshpass storepass keypass adminpass rootpass smtppass mypass rootpw bindpw"
        "userpw adminpw securestring bindpass keystorepass truststorepass";

    /// Variables of programs, and of their images, that hold a password and nothing else.
    VARIABLES
        "PGPASSWORD POSTGRES_PASSWORD POSTGRESQL_PASSWORD MYSQL_PWD MYSQL_PASSWORD MYSQL_ROOT_PASSWORD"
        "MARIADB_PASSWORD MARIADB_ROOT_PASSWORD MONGO_INITDB_ROOT_PASSWORD REDISCLI_AUTH REDIS_PASSWORD"
        "SQLCMDPASSWORD MSSQL_SA_PASSWORD SA_PASSWORD RABBITMQ_DEFAULT_PASS SSHPASS RSYNC_PASSWORD RESTIC_PASSWORD"
        "BORG_PASSPHRASE TWINE_PASSWORD DOCKER_PASSWORD ELASTIC_PASSWORD KEYCLOAK_ADMIN_PASSWORD"
        "GF_SECURITY_ADMIN_PASSWORD WORDPRESS_DB_PASSWORD";

    /// Last words of a password's name that mean something else as the end of a longer word.
    SHORT_PASSWORDS
        "pass passe psk pw";

    /// Ends of the last word of a key's name.
    KEYS
        "apikey secretkey accesskey authkey privatekey credentials creds";

    /// A key of one of these is secret; other keys are names in a table, or a keyboard's.
    SECRET_KEYS
        "aes rsa symmetric crypto api access secret private auth account encryption encrypt signing master app"
        "application service storage shared preshared subscription admin deploy webhook hmac jwt cipher decryption"
        "aws license client host root user agent session cookie token data integration ingest function functions"
        "sas unseal recovery";

    /// Words with which a name is of something else.
    NOT
        "public pub next page continuation cursor cancel cancellation sync csrf xsrf csrfmiddleware pagination hash"
        "hashed digest site publishable id keyid fingerprint resume lock change request idempotency starting"
        "lifecycle copy unit";

    /// Words before `token` for a credential, not for the number of a request.
    TOKENS_TO_ENTER
        "auth access bearer bot refresh secret api session deploy";
}
