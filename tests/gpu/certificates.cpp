#include "tests/gpu/certificates.hpp"

#include <cstdlib>
#include <filesystem>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace weft::gpu::comm {
namespace {

using key_pointer = std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)>;
using certificate_pointer = std::unique_ptr<X509, void (*)(X509*)>;
using file_pointer = std::unique_ptr<FILE, int (*)(FILE*)>;

constexpr long day_seconds = 24 * 3600;

key_pointer make_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

void set_name(X509_NAME* name, const std::string& text) {
  X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(text.data()),
                             static_cast<int>(text.size()), -1, 0);
}

certificate_pointer make_certificate(const std::string& subject, EVP_PKEY* key,
                                     const std::string& issuer, EVP_PKEY* signer, int days,
                                     int number) {
  certificate_pointer made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), number);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -2 * day_seconds);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), days * day_seconds);
  set_name(X509_get_subject_name(made.get()), subject);
  set_name(X509_get_issuer_name(made.get()), issuer);
  X509_set_pubkey(made.get(), key);
  if (key == signer) {
    X509_EXTENSION* extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
    X509_add_ext(made.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
  X509_sign(made.get(), signer, EVP_sha256());
  return made;
}

void write_certificate(const std::string& path, X509* certificate) {
  const file_pointer file(std::fopen(path.c_str(), "w"), std::fclose);
  PEM_write_X509(file.get(), certificate);
}

void write_key(const std::string& path, EVP_PKEY* key) {
  const file_pointer file(std::fopen(path.c_str(), "w"), std::fclose);
  PEM_write_PrivateKey(file.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
}

}  // namespace

struct certificates::authority {
  key_pointer key = make_key();
};

certificates::certificates() : authority_(std::make_unique<authority>()) {
  std::string pattern = (std::filesystem::temp_directory_path() / "weft-tls-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  auto* key = authority_->key.get();
  write_certificate(folder_ + "/authority.pem",
                    make_certificate("authority", key, "authority", key, 10, 1).get());
}

certificates::~certificates() { std::filesystem::remove_all(folder_); }

tls_files certificates::sign(const std::string& node, int days) {
  const std::string stem = folder_ + "/" + std::to_string(++made_);
  const auto key = make_key();
  write_certificate(
      stem + ".pem",
      make_certificate(node, key.get(), "authority", authority_->key.get(), days, 1 + made_).get());
  write_key(stem + ".key", key.get());
  return {stem + ".pem", stem + ".key", folder_ + "/authority.pem"};
}

std::shared_ptr<tls_identity> certificates::identity(const std::string& node) {
  auto loaded = tls_identity::load(sign(node));
  WEFT_ASSERT(loaded.ok());
  return *loaded;
}

}  // namespace weft::gpu::comm
