package surface

import "net/netip"

// notPublic are the IPv4 blocks that no public server stands in: IANA's special
// registry, and the one public address a cloud uses for its own metadata.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"168.63.129.16/32",
)

// globalUnicast is the only IPv6 block public servers stand in; notPublic6 are
// its parts for documentation and for carrying IPv4 addresses inside (Teredo,
// 6to4), which would smuggle a private address past the list above. Mapped,
// compatible and NAT64 forms lie outside the block.
var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	notPublic6    = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// publicAddress tells whether a is the address of a server on the internet.
func publicAddress(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	list := notPublic
	if a.Is6() {
		if !globalUnicast.Contains(a) {
			return false
		}
		list = notPublic6
	}
	for _, p := range list {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
