#include "truewatt/energy/estimate/board_course.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/energy/estimate/known_work.hpp"
#include "truewatt/energy/estimate/source_proportions.hpp"
#include "truewatt/energy/estimate/step_trains.hpp"
#include "truewatt/energy/estimate/unread.hpp"
#include "truewatt/energy/observe/known_spans.hpp"
#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {
namespace {

/// Of a difference between sources, as a standard uncertainty: the interval holds both.
constexpr double kOfDifference = 0.55;

double fastest_period(const ObservedBoard& board) {
  double least = board.sources.front().period;
  for (const ObservedSource& source : board.sources) least = std::min(least, source.period);
  return least;
}

/// The driver's ring among a board's sources.
std::optional<ObservedSource> ring_among(const ObservedBoard& board) {
  const auto ring = std::find_if(board.sources.rbegin(), board.sources.rend(),
                                 [](const auto& one) { return comes_in_ring(one.source); });
  return ring == board.sources.rend() ? std::nullopt : std::optional(*ring);
}

}  // namespace

BoardCourse::BoardCourse(const Recording& recording, const Knowledge& knowledge,
                         const std::optional<SourceId>& source, std::span<const Window> marks) {
  ObservedBoard board = observe(recording, knowledge, source);
  origin_ = board.origin;
  const SourceId ring{SourceKind::power_samples, Scope::gpu};
  locks_.emplace(recording, hints_,
                 ring_among(source ? observe(recording, knowledge, ring) : board));
  dropped_ = board.dropped;
  for (const Window& mark : marks) {
    hints_.marks.push_back(seconds_between(origin_, mark.begin));
    hints_.marks.push_back(seconds_between(origin_, mark.end));
  }
  add_known_work(hints_, recording, origin_);
  if (board.sources.empty()) return;
  std::vector<TimeSpan> work;
  for (const CourseHints::Work& one : hints_.work) work.push_back({one.begin, one.end});
  place_by_known_work(board, work);
  locks_->leave_out_counter_in_step(board);
  const SourceVotes votes = drop_odd_ones(board, hints_);
  dropped_.insert(dropped_.end(), votes.dropped.begin(), votes.dropped.end());
  if (hints_.work.empty()) hints_.steps = trains_of(marks, origin_, fastest_period(board));
  keep_reachable(hints_, board);
  passes_ = votes.passes;
  see_by(std::move(board));
  if (hints_.work.empty()) {
    bursts_ = hidden_bursts(course_->board());
    leave_out_misfits();
  }
  disagree_ = votes.disagree;
  apart_ = votes.apart;
  if (leave_out_odd_levels()) {
    ObservedBoard rest = course_->board();
    const SourceVotes again = drop_odd_ones(rest, hints_);
    disagree_ = disagree_ && again.disagree;
    apart_ = again.apart;
  }
  if (hints_.work.empty()) believe_one_where_none_agrees(votes);
  disagree_ = disagree_ || levels_disagree(*course_);
  contradictions_ = contradictions_of(course_->board());
  idle_.emplace(*course_, hints_);
}

void BoardCourse::see_by(ObservedBoard board) {
  course_.emplace(std::move(board), hints_);
  passes_ += course_->passes();
}

/// A board of a kind whose published behaviour this one does not have.
void BoardCourse::leave_out_misfits() {
  const std::vector<SourceId> misfits = misfits_of(*course_);
  if (misfits.empty()) return;
  ObservedBoard board = course_->board();
  for (const SourceId misfit : misfits) {
    dropped_.push_back({misfit, Reason::model_misfit});
    const auto one = std::find_if(board.sources.begin(), board.sources.end(),
                                  [misfit](const auto& of) { return of.source == misfit; });
    left_out_.push_back(std::move(*one));
    board.sources.erase(one);
  }
  see_by(std::move(board));
}

