#include "truewatt/store/profile_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "truewatt/base/enum_table.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

const SourceId kProfiledSource{SourceKind::power_instant, Scope::gpu};
const SourceId kModule{SourceKind::energy_counter, Scope::module};

Profile example_profile() {
  Profile profile;
  profile.device = {0, "NVIDIA \"H200\" grün", "GPU-1/2", "00000000:1B:00.0", "580.65"};
  profile.created = "2026-11-21T02:57:37.123Z";
  profile.duration_s = 1.0 / 3.0;
  profile.recommended_source = kModule;
  SourceProfile full;
  full.source = kModule;
  full.update_period_s = Interval{0.1, 0.0999, 0.1001, 0.95};
  full.averaging_window_s = Interval{0.025, 0.02, 0.03, 0.9};
  full.time_constant_s = Interval{5e-324, -0.0, 1.7976931348623157e308, 0.95};
  full.delay_s = Interval{-0.001, -0.002, 0.1 + 0.2, 0.95};
  full.rise_time_s = Interval{0, 0, 0, 0.5};
  full.fitted = FittedModel{.averaging_window_s = {0.025, 0.02, 0.03, 0.95},
                            .time_constant_s = {0.01, 0.0, 0.02, 0.95},
                            .age_s = {0.04, 0.03, 0.05, 0.95},
                            .jitter_s = 0.00025,
                            .board = {{{{0.6, 0.5, 0.7, 0.95}, {0.02, 0.01, 0.03, 0.95}},
                                       {{-0.1, -0.2, 0.0, 0.95}, {0.2, 0.1, 0.3, 0.95}}}}};
  full.response = ResponseClass::exponential;
  full.duty = 0.25;
  full.quantum = 0.001;
  full.gain = Interval{0.95, 0.94, 0.96, 0.95};
  full.offset_w = Interval{-3, -4, -2, 0.95};
  full.catalogue = CatalogueMatch{"1", false};
  full.scopes = ScopeFinding{.cpu_response_w = Interval{220, 219, 221, 0.95},
                             .gpu_response_w = Interval{510, 508, 513, 0.95},
                             .alias_of = kProfiledSource};
  profile.steadiness =
      Steadiness{.warm_up_s = 7.5,
                 .source = kProfiledSource,
                 .idle_drift_w_per_s = Interval{0.01, -0.01, 0.03, 0.95},
                 .temperature_end_c = 61.0,
                 .reasons = {SteadinessReason::not_steady, SteadinessReason::temperature_unknown}};
  full.verdict = SourceVerdict::part_time;
  full.reasons = {ProfileReason::uncalibrated_gain,
                  Coded<ProfileReason>::read("odd \\ \"reason\"\n", parse_profile_reason)};
  profile.sources = {full, SourceProfile{.source = kProfiledSource}};
  SourceProfile host{.source = {SourceKind::power_average, Scope::memory}, .duty = 0.5};
  profile.host = {{{0, "Grace socket 0 (hwmon)", "HOST-grace-0", "", "power_meter"}, {host}}};
  return profile;
}

Calibration example_calibration() {
  Calibration calibration;
  calibration.device = example_profile().device;
  calibration.source = kModule;
  calibration.gain = {0.9512, 0.95, 0.9525, 0.95};
  calibration.offset_w = {-1.5, -2, -1, 0.95};
  calibration.r_squared = 0.99999999999999989;
  calibration.meter = "PMD2";
  calibration.created = "2026-11-21T02:57:37.123Z";
  calibration.levels = {{60.1, 64.6}, {251.0, 265.3}};
  calibration.terms = {{"scatter", 'A', 0.001, 0.2}, {"meter_scale", 'B', 0.006, 0.0}};
  calibration.reasons = {CalibrationReason::no_repetitions,
                         Coded<CalibrationReason>::read("dreaming", parse_calibration_reason)};
  return calibration;
}

void expect_equal(const std::optional<Interval>& a, const std::optional<Interval>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->value, b->value);
  EXPECT_EQ(a->lower, b->lower);
  EXPECT_EQ(a->upper, b->upper);
  EXPECT_EQ(a->level, b->level);
}

