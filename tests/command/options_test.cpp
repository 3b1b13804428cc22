#include "tools/roundel/commands/export.h"

#include <gtest/gtest.h>

#include "renderer/base/error.h"
#include "tools/roundel/cli/guesses.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

/// Returns the message about a refused command line; empty if the command fails for a later reason.
std::string refusal(int (*run)(const Arguments&), const Arguments& arguments) {
  try {
    run(arguments);
    return "";
  } catch (const Error& error) {
    return error.exit_code() == ExitCode::kUsage ? error.what() : "";
  }
}

int parse_render(const Arguments& arguments) {
  RenderOptions options;
  return parse(arguments, options) ? 0 : 1;
}

std::string render_refusal(const Arguments& arguments) {
  return refusal(parse_render, arguments);
}

RenderOptions accepted(const Arguments& arguments) {
  RenderOptions options;
  EXPECT_TRUE(parse(arguments, options));
  return options;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Options, DefaultsMatchThePlainStruct) {
  const RenderOptions options = accepted({"a.yaml"});
  EXPECT_EQ(options.scenes, std::vector<std::string>{"a.yaml"});
  EXPECT_FALSE(options.output || options.scene.frame || options.scene.overrides.seed ||
               options.scene.overrides.width || options.overwrite);
  EXPECT_EQ(options.machine.backend, BackendChoice::kAuto);
  EXPECT_EQ(options.machine.raster.threads, 0);
  EXPECT_EQ(options.machine.raster.memory_budget, 0U);
  EXPECT_EQ(options.stats, StatsFormat::kNone);
  EXPECT_EQ(options.verbosity, Verbosity::kNormal);
}

TEST(Options, ValuesFollowAnEqualSignOrASpace) {
  for (const Arguments& arguments :
       {Arguments{"a.yaml", "--output=b.png", "--size=640x480", "--seed=4294967295", "--frame=7",
                  "--backend=cuda", "--device=2", "--threads=3", "--memory=2G", "-q"},
        Arguments{"-o", "b.png", "--size", "640x480", "--seed", "4294967295", "--frame", "7",
                  "--backend", "cuda", "--device", "2", "--threads", "3", "--memory", "2G",
                  "--quiet", "--", "a.yaml"}}) {
    const RenderOptions options = accepted(arguments);
    EXPECT_EQ(options.scenes, std::vector<std::string>{"a.yaml"});
    EXPECT_EQ(options.output, "b.png");
    EXPECT_EQ(options.scene.overrides.width, 640);
    EXPECT_EQ(options.scene.overrides.height, 480);
    EXPECT_EQ(options.scene.overrides.seed, 4294967295U);
    EXPECT_EQ(options.scene.frame, 7);
    EXPECT_EQ(options.machine.backend, BackendChoice::kCuda);
    EXPECT_EQ(options.machine.raster.device, 2);
    EXPECT_EQ(options.machine.raster.threads, 3);
    EXPECT_EQ(options.machine.raster.memory_budget, std::uint64_t{2} << 30);
    EXPECT_EQ(options.verbosity, Verbosity::kQuiet);
  }
}

TEST(Options, StatsLeaveTheNextArgument) {
  EXPECT_EQ(accepted({"--stats", "a.yaml"}).scenes, std::vector<std::string>{"a.yaml"});
  EXPECT_EQ(accepted({"--stats", "a.yaml"}).stats, StatsFormat::kTable);
  EXPECT_EQ(accepted({"--stats=table", "a.yaml"}).stats, StatsFormat::kTable);
  EXPECT_EQ(accepted({"--stats=json", "a.yaml"}).stats, StatsFormat::kJson);
  EXPECT_TRUE(contains(render_refusal({"--stats=xml", "a.yaml"}),
                       R"(--stats: expected table or json, got "xml")"));
}

TEST(Options, ShortOptionsCombineAndTheLastCounts) {
  const RenderOptions options = accepted({"-qvob.png", "a.yaml"});
  EXPECT_EQ(options.verbosity, Verbosity::kVerbose);
  EXPECT_EQ(options.output, "b.png");
  EXPECT_EQ(accepted({"a.yaml", "--seed", "1", "--seed", "2"}).scene.overrides.seed, 2U);
}

TEST(Options, VarsAreSetByNameAndValue) {
  const auto vars = accepted({"a.yaml", "--set", "a=1", "--set=b=[c=d]"}).scene.overrides.vars;
  ASSERT_EQ(vars.size(), 2U);
  EXPECT_EQ(vars[0].name + " " + vars[0].value, "a 1");
  EXPECT_EQ(vars[1].name + " " + vars[1].value, "b [c=d]");
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--set", "a"}), "--set: expected NAME=VALUE"));
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--set", "=1"}), "--set: expected NAME=VALUE"));
}

