//! One round trip: statements that are sent together, with the types of their values.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

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
    type Answer<'s> = Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + 's>>;
    let mut answers: Vec<Answer<'_>> = Vec::with_capacity(statements.len());
    for statement in statements {
        answers.push(Box::pin(statement.run(client, schema)));
    }
    // A statement is sent when its future is first polled.
    let mut ready: Vec<Option<Result<Vec<Row>, Error>>> = poll_fn(|cx| {
        let polled = answers
            .iter_mut()
            .map(|answer| match answer.as_mut().poll(cx) {
                Poll::Ready(rows) => Some(rows),
                Poll::Pending => None,
            });
        Poll::Ready(polled.collect())
    })
    .await;
    let mut all = Vec::with_capacity(statements.len());
    for (answer, ready) in answers.into_iter().zip(&mut ready) {
        let rows = match ready.take() {
            Some(rows) => rows,
            None => answer.await,
        };
        all.push(rows?);
    }
    Ok(all)
}
