#include "cli/write_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "analyzers/error.h"
#include "tests/support/temp_dir.h"

namespace torchport {
namespace {

using test::TempDir;

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::size_t entries(const TempDir& dir) {
  const std::filesystem::directory_iterator all(dir.path());
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

mode_t mode_of(const std::string& path) {
  struct stat state {};
  EXPECT_EQ(lstat(path.c_str(), &state), 0);
  return state.st_mode & 07777;
}

TEST(ReadFile, GivesTheBytes) {
  const TempDir dir;
  const std::string bytes("a\r\n\0b\xff", 6);
  dir.write("a", bytes);
  dir.write("empty", "");
  EXPECT_EQ(read_file(dir / "a"), bytes);
  EXPECT_EQ(read_file(dir / "empty"), "");
  EXPECT_EQ(read_file("/dev/null"), "");
}

TEST(ReadFile, FilesThatDoNotSayHowLargeTheyAre) {
  if (!std::filesystem::exists("/proc/self/status")) GTEST_SKIP() << "no /proc";
  EXPECT_NE(read_file("/proc/self/status").find("Pid:"), std::string::npos);
}

TEST(ReadFile, SaysWhatIsWrong) {
  const TempDir dir;
  EXPECT_EQ(error_of([&] { read_file(dir / "none"); }),
            dir / "none: cannot be read: No such file or directory; give a file that exists");
  EXPECT_EQ(error_of([&] { read_file(dir.path()); }), dir.path() + ": is a folder; give a file");
  dir.write("huge", "");
  std::filesystem::resize_file(dir / "huge", std::uintmax_t{1} << 31);
  EXPECT_EQ(error_of([&] { read_file(dir / "huge"); }), dir / "huge: holds 2 GiB or more; leave it out");
}

TEST(WriteFile, ReplacesTheBytesAndKeepsTheMode) {
  const TempDir dir;
  for (const mode_t mode : {0644, 0755, 0600, 0664, 04755}) {
    dir.write("a.py", "old\r\n");
    ASSERT_EQ(chmod((dir / "a.py").c_str(), mode), 0);
    write_file(dir / "a.py", "new\r\n", "old\r\n");
    EXPECT_EQ(dir.read("a.py"), "new\r\n");
    EXPECT_EQ(mode_of(dir / "a.py"), mode);
  }
  EXPECT_EQ(entries(dir), 1u);
}

TEST(WriteFile, KeepsTheOwnerWherePermitted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const TempDir dir;
  dir.write("a", "old");
  ASSERT_EQ(chown((dir / "a").c_str(), 12345, 54321), 0);
  ASSERT_EQ(chmod((dir / "a").c_str(), 0666), 0);
  write_file(dir / "a", "new", "old");
  struct stat state {};
  ASSERT_EQ(lstat((dir / "a").c_str(), &state), 0);
  EXPECT_EQ(state.st_uid, 12345u);
  EXPECT_EQ(state.st_gid, 54321u);
}

TEST(WriteFile, RefusesAFileThatHasChanged) {
  const TempDir dir;
  dir.write("a", "someone else's");
  EXPECT_EQ(error_of([&] { write_file(dir / "a", "new", "old"); }),
            dir / "a: has changed since it was read; run again");
  EXPECT_EQ(dir.read("a"), "someone else's");
  EXPECT_EQ(entries(dir), 1u);
}

TEST(WriteFile, RefusesReadOnlyFilesEvenForRoot) {
  const TempDir dir;
  dir.write("a", "old");
  ASSERT_EQ(chmod((dir / "a").c_str(), 0444), 0);
  EXPECT_EQ(error_of([&] { write_file(dir / "a", "new", "old"); }),
            dir / "a: is read-only; make it writable or leave it out");
  EXPECT_EQ(dir.read("a"), "old");
  EXPECT_EQ(entries(dir), 1u);
}

TEST(WriteFile, RefusesWhatIsNoRegularFile) {
  const TempDir dir;
  dir.write("a", "old");
  std::filesystem::create_symlink("a", dir / "link");
  ASSERT_EQ(mkfifo((dir / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { write_file(dir / "link", "new", "old"); }),
            dir / "link: is a symbolic link; give the file that it points to");
  EXPECT_EQ(error_of([&] { write_file(dir / "fifo", "new", "old"); }), dir / "fifo: is not a regular file");
  EXPECT_EQ(dir.read("a"), "old");
}

TEST(WriteFile, LeavesNothingBehindWhereWritingFails) {
  const TempDir dir;
  dir.write("a", "old");
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit low = {10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  const std::string error = error_of([&] { write_file(dir / "a", std::string(100, 'n'), "old"); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, dir / "a: cannot be written: File too large");
  EXPECT_EQ(dir.read("a"), "old");
  EXPECT_EQ(entries(dir), 1u);
}

TEST(WriteFile, MakesNoNewFile) {
  const TempDir dir;
  EXPECT_EQ(error_of([&] { write_file(dir / "a", "new", ""); }),
            dir / "a: cannot be written: No such file or directory; give a file that exists");
  EXPECT_EQ(entries(dir), 0u);
}

TEST(WriteFile, LeavesOtherHardLinksAsTheyWere) {
  const TempDir dir;
  dir.write("a", "old");
  std::filesystem::create_hard_link(dir / "a", dir / "b");
  write_file(dir / "a", "new", "old");
  EXPECT_EQ(dir.read("a"), "new");
  EXPECT_EQ(dir.read("b"), "old");
}

TEST(WriteFile, WorksWithTheLongestNames) {
  const TempDir dir;
  const std::string name(255, 'n');
  dir.write(name, "old");
  write_file(dir / name, "new", "old");
  EXPECT_EQ(dir.read(name), "new");
}

}  // namespace
}  // namespace torchport
