//! One round trip: statements that are sent together, with the types of their values.

use std::borrow::Cow;

use futures_util::future::join_all;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row};

use crate::schema::SchemaName;

/// A value of a statement, with its type.
pub(crate) type Value = (Box<dyn ToSql + Sync + Send>, Type);

/// A statement.
pub(crate) enum Statement {
    /// Without values and without an answer; several are separated by semicolons.
    Plain(Cow<'static, str>),
    /// With values.
    Typed {
        sql: Cow<'static, str>,
        values: Vec<Value>,
    },
}

impl Statement {
    pub(crate) fn plain(sql: impl Into<Cow<'static, str>>) -> Self {
        Self::Plain(sql.into())
    }

    pub(crate) fn typed(sql: impl Into<Cow<'static, str>>, values: Vec<Value>) -> Self {
        Self::Typed {
            sql: sql.into(),
            values,
        }
    }

    async fn run(&self, client: &Client, schema: &SchemaName) -> Result<Vec<Row>, Error> {
        match self {
            Self::Plain(sql) => {
                let done = client.batch_execute(&schema.in_sql(sql)).await;
                done.map(|()| Vec::new())
            }
            Self::Typed { sql, values } => {
                let typed: Vec<(&(dyn ToSql + Sync), Type)> = values
                    .iter()
                    .map(|(value, of)| (&**value as _, of.clone()))
                    .collect();
                // Without a name: behind a pooler, a name may be unknown or stand for another client's statement.
                client.query_typed(&schema.in_sql(sql), &typed).await
            }
        }
    }
}

macro_rules! values {
    ($($name:ident: $rust:ty => $type:ident;)*) => {$(
        pub(crate) fn $name(value: impl Into<$rust>) -> Value {
            let value: $rust = value.into();
            (Box::new(value), Type::$type)
        }
    )*};
}

macro_rules! arrays {
    ($($name:ident: $rust:ty => $type:ident;)*) => {$(
        pub(crate) fn $name(values: impl IntoIterator<Item = impl Into<$rust>>) -> Value {
            let values: Vec<$rust> = values.into_iter().map(Into::into).collect();
            (Box::new(values), Type::$type)
        }
    )*};
}

values! {
    big: i64 => INT8;
    maybe_big: Option<i64> => INT8;
    flag: bool => BOOL;
    text: String => TEXT;
    bytes: Vec<u8> => BYTEA;
}

arrays! {
    bigs: i64 => INT8_ARRAY;
    texts: String => TEXT_ARRAY;
    many_bytes: Vec<u8> => BYTEA_ARRAY;
    maybe_many_bytes: Option<Vec<u8>> => BYTEA_ARRAY;
}

/// Sends all statements at once and waits for their answers. The error is that of the first statement that failed.
pub(crate) async fn run(
    client: &Client,
    schema: &SchemaName,
    statements: &[Statement],
) -> Result<Vec<Vec<Row>>, Error> {
    // A statement is sent when its future is first polled: all of them in their order, before any answer.
    let answers = statements.iter().map(|one| one.run(client, schema));
    join_all(answers).await.into_iter().collect()
}