TEST(Options, TwoDashesEndTheOptions) {
  EXPECT_EQ(accepted({"-q", "--", "--seed", "-q"}).scenes,
            (std::vector<std::string>{"--seed", "-q"}));
}

TEST(Options, AllProblemsAreReportedTogether) {
  const std::string message = render_refusal(
      {"--size", "10x", "--sead", "3", "--threads=0", "--memory=9Q", "--backend", "gpu", "-o"});
  for (const char* part :
       {R"(--size: expected WIDTHxHEIGHT in pixels, 1..65536 each, such as 800x600, got "10x")",
        R"("--sead": unknown option (did you mean "--seed"?))",
        R"(--threads: expected a whole number of threads from 1 to 1024, got "0")",
        R"(--memory: expected)", R"(got "9Q")",
        R"(--backend: expected auto, cpu or cuda, got "gpu")",
        "--output: expected FILE after it"}) {
    EXPECT_TRUE(contains(message, part)) << part << "\nis not in\n" << message;
  }
}

TEST(Options, MissingArgumentIsReportedWithBadOptions) {
  const std::string message = render_refusal({"--seed=-1"});
  EXPECT_TRUE(contains(message, "expected SCENE..."));
  EXPECT_TRUE(contains(message, R"(got "-1")"));
}

TEST(Options, RejectsAbbreviatedNames) {
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--out=b.png"}), R"("--out": unknown option)"));
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--verb"}), R"("--verb": unknown option)"));
}

TEST(Options, ReportsEachUnknownShortOption) {
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "-qx"}), R"("-x": unknown option)"));
}

TEST(Options, SwitchesRejectValues) {
  const std::string message = render_refusal({"a.yaml", "--quiet=3", "--seed", "x"});
  EXPECT_TRUE(contains(message, "--quiet: takes no value"));
  EXPECT_TRUE(contains(message, "--seed: expected")) << message;
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--antialias=no"}),
                       "--antialias: takes no value; type --antialias or --no-antialias"));
}

TEST(Options, FrameRejectsAList) {
  for (const std::string list : {"all", "0-9", "1,3"})
    EXPECT_EQ(render_refusal({"a.yaml", "--frame", list}),
              "--frame: expected one frame, got \"" + list +
                  "\"; to draw several: roundel render SCENE --frames " + list);
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--frame", "1e"}),
                       "--frame: expected a whole number from"));
  EXPECT_EQ(accepted({"a.yaml", "--frame", "-3"}).scene.frame, -3);
}

TEST(Options, PixelAfterTheSceneSuggestsTheOption) {
  EXPECT_EQ(refusal(run_explain, {"a.yaml", "12", "34"}),
            "\"12\": expected one argument only; to explain a pixel: --pixel 12,34\n"
            "\"34\": expected one argument only");
  EXPECT_EQ(refusal(run_explain, {"a.yaml", "12,34"}),
            "\"12,34\": expected one argument only; to explain a pixel: --pixel 12,34");
  EXPECT_FALSE(contains(refusal(run_explain, {"a.yaml", "b.yaml"}), "--pixel"));
}

TEST(Options, MissingValuesAreReportedOneByOne) {
  const std::string message = render_refusal({"a.yaml", "--size=", "--seed="});
  EXPECT_TRUE(contains(message, "--size: expected WxH after it")) << message;
  EXPECT_TRUE(contains(message, "--seed: expected S after it")) << message;
}

TEST(Options, OptionalValuesAreMissingAfterTheirSignOnly) {
  EXPECT_TRUE(
      contains(refusal(run_accept, {"--prune="}), "--prune: expected --prune or --prune=NAME"));
  EXPECT_TRUE(
      contains(refusal(run_diff, {"a", "b", "--json="}), "--json: expected --json or --json=FILE"));
}

TEST(Options, NumbersAreStrict) {
  for (const char* text : {"", " 1", "1 ", "+1", "1.5", "1e3", "0x10", "one", "-1", "4294967296",
                           "99999999999999999999", "1,000"}) {
    EXPECT_TRUE(contains(render_refusal({"a.yaml", "--seed", text}),
                         "--seed: expected a whole number from 0 to 4294967295"))
        << text;
  }
  EXPECT_EQ(accepted({"a.yaml", "--seed", "010"}).scene.overrides.seed, 10U);
}

