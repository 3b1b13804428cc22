#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "renderer/base/atomic_file.h"
#include "tests/testing.h"

namespace roundel {
namespace {

const std::vector<std::uint8_t> kOld = {1, 2, 3};
const std::vector<std::uint8_t> kNew(100000, 7);

/// Runs `body` in its own process, which may change its limits and rights; returns its exit code.
template <typename Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int exit_code_of_writing(const std::string& path) {
  try {
    write_file_atomically(path, kNew);
    return 0;
  } catch (const Error& error) {
    return static_cast<int>(error.exit_code());
  }
}

TEST(WriteFile, WritesANewFileAndReplacesAnOldOne) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", kOld);
  EXPECT_EQ(read_bytes(folder / "a"), kOld);
  write_file_atomically(folder / "a", kNew);
  EXPECT_EQ(read_bytes(folder / "a"), kNew);
  write_file_atomically(folder / "a", {});
  EXPECT_EQ(read_bytes(folder / "a").size(), 0U);
  EXPECT_EQ(folder.count_files(), 1U);
}

TEST(AtomicFile, ExistsOnlyAfterCommit) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", kOld);
  {
    AtomicFile file(folder / "a");
    file.write(kNew);
    EXPECT_EQ(read_bytes(folder / "a"), kOld);
  }
  EXPECT_EQ(read_bytes(folder / "a"), kOld);
  EXPECT_EQ(folder.count_files(), 1U);
  AtomicFile file(folder / "a");
  file.write(kOld);
  file.write(kNew);
  file.commit();
  EXPECT_EQ(read_bytes(folder / "a").size(), kOld.size() + kNew.size());
  EXPECT_EQ(folder.count_files(), 1U);
}

TEST(AtomicFile, RemovesLeftoversOnly) {
  const TemporaryFolder folder;
  write_file_atomically(folder / ".roundel-1-2.tmp", kOld);  // left by an ended process
  write_file_atomically(folder / "a.tmp", kOld);
  AtomicFile in_use(folder / "b");
  in_use.write(kNew);
  EXPECT_EQ(folder.count_files(), 3U);
  remove_leftover_files(folder / "");
  EXPECT_EQ(folder.count_files(), 2U);
  in_use.commit();
  EXPECT_EQ(read_bytes(folder / "b"), kNew);
  remove_leftover_files(folder / "none");
}

TEST(AtomicFile, LimitsTheSearchForLeftovers) {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i)
    write_bytes(folder / (".roundel-" + std::to_string(i) + ".tmp"), kOld);
  remove_leftover_files(folder.path(), 5);
  EXPECT_EQ(folder.count_files(), 15U);
  remove_leftover_files(folder.path());
  EXPECT_EQ(folder.count_files(), 0U);
}

TEST(WriteFile, PermissionsFollowTheUmask) {
  const TemporaryFolder folder;
  const mode_t old_mask = umask(027);
  write_file_atomically(folder / "a", kOld);
  umask(old_mask);
  struct stat status {};
  ASSERT_EQ(stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(WriteFile, WritesTheLongestName) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(255, 'n');
  write_file_atomically(path, kOld);
  EXPECT_EQ(read_bytes(path), kOld);
}

TEST(WriteFile, WritesRelativePathsInTheWorkingDirectory) {
  const TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              if (chdir(folder.path().c_str()) != 0) return 99;
              return exit_code_of_writing("a.png");
            }),
            0);
  EXPECT_EQ(read_bytes(folder / "a.png"), kNew);
}

TEST(WriteFile, KeepsSymbolicLinks) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "real", kOld);
  std::filesystem::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", kNew);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "real"), kNew);
}

