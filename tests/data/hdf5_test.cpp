#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "renderer/data/table.h"
#include "tests/data/table_values.h"
#include "tests/testing.h"

namespace {
bool is_old_kernel = false;
}  // namespace
/// Instead of glibc's, for the module too.
extern "C" __attribute__((visibility("default"))) int close_range(unsigned first, unsigned last,
                                                                  int flags) noexcept {
  if (!is_old_kernel) return static_cast<int>(::syscall(SYS_close_range, first, last, flags));
  errno = ENOSYS;
  return -1;
}

namespace roundel {
namespace {

constexpr std::uint64_t kRows = 100'000;

/// Files of make_tables.py.
class Files : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::system(ROUNDEL_PYTHON " -c 'import h5py' 2>/dev/null") != 0) return;
    folder_ = std::make_unique<TemporaryFolder>();
    const std::string command = std::string(ROUNDEL_PYTHON) + " " + ROUNDEL_SOURCE_DIR +
                                "/tests/data/make_tables.py " + folder_->path().string();
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (!folder_) GTEST_SKIP() << "needs h5py (python3-h5py)";
  }

  static std::unique_ptr<Table> open(const std::string& name, const std::string& dataset = "") {
    return open_table(*folder_ / name, {dataset});
  }
  static std::string problem(const std::string& name, const std::string& dataset = "") {
    const std::string path = *folder_ / name;
    const std::string error = message_of([&] { open_table(path, {dataset}); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }

  /// Whether the column of this name, or number, holds value(row), in runs and here and there.
  template <typename Value>
  static void expect_numbers(const Table& table, std::size_t column, const Value& value) {
    ASSERT_LT(column, table.columns().size());
    ASSERT_EQ(table.rows(), kRows);
    TableRows rows;
    const std::size_t columns[] = {column};
    for (const auto& [first, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {0, kRows}, {99'999, 1}, {2'999, 2}, {50'001, 12'345}}) {
      table.read(columns, first, count, rows);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(rows.numbers(0)[i], value(static_cast<double>(first + i))) << first + i;
    }
  }
  static void expect_texts(const Table& table, std::size_t column, std::uint64_t first,
                           std::uint64_t count) {
    TableRows rows;
    const std::size_t columns[] = {column};
    table.read(columns, first, count, rows);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(rows.texts(0)[i], "k" + std::to_string((first + i) % 7));
  }
  static std::size_t column(const Table& table, const std::string& name) {
    return find_column(table, name).value_or(table.columns().size());
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Files::folder_;

const auto kNumber = [](double n) { return n; };
const auto kHalf = [](double n) { return n / 2; };
const auto kSmall = [](double n) { return static_cast<double>(static_cast<int>(n) % 256); };

using NumpyFiles = Files;
using Hdf5 = Files;

TEST_F(NumpyFiles, AreReadAsNumpyWroteThem) {
  for (const std::string name : {"stored.npz", "deflated.npz", "fortran.npy", "structured.npy"}) {
    const auto table = open(name);
    const bool has_names = name != "fortran.npy";
    expect_numbers(*table, has_names ? column(*table, "n") : 0, kNumber);
    expect_numbers(*table, has_names ? column(*table, "half") : 1, kHalf);
    expect_numbers(*table, has_names ? column(*table, "small") : 2, kSmall);
  }
  const auto table = open("structured.npy");
  expect_numbers(*table, column(*table, "rgb[1]"), [](double n) { return n + .25; });
  expect_texts(*table, column(*table, "name"), 0, kRows);
  EXPECT_EQ(values_of(*open("blanks.txt")).at(3 * 301 + 1), 150.5);
}

TEST_F(Hdf5, ADatasetOfAGroupIsAColumn) {
  const auto table = open("groups.h5", "cells");
  EXPECT_EQ(table->columns().size(), 10u);
  expect_numbers(*table, column(*table, "n"), kNumber);
  expect_numbers(*table, column(*table, "half"), kHalf);
  expect_numbers(*table, column(*table, "small"), kSmall);
  expect_numbers(*table, column(*table, "even"),
                 [](double n) { return static_cast<int>(n) % 2 == 0 ? 1.0 : 0.0; });
  expect_numbers(*table, column(*table, "f2"),
                 [](double n) { return static_cast<double>(static_cast<int>(n) % 100); });
  expect_numbers(*table, column(*table, "rgb[2]"), [](double n) { return n + .5; });
  expect_texts(*table, column(*table, "name"), 0, kRows);
  expect_texts(*table, column(*table, "fixed"), 77, 1000);
  EXPECT_EQ(table->columns()[column(*table, "small")].one, 255);
}

TEST_F(Hdf5, ADatasetOfCompoundsIsATable) {
  for (const std::string dataset : {"", "table", "/table"}) {
    const auto table = open("compound.h5", dataset);
    expect_numbers(*table, column(*table, "n"), kNumber);
    expect_numbers(*table, column(*table, "half"), kHalf);
    expect_numbers(*table, column(*table, "rgb[1]"), [](double n) { return n + .25; });
    expect_numbers(*table, column(*table, "in.k"),
                   [](double n) { return static_cast<double>(static_cast<int>(n) % 1000); });
    expect_texts(*table, column(*table, "name"), 0, kRows);
  }
}

TEST_F(Hdf5, AnArrayIsATableWithoutNames) {
  for (const std::string name : {"array.h5", "chunked_array.h5"}) {
    const auto table = open(name);
    EXPECT_EQ(table->columns().at(0).name, "");
    expect_numbers(*table, 0, kNumber);
    expect_numbers(*table, 1, kHalf);
    expect_numbers(*table, 2, kSmall);
  }
}

TEST_F(Hdf5, ManyThreadsReadAtOnce) {
  const auto table = open("groups.h5", "cells");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      expect_numbers(*table, column(*table, "half"), kHalf);
      expect_texts(*table, column(*table, "name"), 0, 20'000);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Hdf5, WhatIsNoTableIsRefused) {
  EXPECT_EQ(problem("groups.h5", "genes"),
            "expected datasets of the same length, but genes/longer has 3 rows, genes/name 2; name "
            "one with \"dataset\"");
  EXPECT_EQ(problem("groups.h5"),
            "\"/\" has no dataset [n] or [n, k]; name one with \"dataset\"; there are cells, "
            "cube, deep, genes, link and scalar");
  EXPECT_EQ(problem("groups.h5", "cell"),
            "has no dataset or group \"cell\"; at its root there are cells, "
            "cube, deep, genes, link and scalar");
  EXPECT_EQ(problem("groups.h5", "link").substr(0, 41),
            "has no dataset or group \"link\"; at its ro");
  EXPECT_EQ(problem("groups.h5", "cube"),
            "cube: expected a dataset [n] or [n, k], got 3 dimensions");
  EXPECT_EQ(problem("groups.h5", "scalar"),
            "scalar: expected a dataset [n] or [n, k], got 0 dimensions");
  EXPECT_EQ(problem("virtual.h5"), "/v: its rows are in other files");
  EXPECT_EQ(problem("external.h5"), "/x: its rows are in other files");
  EXPECT_EQ(problem("filter.h5").substr(0, 23), "/x: needs filter 32015 ");
  EXPECT_EQ(problem("large_chunks.h5"), "/x: its chunks are too large (at most 268435456 bytes)");
  EXPECT_EQ(problem("types.h5", "reference"),
            "reference: \"reference\": expected numbers or texts");
  EXPECT_EQ(problem("types.h5", "list"), "list: \"list\": expected numbers or texts");
  EXPECT_EQ(values_of(*open("types.h5", "complex")).size(), 6u);
}

TEST_F(Hdf5, TablesOfOtherLibrariesAreNamedWithTheWayToDrawThem) {
  const std::string pandas =
      "\"df\" is a table of pandas: draw it in Python, as df = pandas.read_hdf(FILE, \"df\"); "
      "scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")";
  EXPECT_EQ(problem("pandas.h5"), pandas);
  EXPECT_EQ(problem("pandas.h5", "df"), pandas);
  EXPECT_EQ(open("pandas.h5", "df/block0_values")->columns().size(), 2u);
  EXPECT_EQ(problem("pandas_table.h5"), pandas);
  const auto table = open("pandas_table.h5", "df");
  EXPECT_EQ(no_such_column(*table, "x"),
            table->path() +
                " has no column \"x\"; there are table.index and table.values_block_0[0]; it is a "
                "table of pandas, which has the names in Python: df = pandas.read_hdf(FILE), then "
                "scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")");
  EXPECT_TRUE(
      problem("cells.h5ad")
          .starts_with("is a file of AnnData: name one of its datasets, as dataset: obsm/X_umap or "
                       "dataset: X, or "
                       "draw it in Python, as a = anndata.read_h5ad(FILE); scene.add(a.obs, "));
  EXPECT_EQ(open("cells.h5ad", "X")->columns().size(), 3u);
  EXPECT_EQ(open("cells.h5ad", "obsm/X_umap")->columns().size(), 2u);
  const auto obs = open("cells.h5ad", "obs");
  EXPECT_EQ(no_such_column(*obs, "cell_type"),
            obs->path() +
                " has no column \"cell_type\"; there are _index and score; it is a table of "
                "AnnData, which has its categories in Python: a = anndata.read_h5ad(FILE), then "
                "scene.add(a.obs, ...)");
}

TEST_F(Hdf5, FilesThatAreCutShortAreRefused) {
  const std::vector<std::uint8_t> file = read_bytes(*folder_ / "groups.h5");
  for (const std::size_t size : {8u, 100u, 2000u, 100'000u, 1'000'000u}) {
    write_bytes(*folder_ / "short.h5", std::span(file).first(size));
    EXPECT_TRUE(problem("short.h5", "cells").starts_with("cannot be read as HDF5: ")) << size;
  }
  write_bytes(*folder_ / "no.h5", std::span(file).subspan(1));
  EXPECT_TRUE(problem("no.h5").starts_with("cannot be read as HDF5: "));
}

// The first one is a find of a fuzzer.
TEST(Hdf5Types, RowsWithoutRoomForTheirColumnsAreRefused) {
  const std::string folder = std::string(ROUNDEL_SOURCE_DIR) + "/tests/fuzz/corpus/hdf5/";
  const std::string beyond = folder + "member_beyond_row.h5", empty = folder + "no_columns.h5";
  // Newer versions of libhdf5 may refuse it first.
  EXPECT_TRUE(message_of([&] { open_table(beyond); }).starts_with(beyond + ": "));
  EXPECT_EQ(message_of([&] { open_table(empty); }), empty + ": /a: expected at least one column");
}

TEST(Hdf5Types, TextsThatADamagedFileLacksDoNotDependOnWhereReadingBegins) {
  // Where its texts lie a length is 39 instead of 7, so that libhdf5 1.10.8 finds one of six.
  const std::string path =
      std::string(ROUNDEL_SOURCE_DIR) + "/tests/fuzz/corpus/hdf5/missing_texts.h5";
  const auto table = open_table(path);
  const std::size_t columns[] = {find_column(*table, "kind").value()};
  TableRows rows;
  for (std::uint64_t first = 0; first < 6; ++first) {
    const auto error = catch_error([&] { table->read(columns, first, 6 - first, rows); });
    if (error) {  // of newer versions
      EXPECT_TRUE(std::string(error->what()).starts_with(path + ": ")) << error->what();
      continue;
    }
    for (std::uint64_t row = first; row < 6; ++row)
      EXPECT_EQ(rows.texts(0)[row - first], row == 3 ? "aaatext" : "") << first << ' ' << row;
  }
}

// Finds of a fuzzer, at which libhdf5 1.10.8 ends with a segmentation fault.
TEST(Hdf5Child, WhatCrashesTheLibraryIsAnErrorWithTheFilesName) {
  for (const std::string name : {"crash_heap.h5", "crash_texts.h5"}) {
    const std::string path = std::string(ROUNDEL_SOURCE_DIR) + "/tests/fuzz/corpus/hdf5/" + name;
    const std::string error = message_of([&] {
      const auto table = open_table(path);
      rows_of(*table, 0, table->rows());
    });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
  }
}

/// What `work` expects must hold in a forked process, which has 20 s for it.
template <typename Work>
void expect_in_fork(
    const Work& work, const std::function<void()>& meanwhile = [] {}) {
  const pid_t process = ::fork();
  if (process == 0) {
    ::alarm(20);
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  meanwhile();
  int status = 0;
  ASSERT_EQ(::waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0) << (WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "");
}

TEST_F(Hdf5, AForkedProcessReadsByAChildOfItsOwn) {
  // All in a process that ends, as both could hang.
  expect_in_fork([] {
    auto table = open("groups.h5", "cells");
    const auto read = [&table] {
      for (std::uint64_t first = 0; first < 50; ++first) {
        expect_texts(*table, column(*table, "name"), first, 2000);
        expect_numbers(*table, column(*table, "half"), kHalf);
      }
    };
    expect_in_fork([&] { read(), table.reset(); }, read);
    read();
  });
}

TEST_F(Hdf5, AProcessIsForkedWhileAnotherThreadReads) {
  expect_in_fork([] {
    const auto table = open("groups.h5", "cells");
    std::atomic<bool> is_done = false;
    std::thread thread([&] {
      while (!is_done) expect_texts(*table, column(*table, "name"), 0, kRows);
    });
    for (int i = 0; i < 8; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      expect_in_fork([&] { expect_texts(*table, column(*table, "name"), 7, 2000); });
    }
    is_done = true;
    thread.join();
  });
}

TEST_F(Hdf5, ATableGoesWithoutWaitingForForkedProcesses) {
  expect_in_fork([] {
    auto table = open("groups.h5", "cells");
    const pid_t idle = ::fork();
    if (idle == 0) {
      ::pause();
      ::_exit(0);
    }
    ::kill(idle, SIGSTOP);
    table.reset();
    ::kill(idle, SIGKILL);
    ::waitpid(idle, nullptr, 0);
  });
}

TEST_F(Hdf5, ATableIsReadAndGoesWhereStandardStreamsAreClosed) {
  expect_in_fork([] {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
    ::open("/dev/null", O_RDWR);  // the file would be there, but not the connection
    auto table = open("groups.h5", "cells");
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      EXPECT_EQ(::write(stream, "text", 4), -1);
    expect_numbers(*table, column(*table, "half"), kHalf);
  });
}

TEST_F(Hdf5, TheChildKeepsNoOtherFileOpenOnOldKernelsToo) {
  for (const bool is_old : {false, true})
    expect_in_fork([is_old] {
      is_old_kernel = is_old;
      std::array<int, 2> pipe{};
      ASSERT_EQ(::pipe(pipe.data()), 0);
      const auto table = open("groups.h5", "cells");
      expect_numbers(*table, column(*table, "half"), kHalf);
      ::close(pipe[1]);
      char nothing = 0;
      EXPECT_EQ(::read(pipe[0], &nothing, 1), 0);  // waits while another process can write
    });
}

TEST_F(Hdf5, SignalsOfTheProcessGroupAreTheParentsAlone) {
  expect_in_fork([] {
    ::setpgid(0, 0);
    const auto table = open("groups.h5", "cells");
    static pid_t owner = 0;
    owner = ::getpid();
    static int caught = 0;
    const std::array signals = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                                SIGUSR2, SIGPIPE, SIGPROF, SIGCHLD, SIGRTMIN + 1};
    for (const int signal : signals)
      ::signal(signal, [](int) { owner == ::getpid() ? void(++caught) : ::_exit(3); });
    const auto other = open("groups.h5", "cells");  // has the handlers from its parent
    for (const int signal : signals) ::kill(0, signal);
    for (const auto* read : {table.get(), other.get()})
      expect_numbers(*read, column(*read, "half"), kHalf);
    EXPECT_EQ(caught, static_cast<int>(signals.size()));
  });
}

}  // namespace
}  // namespace roundel
