//! The user of the other end of a connection on this machine.

use std::net::SocketAddr;

/// True if the other end of a connection is a program of this user, or of root (a tunnel of the system). Also true if
/// the owners of sockets cannot be read.
///
/// Linux lists the sockets of the machine with their owners. Other systems do not.
pub(crate) fn is_own(peer: SocketAddr, local: SocketAddr) -> bool {
    let (SocketAddr::V4(_), true) = (peer, cfg!(target_os = "linux")) else {
        return true;
    };
    let Ok(list) = std::fs::read_to_string("/proc/net/tcp") else {
        return true;
    };
    let own = std::fs::metadata("/proc/self").map(|data| {
        use std::os::unix::fs::MetadataExt;
        data.uid()
    });
    let Ok(own) = own else {
        return true;
    };
    owner(&list, peer, local).is_some_and(|owner| owner == own || owner == 0)
}

/// The owner of the socket with these ends. A line of the kernel's list has the fields `sl local remote st queues timer
/// retransmits uid`.
fn owner(list: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    let (from, to) = (listed(from)?, listed(to)?);
    list.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let ends = (fields.nth(1)?, fields.next()?);
        match ends == (&from, &to) {
            true => fields.nth(4)?.parse().ok(),
            false => None,
        }
    })
}

/// An end of a connection as the kernel writes it: the address as a number of this machine, and the port.
fn listed(end: SocketAddr) -> Option<String> {
    let SocketAddr::V4(end) = end else {
        return None;
    };
    let address = u32::from_ne_bytes(end.ip().octets());
    Some(format!("{address:08X}:{:04X}", end.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_found_with_its_owner() {
        const LIST: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1D2B 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0
   1: 0100007F:D431 0100007F:1D2B 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0
";
        let end = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let list = match cfg!(target_endian = "little") {
            true => LIST.to_owned(),
            false => LIST.replace("0100007F", "7F000001"),
        };
        assert_eq!(owner(&list, end(0xD431), end(0x1D2B)), Some(1001));
        assert_eq!(owner(&list, end(0xD432), end(0x1D2B)), None);
        assert_eq!(owner("", end(0xD431), end(0x1D2B)), None);
    }
}
