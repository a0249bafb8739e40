//! A store on another machine: the upper interface of the library, spoken over the HTTP API of `waynote serve`.