TEST(Options, SizesAreStrict) {
  for (const char* text : {"", "x", "10", "10x", "x10", "10X10", "10x10x10", "0x10", "10x-1",
                           "65537x1", "10 x 10", "1.5x2", "99999999999x1"}) {
    EXPECT_TRUE(
        contains(render_refusal({"a.yaml", "--size", text}), "--size: expected WIDTHxHEIGHT"))
        << text;
  }
  EXPECT_EQ(accepted({"a.yaml", "--size", "65536x1"}).scene.overrides.width, 65536);
}

TEST(Options, MemorySizesTakeBinaryUnits) {
  const std::pair<const char*, std::uint64_t> sizes[] = {{"1M", std::uint64_t{1} << 20},
                                                         {"2048K", std::uint64_t{2} << 20},
                                                         {"8G", std::uint64_t{8} << 30},
                                                         {"1T", std::uint64_t{1} << 40},
                                                         {"1048576", std::uint64_t{1} << 20}};
  for (const auto& [text, bytes] : sizes) {
    EXPECT_EQ(accepted({"a.yaml", "--memory", text}).machine.raster.memory_budget, bytes) << text;
  }
  for (const char* text : {"", "M", "1", "1023K", "1.5G", "-1G", "8GB", "8g", "99999999999T"}) {
    EXPECT_FALSE(render_refusal({"a.yaml", "--memory", text}).empty()) << text;
  }
}

TEST(Options, PicturesNeedAKnownExtension) {
  EXPECT_EQ(render_refusal({"a.yaml", "-o", "b.png"}), "");
  EXPECT_EQ(render_refusal({"a.yaml", "-o", "b.EXR"}), "");
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "-o", "b.jpg"}), "--output: "));
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "-o", ""}),
                       R"(--output: expected a file name ending in .png, .exr or .pfm)"));
}

TEST(Options, SeveralScenesNeedAFolder) {
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "b.yaml", "-o", "c.png"}),
                       "--output: expected a folder for 2 scenes"));
  EXPECT_EQ(render_refusal({"a.yaml", "b.yaml", "-o", "out/"}), "");
  EXPECT_EQ(render_refusal({"a.yaml", "b.yaml", "-o", "/"}), "");
}

TEST(Options, FramesAreNumbersAndRanges) {
  const auto frames = [](const char* text) {
    return accepted({"a.yaml", "--frames", text}).frames.list;
  };
  EXPECT_EQ(frames("3,1-2"), (FrameList{1, 2, 3}));
  EXPECT_EQ(frames("-2-1"), (FrameList{-2, -1, 0, 1}));  // not an option, in spite of its dash
  EXPECT_TRUE(accepted({"a.yaml", "--frames", "all"}).frames.all);
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--frames", "1,b"}),
                       R"(--frames: expected frames like 1-10,15,20-30x2, got "b")"));
}

TEST(Options, ParsesSequenceOptions) {
  const RenderOptions options = accepted({"a.yaml", "--frames=1-9", "--resume", "--shard=2/3",
                                          "--format=exr", "--progress=openjd", "--device=1,3"});
  EXPECT_TRUE(options.resume);
  EXPECT_EQ(options.shard, (Shard{2, 3}));
  EXPECT_EQ(options.format->picture, ImageFormat::kExr);
  EXPECT_EQ(options.progress, ProgressFormat::kOpenJd);
  EXPECT_EQ(options.machine.devices, (std::vector<int>{1, 3}));
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--frames=1", "--progress=fast"}),
                       "--progress: expected auto, none, bar, plain, json, openjd, deadline or "
                       "blender, got \"fast\""));
}

TEST(Options, ReportsConflictingSequenceOptions) {
  const std::pair<Arguments, const char*> cases[] = {
      {{"a.yaml", "--resume"}, "--resume: needs --frames or --each"},
      {{"a.yaml", "--shard=1/2"}, "--shard: needs --frames or --each"},
      {{"a.yaml", "--frames=1", "--frame=1"}, "--frame: expected --frame or --frames, got both"},
      {{"a.yaml", "b.yaml", "--frames=1", "-o", "o/"}, "--frames: expected one scene"},
      {{"a.yaml", "b.yaml", "--split-frame", "-o", "o/"}, "--split-frame: expected one scene"},
      {{"a.yaml", "b.yaml", "-o", "-", "--format=png"}, "--output: expected one scene"},
      {{"a.yaml", "-o", "a.png", "--format=exr"},
       R"(--output: "a.png" does not match --format exr)"},
      {{"a.yaml", "b.yaml", "-o", "a.exr", "--format=exr"}, "--output: expected a folder"},
      {{"a.yaml", "--frames=1", "-o", "a.png", "--format=y4m"},
       "--format: rawvideo and y4m go to standard output: -o -"},
      {{"a.yaml", "--frames=1", "-o", "-"}, "--output: standard output needs --format png"},
      {{"a.yaml", "-o", "-", "--format=y4m", "--pixel-format=rgba"},
       "--pixel-format: this one needs --format rawvideo"},
      {{"a.yaml", "-o", "-", "--format=y4m", "--stats=json"},
       "--stats: standard output has the pictures"},
      {{"a.yaml", "--frames=1", "-o", "-", "--format=png", "--resume"},
       "--resume: needs files, not standard output"}};
  for (const auto& [arguments, text] : cases) {
    const std::string message = render_refusal(arguments);
    EXPECT_TRUE(contains(message, text)) << text << "; got " << message;
  }
}

