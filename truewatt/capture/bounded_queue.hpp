#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace truewatt::capture {

/// Many threads put, one takes. Putting never waits: a full queue refuses, so that a slow disk
/// cannot stop the sampling.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  /// False when the queue is full or closed; the item is dropped.
  [[nodiscard]] bool put(T item) {
    {
      const std::scoped_lock lock(mutex_);
      if (closed_ || items_.size() >= capacity_) return false;
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
    return true;
  }

  /// Everything that is there; waits up to `patience` for the first item, or until close().
  std::deque<T> take_all(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, patience, [this] { return !items_.empty() || closed_; });
    return std::exchange(items_, {});
  }

  /// Wakes the taker; what is in the queue can still be taken, and nothing more is put.
  void close() {
    {
      const std::scoped_lock lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

  bool closed() const {
    const std::scoped_lock lock(mutex_);
    return closed_;
  }

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace truewatt::capture
