// Replaces the functions of libcurl and libcrypto that HDF5's static library calls to read from
// networks. The helper opens local files only; a network driver fails at its first connection.
extern "C" {

int curl_global_init(long /*flags*/) {
  return 0;
}
void curl_global_cleanup() {}
void* curl_easy_init() {
  return nullptr;
}
void curl_easy_cleanup(void* /*handle*/) {}
int curl_easy_setopt(void* /*handle*/, int /*option*/, ...) {
  return 0;
}
int curl_easy_perform(void* /*handle*/) {
  constexpr int kCouldNotConnect = 7;
  return kCouldNotConnect;
}
void* curl_slist_append(void* /*list*/, const char* /*text*/) {
  return nullptr;
}
void curl_slist_free_all(void* /*list*/) {}

// NOLINTBEGIN(readability-identifier-naming): the library's names
const void* EVP_sha256() {
  return nullptr;
}
unsigned char* HMAC(const void* /*digest*/, const void* /*key*/, int /*key_bytes*/,
                    const unsigned char* /*data*/, unsigned long /*bytes*/, unsigned char* /*out*/,
                    unsigned* /*out_bytes*/) {
  return nullptr;
}
unsigned char* SHA256(const unsigned char* /*data*/, unsigned long /*bytes*/,
                      unsigned char* /*out*/) {
  return nullptr;
}
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