TEST(Options, VerifyNeedsFramesAndForAllAScene) {
  EXPECT_EQ(refusal(run_verify, {"/no/such/a_##.png", "--frames=1-3"}), "");
  EXPECT_EQ(refusal(run_verify, {"a_##.png", "--frames=all", "--scene=a.yaml"}), "");
  EXPECT_TRUE(
      contains(refusal(run_verify, {"a_##.png"}), "--frames: missing; write --frames 0-99"));
  EXPECT_TRUE(contains(refusal(run_verify, {"a_##.png", "--frames=all"}),
                       R"(--frames: "all" needs --scene)"));
  EXPECT_TRUE(contains(refusal(run_verify, {"a_##.png", "--frames=1", "--seed=2"}),
                       "--scene: needed by --size, --antialias, --no-antialias, --scale"));
}

TEST(Options, RejectsExtraArguments) {
  EXPECT_TRUE(contains(refusal(run_circles, {"a.yaml", "b.yaml", "-o", "c.npy"}),
                       R"("b.yaml": expected one argument only)"));
  EXPECT_TRUE(contains(refusal(run_selftest, {"a.yaml"}), R"("a.yaml": expected options only)"));
}

TEST(Options, SelftestTakesTheBestInstructionSetOrAll) {
  EXPECT_TRUE(contains(refusal(run_selftest, {"--vectors", "AVX2"}),
                       R"(--vectors: expected best or all, got "AVX2")"));
}

TEST(Options, CirclesNeedAnNpyFile) {
  EXPECT_TRUE(contains(refusal(run_circles, {"a.yaml"}), "--output: expected"));
  EXPECT_TRUE(contains(refusal(run_circles, {"a.yaml", "-o", "a.png"}),
                       R"(--output: expected a file name ending in .npy, got "a.png")"));
  EXPECT_EQ(refusal(run_circles, {"a.yaml", "-o", "a.npy"}), "");
}

TEST(Options, MessagesEscapeControlCharacters) {
  const std::string message = render_refusal({"a.yaml", "--seed", "\x1b[31mred\n"});
  EXPECT_FALSE(contains(message, "\x1b"));
  EXPECT_TRUE(contains(message, "\\x1b[31mred\\x0a"));
}

TEST(CommandLine, HelpListsAllDeclaredOptions) {
  CommandLine line("paint", "THING [OPTION...]", "Paints. Takes some time.");
  std::string colour;
  std::vector<std::string> things;
  bool wet = false;
  line.add_arguments("THING", 1, 1, things, "what to paint; a door");
  line.add_switch("wet", [&] { wet = true; }, {Group::kMachine, "leave it wet"});
  line.add_value("colour,c", "NAME", [&](const std::string& value) { colour = value; },
                 {Group::kPicture, "its colour; default: red"});
  line.add_note("Doors only.");
  line.set_usual({"colour"});
  line.set_examples({"roundel paint door -c red"});
  line.set_exit_codes("0 done; 1, 2 failed");
  line.set_guide("docs/paint.md");
  EXPECT_EQ(full_help(line.page()),
            "Usage: roundel paint THING [OPTION...]\n\nPaints. Takes some time.\n\n"
            "  THING                   what to paint; a door\n\nPicture:\n"
            "  -c, --colour NAME       its colour; default: red\n\nMachine:\n"
            "      --wet               leave it wet\n\nDoors only.\n\n"
            "Examples:\n  roundel paint door -c red\n\n"
            "Exit codes:\n  0         done\n  1, 2      failed\n\n"
            "Guide: docs/paint.md; scene files: docs/scenes.md (in share/doc/roundel)\n");
  EXPECT_EQ(short_help(line.page()),
            "Usage: roundel paint THING [OPTION...]\nPaints.\n\n"
            "  THING                   what to paint\n"
            "  -c, --colour NAME       its colour\n\n"
            "Examples:\n  roundel paint door -c red\n\nfull list: roundel paint --help\n");
  EXPECT_TRUE(line.parse({"-c", "red", "door", "--wet"}));
  EXPECT_EQ(colour, "red");
  EXPECT_TRUE(wet);
}