void expect_equal(const SourceProfile& a, const SourceProfile& b) {
  EXPECT_EQ(a.source, b.source);
  expect_equal(a.update_period_s, b.update_period_s);
  expect_equal(a.averaging_window_s, b.averaging_window_s);
  expect_equal(a.time_constant_s, b.time_constant_s);
  expect_equal(a.delay_s, b.delay_s);
  expect_equal(a.rise_time_s, b.rise_time_s);
  ASSERT_EQ(a.fitted.has_value(), b.fitted.has_value());
  if (a.fitted) {
    expect_equal(a.fitted->age_s, b.fitted->age_s);
    EXPECT_EQ(a.fitted->jitter_s, b.fitted->jitter_s);
    ASSERT_EQ(a.fitted->board.has_value(), b.fitted->board.has_value());
    ASSERT_EQ(a.fitted->board->size(), b.fitted->board->size());
    for (std::size_t i = 0; i < a.fitted->board->size(); ++i) {
      expect_equal((*a.fitted->board)[i].share, (*b.fitted->board)[i].share);
      expect_equal((*a.fitted->board)[i].time_constant_s, (*b.fitted->board)[i].time_constant_s);
    }
  }
  EXPECT_EQ(a.response, b.response);
  EXPECT_EQ(a.duty, b.duty);
  EXPECT_EQ(a.quantum, b.quantum);
  expect_equal(a.gain, b.gain);
  expect_equal(a.offset_w, b.offset_w);
  EXPECT_EQ(a.catalogue, b.catalogue);
  ASSERT_EQ(a.scopes.has_value(), b.scopes.has_value());
  if (a.scopes) {
    expect_equal(a.scopes->cpu_response_w, b.scopes->cpu_response_w);
    expect_equal(a.scopes->gpu_response_w, b.scopes->gpu_response_w);
    expect_equal(a.scopes->excess_w, b.scopes->excess_w);
    EXPECT_EQ(a.scopes->alias_of, b.scopes->alias_of);
  }
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.reasons, b.reasons);
}

