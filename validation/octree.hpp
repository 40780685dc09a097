#pragma once

#include <vector_types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace workload {

/// Where a traversal goes from a cell.
struct Link {
  /// Squared distance from which on the cell counts as one body; 0 for a single body.
  float open_within2;
  /// Index of the next cell that is not inside this one.
  int skip;
};

/// An octree over bodies, flattened: cells in depth-first order, so that a cell's first child is
/// the next one and a traversal needs no stack. `bodies` are in the same order, hence neighbours in
/// the array are neighbours in space.
struct Octree {
  std::vector<float4> bodies;   ///< x, y, z, mass
  std::vector<float4> centres;  ///< of each cell: centre of mass, mass
  std::vector<Link> links;      ///< of each cell
};

/// Builds an Octree: sorts the bodies by the path from the root to their place, 21 levels deep,
/// then cuts equal prefixes into cells. J. Barnes and P. Hut, Nature 324 (1986) 446, with two
/// changes: a cell whose bodies all lie in one child is replaced by that child, and bodies that
/// share the deepest cell hang side by side below the cell above.
class OctreeBuilder {
 public:
  /// `opening` is Barnes and Hut's theta: a cell of size s further away than s / theta counts as
  /// one body. Below 1/sqrt(3) no body is ever drawn to a cell that it lies in.
  static Octree build(const std::vector<float4>& bodies, double opening) {
    OctreeBuilder builder(bodies, opening);
    builder.add_cells(0, bodies.size(), 0);
    return std::move(builder.tree_);
  }

 private:
  static constexpr int kLevels = 21;

  OctreeBuilder(const std::vector<float4>& bodies, double opening) : opening_(opening) {
    find_cube(bodies);
    std::vector<std::uint64_t> paths(bodies.size());
    std::transform(bodies.begin(), bodies.end(), paths.begin(),
                   [this](const float4& body) { return path(body); });
    std::vector<std::uint32_t> order(bodies.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return paths[a] != paths[b] ? paths[a] < paths[b] : a < b;
    });
    for (const std::uint32_t i : order) {
      tree_.bodies.push_back(bodies[i]);
      paths_.push_back(paths[i]);
    }
  }

  /// The cube that the root stands for.
  void find_cube(const std::vector<float4>& bodies) {
    float low = std::numeric_limits<float>::max();
    float high = std::numeric_limits<float>::lowest();
    for (const float4& body : bodies) {
      low = std::min({low, body.x, body.y, body.z});
      high = std::max({high, body.x, body.y, body.z});
    }
    corner_ = low;
    size_ = (double{high} - low) * (1 + 1e-6);  // so that no body lies on the far face
  }

  /// Three bits a level, the root's first: which of the eight children the body is in.
  std::uint64_t path(const float4& body) const {
    const double cells = static_cast<double>(1 << kLevels) / size_;
    const auto x = static_cast<std::uint64_t>((body.x - corner_) * cells);
    const auto y = static_cast<std::uint64_t>((body.y - corner_) * cells);
    const auto z = static_cast<std::uint64_t>((body.z - corner_) * cells);
    std::uint64_t bits = 0;
    for (int bit = kLevels - 1; bit >= 0; --bit)
      bits = bits << 3 | ((x >> bit) & 1) << 2 | ((y >> bit) & 1) << 1 | ((z >> bit) & 1);
    return bits;
  }

  /// End of the run of bodies from `first` that are in the same child of a cell at `level`.
  std::size_t child_end(std::size_t first, std::size_t last, int level) const {
    const int below = 3 * (kLevels - 1 - level);
    const std::uint64_t child = paths_[first] >> below;
    return static_cast<std::size_t>(
        std::partition_point(paths_.begin() + first, paths_.begin() + last,
                             [&](std::uint64_t path) { return path >> below == child; }) -
        paths_.begin());
  }

  /// Appends the cell at `level` (0: the root) that holds bodies [first, last), and all below it.
  void add_cells(std::size_t first, std::size_t last, int level) {
    if (last - first == 1) return add_body(first);
    while (level < kLevels && child_end(first, last, level) == last) ++level;
    const double size = size_ / static_cast<double>(std::uint64_t{1} << level);
    const std::size_t cell = tree_.centres.size();
    tree_.centres.push_back(centre_of_mass(first, last));
    const double open_within = size / opening_;
    tree_.links.push_back({static_cast<float>(open_within * open_within), 0});
    for (std::size_t at = first; at < last;) {
      const std::size_t end = level < kLevels ? child_end(at, last, level) : at + 1;
      add_cells(at, end, level + 1);
      at = end;
    }
    tree_.links[cell].skip = static_cast<int>(tree_.centres.size());
  }

  void add_body(std::size_t body) {
    tree_.centres.push_back(tree_.bodies[body]);
    tree_.links.push_back({0, static_cast<int>(tree_.centres.size())});
  }

  float4 centre_of_mass(std::size_t first, std::size_t last) const {
    double x = 0;
    double y = 0;
    double z = 0;
    double mass = 0;
    for (std::size_t i = first; i < last; ++i) {
      const float4& body = tree_.bodies[i];
      x += double{body.w} * body.x;
      y += double{body.w} * body.y;
      z += double{body.w} * body.z;
      mass += body.w;
    }
    return {static_cast<float>(x / mass), static_cast<float>(y / mass),
            static_cast<float>(z / mass), static_cast<float>(mass)};
  }

  double opening_;
  double corner_ = 0;
  double size_ = 0;
  std::vector<std::uint64_t> paths_;
  Octree tree_;
};

}  // namespace workload
