#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <cmath>
#include <csignal>
#include <random>
#include <string>
#include <vector>

#include "renderer/data/column_store.h"
#include "renderer/data/table.h"
#include "tests/data/table_values.h"
#include "tests/testing.h"

namespace roundel {
namespace {

class Csv : public testing::Test {
 protected:
  std::unique_ptr<Table> open(const std::string& text, const std::string& name = "a.csv") {
    return open_table(folder.write(name, text));
  }
  std::vector<double> values_of(const std::string& text) { return roundel::values_of(*open(text)); }
  std::vector<std::string> names_of(const std::string& text) {
    const auto table = open(text);
    std::vector<std::string> names;
    for (const TableColumn& column : table->columns()) names.push_back(column.name);
    return names;
  }
  std::vector<std::string> texts_of(const std::string& text, std::size_t column = 0) {
    const auto table = open(text);
    EXPECT_TRUE(table->columns().at(column).is_text);
    const TableRows rows = rows_of(*table, 0, table->rows());
    return {rows.texts(column).begin(), rows.texts(column).end()};
  }
  std::string problem(const std::string& text) {
    const std::string path = folder.write("a.csv", text);
    const std::string error = message_of([&] { open_table(path); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }
  TemporaryFolder folder;
};

using Names = std::vector<std::string>;
using Values = std::vector<double>;

TEST_F(Csv, ColumnsAreTextsIfThoseOfTheOtherTableAreTexts) {
  const auto first = open("x,kind\n1,a\n2,b\n", "first.csv");
  for (const std::string text : {"kind,x,y\n,1,3\n,2,4\n", "kind,x,y\n7,1,3\n007,2,4\n"}) {
    const std::string path = folder.write("a.csv", text);
    const auto alone = open_table(path), like = open_table(path, {"", first->columns()});
    EXPECT_FALSE(alone->columns()[0].is_text);
    EXPECT_TRUE(like->columns()[0].is_text);
    EXPECT_FALSE(like->columns()[1].is_text) << "numbers stay";
    EXPECT_FALSE(like->columns()[2].is_text) << "which the other has not";
    EXPECT_EQ(rows_of(*like, 1, 1).texts(0)[0], text.find("007") == text.npos ? "" : "007");
  }
  const auto unnamed = open("1,a\n2,b\n", "first.csv");
  EXPECT_TRUE(open_table(folder.write("a.csv", "1,\n2,\n"), {"", unnamed->columns()})
                  ->columns()[1]
                  .is_text);
}

TEST_F(Csv, SeparatorIsTheMostFrequentOfTheFirstLine) {
  for (const std::string text :
       {"x,y\n1,2\n3,4\n", "x;y\n1;2\n3;4", "x\ty\r\n1\t2\r\n3\t4\r\n", "x|y\n1|2\n3|4\n",
        "  x   y\n1 2  \n\t3\t 4\n", "x , y\n 1, 2\n3 ,4", "\xEF\xBB\xBFx,y\n1,2\n3,4\n"}) {
    EXPECT_EQ(names_of(text), (Names{"x", "y"})) << text;
    EXPECT_EQ(values_of(text), (Values{1, 2, 3, 4})) << text;
  }
  EXPECT_EQ(open("a,b c\n1,2 3\n", "a.tsv")->columns().size(), 1u) << "a .tsv has tabs";
}

TEST_F(Csv, RecognizesAHeader) {
  EXPECT_EQ(names_of("1,2\n3,4\n"), (Names{"", ""}));
  EXPECT_EQ(names_of("gene,2010\nb,2\n"), (Names{"", ""})) << "alike";
  EXPECT_EQ(names_of("gene,2010,x\nb,2,3\n"), (Names{"gene", "2010", "x"})) << "x above a number";
  EXPECT_EQ(names_of("a,b\nc,d\n"), (Names{"a", "b"}));
  EXPECT_EQ(names_of("\"\",\"a \"\"b\"\"\"\n1,2\n"), (Names{"", "a \"b\""}));
  EXPECT_EQ(names_of("x y\na 1 2\n"), (Names{"", "x", "y"})) << "as R writes row names";
  EXPECT_EQ(names_of("x,y\n\"1\",1,2\n"), (Names{"", "x", "y"})) << "the same";
  EXPECT_EQ(names_of("\"x\" \"y z\"\n\"1\" 1 2\n"), (Names{"", "x", "y z"}))
      << "write.table's default";
  EXPECT_EQ(names_of(" \"x\" \"y \"\"z\"\"\" \n1 2\n"), (Names{"x", "y \"z\""}));
  EXPECT_EQ(names_of("\"pos\" (m)\n1\n").size(), 1u);
  EXPECT_EQ(names_of("height in 5\" units\n1\n").size(), 1u);
  EXPECT_EQ(names_of("\"my x\"\n1\n"), Names{"my x"});
  EXPECT_EQ(open("x,y\n")->rows(), 0u);
  EXPECT_EQ(open("x,y")->columns().size(), 2u);
  EXPECT_EQ(open("1,2")->rows(), 1u);
}

TEST_F(Csv, ReadsNumbersInAllNotations) {
  const Values values = values_of(
      "1\n-2.5\n+3e2\n.5\n5.\n1E-3\n0.1\n1e999\n-1e999\n1e-999\n-inf\n\"7\"\n 8 "
      "\n123456789012345678\n");
  EXPECT_EQ(values, (Values{1, -2.5, 300, .5, 5, 1e-3, .1, INFINITY, -INFINITY, 0, -INFINITY, 7, 8,
                            123456789012345680}));
}

TEST_F(Csv, ShortestNumbersRoundTrip) {
  std::mt19937_64 random(1);
  std::string text;
  Values expected;
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    expected.push_back(value);
    char digits[40];
    std::snprintf(digits, sizeof(digits), "%.17g\n", value);
    text += digits;
  }
  EXPECT_EQ(values_of(text), expected);
}

TEST_F(Csv, MissingValuesAreNan) {
  const auto table = open("x,y\n,1\nNA,2\nnan,3\n  ,NULL\nN/A,\n7,\"\"\n");
  const TableRows rows = rows_of(*table, 0, 6);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(std::isnan(rows.numbers(0)[i])) << i;
  EXPECT_EQ(rows.numbers(0)[5], 7);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_TRUE(std::isnan(rows.numbers(1)[i])) << i;
}

TEST_F(Csv, ColumnWithOneTextIsTexts) {
  const auto table = open("x,kind\n1,2\n2,\n3, b c \n4,\"a, \"\"b\"\"\n c\"\n5,6\n");
  EXPECT_FALSE(table->columns()[0].is_text);
  ASSERT_TRUE(table->columns()[1].is_text);
  EXPECT_EQ(table->columns()[1].first_text, 2u);
  const TableRows rows = rows_of(*table, 0, table->rows());
  const auto texts = rows.texts(1);
  EXPECT_EQ((Names{texts.begin(), texts.end()}), (Names{"2", "", "b c", "a, \"b\"\n c", "6"}));
  EXPECT_EQ(rows.numbers(0)[4], 5);
  EXPECT_EQ(table->place_of(3, 1), "line 5: column kind");
  EXPECT_EQ(table->place_of(4, 0), "line 7: column x") << "the row before has two lines";
}

TEST_F(Csv, TextsThatLookLikeNumbersAreTexts) {
  for (const std::string field : {"1.2.3", "1e", "1e+", ".", "-", "+-1", "0x10", "1_000", "1 2",
                                  "e5", "--1", "1,5", "12a", "TRUE", "Nan1"})
    EXPECT_EQ(texts_of("x;y\n" + field + ";1\n"), Names{field}) << field;
}

TEST_F(Csv, QuotesWithinAFieldAreLiteral) {
  EXPECT_EQ(texts_of("a,b\n5\" disk,1\n\"x\" y,2\n"), (Names{"5\" disk", "x y"}));
}

TEST_F(Csv, SkipsCommentsAndEmptyLines) {
  const auto table = open("# made by\n\n#x,y,z\nx,y\n# a \"quote\n1,2\n \t \r\n3,4\n#5,6\n");
  EXPECT_EQ(roundel::values_of(*table), (Values{1, 2, 3, 4}));
  EXPECT_EQ(table->place_of(0, 1), "line 6: column y");
  EXPECT_EQ(table->place_of(1, 1), "line 8: column y");
}

TEST_F(Csv, CountsCommentsAndReportsCommentedRows) {
  const auto table = open("# a,b\nx,y\n# m,s\n1,2\n#3,4\n\n# a, \"b, c\"\n5,6\n# note\n");
  EXPECT_EQ(table->comments(), 4u);
  EXPECT_EQ(table->comments_like_rows(),
            table->path() +
                ": 2 lines like rows that begin with # are skipped as comments, first line 5; "
                "quote a field that begins with #, as \"#1\"");
  EXPECT_EQ(open("x,y\n# m,s\n1,2\n# note\n")->comments_like_rows(), "");
  EXPECT_EQ(open("x\n1\n# note\n2\n")->comments_like_rows(), "") << "any text is one field";
  EXPECT_EQ(texts_of("id,x\n\"#1\",1\n\"#2\",2\n"), (Names{"#1", "#2"}));
  // Over many blocks, each of which counts its own rows.
  std::string text = "x y z\n1 2 3\n";
  for (int i = 0; i < 100'000; ++i) text += i % 1000 == 999 ? "#1 2  3\n" : "1 2 3\n# none\n";
  const auto large = open(text);
  EXPECT_EQ(large->comments(), 100'000u);
  EXPECT_TRUE(large->comments_like_rows().starts_with(
      large->path() +
      ": 100 lines like rows that begin with # are skipped as comments, first line "
      "2001; "))
      << large->comments_like_rows();
}

TEST_F(Csv, ExplainsNamesOutsideAHeader) {
  const auto table = open("# x y v\n1 2 3\n4 5 6\n");
  EXPECT_EQ(missing_column_text(*table, "x"),
            table->path() +
                " has no column \"x\"; its 3 columns have no names; remove the # before the "
                "header, as numpy.savetxt(..., comments=\"\") does");
  EXPECT_EQ(missing_column_text(*open("1 2 3\n4 5 6\n"), "x"),
            table->path() + " has no column \"x\"; its 3 columns have no names");
  EXPECT_EQ(problem("sep=;\r\nx;y\n1;2\n"),
            "line 1: \"sep=;\" is for Excel, not a header: remove this line");
}

TEST_F(Csv, QuotesTheFirstTextOfAColumn) {
  const auto table = open("x,y,z,v\n1,1.5,a,1e3\n2,\"1,5\",b,--\n,NA,,50%\n");
  const auto error_of_text = [&](std::size_t column) { return describe_texts(*table, column); };
  EXPECT_EQ(error_of_text(1),
            "holds texts, first in line 3: \"1,5\"; write 1.5 with a decimal point");
  EXPECT_EQ(
      error_of_text(2),
      "holds texts, first in line 2: \"a\"; write missing numbers as empty fields, NA or nan");
  EXPECT_EQ(
      error_of_text(3),
      "holds texts, first in line 3: \"--\"; write missing numbers as empty fields, NA or nan");
}

TEST_F(Csv, ColourAtTheStartOfALineIsAValue) {
  EXPECT_EQ(texts_of("color,x\n#ff0000,1\n#00ff00,2\n#abcdefg,3\n"), (Names{"#ff0000", "#00ff00"}));
  EXPECT_EQ(texts_of("color\n#ff0000\n#00FF00"), (Names{"#ff0000", "#00FF00"}));
}

TEST_F(Csv, ReadsColumnsRepeatedlyAndInAnyOrder) {
  const auto table = open("1,a,3\n4,b,6\n");
  const std::size_t columns[] = {2, 1, 0, 2, 1};
  TableRows rows;
  table->read(columns, 1, 1, rows);
  EXPECT_EQ(rows.numbers(0)[0], 6);
  EXPECT_EQ(rows.texts(1)[0], "b");
  EXPECT_EQ(rows.numbers(2)[0], 4);
  EXPECT_EQ(rows.numbers(3)[0], 6);
  EXPECT_EQ(rows.texts(4)[0], "b");
}

/// Opens the table of a text in memory and in a temporary file.
constexpr std::uint64_t kLittleMemory = 100'000;

TEST_F(Csv, ColumnsBeyondTheMemoryGoToATemporaryFile) {
  std::string text = "n,text\n";
  Names texts;
  for (int i = 0; i < 60'000; ++i) {
    texts.push_back(std::string(static_cast<std::size_t>(i % 9), 'a'));
    text += std::to_string(i) + "," + texts.back() + "\n";
  }
  const std::string path = folder.write("a.csv", text);
  const auto in_memory = open_table(path), in_file = open_table(path, {.memory = kLittleMemory});
  EXPECT_FALSE(in_memory->has_temporary_file());
  EXPECT_GT(in_memory->memory_bytes(), texts.size() * sizeof(double));
  EXPECT_TRUE(in_file->has_temporary_file());
  EXPECT_EQ(in_file->memory_bytes_within(1'000'000'000), in_memory->memory_bytes());
  EXPECT_EQ(in_memory->memory_bytes_within(0), in_file->memory_bytes());
  EXPECT_LT(in_file->memory_bytes(), 10'000u);
  EXPECT_EQ(in_memory->content_hash(), in_file->content_hash());
  for (const auto& table : {in_memory.get(), in_file.get()}) {
    const TableRows rows = rows_of(*table, 5, texts.size() - 5);
    for (std::size_t i = 5; i < texts.size(); ++i) {
      ASSERT_EQ(rows.numbers(0)[i - 5], static_cast<double>(i));
      ASSERT_EQ(rows.texts(1)[i - 5], texts[i]);
    }
  }
}

TEST_F(Csv, FullDiskErrorNamesMemoryAndTmpdir) {
  std::string text = "n\n";
  for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + "\n";
  const std::string path = folder.write("a.csv", text);
  const rlimit limit = [] {
    rlimit of_files{};
    getrlimit(RLIMIT_FSIZE, &of_files);
    return of_files;
  }();
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 16, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error =
      message_of([&] { open_table(path, {.memory = kLittleMemory}); }, ExitCode::kRuntimeFailure);
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(error.starts_with(path + ": cannot write its columns to a temporary file in "))
      << error;
  EXPECT_TRUE(
      error.ends_with(": File too large; set TMPDIR to a folder with more space, or give "
                      "more --memory"))
      << error;
}

TEST_F(Csv, TemporaryFileIsOnDisk) {
  struct statfs status {};
  if (statfs("/dev/shm", &status) != 0 || status.f_type != TMPFS_MAGIC)
    GTEST_SKIP() << "needs /dev/shm in memory";
  ASSERT_EQ(setenv("TMPDIR", "/dev/shm", 1), 0);
  ColumnStore store("a.csv", 0);
  store.add(Buffer<std::byte>(10));
  unsetenv("TMPDIR");
  EXPECT_EQ(store.folder(), "/var/tmp");
}

TEST_F(Csv, KeepsUsedColumnsOnly) {
  const std::string path =
      folder.write("a.csv", "name,x,unused,y\n" + std::string(200'000, 'a') + ",1,b,2\nc,3,4,5\n");
  const auto table = open_table(path, {.used = UsedColumns{{"x"}, {3}}});
  EXPECT_LT(table->memory_bytes(), 1000u);
  const std::size_t columns[] = {3, 1};
  TableRows rows;
  table->read(columns, 0, 2, rows);
  EXPECT_EQ(rows.numbers(0)[1], 5);
  EXPECT_EQ(rows.numbers(1)[0], 1);
}

TEST_F(Csv, LateTextsMakeAllNumbersTexts) {
  std::string text = "x,chromosome\n";
  for (int i = 0; i < 200'000; ++i)
    text += std::to_string(i) + ",0" + std::to_string(i % 22) + "\n";
  const auto table = open(text + "7,X\n");
  ASSERT_TRUE(table->columns()[1].is_text);
  EXPECT_EQ(table->columns()[1].first_text, 200'000u);
  const TableRows rows = rows_of(*table, 0, table->rows());
  EXPECT_EQ(rows.texts(1)[0], "00");
  EXPECT_EQ(rows.texts(1)[199'999], "019");
  EXPECT_EQ(rows.texts(1)[200'000], "X");
  EXPECT_EQ(rows.numbers(0)[199'999], 199'999);
}

/// A table over many blocks, with all kinds of line contents at random places: any part reads as it
/// was written.
TEST_F(Csv, ReadsAnyRunOfRowsOfLongFiles) {
  if (kThreadSanitized) GTEST_SKIP() << "reads megabytes of text";
  std::mt19937 random(7);
  for (const bool is_quoted : {false, true}) {
    std::string text = "n,text,half\n";
    Names texts;
    std::vector<std::uint64_t> lines;
    std::uint64_t line = 2;
    for (int i = 0; i < 60'000; ++i) {
      for (; random() % 50 == 0; ++line) text += random() % 2 == 0 ? "# \"comment\n" : "\r\n";
      lines.push_back(line++);
      std::string value(random() % (random() % 1000 == 0 ? 3000 : 40), 'a');
      std::string written = value;
      if (is_quoted && random() % 3 == 0) {
        value += ",\n\"1,2";
        written = "\"" + written + ",\n\"\"1,2\"";
        ++line;
      }
      texts.push_back(value);
      text += std::to_string(i) + "," + written + "," + std::to_string(i) + ".5" +
              (random() % 2 == 0 ? "\n" : "\r\n");
    }
    if (is_quoted) texts[0] = texts[0];
    const auto table = open_table(folder.write("a.csv", text),
                                  {.memory = is_quoted ? kLittleMemory : std::uint64_t{1} << 30});
    ASSERT_EQ(table->rows(), texts.size());
    ASSERT_GT(text.size(), 4u << 18) << "several blocks";
    TableRows rows;
    const std::size_t columns[] = {0, 1, 2};
    for (int round = 0; round < (kSanitized ? 40 : 200); ++round) {
      const std::uint64_t first = round == 0 ? 0 : random() % table->rows();
      const std::uint64_t count =
          round == 0 ? table->rows()
                     : random() % std::min<std::uint64_t>(20'000, table->rows() - first);
      table->read(columns, first, count, rows);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(rows.numbers(0)[i], static_cast<double>(first + i));
        ASSERT_EQ(rows.texts(1)[i], texts[first + i]);
        ASSERT_EQ(rows.numbers(2)[i], static_cast<double>(first + i) + .5);
      }
      ASSERT_EQ(table->place_of(first, 0), "line " + std::to_string(lines[first]) + ": column n");
    }
  }
}

/// Fields and comments longer than the window on the file, in used and unused columns.
TEST_F(Csv, ReadsLongFieldsOverManyWindows) {
  if (kThreadSanitized) GTEST_SKIP() << "reads megabytes of text";
  constexpr std::uint64_t kRows = kSanitized ? 20 : 40;
  for (const bool is_quoted : {false, true}) {
    std::string text = "long,x,longer,y\n";
    Names long_texts, longer_texts;
    for (std::uint64_t i = 0; i < kRows; ++i) {
      if (i % 5 == 1) text += "#" + std::string(700'000, 'c') + "\n\n";
      long_texts.push_back(std::string(i * 30'011, 'a') + "b");
      longer_texts.push_back(std::string(i % 3 * 500'000, 'c') + "d");
      const std::string quote = is_quoted ? "\"" : "";
      text += quote + long_texts.back() + quote + "," + std::to_string(i) + "," + quote +
              longer_texts.back() + (is_quoted ? "\n" : "") + quote + "," + std::to_string(2 * i) +
              "\n";
      if (is_quoted) longer_texts.back() += "\n";
    }
    const auto table = open(text);
    ASSERT_EQ(table->rows(), kRows);
    const std::vector<std::vector<std::size_t>> choices = {{0, 1, 2, 3}, {1, 3}, {3}, {2}};
    for (const std::vector<std::size_t>& columns : choices) {
      for (const std::uint64_t first : {0u, 17u}) {
        TableRows rows;
        table->read(columns, first, kRows - first, rows);
        for (std::size_t k = 0; k < columns.size(); ++k)
          for (std::uint64_t i = first; i < kRows; ++i) {
            if (columns[k] % 2 == 0)
              ASSERT_EQ(rows.texts(k)[i - first], (columns[k] == 0 ? long_texts : longer_texts)[i]);
            else
              ASSERT_EQ(rows.numbers(k)[i - first],
                        static_cast<double>(columns[k] == 1 ? i : 2 * i));
          }
        const bool has_texts = columns.size() == 4 || columns[0] == 2;
        if (!has_texts) {
          EXPECT_LT(rows.memory_bytes(), 600'000u) << "what is not wanted is only passed by";
        }
      }
    }
  }
}

TEST_F(Csv, LongNumbersAreTexts) {
  const std::string digits(200'000, '0');
  EXPECT_EQ(texts_of("name,x\na,1\n" + digits + ",2\n"), (Names{"a", digits}));
  EXPECT_EQ(problem(std::string(70'000, 'x') + ",y\n1,2\n"),
            "line 1: the name of column 0 (counted from 0) is too long (at most 65536 bytes)");
}

TEST_F(Csv, ReportsRowsOfAnotherLengthWithTheirLine) {
  EXPECT_EQ(problem("x,y\n1,2\n\n3\n"), "line 4: expected 2 fields, got 1");
  EXPECT_EQ(problem("x,y\n1,2\n3,4,5"), "line 3: expected 2 fields, got 3");
  EXPECT_EQ(problem("x,y\n1,2,3\n4,5,6\n"), "line 2: expected 2 fields, got 3");
  EXPECT_EQ(problem("x,y\na,2,\nb,4,\n"), "line 2: expected 2 fields, got 3") << "commas behind";
  std::string text = "x,y\n";
  for (int i = 0; i < 300'000; ++i) text += "1,2\n";
  EXPECT_EQ(problem(text + "3\n4\n"), "line 300002: expected 2 fields, got 1");
}

TEST_F(Csv, LongLinesMayHaveACarriageReturnInQuotes) {
  const auto table = open("\"a\rb\"," + std::string(5000, 'c') + "\n1,2\n");
  EXPECT_EQ(table->columns().at(0).name, "a\rb");
  EXPECT_EQ(table->rows(), 1U);
}

TEST_F(Csv, RejectsOtherFiles) {
  EXPECT_EQ(problem(""), "expected a line of fields, got none");
  EXPECT_EQ(problem("# only\n\n"), "expected a line of fields, got none");
  EXPECT_EQ(problem("x,x\n1,2\n"), "columns 0 and 1 (counted from 0) are both named \"x\"");
  EXPECT_EQ(problem("x\n\"a\n1\n2\n"),
            "line 2: the file ends within quotes that begin in this row");
  EXPECT_EQ(problem(std::string("x\n\0\n", 4)), "expected a text, got zero bytes");
  EXPECT_EQ(problem("\xFF\xFEx"), "expected a text in UTF-8, got UTF-16");
  EXPECT_EQ(problem("x,y\r1,2\r"),
            "expected lines that end with a line feed, got carriage returns alone");
  EXPECT_EQ(
      problem("PAR1"),
      "Parquet is read from Python only, with roundel.Scene.add(); or write it as .npz or .csv");
  EXPECT_EQ(problem("x\n1\n" + std::string(17 << 20, '1') + "\n2\n"),
            "line 3: a row is too long (at most 16777216 bytes)");
  EXPECT_EQ(problem("x\n1\n\"" + std::string(17 << 20, '\n') + "\"\n2\n"),
            "line 3: a row is too long (at most 16777216 bytes)");
  EXPECT_EQ(problem(std::string(40 << 20, ' ')),
            "line 1: a row is too long (at most 16777216 bytes)");
  EXPECT_EQ(problem(std::string(70'000, ',')), "line 1: more than 65536 columns");
}

TEST_F(Csv, RejectsAFileThatChangesWhileReading) {
  std::string text = "x,y\n";
  for (int i = 0; i < 300'000; ++i) text += "1,2\n";
  const auto table = open(text);
  const auto check = [&] { table->check_unchanged(); };
  std::filesystem::resize_file(folder / "a.csv", 1000);
  EXPECT_EQ(message_of(check, ExitCode::kRuntimeFailure),
            table->path() + ": has changed while it was read");
  folder.write("a.csv", std::string(text.size(), '\n'));
  EXPECT_EQ(message_of([&] { table->content_hash(); }, ExitCode::kRuntimeFailure),
            table->path() + ": has changed while it was read");
  EXPECT_EQ(rows_of(*table, 200'000, 10).numbers(1)[0], 2) << "what was read stays";
}

}  // namespace
}  // namespace roundel
