// The program roundel-hdf5, which reads HDF5 files for Roundel (hdf5_protocol.h): broken files can
// crash libhdf5 or exhaust memory and time. Its standard input is the connection; it ends with
// that, and with Roundel.
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/data/hdf5_file.h"
#include "renderer/data/hdf5_protocol.h"

namespace roundel {
namespace {

constexpr int kSocket = STDIN_FILENO;

/// Memory beyond the program's. Deflate packs at most 1,032 times, and libhdf5 takes a few times a
/// chunk.
constexpr std::uint64_t kMinMemory = std::uint64_t{224} << 20, kMaxMemory = std::uint64_t{4} << 30;
constexpr std::uint64_t kMemoryOfByte = 1024;
/// Processor time for one request, in seconds.
constexpr rlim_t kMaxSeconds = 30;

volatile pid_t parent = 0;

void end_without_parent(int /*signal*/) {
  if (::getppid() != parent) ::_exit(1);
}

/// Ends this process with its parent, which handles signals that end programs. The system sends one
/// when the parent ends, or its thread that started this process. Unblocks signals.
void end_with(pid_t process) {
  parent = process;
  struct sigaction action {};
  action.sa_handler = end_without_parent;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) ::sigaction(signal, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigset_t none{};
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  end_without_parent(0);
}

void close_all_but_socket() {
#ifndef ROUNDEL_SANITIZED  // sanitizers print reports
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    null < 0 ? ::close(stream) : ::dup2(null, stream);
#endif
  ::closefrom(STDERR_FILENO + 1);
}

/// Receives a request, perhaps with a descriptor.
bool receive(Hdf5Request& request, int& file) {
  iovec bytes{&request, sizeof(request)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(file))> control{};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  while ((got = ::recvmsg(kSocket, &message, 0)) < 0 && errno == EINTR) {
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr) std::memcpy(&file, CMSG_DATA(header), sizeof(file));
  return got == sizeof(request);
}

std::uint64_t peak_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_maxrss) << 10;
}

void limit_memory(std::uint64_t file_bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t more = std::min(file_bytes, kMaxMemory) * kMemoryOfByte;
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur,
                                    pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE)) +
                                        std::clamp(more, kMinMemory, kMaxMemory));
  ::setrlimit(RLIMIT_AS, &limit);
#ifdef __GLIBC__
  // Long texts reuse memory: new pages cost more than the texts. Larger blocks go back at once.
  mallopt(M_MMAP_THRESHOLD, 1 << 22);
  mallopt(M_TRIM_THRESHOLD, 1 << 22);
#endif
}

/// Ends this process if the next request takes too long.
void limit_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  rlimit time{};
  ::getrlimit(RLIMIT_CPU, &time);
  time.rlim_cur =
      static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + kMaxSeconds;
  ::setrlimit(RLIMIT_CPU, &time);
}

/// Sends the result of make(records, texts) or its exception; ends this process if that fails.
template <typename Make>
void answer(std::uint64_t at_start, std::string& records, std::string& texts, const Make& make) {
  limit_time();
  texts.clear();
  Hdf5Answer head{};
  const auto set_error = [&](ExitCode code, const std::string& problem) {
    head.exit_code = static_cast<std::uint64_t>(code);
    records = problem;
    texts.clear();
  };
  try {
    make();
  } catch (const std::bad_alloc&) {
    set_error(ExitCode::kInvalidScene,
              "needs too much memory for a file of its size; `h5repack -l CHUNK=100000 OLD NEW` "
              "makes chunks smaller");
  } catch (...) {
    const Error error = current_error();
    set_error(error.exit_code(), error.what());
  }
  head.peak_memory = peak_memory() - at_start;
  head.size = records.size() + texts.size();
  if (!send_bytes(kSocket, &head, sizeof(head)) ||
      !send_bytes(kSocket, records.data(), records.size()) ||
      !send_bytes(kSocket, texts.data(), texts.size()))
    ::_exit(0);
}

/// Answers until the file is closed or the connection ends.
[[noreturn]] void serve(int descriptor, const std::string& dataset) {
  struct stat status {};
  ::fstat(descriptor, &status);
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  limit_memory(file_bytes);
  const std::uint64_t at_start = peak_memory();
  Hdf5File file;
  std::string records, texts;
  answer(at_start, records, texts, [&] {
    file = open_hdf5_file(descriptor, file_bytes, dataset);
    records = file.description;
  });
  Hdf5Request request{};
  int none = -1;
  while (receive(request, none) && request.run != kHdf5Close)
    answer(at_start, records, texts, [&] {
      records.resize(request.size);
      file.read(request.run, request.offset, std::as_writable_bytes(std::span(records)), texts);
    });
  ::_exit(0);
}

/// Waits for a reader. Unless it succeeded, ends this process in the same way.
void end_as(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  if (status != 0) ::_exit(1);
}

int serve_files(pid_t main_process) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) < 0) return 1;
  const Hdf5Answer started{};
  if (!send_bytes(kSocket, &started, sizeof(started))) return 0;
  const pid_t self = ::getpid();
  for (;;) {
    Hdf5Request request{};
    int descriptor = -1;
    if (!receive(request, descriptor) || request.run != kHdf5Open) return 0;
    std::string dataset(request.offset, '\0');
    if (!receive_bytes(kSocket, dataset.data(), dataset.size(), [] { return false; })) return 0;
    // Each file gets its own process. This one stays single-threaded with libhdf5 loaded: loading
    // takes longer than forking.
    sigset_t all{};
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    const pid_t reader = ::fork();
    end_with(reader == 0 ? self : main_process);
    if (reader == 0) serve(descriptor, dataset);
    ::close(descriptor);
    if (reader < 0) return 1;
    end_as(reader);
  }
}

}  // namespace
}  // namespace roundel

int main(int argc, char** argv) {
  const auto parent = argc == 2 ? roundel::to_number<pid_t>(argv[1]) : std::nullopt;
  if (!parent) {
    std::fputs("roundel-hdf5: expected to be started by roundel, which reads HDF5 with it\n",
               stderr);
    return 2;
  }
  roundel::end_with(*parent);
  roundel::close_all_but_socket();
  ::_exit(roundel::serve_files(*parent));
}
