#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/base/enum_table.hpp"
#include "truewatt/store/profile_file.hpp"
#include "truewatt/testing/example_profile.hpp"

namespace truewatt::store {
namespace {

using testing::HasSubstr;

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
    json = with_replaced(json, fmt::format("\"{}\"", code), fmt::format("\"new {}\"", code));
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
  const auto before =
      profile_from_json(with_replaced(json, "\"steadiness\"", "\"else\""), "p.json");
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->steadiness);
  EXPECT_THAT(
      profile_error(with_replaced(json, "\"warm_up_s\": 7.5", "\"warm_up_s\": \"7\"")).message,
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
  EXPECT_TRUE(profile_from_json(with_replaced(json, "\"created\"", "\"more\": [1], \"created\""),
                                "p.json"));
  EXPECT_TRUE(
      profile_from_json(with_replaced(json, "\"agrees\"", "\"more\": {}, \"agrees\""), "p.json"));
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
  EXPECT_EQ(profile_error(with_replaced(json, "0.0999", "\"0.0999\"")).message,
            "p.json: sources[0].update_period_s.lower must be a number");
  EXPECT_EQ(profile_error(with_replaced(json, "0.0999", "0.2")).message,
            "p.json: sources[0].update_period_s has its lower bound above its upper one");
  EXPECT_THAT(profile_error(with_replaced(json, "\"value\": 0.1,", "\"value\": 1e6,")).message,
              HasSubstr("update_period_s must be within 100 s"));
  EXPECT_THAT(profile_error(with_replaced(json, "\"level\": 0.9\n", "\"level\": 95\n")).message,
              HasSubstr("sources[0].averaging_window_s must have a level in (0, 1)"));
  EXPECT_THAT(profile_error(with_replaced(json, "\"580.65\"", "580")).message,
              HasSubstr("device.driver must be a string"));
  EXPECT_THAT(profile_error(with_replaced(json, "\"module\"", "\"modul\"")).message,
              HasSubstr("sources[0].scope must be gpu, module, memory or cpu"));
  EXPECT_THAT(
      profile_error(with_replaced(json, "\"energy.counter@module\"", "\"the best\"")).message,
      HasSubstr("recommended_source"));
  EXPECT_EQ(profile_error(with_replaced(json, "\"code\": \"1\"", "\"code\": 1")).message,
            "p.json: sources[0].catalogue.code must be a string");
  EXPECT_EQ(profile_error(with_replaced(json, "\"agrees\": false", "\"agrees\": 0")).message,
            "p.json: sources[0].catalogue.agrees must be true or false");
  EXPECT_EQ(
      profile_error(with_replaced(json, "\"catalogue\": null", "\"catalogue\": \"1\"")).message,
      "p.json: sources[1].catalogue must be an object");
  EXPECT_EQ(
      profile_error(with_replaced(json, "\"alias_of\": \"power.instant\"", "\"alias_of\": \"x\""))
          .message,
      "p.json: sources[0].scopes.alias_of is not the name of a source");
  EXPECT_EQ(profile_error(with_replaced(json, "\"scopes\": null", "\"scopes\": 1")).message,
            "p.json: sources[1].scopes must be an object");
  EXPECT_THAT(profile_error(with_replaced(json, "\"uncalibrated_gain\"", "5")).message,
              HasSubstr("sources[0].reasons must hold strings"));
}

TEST(ProfileJson, RefusesTextThatIsNoProfile) {
  for (const char* text : {"", "{", "null", "[]", "{}", "\xff", "{\"schema\": 1}"}) {
    EXPECT_EQ(profile_error(text).code, Errc::parse) << text;
  }
  EXPECT_EQ(profile_error(std::string(1'000'000, '[')).code, Errc::parse);
  const std::string json = profile_to_json(example_profile());
  EXPECT_EQ(profile_error(with_replaced(json, "profile/1", "profile/2")).code, Errc::unsupported);
  EXPECT_THAT(profile_error(calibration_to_json({})).message,
              HasSubstr("has schema truewatt.calibration/1, wanted is truewatt.profile/1"));
}

TEST(ProfileJson, RefusesNumbersThatAreNone) {
  const std::string json = profile_to_json(example_profile());
  for (const char* number : {"NaN", "Infinity", "1e999", "-1e999", "null"}) {
    EXPECT_EQ(profile_error(with_replaced(json, "0.0999", number)).code, Errc::parse) << number;
  }
}

}  // namespace
}  // namespace truewatt::store
