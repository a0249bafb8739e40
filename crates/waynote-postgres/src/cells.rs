//! Rows that are handed to a statement, and the values of the statement.

use std::error::Error;

use bytes::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::trip::Value;

/// The cells of a row, in the order of the statement.
pub(crate) type Row = Vec<Cell>;

/// A cell of a row.
#[derive(Debug)]
pub(crate) enum Cell {
    Big(Option<i64>),
    Flag(bool),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
}

impl Cell {
    /// Its type, and that of an array of such.
    fn types(&self) -> (Type, Type) {
        match self {
            Self::Big(_) => (Type::INT8, Type::INT8_ARRAY),
            Self::Flag(_) => (Type::BOOL, Type::BOOL_ARRAY),
            Self::Text(_) => (Type::TEXT, Type::TEXT_ARRAY),
            Self::Bytes(_) => (Type::BYTEA, Type::BYTEA_ARRAY),
        }
    }
}

impl ToSql for Cell {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Big(number) => number.to_sql(of, out),
            Self::Flag(flag) => flag.to_sql(of, out),
            Self::Text(text) => text.to_sql(of, out),
            Self::Bytes(bytes) => bytes.to_sql(of, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The columns of rows, each an array.
pub(crate) fn arrays(rows: Vec<Row>) -> Vec<Value> {
    let mut columns: Vec<Vec<Cell>> = Vec::new();
    for row in rows {
        columns.resize_with(row.len(), Vec::new);
        for (column, cell) in columns.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    let value = |column: Vec<Cell>| -> Option<Value> {
        let (_, of) = column.first()?.types();
        Some((Box::new(column), of))
    };
    columns.into_iter().filter_map(value).collect()
}