/// Readings of looks that work nearly in step hides from, and means: the one that sees most.
void BoardCourse::believe_one_where_none_agrees(const SourceVotes& votes) {
  const std::optional<SourceId> one = alone_where_none_agrees(*course_, votes);
  if (!one) return;
  ObservedBoard board = course_->board();
  for (const ObservedSource& source : course_->board().sources) {
    if (source.source == *one) continue;
    dropped_.push_back({source.source, Reason::model_misfit});
    left_out_.push_back(source);
  }
  std::erase_if(board.sources, [&](const auto& source) { return source.source != *one; });
  see_by(std::move(board));
}

/// A source that shows other levels than all others, which agree. Whether there was one.
bool BoardCourse::leave_out_odd_levels() {
  const std::size_t before = dropped_.size();
  while (const std::optional<SourceId> odd = odd_level(*course_)) {
    dropped_.push_back({*odd, Reason::sources_disagree});
    ObservedBoard board = course_->board();
    std::erase_if(board.sources, [&](const auto& source) { return source.source == *odd; });
    see_by(std::move(board));
  }
  return dropped_.size() > before;
}

CourseWindow BoardCourse::placed(const Window& window) const {
  return {seconds_between(origin_, window.begin), seconds_between(origin_, window.end)};
}

HostTime BoardCourse::at(double seconds) const {
  return origin_ + to_nanoseconds(Seconds(seconds));
}

bool BoardCourse::is_counter_in_doubt(const CourseWindow& asked, const Window& window) const {
  return locks_->is_in_step_with_counter(board(), window) ||
         counted_and_shown_differ(board(), asked) ||
         std::any_of(contradictions_.begin(), contradictions_.end(), [&asked](const auto& one) {
           return one.begin < asked.end && one.end > asked.begin;
         });
}

double BoardCourse::wrong_gain_j(const CourseWindow& window, double joules) const {
  return std::min(apart_ * std::abs(joules), shown_by_gains_j(*course_, window, joules));
}

double BoardCourse::explained_by_gains_j(const CourseWindow& window, double joules) const {
  double most = wrong_gain_j(window, joules);
  if (hints_.work.empty()) most = std::max(most, explained_by_gains(*course_, window, joules));
  return kOfDifference * most;
}

std::vector<uncertainty::Term> BoardCourse::terms_beside(const CourseWindow& window, double joules,
                                                         double hidden_j, double by_gains_j) const {
  return {{uncertainty::Cause::phase_lock, hidden_j},
          {uncertainty::Cause::phase_lock, sampled_sd(window, joules)},
          {uncertainty::Cause::relative_gain, by_gains_j},
          {uncertainty::Cause::unobserved, unread_sd(*course_, window)},
          {uncertainty::Cause::misfit, left_out_sd(window, joules)},
          {uncertainty::Cause::misfit, kOfDifference * leapt_within(board(), window)}};
}

/// What samples of known pulses that nobody knows of count too much or too little: by what the
/// phases of all edges leave, about one sample at one begin and one end.
double BoardCourse::sampled_sd(const CourseWindow& window, double joules) const {
  const double every = may_sample_every(board().sources.front());
  if (!(every > 0)) return 0.0;
  double on = 0.0;
  int pulses = 0;
  for (const CourseHints::Work& work : hints_.work) {
    const double overlap = std::min(work.end, window.end) - std::max(work.begin, window.begin);
    if (!(overlap > 0)) continue;
    on += overlap;
    ++pulses;
  }
  if (pulses < 2) return 0.0;
  const double above = joules - board().lowest_w * (window.end - window.begin);
  constexpr double kOfTwoEdges = 0.408;  // sqrt(2 / 12): each is off by half a sample at most
  return kOfTwoEdges * every * std::max(0.0, above) / on;
}

double BoardCourse::between_looks_sd(double seconds) const {
  return bursts_ ? bursts_->sd_within(seconds) : 0.0;
}

/// What sources show that were left out is in the interval: they err when, not what.
double BoardCourse::left_out_sd(const CourseWindow& window, double joules) const {
  double off = 0.0;
  for (const ObservedSource& source : left_out_) {
    const double edge = source.period * swing_of(source);  // of a sum of readings
    off = std::max(off, std::abs(shown_within(source, window) - joules) + edge);
  }
  return kOfDifference * off;
}

}  // namespace truewatt::energy