/// `text` with its one occurrence of `from` replaced.
std::string with(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Error profile_error(std::string_view text) {
  const auto profile = profile_from_json(text, "p.json");
  EXPECT_FALSE(profile) << "accepted";
  return profile ? Error{} : profile.error();
}

TEST(ProfileJson, GivesBackEveryValue) {
  const Profile written = example_profile();
  const auto read = profile_from_json(profile_to_json(written), "p.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->device, written.device);
  EXPECT_EQ(read->created, written.created);
  EXPECT_EQ(read->duration_s, written.duration_s);
  EXPECT_EQ(read->recommended_source, written.recommended_source);
  ASSERT_EQ(read->host.size(), 1U);
  EXPECT_EQ(read->host[0].device, written.host[0].device);
  expect_equal(read->host[0].sources.at(0), written.host[0].sources[0]);
  ASSERT_EQ(read->sources.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) expect_equal(read->sources[i], written.sources[i]);
}

TEST(ProfileJson, GivesBackEveryReason) {
  Profile written = example_profile();
  SourceProfile& source = written.sources.front();
  source.reasons.clear();
  for (std::size_t i = 0; i < kEnumerators<ProfileReason>; ++i) {
    source.reasons.emplace_back(static_cast<ProfileReason>(i));
  }
  const auto read = profile_from_json(profile_to_json(written), "p.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sources.front().reasons, source.reasons);
}

TEST(ProfileJson, KeepsTheCodesOfANewerTruewatt) {
  Profile newer = example_profile();
  newer.protocol = PublishedProtocol::yang;
  newer.sources.front().counter = CounterProfile{.counting = Counting::gap};
  std::string json = profile_to_json(newer);
  for (const char* code :
       {"exponential", "part-time", "gap", "uncalibrated_gain", "not_steady", "yang"}) {
    json = with(json, fmt::format("\"{}\"", code), fmt::format("\"new {}\"", code));
  }
  const auto read = profile_from_json(json, "p.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->sources.front().response.known());
  EXPECT_EQ(read->protocol.code(), "new yang");
  EXPECT_EQ(profile_to_json(*read), json);
}

TEST(ProfileJson, GivesBackHowSteadyTheBoardWas) {
  const std::string json = profile_to_json(example_profile());
  const auto read = profile_from_json(json, "p.json");
  ASSERT_TRUE(read && read->steadiness);
  const Steadiness written = *example_profile().steadiness;
  EXPECT_EQ(read->steadiness->warm_up_s, written.warm_up_s);
  EXPECT_EQ(read->steadiness->source, written.source);
  expect_equal(read->steadiness->idle_drift_w_per_s, written.idle_drift_w_per_s);
  EXPECT_FALSE(read->steadiness->work_drift_w_per_s);
  EXPECT_FALSE(read->steadiness->temperature_begin_c);
  EXPECT_EQ(read->steadiness->temperature_end_c, written.temperature_end_c);
  EXPECT_EQ(read->steadiness->reasons, written.reasons);
  // Profiles from before it was measured have none.
  const auto before = profile_from_json(with(json, "\"steadiness\"", "\"else\""), "p.json");
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->steadiness);
  EXPECT_THAT(profile_error(with(json, "\"warm_up_s\": 7.5", "\"warm_up_s\": \"7\"")).message,
              HasSubstr("steadiness.warm_up_s"));
}

TEST(ProfileJson, WritesWhatIsUnknownAsNull) {
  Profile profile;
  profile.sources = {SourceProfile{}};
  const std::string json = profile_to_json(profile);
  for (const char* key : {"recommended_source", "update_period_s", "averaging_window_s",
                          "time_constant_s", "delay_s", "rise_time_s", "response", "duty",
                          "quantum", "gain", "offset_w", "catalogue", "scopes", "verdict"}) {
    EXPECT_THAT(json, HasSubstr(fmt::format("\"{}\": null", key)));
  }
  EXPECT_THAT(json, HasSubstr("\"schema\": \"truewatt.profile/1\""));
}

TEST(ProfileJson, IgnoresKeysThatItDoesNotKnow) {
  const std::string json = profile_to_json(example_profile());
  EXPECT_TRUE(profile_from_json(with(json, "\"created\"", "\"more\": [1], \"created\""), "p.json"));
  EXPECT_TRUE(profile_from_json(with(json, "\"agrees\"", "\"more\": {}, \"agrees\""), "p.json"));
}

TEST(ProfileJson, TellsWhatTheCatalogueSaysFromNotKnowing) {
  Profile profile = example_profile();
  for (const CatalogueMatch& match : {CatalogueMatch{"3", true}, CatalogueMatch{"5", std::nullopt},
                                      CatalogueMatch{std::nullopt, false}, CatalogueMatch{}}) {
    profile.sources[0].catalogue = match;
    const auto read = profile_from_json(profile_to_json(profile), "p.json");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->sources[0].catalogue, match);
    EXPECT_FALSE(read->sources[1].catalogue.has_value());
  }
}

TEST(ProfileJson, TakesAbsentKeysOfOptionalValuesForNull) {
  const auto profile = profile_from_json(
      R"({"schema": "truewatt.profile/1", "created": "", "duration_s": 1,
          "device": {"name": "", "uuid": "GPU-1", "pci": "", "driver": ""},
          "sources": [{"source": "power.usage", "scope": "gpu"}]})",
      "p.json");
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->sources.at(0).gain.has_value());
}

TEST(ProfileJson, NamesThePlaceOfWhatIsWrong) {
  const std::string json = profile_to_json(example_profile());
  EXPECT_EQ(profile_error(with(json, "0.0999", "\"0.0999\"")).message,
            "p.json: sources[0].update_period_s.lower must be a number");
  EXPECT_EQ(profile_error(with(json, "0.0999", "0.2")).message,
            "p.json: sources[0].update_period_s has its lower bound above its upper one");
  EXPECT_THAT(profile_error(with(json, "\"value\": 0.1,", "\"value\": 1e6,")).message,
              HasSubstr("update_period_s must be within 100 s"));
  EXPECT_THAT(profile_error(with(json, "\"level\": 0.9\n", "\"level\": 95\n")).message,
              HasSubstr("sources[0].averaging_window_s must have a level in (0, 1)"));
  EXPECT_THAT(profile_error(with(json, "\"580.65\"", "580")).message,
              HasSubstr("device.driver must be a string"));
  EXPECT_THAT(profile_error(with(json, "\"module\"", "\"modul\"")).message,
              HasSubstr("sources[0].scope must be gpu, module, memory or cpu"));
  EXPECT_THAT(profile_error(with(json, "\"energy.counter@module\"", "\"the best\"")).message,
              HasSubstr("recommended_source"));
  EXPECT_EQ(profile_error(with(json, "\"code\": \"1\"", "\"code\": 1")).message,
            "p.json: sources[0].catalogue.code must be a string");
  EXPECT_EQ(profile_error(with(json, "\"agrees\": false", "\"agrees\": 0")).message,
            "p.json: sources[0].catalogue.agrees must be true or false");
  EXPECT_EQ(profile_error(with(json, "\"catalogue\": null", "\"catalogue\": \"1\"")).message,
            "p.json: sources[1].catalogue must be an object");
  EXPECT_EQ(
      profile_error(with(json, "\"alias_of\": \"power.instant\"", "\"alias_of\": \"x\"")).message,
      "p.json: sources[0].scopes.alias_of is not the name of a source");
  EXPECT_EQ(profile_error(with(json, "\"scopes\": null", "\"scopes\": 1")).message,
            "p.json: sources[1].scopes must be an object");
  EXPECT_THAT(profile_error(with(json, "\"uncalibrated_gain\"", "5")).message,
              HasSubstr("sources[0].reasons must hold strings"));
}

