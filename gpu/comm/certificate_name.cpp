#include "gpu/comm/certificate_name.hpp"

#include <algorithm>

#include <openssl/x509.h>

#include "policies/vocabulary/node_name.hpp"

namespace weft::gpu::comm {

std::optional<std::string> certificate_name(const X509* certificate) {
  if (certificate == nullptr) return std::nullopt;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, place) >= 0)
    return std::nullopt;
  const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place));
  const std::string name(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                         static_cast<std::size_t>(ASN1_STRING_length(text)));
  // A zero byte or a blank inside would let one name pass for another where it is printed or cut.
  const bool printable = std::all_of(name.begin(), name.end(),
                                     [](char letter) { return letter > ' ' && letter <= '~'; });
  if (name.empty() || name.size() > node_name_bytes_max || !printable) return std::nullopt;
  return name;
}

}  // namespace weft::gpu::comm
