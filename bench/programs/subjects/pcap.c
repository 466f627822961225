/* P6: packet filters in libpcap. Valid: a filter that it compiles. Names are looked up in resolver.c, not in the world. */
#include "programs/program.h"

#include <pcap/pcap.h>

enum { DEEPEST = 5 };

static const char *const directions[] = {"",         "src ",      "dst ", "src or dst ", "src and dst ",
                                         "inbound ", "outbound ", "ra "};
static const char *const protocols[] = {"",      "ether ", "ip ",   "ip6 ",  "arp ",   "rarp ",
                                        "tcp ",  "udp ",   "sctp ", "icmp ", "icmp6 ", "igmp ",
                                        "vlan ", "mpls ",  "fddi ", "tr ",   "wlan ",  "decnet "};
static const char *const kinds[] = {"host ",    "net ",        "port ",      "portrange ",
                                    "proto ",   "protochain ", "gateway ",   "less ",
                                    "greater ", "vlan ",       "mpls ",      "type ",
                                    "subtype ", "multicast ",  "broadcast ", ""};
static const char *const values[] = {"1",
                                     "80",
                                     "10.0.0.1",
                                     "10.0.0.0/8",
                                     "a",
                                     "http",
                                     "1-100",
                                     "fe80::1",
                                     "fe80::/10",
                                     "00:11:22:33:44:55",
                                     "255",
                                     "65536",
                                     "\\tcp",
                                     "\\ip",
                                     "mgt",
                                     "beacon",
                                     "10.0.0.0 mask 255.0.0.0",
                                     "10.1",
                                     ""};
static const char *const plain[] = {"ip",           "tcp",    "udp",  "arp",
                                    "icmp",         "ip6",    "vlan", "ether multicast",
                                    "ip broadcast", "pppoes", "mpls", "stp",
                                    "iso",          "geneve", "llc",  "inbound",
                                    "ifname a",     "not tcp"};
static const char *const packets[] = {"ip", "tcp", "udp", "ether", "arp", "icmp", "ip6", "link", "sctp", "vlan"};
static const char *const numbers[] = {"0",  "1",    "2",      "4",     "6",          "12",
                                      "14", "0xff", "0x0800", "65535", "0xffffffff", "1500"};
static const char *const operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
static const char *const relations[] = {"=", "!=", "<", "<=", ">", ">="};

static void arithmetic(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "arithmetic");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 5 : 2)) {
    case 0: text_word(t, "number", out, numbers); break;
    case 1: text_add(out, "len"); break;
    case 2:
        text_word(t, "packet", out, packets);
        text_add(out, "[");
        arithmetic(t, out, depth + 1);
        text_add(out, "%s]", (const char *[]){"", ":1", ":2", ":4", ":3"}[sonde_pick(t, "width", 5)]);
        break;
    case 3:
        text_add(out, "(");
        text_infix(t, "operator", out, operators, arithmetic(t, out, depth + 1));
        text_add(out, ")");
        break;
    default: text_add(out, "-"); arithmetic(t, out, depth + 1);
    }
}

static void filter(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "filter");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 6 : 3)) {
    case 0:
        text_word(t, "protocol", out, protocols);
        text_word(t, "direction", out, directions);
        text_word(t, "what", out, kinds);
        text_word(t, "value", out, values);
        break;
    case 1: text_word(t, "plain", out, plain); break;
    case 2: text_infix(t, "relation", out, relations, arithmetic(t, out, depth + 1)); break;
    case 3:
        text_add(out, "not (");
        filter(t, out, depth + 1);
        text_add(out, ")");
        break;
    default:
        text_add(out, "(");
        filter(t, out, depth + 1);
        text_add(out, sonde_bool(t, "is or") ? ") or (" : ") and (");
        filter(t, out, depth + 1);
        text_add(out, ")");
    }
}

void program_generate(sonde *t, struct text *out)
{
    filter(t, out, 0);
}

void program_start(void) {}

bool program_run(const char *text, size_t n)
{
    struct bpf_program code;
    (void)n;
    pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
    if (!pcap) return false;
    bool is_valid = pcap_compile(pcap, &code, text, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (is_valid) pcap_freecode(&code);
    pcap_close(pcap);
    return is_valid;
}
