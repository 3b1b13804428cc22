#include "renderer/data/hdf5_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/data/hdf5_channel.h"
#include "renderer/data/hdf5_serve.h"

namespace roundel {
namespace {

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
  /// and another one started. A forked process does not ask for the lock:
  /// the thread that would release it stayed in the parent.
  void start() {
    const bool is_forked = ::getpid() != work_.first_process;
    const int first_milliseconds = 250, last_milliseconds = is_forked ? 2'000 : 16'000;
    for (int milliseconds = first_milliseconds;; milliseconds *= 2) {
      fork(is_forked);
      if (is_ready(milliseconds)) return;
      ::kill(process_, SIGKILL);
      end();
      if (milliseconds >= last_milliseconds)
        throw Error(
            ExitCode::kRuntimeFailure,
            path_ +
                (is_forked
                     ? ": cannot be read: this process was forked while another thread was at work "
                       "in libhdf5; start processes with multiprocessing.get_context(\"spawn\")"
                     : ": cannot be read while another thread of this process is at "
                       "work in libhdf5"));
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
  void fork(bool is_forked) {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) fail_to_start();
    // Where standard streams are closed: what is printed there must not go into the connection.
    for (int& socket : sockets)
      if (socket <= STDERR_FILENO)
        ::close(std::exchange(socket, ::fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
    pid_t process = -1;
    const auto fork_here = [&] {
      sigset_t all{}, before{};
      sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
      process = ::fork();
      if (process == 0) serve_hdf5(sockets, descriptor_, work_);
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    };
    if (is_forked)
      fork_here();
    else
      work_.inside(fork_here);
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
