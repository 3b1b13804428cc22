#include "renderer/base/text.h"

#include <gtest/gtest.h>

#include "renderer/base/lines.h"

namespace roundel {
namespace {

TEST(Text, QuotedShowsControlCharactersAndBrokenBytesAsNumbers) {
  EXPECT_EQ(roundel::quoted("a \"b\" c\\"), "\"a \\\"b\\\" c\\\\\"");
  EXPECT_EQ(roundel::quoted("\t\xC3\xBC\xFF"), "\"\\x09\xC3\xBC\\xff\"");
  EXPECT_EQ(roundel::quoted(std::string(61, 'x')), "\"" + std::string(60, 'x') + "…\"");
  EXPECT_EQ(roundel::quoted(std::string(60, 'x')), "\"" + std::string(60, 'x') + "\"");
}

TEST(Text, PrintableKeepsPlainText) {
  EXPECT_EQ(printable("a \"b\" \xC3\xBC"), "a \"b\" \xC3\xBC");
  EXPECT_EQ(printable("\x1b[31m\xC0\x80"), "\\x1b[31m\\xc0\\x80");
}

TEST(Text, PrintableShowsLineAndDirectionMarksAsNumbers) {
  EXPECT_EQ(printable("a\nb\r\x7F"), "a\\x0ab\\x0d\\x7f");
  EXPECT_EQ(printable("\u0085\u009B\u2028\u2029"),
            "\\xc2\\x85\\xc2\\x9b\\xe2\\x80\\xa8\\xe2\\x80\\xa9");
  for (const char* const turns : {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C",
                                  "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"})
    EXPECT_EQ(printable(turns).substr(0, 2), "\\x") << turns;
  for (const char* const stays : {"\u00A0", "\u061B", "\u2010", "\u202F", "\u2065", "\u206A"})
    EXPECT_EQ(printable(stays), stays);
}

TEST(Lines, AnyTextIsOneLine) {
  EXPECT_EQ((Lines("a\n") + "" + std::string("b\nc\n") + "\n").all(),
            (std::vector<std::string>{"a", "b\nc", ""}));
  EXPECT_TRUE(Lines("").empty());
  Lines lines = std::vector<std::string>{"a", "b"};
  lines += lines;
  EXPECT_EQ(lines.all(), (std::vector<std::string>{"a", "b", "a", "b"}));
}

TEST(Lines, CiCommandsAreEscaped) {
  EXPECT_EQ(printed_line("::error::a"), "\\x3a:error::a");
  EXPECT_EQ(printed_line(" \u00A0\u3000::error::a"), " \u00A0\u3000\\x3a:error::a");
  EXPECT_EQ(printed_line("a ::error::b: c"), "a ::error::b: c");
  EXPECT_EQ(printed_line(":a"), ":a");
  EXPECT_EQ(printed_line("a ##vso[task]b##[error]"), "a \\x23#vso[task]b\\x23#[error]");
  EXPECT_EQ(printed_line("###[x"), "#\\x23#[x");
  EXPECT_EQ(printed_line("out/####.png ##vso ## Title"), "out/####.png ##vso ## Title");
  EXPECT_EQ(printed_line(""), "");
}

TEST(Text, ShellWordsAreQuotedIfNeeded) {
  EXPECT_EQ(shell_word("a/b-1.png"), "a/b-1.png");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("a\x7f'\\n\n\xFF"), "$'a\\x7f\\'\\\\n\\x0a\\xff'");
}

TEST(Text, EscapedReplacesEachCharacterOnce) {
  EXPECT_EQ(escaped("a<&b", {{'&', "&amp;"}, {'<', "&lt;"}}), "a&lt;&amp;b");
  EXPECT_EQ(escaped("", {{'x', "y"}}), "");
}

TEST(Text, LowerCaseChangesLatinLettersOnly) {
  EXPECT_EQ(lower_case("AZ@[az 9 \xC3\x89"), "az@[az 9 \xC3\x89");
  EXPECT_EQ(lower_case(""), "");
}

TEST(Text, LargeNumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(18446744073709551615U), "18,446,744,073,709,551,615");
}

TEST(Text, NounsAreSingularOrPlural) {
  EXPECT_EQ(counted(0, "pixel"), "0 pixels");
  EXPECT_EQ(counted(1, "pixel"), "1 pixel");
  EXPECT_EQ(counted(1234, "pixel"), "1,234 pixels");
}

