// The node that a certificate names: its subject's common name.
#pragma once

#include <optional>
#include <string>

#include <openssl/types.h>

namespace weft::gpu::comm {

// Nothing unless there is exactly one common name, of printable letters without blanks, not longer
// than `node_name_bytes_max`. A null certificate names nobody.
std::optional<std::string> certificate_name(const X509* certificate);

}  // namespace weft::gpu::comm