TEST(WriteFile, KeepsADanglingLinkAndMakesItsTarget) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  std::filesystem::create_symlink("sub/second", folder / "link");
  std::filesystem::create_symlink("../real", folder / "sub/second");
  EXPECT_TRUE(std::filesystem::equivalent(
      std::filesystem::path(link_target(folder / "link")).parent_path(), folder.path()));
  write_file_atomically(folder / "link", kNew);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "sub/second"));
  EXPECT_EQ(read_bytes(folder / "real"), kNew);

  std::filesystem::create_symlink("none/file", folder / "nowhere");
  std::filesystem::create_symlink("loop", folder / "loop");
  for (const char* name : {"nowhere", "loop"}) {
    EXPECT_EQ(exit_code_of_writing(folder / name), 4) << name;
    EXPECT_TRUE(std::filesystem::is_symlink(folder / name)) << name;
  }
}

TEST(WriteFile, FrameReplacesALinkAndKeepsItsTarget) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "f1", kOld);
  std::filesystem::create_symlink("f1", folder / "f2");
  std::filesystem::create_symlink("none", folder / "f3");
  std::filesystem::create_symlink("f4", folder / "f4");
  std::filesystem::create_symlink("/dev/null", folder / "f5");
  for (const char* name : {"f2", "f3", "f4", "f5"}) {
    write_file_atomically(folder / name, kNew, OverwriteRule::kReplace);
    EXPECT_FALSE(std::filesystem::is_symlink(folder / name)) << name;
    EXPECT_EQ(read_bytes(folder / name), kNew) << name;
  }
  EXPECT_EQ(read_bytes(folder / "f1"), kOld);
  EXPECT_EQ(folder.count_files(), 5U);
}

TEST(WriteFile, FrameRejectsPipesAndDevices) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "f1").c_str(), 0600), 0);
  for (const std::string& path : {folder / "f1", std::string("/dev/null")}) {
    const Error error =
        error_of([&] { write_file_atomically(path, kNew, OverwriteRule::kReplace); });
    EXPECT_EQ(error.exit_code(), ExitCode::kOutputRefused);
    EXPECT_EQ(error.what(), path + ": cannot write: not a regular file");
  }
}