TEST(Guesses, SuggestOptionsForThoseOfOtherPrograms) {
  const std::vector<KnownOption> options = {
      {"size", "--size WxH"}, {"frame", "--frame N"}, {"threads", "--threads N"}};
  EXPECT_EQ(guess_option("--width", options), " (did you mean \"--size WxH\"?)");
  EXPECT_EQ(guess_option("-s", options), " (did you mean \"--size WxH\"?)");
  EXPECT_EQ(guess_option("-f", options), " (did you mean \"--frame N\"?)");
  EXPECT_EQ(guess_option("-j", options), " (did you mean \"--threads N\"?)");
  EXPECT_EQ(guess_option("--treads", options), " (did you mean \"--threads\"?)");
  EXPECT_EQ(guess_option("--width", {}), "");
  EXPECT_EQ(guess_option("--update", {{"goldens", "--goldens DIR"}}),
            " (did you mean \"roundel accept NAME\"?)");
}

TEST(Guesses, RecogniseMissingOrLateCommands) {
  const std::vector<std::string> commands = {"render", "diff", "info"};
  EXPECT_EQ(guess_command({"my scene.yaml", "-o", "a.png"}, commands),
            "; did you mean \"roundel render 'my scene.yaml' -o a.png\"?");
  EXPECT_EQ(guess_command({"a.png", "b.png"}, commands),
            "; did you mean \"roundel diff a.png b.png\"?");
  EXPECT_EQ(guess_command({"a.exr"}, commands), "; did you mean \"roundel info a.exr\"?");
  EXPECT_EQ(guess_command({"--verbose", "render", "a.yaml"}, commands),
            "; options follow the command: roundel render --verbose a.yaml");
  EXPECT_EQ(guess_command({"rendr"}, commands), " (did you mean \"render\"?)");
  EXPECT_EQ(guess_command({"--hepl"}, commands), " (did you mean \"--help\"?)");
}

TEST(Guesses, SuggestCommandsForThoseOfOtherPrograms) {
  EXPECT_EQ(guess_command({"compare", "a.png", "b.png"}, {"diff"}),
            "; did you mean \"roundel diff a.png b.png\"?");
  EXPECT_EQ(guess_command({"view", "a.yaml"}, {"render"}),
            "; did you mean \"roundel render a.yaml\"?");
  EXPECT_EQ(guess_command({"-v"}, {"render"}), "; did you mean \"roundel --version\"?");
  EXPECT_EQ(guess_command({"-v", "render", "a.yaml"}, {"render"}),
            "; options follow the command: roundel render -v a.yaml");
}

TEST(Options, AntialiasIsOnOffOrFromTheScene) {
  EXPECT_EQ(accepted({"a.yaml"}).scene.overrides.antialias, std::nullopt);
  EXPECT_EQ(accepted({"a.yaml", "--antialias"}).scene.overrides.antialias, true);
  EXPECT_EQ(accepted({"a.yaml", "--no-antialias"}).scene.overrides.antialias, false);
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "--antialias", "--no-antialias"}),
                       "--no-antialias: expected one of --antialias and --no-antialias"));
  EXPECT_TRUE(
      contains(refusal(run_diff, {"a.png", "b.png", "--antialias"}), "work only with --explain"));
  EXPECT_TRUE(contains(refusal(run_verify, {"a_##.png", "--frames=1", "--no-antialias"}),
                       "--scene: needed by --size, --antialias"));
}

TEST(Options, PictureAfterTheSceneSuggestsOutput) {
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "out.png"}),
                       R"("out.png": expected a scene; to write this file: -o out.png)"));
  EXPECT_TRUE(contains(render_refusal({"a.yaml", "film.mp4"}), "-o film.mp4"));
  EXPECT_EQ(render_refusal({"a.yaml", "scene.png", "-o", "out/"}), "");
  EXPECT_TRUE(contains(refusal(run_circles, {"a.yaml", "b.npy"}), "to write this file: -o b.npy"));
}

TEST(CommandLine, WrapsTextsAt80Columns) {
  const std::string words = "several words of text that go on and on until a line is full ";
  const std::string text = wrapped(words + words, 26);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80U);
    EXPECT_EQ(text.find_first_not_of(' ', begin) - begin, 26U);
    begin = end + 1;
  }
}

}  // namespace
}  // namespace roundel
