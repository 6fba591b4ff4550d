//! The IP addresses that a crawler never connects to.
//!
//! A page can link to anything, and a host name can resolve to any IP address. A crawler that
//! follows such a link into its own network reads, or triggers, things that were never meant for
//! the web. So every IP address that a name resolves to is checked here, at every hop: the crawler
//! connects only to public ones, unless the user allows a network.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Returns true if an IP address belongs to the public internet, that is, has none of the special
/// purposes in IANA's registries of IPv4 and IPv6 addresses. An IPv6 address that embeds an IPv4
/// address is public if the IPv4 address is.
///
/// ```
/// # use ontrail_crawl::is_public;
/// assert!(is_public("93.184.215.14".parse()?));
/// assert!(!is_public("127.0.0.1".parse()?));
/// assert!(!is_public("::ffff:10.0.0.1".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = a == 0 // this network
        || a == 10
        || (a == 100 && (64..128).contains(&b)) // shared between carriers
        || a == 127
        || (a == 169 && b == 254) // link-local; cloud metadata
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 0 && matches!(c, 0 | 2)) // protocol assignments, documentation
        || (a == 192 && b == 88 && c == 99) // 6to4 relays
        || (a == 192 && b == 168)
        || (a == 198 && matches!(b, 18 | 19)) // benchmarks
        || (a == 198 && b == 51 && c == 100) // documentation
        || (a == 203 && b == 0 && c == 113) // documentation
        || a >= 224; // multicast, reserved, broadcast
    !is_special
}

/// Returns the IPv4 address embedded in an IPv6 address: mapped, compatible, translated (NAT64) or
/// tunnelled (6to4).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, .., g, h] = address.segments();
    let from = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    let upper = u128::from(address) >> 32;
    match upper {
        // Mapped; translated with the well-known prefix; compatible, except :: and ::1.
        0xffff => Some(from(g, h)),
        _ if upper == 0x0064_ff9b << 64 => Some(from(g, h)),
        0 if u128::from(address) > 1 => Some(from(g, h)),
        _ if a == 0x2002 => Some(from(b, address.segments()[2])),
        _ => None,
    }
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, ..] = address.segments();
    // IANA allocates global unicast addresses only from 2000::/3.
    let is_unicast = a >> 13 == 1;
    // Protocol assignments, Teredo, benchmarks, ORCHID; documentation.
    let is_special = (a == 0x2001 && (b < 0x0200 || b == 0x0db8))
        || (a == 0x3fff && b >> 12 == 0) // documentation
        || (a == 0x2620 && b == 0x004f && c == 0x8000); // AS112
    is_unicast && !is_special
}

/// Networks that the user allows although they are off limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exceptions(Vec<IpNet>);

/// A text that is neither an IP address nor a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is neither an IP address nor a network; give one such as 127.0.0.1, 10.1.0.0/16 or \
     fd00::/8"
)]
pub struct InvalidNetwork(String);

impl Exceptions {
    /// Parses IP addresses and networks in the usual notation.
    pub fn parse<'a>(networks: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidNetwork> {
        let network = |text: &str| {
            let bare = text.trim().trim_start_matches('[').trim_end_matches(']');
            let address = bare.parse::<IpAddr>().map(IpNet::from).ok();
            address.or_else(|| bare.parse().ok()).ok_or_else(|| InvalidNetwork(text.to_owned()))
        };
        networks.into_iter().map(network).collect::<Result<_, _>>().map(Self)
    }

    /// Returns true if the crawler may connect to an IP address: it is public, or the user allows
    /// it.
    #[must_use]
    pub fn allow(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.iter().any(|network| network.contains(&address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    #[test]
    fn special_ipv4_addresses_are_off_limits() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!public(address), "{address}");
        }
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.0.1",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "203.0.112.1",
            "223.255.255.255",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn special_ipv6_addresses_are_off_limits() {
        for address in [
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:192.168.0.1",
            "::10.0.0.1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!public(address), "{address}");
        }
        for address in [
            "2606:4700:4700::1111",
            "2001:4860:4860::8888",
            "2400::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ] {
            assert!(public(address), "{address}");
        }
    }

    #[test]
    fn a_user_may_allow_networks() {
        let exceptions =
            Exceptions::parse(["127.0.0.1", "10.1.0.0/16", "[::1]", "fd00::/8"]).unwrap();
        for (address, expected) in [
            ("127.0.0.1", true),
            ("127.0.0.2", false),
            ("10.1.2.3", true),
            ("10.2.0.1", false),
            ("::1", true),
            ("fd12::1", true),
            ("fc00::1", false),
            ("8.8.8.8", true),
        ] {
            assert_eq!(exceptions.allow(address.parse().unwrap()), expected, "{address}");
        }
        assert_eq!(
            Exceptions::parse(["localhost"]).unwrap_err().to_string(),
            "\"localhost\" is neither an IP address nor a network; give one such as 127.0.0.1, \
             10.1.0.0/16 or fd00::/8"
        );
        assert!(!Exceptions::default().allow("127.0.0.1".parse().unwrap()));
    }
}
