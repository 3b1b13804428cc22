#include "renderer/data/hdf5_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "renderer/base/error.h"

namespace roundel {
namespace {

/// That the child may take beyond what it has from its parent: two chunks, their texts, the
/// library.
constexpr std::uint64_t kMostChildBytes = std::uint64_t{4} << 30;
/// Of the processor, for one question.
constexpr rlim_t kMostSeconds = 30;
/// What the child says first.
constexpr std::byte kReady{1};

/// One end of a connection between the two processes. False: the other one is gone.
class Channel {
 public:
  explicit Channel(int socket) : socket_(socket) {}

  bool send(const void* bytes, std::size_t size) const {
    const auto* next = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t sent = ::send(socket_, next, size, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      next += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }
  bool receive(void* bytes, std::size_t size) const {
    auto* next = static_cast<char*>(bytes);
    while (size > 0) {
      const ssize_t got = ::recv(socket_, next, size, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }
  template <typename T>
  bool send(const T& value) const {
    return send(&value, sizeof(value));
  }
  template <typename T>
  bool receive(T& value) const {
    return receive(&value, sizeof(value));
  }
  bool send_text(const std::string& text) const {
    return send(std::uint64_t{text.size()}) && send(text.data(), text.size());
  }
  bool receive_text(std::string& text) const {
    std::uint64_t size = 0;
    if (!receive(size)) return false;
    text.resize(size);
    return receive(text.data(), size);
  }

 private:
  int socket_;
};

/// A question: rows of a run.
struct RowsAsked {
  std::uint64_t run, offset, size;
};
/// What an answer begins with.
struct Outcome {
  std::int32_t exit_code = 0;     ///< but for 0 the error's text follows
  std::uint64_t most_memory = 0;  ///< that the child has had beyond what it has from its parent
};
/// What the parent knows of a run; all else stays in the child.
struct RunHead {
  std::uint64_t offset, record_bytes, run_bytes;
  bool is_in_file, has_pointers;
  bool operator==(const RunHead&) const = default;
};
/// What a child finds in the file.
struct Found {
  std::uint64_t rows = 0;
  std::vector<RunHead> heads;
  std::vector<ArrayColumn> columns;
};

/// Where in a run's records texts are pointed to.
std::vector<std::uint64_t> pointers_of(const std::vector<ArrayColumn>& columns, std::size_t run) {
  std::vector<std::uint64_t> offsets;
  for (const ArrayColumn& column : columns)
    if (column.run == run && column.element.kind == Element::Kind::kPointer)
      offsets.push_back(column.offset);
  return offsets;
}

template <typename Visit>
void for_each_pointer(std::span<std::byte> records, std::uint64_t record_bytes,
                      const std::vector<std::uint64_t>& offsets, const Visit& visit) {
  for (std::size_t row = 0; row + record_bytes <= records.size(); row += record_bytes)
    for (const std::uint64_t offset : offsets) visit(records.data() + row + offset);
}

// ---- the child ---------------------------------------------------------------------------------

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

/// Nothing of the parent's is used but the connection and the file; its other threads are not here.
[[noreturn]] void serve(const std::array<int, 2>& sockets, int descriptor, const ChildWork& work) {
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

// ---- the parent --------------------------------------------------------------------------------

/// A forked process has a copy of the object and of the connection, which is the first process's:
/// it starts a child of its own where it asks for rows.
class Child {
 public:
  Child(std::string path, int descriptor, ChildWork work)
      : path_(std::move(path)), descriptor_(descriptor), work_(std::move(work)) {}
  ~Child() {
    if (turn_.load()->owner == ::getpid()) delete turn_.load();
    end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Before all else.
  const Found& open() {
    start();
    return found_ = receive_found();
  }

  /// Whose turn it is among the threads of one process, and what they have read.
  struct Turn {
    pid_t owner;
    std::mutex mutex = {};  ///< one question at a time
    /// By the run and the records that point to them.
    std::map<std::pair<std::uint64_t, const std::byte*>, std::string> texts = {};
  };
  /// A forked process takes one of its own: another thread may have been at the first one when it
  /// was forked. That one stays as it is.
  Turn& turn() {
    Turn* turn = turn_;
    if (turn->owner != ::getpid()) {
      std::unique_ptr<Turn> own(new Turn{::getpid()});
      if (turn_.compare_exchange_strong(turn, own.get())) turn = own.release();
    }
    return *turn;
  }

  /// Sends a question and hears how its answer begins. In turn, as all that follows.
  void ask(const RowsAsked& asked) {
    if (owner_ != ::getpid()) start_again();
    check(channel().send(asked));
    hear();
  }
  Channel channel() const { return Channel(socket_); }
  /// Throws where the child is gone.
  void check(bool is_there) {
    if (is_there) return;
    const int status = wait();
    const std::string end =
        WIFSIGNALED(status) ? fmt::format(" ({})", ::strsignal(WTERMSIG(status))) : "";
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: libhdf5 crashed while it read this file{}: it is damaged, or "
                            "needs too much memory or time",
                            path_, end));
  }
  std::uint64_t most_memory() const { return most_memory_; }

 private:
  /// A new process has a copy of libhdf5's lock. Held by another thread it would stay locked there
  /// for ever, so this thread forks while the lock is its own. A thread that asks for it at that
  /// very moment can still leave the copy locked: a process that does not come through is ended,
  /// and another one started.
  void start() {
    constexpr int kFirstMilliseconds = 250, kLastMilliseconds = 16'000;
    for (int milliseconds = kFirstMilliseconds;; milliseconds *= 2) {
      fork();
      if (is_ready(milliseconds)) return;
      ::kill(process_, SIGKILL);
      end();
      if (milliseconds >= kLastMilliseconds)
        throw Error(ExitCode::kRuntimeFailure,
                    path_ +
                        ": cannot be read while another thread of this process is at work in "
                        "libhdf5");
    }
  }
  void start_again() {
    end();
    start();
    try {
      const Found found = receive_found();
      if (found.rows != found_.rows || found.heads != found_.heads)
        throw Error(ExitCode::kRuntimeFailure, path_ + ": has changed while it was read");
    } catch (...) {
      end();
      throw;
    }
  }
  void fork() {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) fail_to_start();
    // Where standard streams are closed: what is printed there must not go into the connection.
    for (int& socket : sockets)
      if (socket <= STDERR_FILENO)
        ::close(std::exchange(socket, ::fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
    pid_t process = -1;
    work_.inside([&] {
      sigset_t all{}, before{};
      sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
      process = ::fork();
      if (process == 0) serve(sockets, descriptor_, work_);
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    });
    const int problem = errno;
    ::close(sockets[1]);
    if (process < 0) {
      ::close(sockets[0]);
      errno = problem;
      fail_to_start();
    }
    socket_ = sockets[0];
    process_ = process;
    owner_ = ::getpid();
  }
  /// False where it has not come through libhdf5's lock in so much time. True where it is gone.
  bool is_ready(int milliseconds) const {
    pollfd waiting{socket_, POLLIN, 0};
    int events = 0;
    while ((events = ::poll(&waiting, 1, milliseconds)) < 0 && errno == EINTR) {
    }
    std::byte ready{};
    if (events > 0) static_cast<void>(channel().receive(ready));
    return events != 0;
  }
  Found receive_found() {
    hear();
    const Channel channel(socket_);
    Found found;
    std::uint64_t runs = 0, columns = 0;
    check(channel.receive(found.rows) && channel.receive(runs) && channel.receive(columns));
    found.heads.resize(runs);
    for (RunHead& head : found.heads) check(channel.receive(head));
    found.columns.resize(columns);
    for (ArrayColumn& column : found.columns) {
      std::uint64_t run = 0;
      check(channel.receive_text(column.name) && channel.receive(column.element) &&
            channel.receive(run) && channel.receive(column.offset));
      column.run = run;
    }
    return found;
  }
  void hear() {
    Outcome outcome;
    check(channel().receive(outcome));
    most_memory_ = std::max<std::uint64_t>(most_memory_, outcome.most_memory);
    if (outcome.exit_code == 0) return;
    std::string problem;
    check(channel().receive_text(problem));
    throw Error(static_cast<ExitCode>(outcome.exit_code), problem);
  }
  /// Leaves alone what is another process's. Where it is this one's, forked ones may have the
  /// connection open, too: the child sees its end all the same.
  void end() {
    if (socket_ < 0) return;
    const bool is_own = owner_ == ::getpid();
    if (is_own) ::shutdown(socket_, SHUT_RDWR);
    ::close(std::exchange(socket_, -1));
    if (is_own) wait();
    owner_ = -1, process_ = 0;
  }
  int wait() {
    if (process_ > 0) {
      while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
      }
      process_ = 0;
    }
    return status_;
  }
  [[noreturn]] void fail_to_start() const {
    throw Error(ExitCode::kRuntimeFailure, path_ + ": cannot start a process to read it: " +
                                               std::generic_category().message(errno));
  }

  std::string path_;
  int descriptor_;
  ChildWork work_;
  Found found_;
  pid_t owner_ = -1, process_ = 0;  ///< the process whose child it is, and the child
  int socket_ = -1, status_ = 0;
  std::atomic<Turn*> turn_ = new Turn{::getpid()};
  std::atomic<std::uint64_t> most_memory_{0};
};

/// Rows that the child reads.
class ChildBytes final : public ByteSource {
 public:
  ChildBytes(std::shared_ptr<Child> child, bool counts_child, std::uint64_t run,
             const RunHead& head, std::vector<std::uint64_t> pointers)
      : child_(std::move(child)),
        counts_child_(counts_child),
        run_(run),
        head_(head),
        pointers_(std::move(pointers)) {}

  std::uint64_t run_bytes() const override { return head_.run_bytes; }
  /// Of the process once, and of the texts that this one sends.
  std::uint64_t memory_bytes() const override {
    return (counts_child_ ? child_->most_memory() : 0) + most_text_bytes_;
  }

  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const override {
    Child::Turn& turn = child_->turn();
    const std::lock_guard lock(turn.mutex);
    child_->ask({run_, offset, bytes.size()});
    child_->check(child_->channel().receive(bytes.data(), bytes.size()));
    std::string texts;
    child_->check(child_->channel().receive_text(texts));
    if (!head_.has_pointers) return;
    std::string& kept = turn.texts[{run_, bytes.data()}] = std::move(texts);
    std::uint64_t text_bytes = 0;
    for (const auto& [records, of_records] : turn.texts)
      if (records.first == run_) text_bytes += of_records.size();
    most_text_bytes_ = std::max<std::uint64_t>(most_text_bytes_, text_bytes);
    for_each_pointer(bytes, head_.record_bytes, pointers_, [&](std::byte* place) {
      std::uint64_t at = 0;
      std::memcpy(&at, place, sizeof(at));
      const char* const text = at == 0 || at > kept.size() ? nullptr : kept.data() + (at - 1);
      std::memcpy(place, &text, sizeof(text));
    });
  }
  void release(std::span<std::byte> records) const override {
    Child::Turn& turn = child_->turn();
    const std::lock_guard lock(turn.mutex);
    turn.texts.erase({run_, records.data()});
  }

 private:
  std::shared_ptr<Child> child_;
  bool counts_child_;
  std::uint64_t run_;
  RunHead head_;
  std::vector<std::uint64_t> pointers_;
  mutable std::atomic<std::uint64_t> most_text_bytes_{0};
};

}  // namespace

Hdf5Table read_in_child(const std::string& path, int descriptor, ChildWork work) {
  const auto child = std::make_shared<Child>(path, descriptor, std::move(work));
  const Found& found = child->open();
  Hdf5Table table;
  table.rows = found.rows;
  table.columns = found.columns;
  bool is_counted = false;
  for (std::size_t i = 0; i < found.heads.size(); ++i) {
    const RunHead& head = found.heads[i];
    Hdf5Table::Run run{nullptr, head.offset, head.record_bytes, head.has_pointers};
    if (!head.is_in_file) {
      run.bytes =
          std::make_shared<ChildBytes>(child, !is_counted, i, head, pointers_of(table.columns, i));
      is_counted = true;
    }
    table.runs.push_back(std::move(run));
  }
  return table;
}

}  // namespace roundel