TEST(ProfileJson, RefusesTextThatIsNoProfile) {
  for (const char* text : {"", "{", "null", "[]", "{}", "\xff", "{\"schema\": 1}"}) {
    EXPECT_EQ(profile_error(text).code, Errc::parse) << text;
  }
  EXPECT_EQ(profile_error(std::string(1'000'000, '[')).code, Errc::parse);
  const std::string json = profile_to_json(example_profile());
  EXPECT_EQ(profile_error(with(json, "profile/1", "profile/2")).code, Errc::unsupported);
  EXPECT_THAT(profile_error(calibration_to_json({})).message,
              HasSubstr("has schema truewatt.calibration/1, wanted is truewatt.profile/1"));
}

TEST(ProfileJson, RefusesNumbersThatAreNone) {
  const std::string json = profile_to_json(example_profile());
  for (const char* number : {"NaN", "Infinity", "1e999", "-1e999", "null"}) {
    EXPECT_EQ(profile_error(with(json, "0.0999", number)).code, Errc::parse) << number;
  }
}

TEST(CalibrationJson, GivesBackEveryValue) {
  const Calibration written = example_calibration();
  const auto read = calibration_from_json(calibration_to_json(written), "c.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->device, written.device);
  EXPECT_EQ(read->source, written.source);
  expect_equal(read->gain, written.gain);
  expect_equal(read->offset_w, written.offset_w);
  EXPECT_EQ(read->r_squared, written.r_squared);
  EXPECT_EQ(read->meter, written.meter);
  EXPECT_EQ(read->created, written.created);
  EXPECT_EQ(read->levels, written.levels);
  EXPECT_EQ(read->terms, written.terms);
  EXPECT_EQ(read->reasons, written.reasons);
}

TEST(CalibrationJson, WhatIsNotKnownIsNull) {
  Calibration written = example_calibration();
  written.r_squared.reset();
  written.created.clear();
  const std::string json = calibration_to_json(written);
  EXPECT_THAT(json, HasSubstr("\"r_squared\": null"));
  const auto read = calibration_from_json(json, "c.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->r_squared);
  EXPECT_EQ(read->created, "");
}

TEST(CalibrationJson, NeedsItsSource) {
  const std::string json = calibration_to_json(example_calibration());
  const auto read = calibration_from_json(with(json, "energy.counter", "energy"), "c.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "c.json: source is not the name of a source");
}

class ProfileFileTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("truewatt-{}-{}", test->name(), getpid());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(ProfileFileTest, FindsWhatWasSavedForTheDevice) {
  const Profile profile = example_profile();
  EXPECT_FALSE(find_profile(folder_, profile.device)->has_value()) << "nothing was saved yet";
  const auto path = save_profile(folder_, profile);
  ASSERT_TRUE(path) << path.error().message;
  const auto found = find_profile(folder_, profile.device);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_TRUE((*found)->same_driver);
  EXPECT_EQ((*found)->path, *path);
  EXPECT_EQ((*found)->profile.device, profile.device);
  DeviceIdentity other = profile.device;
  other.uuid = "GPU-1_2";
  EXPECT_FALSE(find_profile(folder_, other)->has_value());
}

TEST_F(ProfileFileTest, SaysWhenTheProfileWasMadeUnderAnotherDriver) {
  Profile profile = example_profile();
  for (const auto& [driver, created] :
       {std::pair("535.1", "2026-01-01"), {"550.2", "2026-03-01"}, {"545.9", "2026-02-01"}}) {
    profile.device.driver = driver;
    profile.created = created;
    ASSERT_TRUE(save_profile(folder_, profile));
  }
  DeviceIdentity now = profile.device;
  now.driver = "580.65";
  const auto found = find_profile(folder_, now);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_FALSE((*found)->same_driver);
  EXPECT_EQ((*found)->profile.device.driver, "550.2") << "the newest by its creation";
}

TEST_F(ProfileFileTest, ReplacesAnOlderProfile) {
  Profile profile = example_profile();
  ASSERT_TRUE(save_profile(folder_, profile));
  profile.duration_s = 77;
  ASSERT_TRUE(save_profile(folder_, profile));
  EXPECT_EQ((*find_profile(folder_, profile.device))->profile.duration_s, 77);
  const auto files = std::filesystem::directory_iterator(folder_ / "profiles");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(ProfileFileTest, StaysInItsFolderWhateverTheUuid) {
  Profile profile = example_profile();
  profile.device.uuid = "../../etc/x";
  profile.device.driver = std::string("a/b\0@", 5);
  const auto path = save_profile(folder_, profile);
  ASSERT_TRUE(path) << path.error().message;
  EXPECT_EQ(path->parent_path(), folder_ / "profiles");
  EXPECT_TRUE(find_profile(folder_, profile.device)->has_value());
}

TEST_F(ProfileFileTest, ReportsADamagedProfileOfTheSameDriverOnly) {
  const Profile profile = example_profile();
  const auto path = save_profile(folder_, profile);
  std::ofstream(*path) << "{";
  const auto damaged = find_profile(folder_, profile.device);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, Errc::parse);
  EXPECT_THAT(damaged.error().message, HasSubstr(path->string()));
  DeviceIdentity newer = profile.device;
  newer.driver = "999";
  EXPECT_FALSE(find_profile(folder_, newer)->has_value());
}

TEST_F(ProfileFileTest, NeverSavesWhatItCannotRead) {
  Profile profile = example_profile();
  profile.duration_s = std::numeric_limits<double>::quiet_NaN();
  const auto saved = save_profile(folder_, profile);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Errc::invalid_argument);
  EXPECT_THAT(saved.error().message, HasSubstr("duration_s"));
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(ProfileFileTest, SaysWhyItCannotSave) {
  std::ofstream(folder_) << "a file where a folder should be";
  const auto saved = save_profile(folder_, example_profile());
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, Errc::io);
  EXPECT_THAT(saved.error().message, HasSubstr((folder_ / "profiles").string()));
}

TEST_F(ProfileFileTest, KeepsCalibrationsBySource) {
  Calibration calibration = example_calibration();
  ASSERT_TRUE(save_calibration(folder_, calibration));
  const auto found = find_calibration(folder_, calibration.device, kModule);
  ASSERT_TRUE(found && found->has_value());
  EXPECT_TRUE((*found)->same_driver);
  EXPECT_EQ((*found)->calibration.gain.value, calibration.gain.value);
  EXPECT_FALSE(find_calibration(folder_, calibration.device, kProfiledSource)->has_value());
  DeviceIdentity newer = calibration.device;
  newer.driver = "999";
  EXPECT_FALSE((*find_calibration(folder_, newer, kModule))->same_driver);
}

TEST(DefaultDirectory, FollowsTheEnvironment) {
  const char* home = std::getenv("HOME");
  const std::string old_home = home == nullptr ? "" : home;
  const char* data = std::getenv("XDG_DATA_HOME");
  const std::string old_data = data == nullptr ? "" : data;
  setenv("HOME", "/home/u", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(default_directory().value(), "/data/truewatt");
  setenv("XDG_DATA_HOME", "relative", 1);
  EXPECT_EQ(default_directory().value(), "/home/u/.local/share/truewatt");
  unsetenv("XDG_DATA_HOME");
  EXPECT_EQ(default_directory().value(), "/home/u/.local/share/truewatt");
  unsetenv("HOME");
  EXPECT_EQ(default_directory().error().code, Errc::unavailable);
  if (home != nullptr) setenv("HOME", old_home.c_str(), 1);
  if (data != nullptr) setenv("XDG_DATA_HOME", old_data.c_str(), 1);
}

}  // namespace
}  // namespace truewatt::store