TEST(Text, FindsTheFirstByteThatIsNotText) {
  EXPECT_FALSE(find_non_text("a\tb\r\n\xF0\x9F\x98\x80"));
  EXPECT_EQ(find_non_text(std::string_view("ab\0", 3)), 2u);
  EXPECT_EQ(find_non_text("\xED\xA0\x80"), 0u);       // a surrogate
  EXPECT_EQ(find_non_text("a\xF4\x90\x80\x80"), 1u);  // beyond Unicode
  EXPECT_EQ(find_non_text("abc\xE2\x82"), 3u);        // cut off
  EXPECT_EQ(find_non_text("a\xC2\x9F"), 1u);          // control
  EXPECT_FALSE(find_non_text("\xC2\x85\xC2\xA0"));
  EXPECT_EQ(find_non_text("a\xEF\xBB\xBF"), 1u);  // a byte order mark
  EXPECT_EQ(find_non_text("\xEF\xBF\xBF"), 0u);
}

TEST(Text, Utf8DiffersFromOtherBytes) {
  EXPECT_TRUE(is_utf8(std::string_view("a\0\x7F\xC2\x85\xEF\xBB\xBF\xF0\x9F\x98\x80", 13)));
  EXPECT_FALSE(is_utf8("a\xFF"));
  EXPECT_FALSE(is_utf8("\xED\xA0\x80"));
}

TEST(Text, JsonForYamlShowsOtherCharactersAsNumbers) {
  EXPECT_EQ(json_for_yaml("{\"a\\n\":\n\t\"\xC3\xBC\xF0\x9F\x98\x80\"}"),
            "{\"a\\n\":\n\t\"\xC3\xBC\xF0\x9F\x98\x80\"}");
  EXPECT_EQ(json_for_yaml("\x7F\xC2\x85\xC2\x9F\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBF"),
            "\\u007f\\u0085\\u009f\\u2028\\ufeff\\uffff");
  EXPECT_EQ(json_for_yaml("\xEF\xBB\xBF{}"), "\xEF\xBB\xBF{}");
  EXPECT_EQ(json_for_yaml("\xFF"), "\xFF");  // the parser reports invalid UTF-8
}

TEST(Text, SuggestsOnlyForMisspellings) {
  const std::vector<std::string> names = {"width", "height", "background"};
  EXPECT_EQ(nearest_name("widht", names), "width");
  EXPECT_EQ(nearest_name("backgroud", names), "background");
  EXPECT_EQ(nearest_name("layers", names), std::nullopt);
  EXPECT_EQ(nearest_name("", names), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(41, 'h'), {std::string(42, 'h')}), std::nullopt);
  EXPECT_EQ(did_you_mean("heigth", names), " (did you mean \"height\"?)");
  EXPECT_EQ(did_you_mean("x", names), "");
}

TEST(Text, NamesAreJoinedWithCommasAndAnd) {
  EXPECT_EQ(join_names({}, "or", false), "");
  EXPECT_EQ(join_names({"a"}, "or", true), "\"a\"");
  EXPECT_EQ(join_names({"a", "b", "c"}, "or", false), "a, b or c");
}

TEST(Text, ListsNamesUpToALimit) {
  EXPECT_EQ(list_names({}), "there are none");
  EXPECT_EQ(list_names({"a\n"}), "there is a\\x0a");
  EXPECT_EQ(list_names({"a", "b"}), "there are a and b");
  std::vector<std::string> names(12, "x");
  EXPECT_EQ(list_names(names), "there are x, x, x, x, x, x, x, x, x, x, x and x");
  names.emplace_back("y");
  EXPECT_EQ(list_names(names), "there are x, x, x, x, x, x, x, x, x, x, x and 2 more");
}

TEST(Text, MemoryHasASuitableUnit) {
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  EXPECT_EQ(memory_text(kGiB / 2), "512.0 MiB");
  EXPECT_EQ(memory_text(64 * kGiB), "64.0 GiB");
  EXPECT_EQ(memory_text(1536 * kGiB), "1.5 TiB");
  EXPECT_EQ(memory_text(1e30), "more than a million TiB");
}

TEST(Text, WholeNumbersBeyondBinary64AreRounded) {
  for (const char* const digits :
       {"9007199254740993", "-9007199254740993", "+9007199254740993", "0009007199254740993",
        "18446744073709551615", "100000000000000000000001"})
    EXPECT_TRUE(is_rounded(digits, std::strtod(digits, nullptr))) << digits;
  for (const char* const digits :
       {"9007199254740992", "-9007199254740994", "0", "00", "-0", "9223372036854775808",
        "9007199254740993.0", "9.007199254740993e15", "", "-", "texts"})
    EXPECT_FALSE(is_rounded(digits, std::strtod(digits, nullptr))) << digits;
  EXPECT_EQ(rounding_text("-9007199254740993", -0x1p53),
            "-9007199254740993 is rounded to -9007199254740992, as whole numbers beyond 2^53 are "
            "compared in binary64");
}

}  // namespace
}  // namespace roundel
