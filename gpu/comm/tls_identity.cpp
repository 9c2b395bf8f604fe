#include "gpu/comm/tls_identity.hpp"

#include <utility>

#include <boost/asio/ssl/context.hpp>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "gpu/comm/certificate_name.hpp"

namespace weft::gpu::comm {
namespace {

namespace ssl = boost::asio::ssl;

status loaded(const char* what, const std::string& path, const boost::system::error_code& error) {
  if (!error) return {};
  return rejected(std::string("cannot read the ") + what + " in " + path + ": " + error.message());
}

status load_files(ssl::context& context, const tls_files& files) {
  boost::system::error_code error;
  context.load_verify_file(files.authority, error);
  if (auto read = loaded("authority", files.authority, error); !read) return read;
  context.use_certificate_chain_file(files.certificate, error);
  if (auto read = loaded("certificate", files.certificate, error); !read) return read;
  context.use_private_key_file(files.key, ssl::context::pem, error);
  if (auto read = loaded("key", files.key, error); !read) return read;
  if (SSL_CTX_check_private_key(context.native_handle()) != 1)
    return rejected("the key in " + files.key + " is not the certificate's in " +
                    files.certificate);
  return {};
}

status check_time(ssl::context& context, const tls_files& files) {
  const X509* certificate = SSL_CTX_get0_certificate(context.native_handle());
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0)
    return rejected("the certificate in " + files.certificate + " is not valid yet");
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0)
    return rejected("the certificate in " + files.certificate + " has run out");
  return {};
}

void set_rules(ssl::context& context) {
  boost::system::error_code ignored;
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, ignored);
  SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_3_VERSION);
  // Connections are few and long; resumption would keep keys for nothing.
  SSL_CTX_set_num_tickets(context.native_handle(), 0);
  SSL_CTX_set_session_cache_mode(context.native_handle(), SSL_SESS_CACHE_OFF);
}

}  // namespace

tls_identity::tls_identity() = default;
tls_identity::~tls_identity() = default;

result<std::shared_ptr<tls_identity>> tls_identity::load(const tls_files& files) {
  std::shared_ptr<tls_identity> identity(new tls_identity);
  identity->context_ = std::make_unique<ssl::context>(ssl::context::tls);
  ssl::context& context = *identity->context_;
  boost::system::error_code ignored;
  // Never asks a terminal for a passphrase: a service has none.
  context.set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; },
                                ignored);
  if (auto read = load_files(context, files); !read) return read.error();
  if (auto timely = check_time(context, files); !timely) return timely.error();
  set_rules(context);
  auto node = certificate_name(SSL_CTX_get0_certificate(context.native_handle()));
  if (!node)
    return rejected("the certificate in " + files.certificate + " has no common name for a node");
  identity->node_ = std::move(*node);
  return identity;
}

}  // namespace weft::gpu::comm
