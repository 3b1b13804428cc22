#include "renderer/data/hdf5_serve.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/data/hdf5_channel.h"

namespace roundel {
namespace {

/// That the child may take beyond what it has from its parent: two chunks, their texts, the
/// library.
constexpr std::uint64_t kMostChildBytes = std::uint64_t{4} << 30;
/// Of the processor, for one question.
constexpr rlim_t kMostSeconds = 30;

/// The most main memory that this process has had, in bytes.
std::uint64_t peak_memory() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_maxrss) << 10;
}

/// Ends this process where the next question takes too long.
void limit_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  rlimit time{};
  ::getrlimit(RLIMIT_CPU, &time);
  time.rlim_cur =
      static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + kMostSeconds;
  ::setrlimit(RLIMIT_CPU, &time);
}

/// Sends what `work` makes, or what it throws; false where the parent is gone.
template <typename Work, typename Send>
bool answer(const Channel& parent, std::uint64_t at_start, const Work& work, const Send& send) {
  std::optional<Error> error;
  limit_time();
  try {
    work();
  } catch (const std::bad_alloc&) {
    ::abort();  // as where the library has no memory
  } catch (...) {
    error = current_error();
  }
  if (!error) return parent.send(Outcome{0, peak_memory() - at_start}) && send();
  return parent.send(Outcome{static_cast<std::int32_t>(error->exit_code()), 0}) &&
         parent.send_text(error->what());
}

bool send_table(const Channel& parent, const Hdf5Table& table) {
  bool ok = parent.send(table.rows) && parent.send(std::uint64_t{table.runs.size()}) &&
            parent.send(std::uint64_t{table.columns.size()});
  for (const Hdf5Table::Run& run : table.runs)
    ok = ok &&
         parent.send(RunHead{run.offset, run.record_bytes, run.bytes ? run.bytes->run_bytes() : 0,
                             run.bytes == nullptr, run.has_pointers});
  for (const ArrayColumn& column : table.columns)
    ok = ok && parent.send_text(column.name) && parent.send(column.element) &&
         parent.send(std::uint64_t{column.run}) && parent.send(column.offset);
  return ok;
}

/// Records with the places of their texts, from 1, for pointers; then these texts, each with its
/// zero. `records`, `texts`: room for both, for the next question too.
bool send_records(const Channel& parent, std::uint64_t at_start, const Hdf5Table& table,
                  const RowsAsked& asked, std::vector<std::byte>& records, std::string& texts) {
  const Hdf5Table::Run& run = table.runs[asked.run];
  texts.clear();
  return answer(
      parent, at_start,
      [&] {
        records.resize(asked.size);
        run.bytes->read_at(asked.offset, records);
        if (!run.has_pointers) return;
        std::vector<std::byte> places = records;
        for_each_pointer(places, run.record_bytes, pointers_of(table.columns, asked.run),
                         [&](std::byte* place) {
                           const char* text = nullptr;
                           std::memcpy(&text, place, sizeof(text));
                           const std::uint64_t at = text == nullptr ? 0 : texts.size() + 1;
                           if (text != nullptr) texts.append(text, std::strlen(text) + 1);
                           std::memcpy(place, &at, sizeof(at));
                         });
        run.bytes->release(records);
        records = std::move(places);
      },
      [&] { return parent.send(records.data(), records.size()) && parent.send_text(texts); });
}

/// The parent decides what becomes of its signals; none of its handlers runs here. They are blocked
/// until then.
void ignore_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGALRM})
    std::signal(signal, SIG_DFL);
  sigset_t none{};
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void close_from(int first) {
  if (::close_range(static_cast<unsigned>(first), ~0U, 0) == 0) return;
  // Linux before 5.9 has no close_range.
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    if (descriptor >= first && descriptor != ::dirfd(folder)) ::close(descriptor);
  }
  ::closedir(folder);
}

}  // namespace

void serve_hdf5(const std::array<int, 2>& sockets, int descriptor, const ChildWork& work) {
  ignore_signals();
  ::close(sockets[0]);  // the parent's end: whoever has it open keeps this process alive
  constexpr int kSocket = 3, kFile = 4;
  const int kept_socket = ::fcntl(sockets[1], F_DUPFD, 10);
  const int kept_file = ::fcntl(descriptor, F_DUPFD, 10);
  ::dup2(kept_socket, kSocket);
  ::dup2(kept_file, kFile);
  close_from(kFile + 1);
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes =
      pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE)) + kMostChildBytes;
  const rlimit memory{bytes, bytes}, no_core{0, 0};
  ::setrlimit(RLIMIT_AS, &memory);
  ::setrlimit(RLIMIT_CORE, &no_core);

#ifdef __GLIBC__
  // Long texts get the memory of those before them: new pages take longer than the texts. What is
  // more than this goes back at once.
  mallopt(M_MMAP_THRESHOLD, 1 << 22);
  mallopt(M_TRIM_THRESHOLD, 1 << 22);
#endif
  const Channel parent(kSocket);
  ::alarm(kMostSeconds);  // should the parent end meanwhile
  work.begin();
  ::alarm(0);
  const std::uint64_t at_start = peak_memory();
  Hdf5Table table;
  bool goes_on = parent.send(kReady) && answer(
                                            parent, at_start, [&] { table = work.read(kFile); },
                                            [&] { return send_table(parent, table); });
  std::vector<std::byte> records;
  std::string texts;
  for (RowsAsked asked{}; goes_on && parent.receive(asked);)
    goes_on = send_records(parent, at_start, table, asked, records, texts);
  ::_exit(0);
}

}  // namespace roundel
