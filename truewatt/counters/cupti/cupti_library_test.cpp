#include "truewatt/counters/cupti/cupti_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "truewatt/counters/cupti/cupti_search.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::counters::cupti {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void put(const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "not a library\n";
}

class CuptiSearch : public ::testing::Test {
 protected:
  std::vector<std::string> found(std::optional<int> major = std::nullopt) {
    auto files = cupti_candidates(places_, major);
    std::erase_if(files,
                  [](const std::string& file) { return file.find('/') == std::string::npos; });
    for (auto& file : files) file = file.substr(folder_.path().string().size());
    return files;
  }

  testing_support::TestFolder folder_;
  SearchPlaces places_{.root = folder_.path()};
};

TEST_F(CuptiSearch, AsksTheLoaderWhereNothingElseIs) {
  EXPECT_THAT(cupti_candidates(places_, std::nullopt),
              ElementsAre("libcupti.so.13", "libcupti.so.12", "libcupti.so"));
  EXPECT_THAT(cupti_candidates(places_, 12),
              ElementsAre("libcupti.so.12", "libcupti.so.13", "libcupti.so"));
}

TEST_F(CuptiSearch, FindsToolkitsWithTheNewestFirst) {
  put(folder_.path() / "usr/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.12");
  put(folder_.path() / "usr/local/cuda-13.0/lib64/libcupti.so.13");
  put(folder_.path() / "usr/local/cuda-12.6/targets/x86_64-linux/lib/libcupti.so.12");
  EXPECT_THAT(found(), ElementsAre("/usr/local/cuda-13.0/lib64/libcupti.so.13",
                                   "/usr/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.12",
                                   "/usr/local/cuda-12.6/targets/x86_64-linux/lib/libcupti.so.12"));
  EXPECT_EQ(found(12).front(), "/usr/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.12");
}

TEST_F(CuptiSearch, FindsTheToolkitOfCudaHomeBeforeOthers) {
  put(folder_.path() / "usr/local/cuda/lib64/libcupti.so.13");
  put(folder_.path() / "opt/cuda/extras/CUPTI/lib64/libcupti.so.13");
  places_.cuda_home = folder_.path() / "opt/cuda";
  EXPECT_THAT(found(), ElementsAre("/opt/cuda/extras/CUPTI/lib64/libcupti.so.13",
                                   "/usr/local/cuda/lib64/libcupti.so.13"));
}

TEST_F(CuptiSearch, FindsWheelsOfPythonEnvironments) {
  put(folder_.path() / "env/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
  put(folder_.path() / "me/.local/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13");
  put(folder_.path() / "usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcupti.so.13");
  put(folder_.path() / "conda/lib/libcupti.so.12");
  places_.virtual_env = folder_.path() / "env";
  places_.home = folder_.path() / "me";
  places_.conda = folder_.path() / "conda";
  EXPECT_THAT(
      found(12),
      ElementsAre("/env/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12",
                  "/conda/lib/libcupti.so.12",
                  "/me/.local/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13",
                  "/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libcupti.so.13"));
}

TEST(CuptiLibrary, SaysHowToGetOneWhereNoneIs) {
  const auto library = Library::open({"/nowhere/libcupti.so.13"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, Errc::unavailable);
  EXPECT_THAT(library.error().message,
              AllOf(HasSubstr("CUDA toolkit"), HasSubstr("CUDA_HOME"), HasSubstr("/nowhere")));
}

TEST(CuptiLibrary, OneWithoutTheRangeProfilerIsTooOld) {
  const auto library = Library::open({"libm.so.6"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, Errc::unsupported);
  EXPECT_THAT(library.error().message,
              AllOf(HasSubstr("12.6"), HasSubstr("libm.so.6 has no cuptiProfilerInitialize")));
}

TEST(CuptiLibrary, TheMajorVersionIsTheDrivers) {
  EXPECT_EQ(cuda_major({}), std::nullopt);
  EXPECT_EQ(cuda_major({.version = [](int* version) { return *version = 12080, 0; }}), 12);
  EXPECT_EQ(cuda_major({.version = [](int*) { return 3; }}), std::nullopt);
}

TEST(CuptiErrors, AnUnknownStatusHasCuptisName) {
  const auto error = describe(1234, "cuptiRangeProfilerStart", "/lib/libcupti.so.13", "CUPTI_NEW");
  EXPECT_EQ(error.code, Errc::device);
  EXPECT_THAT(error.message, AllOf(HasSubstr("cuptiRangeProfilerStart: CUPTI_NEW (1234)"),
                                   HasSubstr("/lib/libcupti.so.13")));
}

TEST(CuptiErrors, AVirtualGpuThatMayNotCountIsARefusalOfItsHost) {
  const auto error = describe(40, "cuptiRangeProfilerEnable", "libcupti.so.12");
  EXPECT_EQ(error.code, Errc::permission);
  EXPECT_THAT(error.message, HasSubstr("vGPU"));
}

}  // namespace
}  // namespace truewatt::counters::cupti
