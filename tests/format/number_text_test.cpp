#include "renderer/format/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace roundel {
namespace {

TEST(NumberText, ReadsDecimalNumbers) {
  EXPECT_EQ(parse_number("0").value, 0.0);
  EXPECT_EQ(parse_number("+1.5").value, 1.5);
  EXPECT_EQ(parse_number("-12.25e-2").value, -0.1225);
  EXPECT_EQ(parse_number(".5").value, 0.5);
  EXPECT_EQ(parse_number("5.").value, 5.0);
  EXPECT_EQ(parse_number("0.1").value, 0.1);
  EXPECT_EQ(parse_number("1E3").value, 1000.0);
  EXPECT_EQ(parse_number("1e308").value, 1e308);
  EXPECT_TRUE(std::signbit(*parse_number("-0").value));
}

TEST(NumberText, RejectsOtherTexts) {
  for (const std::string text :
       {"",      "+",      "-",      ".",    "e5",    "1e",    "1e+",      "1.2.3",
        "1,5",   "0x10",   "0o7",    "0b1",  "010",   "00",    "-01",      "1_000",
        "1e400", "-1e400", "1e-400", ".inf", "-.INF", ".nan",  "inf",      "nan",
        "1f",    " 1",     "1 ",     "--1",  "+-1",   "1e5.0", "12:30:00", "0x1p3"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_number(text).value.has_value());
  }
}

TEST(NumberText, IntegersHaveNeitherFractionNorExponent) {
  EXPECT_EQ(parse_integer("0").value, 0);
  EXPECT_EQ(parse_integer("+7").value, 7);
  EXPECT_EQ(parse_integer("-9223372036854775808").value, INT64_MIN);
  for (const std::string text : {"", "-", "1.0", "1e3", "010", "-00", "0x1", "1_0",
                                 "9223372036854775808", "1.", ".5", "1 "}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_integer(text).value.has_value());
  }
}

TEST(NumberText, LooksLikeANumberIfAReaderAcceptsIt) {
  for (const char* text :
       {"1", "-1", "+.5", "0x10", "010", "1.2.3", "1e", ".inf", "-.nan", "1_000"})
    EXPECT_TRUE(looks_like_number(text)) << text;
  for (const char* text : {"", "-", "+", ".", "..", "a1", "-a", ".a", "#112233", "true", "e5"})
    EXPECT_FALSE(looks_like_number(text)) << text;
}

}  // namespace
}  // namespace roundel
