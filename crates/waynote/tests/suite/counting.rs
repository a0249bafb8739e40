//! An engine that counts how often it is asked: over a network, each time is a round trip.

use std::cell::Cell;

use waynote::engine::{Ask, Engine, IndexChange, Read, Row, Rows, Transaction, Writing};
use waynote::forget::Residue;
use waynote::store::SideValue;
use waynote::{Content, Report, Result, StoreId};

/// An engine, and how often it was asked.
pub(crate) struct CountingEngine<E> {
    engine: E,
    /// By reads outside of transactions.
    pub(crate) reads: Cell<usize>,
    /// Within transactions: reads and puts.
    pub(crate) writes: Cell<usize>,
}

impl<E> CountingEngine<E> {
    pub(crate) fn new(engine: E) -> Self {
        Self {
            engine,
            reads: Cell::new(0),
            writes: Cell::new(0),
        }
    }
}

struct CountingRows<'e, R> {
    rows: R,
    trips: &'e Cell<usize>,
}

impl<R> CountingRows<'_, R> {
    fn trip(&self) -> &R {
        self.trips.update(|trips| trips + 1);
        &self.rows
    }
}

impl<R: Read> Read for CountingRows<'_, R> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        self.trip().read(ask)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.trip().verify(report)
    }
}

impl Transaction for CountingRows<'_, &dyn Transaction> {
    fn put(&self, rows: &[Row<'_>]) -> Result<()> {
        self.trip().put(rows)
    }

    fn remove_contents(&self, contents: &[Content]) -> Result<()> {
        self.trip().remove_contents(contents)
    }

    fn put_side(&self, space: &str, values: &[SideValue], removed: &[String]) -> Result<()> {
        self.trip().put_side(space, values, removed)
    }

    fn renew_id(&self) -> Result<StoreId> {
        self.trip().renew_id()
    }

    fn put_index(&self, changes: &[IndexChange<'_>]) -> Result<()> {
        self.trip().put_index(changes)
    }
}

impl<E: Engine> Engine for CountingEngine<E> {
    fn rows(&self) -> Result<Box<dyn Read + '_>> {
        Ok(Box::new(CountingRows {
            rows: self.engine.rows()?,
            trips: &self.reads,
        }))
    }

    fn snapshot(&self, work: &mut dyn FnMut(&dyn Read) -> Result<()>) -> Result<()> {
        let trips = &self.reads;
        self.engine
            .snapshot(&mut |rows| work(&CountingRows { rows, trips }))
    }

    fn write(
        &self,
        writing: Writing,
        work: &mut dyn FnMut(&dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        let trips = &self.writes;
        self.engine
            .write(writing, &mut |rows| work(&CountingRows { rows, trips }))
    }

    fn exclusively(&self, work: &mut dyn FnMut(&dyn Engine) -> Result<()>) -> Result<()> {
        work(self)
    }

    fn scrub(&self) -> Option<Residue> {
        self.engine.scrub()
    }

    fn name(&self) -> String {
        self.engine.name()
    }
}
