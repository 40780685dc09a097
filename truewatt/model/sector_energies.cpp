#include "truewatt/model/sector_energies.hpp"

#include <map>
#include <string>

namespace truewatt {
namespace {

double usual_sector_joules(std::string_view level) {
  if (level == "shared") return 83e-12;
  if (level == "l1") return 120e-12;
  if (level == "l2") return 794e-12;
  return 2534e-12;
}

double of_table(const std::map<std::string, double>& table, std::string_view level,
                double otherwise) {
  const auto own = table.find(std::string(level));
  return own != table.end() ? own->second : otherwise;
}

}  // namespace

double sector_joules(const DeviceDescription& device, std::string_view level, SectorUse use) {
  const double load = of_table(device.sector_j, level, usual_sector_joules(level));
  const double joules = use.store ? of_table(device.sector_store_j, level, load) : load;
  if (!use.zeros || load <= 0) return joules;
  return joules * of_table(device.sector_zeros_j, level, load) / load;
}

}  // namespace truewatt