TEST(WriteFile, ReplacedFileKeepsItsModeAndHardLinksKeepTheOldFile) {
  const TemporaryFolder folder;
  for (const unsigned mode : {0600U, 0640U, 0666U, 0755U}) {
    write_file_atomically(folder / "a", kOld);
    ASSERT_EQ(chmod((folder / "a").c_str(), mode), 0);
    std::filesystem::create_hard_link(folder / "a", folder / "b");
    write_file_atomically(folder / "a", kNew);
    struct stat status {};
    ASSERT_EQ(stat((folder / "a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, mode);
    EXPECT_EQ(read_bytes(folder / "a"), kNew);
    EXPECT_EQ(read_bytes(folder / "b"), kOld);
    std::filesystem::remove(folder / "a");
    std::filesystem::remove(folder / "b");
  }
}

enum class Without {
  kNothing,
  kLinksOfNameless,   ///< files without a name do not get one
  kNameless,          ///< unsupported
  kNamelessAndRename  ///< renames that keep existing files are unsupported, too
};

/// This process is on a system without these calls from here on.
bool lose_system_calls(Without what) {
  const std::uint32_t lost = what == Without::kLinksOfNameless     ? SYS_linkat
                             : what == Without::kNamelessAndRename ? SYS_renameat2
                                                                   : ~0U;
  constexpr std::uint32_t kNameless = O_TMPFILE & ~O_DIRECTORY;
  const auto fail_with = [](std::uint32_t error) { return SECCOMP_RET_ERRNO | error; };
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lost, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, what == Without::kLinksOfNameless ? 0 : kNameless, 1, 2),
      BPF_STMT(BPF_RET | BPF_K, fail_with(EINVAL)),
      BPF_STMT(BPF_RET | BPF_K, fail_with(EOPNOTSUPP)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Returns the number of the first failed check, or 0.
int replaces_nothing(const TemporaryFolder& folder) {
  const int nameless = open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0666);
  const bool has_nameless = nameless >= 0;  // some file systems lack them
  close(nameless);
  const auto refused = [&](const auto& work) {
    try {
      work();
      return false;
    } catch (const Error& error) {
      return error.exit_code() == ExitCode::kOutputRefused &&
             std::string(error.what())
                 .ends_with("a: cannot write: the file exists and must not be replaced");
    }
  };
  AtomicFile late(folder / "a", OverwriteRule::kRefuse);
  late.write(kNew);
  if (folder.count_files() != (has_nameless ? 0 : 1)) return 1;
  write_file_atomically(folder / "a", kOld, OverwriteRule::kRefuse);
  if (!refused([&] { late.commit(); })) return 2;
  if (!refused([&] { write_file_atomically(folder / "a", kNew, OverwriteRule::kRefuse); }))
    return 3;
  if (read_bytes(folder / "a") != kOld) return 4;
  struct stat status {};
  const mode_t mask = umask(0);
  umask(mask);
  if (stat((folder / "a").c_str(), &status) != 0 || (status.st_mode & 07777U) != (0666U & ~mask))
    return 5;
  std::filesystem::remove(folder / "a");
  std::filesystem::create_symlink("nowhere", folder / "a");
  if (!refused([&] { write_file_atomically(folder / "a", kNew, OverwriteRule::kRefuse); }))
    return 6;
  std::filesystem::remove(folder / "a");
  std::filesystem::create_directory(folder / "a");
  if (!refused([&] { write_file_atomically(folder / "a", kNew, OverwriteRule::kRefuse); }))
    return 7;
  return 0;
}

/// These system calls fail with this error in this process from here on.
bool fail_system_calls(const std::vector<std::uint32_t>& calls, std::uint32_t error) {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const std::uint32_t call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Returns the exit code of the Error that `work` throws in a process in which these calls fail; 0
/// without an Error, 77 if calls cannot be made to fail. The message must end with `text`.
template <typename Work>
int exit_code_without(const std::vector<std::uint32_t>& calls, std::uint32_t error,
                      const std::string& text, const Work& work) {
  return in_child([&] {
    if (!fail_system_calls(calls, error)) return 77;
    try {
      work();
      return 0;
    } catch (const Error& thrown) {
      return std::string(thrown.what()).ends_with(text) ? static_cast<int>(thrown.exit_code()) : 99;
    }
  });
}

TEST(WriteFile, FailedSyncIsAFailedWrite) {
  const TemporaryFolder folder;
  const auto write = [&] { write_file_atomically(folder / "a", kNew); };
  const std::string text = "a: cannot write: ";
  const int code =
      exit_code_without({SYS_fdatasync}, EIO, text + "fdatasync: Input/output error", write);
  if (code == 77) GTEST_SKIP() << "system calls cannot be made to fail";
  EXPECT_EQ(code, 1);
  EXPECT_EQ(folder.count_files(), 0U);
  EXPECT_EQ(exit_code_without({SYS_fsync}, ENOSPC, text + "fsync: No space left on device", write),
            1);
  EXPECT_EQ(exit_code_without({SYS_fdatasync, SYS_fsync}, EINVAL, "", write), 0);  // it cannot sync
  const auto write_frame = [&] {
    FileSystems systems;
    systems.add(folder.path());
    AtomicFile file(folder / "a");
    file.commit(Sync::kLater);
    systems.sync();
  };
  EXPECT_EQ(exit_code_without({SYS_fdatasync, SYS_fsync}, EIO, "", write_frame), 0);
  EXPECT_EQ(exit_code_without({SYS_syncfs}, EIO, ": cannot write: syncfs: Input/output error",
                              write_frame),
            1);
}

TEST(WriteFile, FindsFoldersWithoutRenamesBeforeWriting) {
  const TemporaryFolder folder;
  std::vector<std::uint32_t> calls = {SYS_renameat, SYS_renameat2, SYS_linkat};
#ifdef SYS_rename
  calls.insert(calls.end(), {SYS_rename, SYS_link});
#endif
  for (const OverwriteRule rule :
       {OverwriteRule::kFollow, OverwriteRule::kReplace, OverwriteRule::kRefuse}) {
    const auto check = [&] { check_renames(folder / "a", rule); };
    EXPECT_EQ(in_child([&] {
                check();
                return 0;
              }),
              0);
    for (const std::uint32_t error : {std::uint32_t{EPERM}, std::uint32_t{ENOSYS}}) {
      const int code = exit_code_without(calls, error, "write to a local folder and copy)", check);
      if (code == 77) GTEST_SKIP() << "system calls cannot be made to fail";
      EXPECT_EQ(code, 4);
    }
  }
  check_renames("/dev/null", OverwriteRule::kFollow);
  EXPECT_EQ(folder.count_files(), 0U);
}

TEST(WriteFile, KeepsAFileThatAppearsMeanwhile) {
  // The call that gives it its name, on each kind of system.
  const auto code_without = [](Without what) {
    const TemporaryFolder folder;
    return in_child([&] {
      if (what != Without::kNothing && !lose_system_calls(what)) return 77;
      return replaces_nothing(folder);
    });
  };
  EXPECT_EQ(code_without(Without::kNothing), 0);
  if (code_without(Without::kNameless) == 77) GTEST_SKIP() << "system calls cannot be disabled";
  EXPECT_EQ(code_without(Without::kNameless), 0);
  EXPECT_EQ(code_without(Without::kNamelessAndRename), 0);
  EXPECT_EQ(code_without(Without::kLinksOfNameless), 0);
}

TEST(WriteFile, ReplacedFileKeepsOwnerAndGroupIfPermitted) {
  if (getuid() != 0) GTEST_SKIP() << "only root may give files away";
  const TemporaryFolder folder;
  write_file_atomically(folder / "a", kOld);
  ASSERT_EQ(chown((folder / "a").c_str(), 1234, 2345), 0);
  write_file_atomically(folder / "a", kNew);
  struct stat status {};
  ASSERT_EQ(stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(status.st_gid, 2345U);

  // A user who may write the file, but not give one to its group: the group's rights end.
  ASSERT_EQ(chmod((folder / "a").c_str(), 0662), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  EXPECT_EQ(in_child([&] {
              if (setgid(3456) != 0 || setuid(4567) != 0) return 99;
              return exit_code_of_writing(folder / "a");
            }),
            0);
  ASSERT_EQ(stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 4567U);
  EXPECT_EQ(status.st_mode & 07777U, 0622U);
}

TEST(WriteFile, RejectsUnwritablePathsWithAReason) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", kOld);
  std::filesystem::create_directory(folder / "folder");
  const std::pair<std::string, const char*> paths[] = {
      {folder / "missing/a.png", "No such file or directory"},
      {folder / "file/a.png", "Not a directory"},
      {folder / "folder", "Is a directory"},
      {folder / "folder/", "Is a directory"},
      {folder / std::string(256, 'n'), "rename: File name too long"},
      {"", "Is a directory"},
  };
  for (const auto& [path, reason] : paths) {
    const Error error = error_of([&, p = path] { write_file_atomically(p, kNew); });
    EXPECT_EQ(error.exit_code(), ExitCode::kOutputRefused) << path;
    EXPECT_EQ(error.what(), path + ": cannot write: " + reason);
  }
  EXPECT_EQ(folder.count_files(), 2U);
}

TEST(WriteFile, RejectsFoldersAndFilesWithoutWritePermission) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::create_directory(folder / "open");
  write_bytes(folder / "open/read-only", kOld);
  ASSERT_EQ(chmod((folder / "closed").c_str(), 0555), 0);
  ASSERT_EQ(chmod((folder / "open").c_str(), 0777), 0);
  ASSERT_EQ(chmod((folder / "open/read-only").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  constexpr uid_t kNobody = 65534;
  const auto as_other_user = [&](const std::string& path) {
    return in_child([&] {
      if (getuid() == 0 && setuid(kNobody) != 0) return 99;  // root may write everywhere
      return exit_code_of_writing(path);
    });
  };
  EXPECT_EQ(as_other_user(folder / "closed/a.png"), 4);
  EXPECT_EQ(as_other_user(folder / "open/read-only"), 4);
  EXPECT_EQ(as_other_user(folder / "open/a.png"), 0);
  EXPECT_EQ(read_bytes(folder / "open/read-only"), kOld);
}

TEST(WriteFile, FailedWriteLeavesOnlyTheOldFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "old", kOld);
  for (const char* name : {"old", "new"}) {
    EXPECT_EQ(in_child([&] {
                // Writing fails with EFBIG half-way, as it does on a full disk with ENOSPC.
                std::signal(SIGXFSZ, SIG_IGN);
                const rlimit limit{50000, 50000};
                if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
                return exit_code_of_writing(folder / name);
              }),
              1);
  }
  EXPECT_EQ(read_bytes(folder / "old"), kOld);
  EXPECT_EQ(folder.count_files(), 1U);
}

TEST(WriteFile, DevicesGetTheBytesAndStayDevices) {
  write_file_atomically("/dev/null", kNew);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const Error error = error_of([] { write_file_atomically("/dev/full", kNew); });
  EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
  EXPECT_STREQ(error.what(), "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(WriteFile, PipesGetTheBytesAndAClosedPipeIsARuntimeFailure) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string path = "/dev/fd/" + std::to_string(ends[1]);
  write_file_atomically(path, kOld);
  std::vector<std::uint8_t> received(kOld.size());
  ASSERT_EQ(read(ends[0], received.data(), received.size()), static_cast<ssize_t>(received.size()));
  EXPECT_EQ(received, kOld);
  close(ends[0]);
  EXPECT_EQ(in_child([&] {
              std::signal(SIGPIPE, SIG_IGN);
              return exit_code_of_writing(path);
            }),
            1);
  close(ends[1]);
}

TEST(WriteFile, SignalHandlersCanRemoveTheTemporaryFile) {
  // The file-size limit raises SIGXFSZ in the middle of a write: a signal at the worst moment.
  const TemporaryFolder folder;
  const int exit_code = in_child([&] {
    std::signal(SIGXFSZ, [](int) {
      remove_temporary_files();
      _exit(130);
    });
    const rlimit limit{50000, 50000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
    return exit_code_of_writing(folder / "a.png");
  });
  EXPECT_EQ(exit_code, 130);
  EXPECT_EQ(folder.count_files(), 0U);
}

TEST(WriteFile, SignalWithoutAHandlerLeavesOnlyATemporaryFile) {
  // The counterpart of the previous test: a file must be removed at that moment.
  const TemporaryFolder folder;
  const int exit_code = in_child([&] {
    std::signal(SIGXFSZ, [](int) { _exit(130); });
    const rlimit limit{50000, 50000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
    return exit_code_of_writing(folder / "a.png");
  });
  EXPECT_EQ(exit_code, 130);
  EXPECT_EQ(folder.count_files(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
}

TEST(WriteFile, RemovingTemporaryFilesKeepsFinishedFiles) {
  const TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              for (int k = 0; k < 40; ++k) write_file_atomically(folder / std::to_string(k), kOld);
              remove_temporary_files();
              return 0;
            }),
            0);
  EXPECT_EQ(folder.count_files(), 40U);
}

TEST(WriteFile, MakesNoTemporaryFileDuringTheirRemoval) {
  const TemporaryFolder folder;
  for (int round = 0; round < 100; ++round) {
    EXPECT_EQ(in_child([&] {
                std::atomic<int> written{0};
                for (int k = 0; k < 4; ++k) {
                  std::thread([&, k] {
                    for (;; ++written) write_file_atomically(folder / std::to_string(k), {});
                  }).detach();
                }
                while (written < 8) std::this_thread::yield();
                remove_temporary_files();
                std::this_thread::sleep_for(std::chrono::milliseconds(2));  // enough to make some
                _exit(130);
                return 0;
              }),
              130);
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      ASSERT_EQ(entry.path().filename().string().size(), 1U) << entry.path() << ' ' << round;
  }
}

TEST(NewFolders, AreRemovedIfEmpty) {
  const TemporaryFolder folder;
  {
    const NewFolders first(folder / "first"), second(folder / "second/"), old(folder.path());
    write_file_atomically(folder / "second/a", kOld);
    EXPECT_TRUE(std::filesystem::is_directory(folder / "first"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "first"));
  EXPECT_TRUE(std::filesystem::exists(folder / "second/a"));
  const Error error = error_of([&] { const NewFolders none(folder / "second/a/b"); });
  EXPECT_EQ(error.exit_code(), ExitCode::kOutputRefused);
  EXPECT_EQ(in_child([&] {
              const NewFolders made(folder / "third");
              const AtomicFile file(folder / "third/a");
              remove_temporary_files();
              _exit(0);
              return 0;
            }),
            0);
  EXPECT_FALSE(std::filesystem::exists(folder / "third"));
}

TEST(NewFolders, AreMadeAndRemovedWithTheirParents) {
  const TemporaryFolder folder;
  {
    NewFolders made(folder / "a/b/c");
    made.add(folder / "a/b/d/");
    made.add(folder / "e/f");
    write_file_atomically(folder / "e/file", kOld);
    EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/c"));
    EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b/d"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_FALSE(std::filesystem::exists(folder / "e/f"));
  EXPECT_TRUE(std::filesystem::exists(folder / "e/file"));
  const std::string too_long = folder / ("g/h/" + std::string(256, 'n'));
  EXPECT_EQ(error_of([&] { const NewFolders none(too_long + "/i"); }).exit_code(),
            ExitCode::kOutputRefused);
  EXPECT_FALSE(std::filesystem::exists(folder / "g"));
  EXPECT_EQ(in_child([&] {
              const NewFolders killed(folder / "a/b/c");
              remove_temporary_files();
              _exit(0);
              return 0;
            }),
            0);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_EQ(in_child([&] {
              if (chdir(folder.path().c_str()) != 0) return 1;
              const NewFolders relative("x/y");
              return std::filesystem::is_directory("x/y") ? 0 : 2;
            }),
            0);
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

TEST(NewFolders, StayWhileAnotherProcessMayWrite) {
  const TemporaryFolder folder;
  std::filesystem::create_directory_symlink(folder / "a", folder / "link");
  auto made = std::make_unique<NewFolders>(folder / "a");
  auto other = std::make_unique<NewFolders>(folder / "link");
  made.reset();
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
  other.reset();  // and did not make it
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
  EXPECT_EQ(in_child([&] {
              const NewFolders killed(folder / "b"), goes_on(folder / "b");
              remove_temporary_files();
              _exit(std::filesystem::is_directory(folder / "b") ? 0 : 1);
              return 0;
            }),
            0);
}

TEST(WriteFile, IgnoresALeftoverTemporaryOfTheSameName) {
  const TemporaryFolder folder;
  EXPECT_EQ(in_child([&] {
              for (int k = 0; k < 50; ++k) {
                const std::string name =
                    ".roundel-" + std::to_string(getpid()) + "-" + std::to_string(k) + ".tmp";
                write_bytes(folder / name, kOld);
              }
              return exit_code_of_writing(folder / "a.png");
            }),
            0);
  EXPECT_EQ(read_bytes(folder / "a.png"), kNew);
}

}  // namespace
}  // namespace roundel
