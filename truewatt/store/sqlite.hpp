#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "truewatt/base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace truewatt::store {

/// A prepared statement. Columns count from 0; a value of another type than asked for is converted
/// by SQLite's rules, except that what is no number has no real value: NaN is stored as NULL, and
/// NULL, texts and blobs are read as NaN. Text handed out lives until
/// the next step. Must not outlive its Database; one thread at a time.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  /// Binds the values in order, runs to the first row or the end, and is ready to run again.
  template <class... Values>
  Result<void> run(const Values&... values) {
    int index = 0;
    const bool bound = (bind(++index, values) && ...);
    return finish(bound);
  }
  /// True while there is a row to read.
  Result<bool> step();

  bool is_null(int column) const;
  bool is_number(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::optional<double> optional_real(int column) const;

 private:
  bool bind(int index, std::int64_t value);
  bool bind(int index, double value);
  bool bind(int index, std::string_view value);
  bool bind(int index, std::nullopt_t);
  bool bind(int index, int value) { return bind(index, static_cast<std::int64_t>(value)); }
  bool bind(int index, bool value) { return bind(index, static_cast<std::int64_t>(value)); }
  bool bind(int index, const std::string& value) { return bind(index, std::string_view(value)); }
  /// The same 64 bits; numbers above 2^63 show as negative in the file.
  bool bind(int index, std::uint64_t value) {
    return bind(index, static_cast<std::int64_t>(value));
  }
  template <class T>
  bool bind(int index, const std::optional<T>& value) {
    return value ? bind(index, *value) : bind(index, std::nullopt);
  }
  Result<void> finish(bool bound);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A connection to one SQLite database, for one thread at a time. Errors name the file, what went
/// wrong in the file system's words, and what to do.
class Database {
 public:
  enum class Mode {
    read_only,           ///< sees what a writer at work has committed
    read_only_unlocked,  ///< takes no locks and writes no -shm: for read-only folders
    read_write,
    memory,
  };
  /// Never creates a file.
  static Result<Database> open(const std::filesystem::path& path, Mode mode);

  /// Runs one or more statements without results.
  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  /// First column of the first row.
  Result<std::int64_t> query_integer(std::string_view sql);
  Result<std::string> query_text(std::string_view sql);
  /// Calls `on_row(statement)`, which returns a Result<void>, for every row.
  template <class OnRow>
  Result<void> each(std::string_view sql, OnRow&& on_row) {
    auto statement = prepare(sql);
    if (!statement) return Unexpected(statement.error());
    while (true) {
      const Result<bool> row = statement->step();
      if (!row) return Unexpected(row.error());
      if (!*row) return {};
      if (const Result<void> read = on_row(*statement); !read) return read;
    }
  }
  bool in_transaction() const;
  /// The file as it would be on disk.
  Result<std::string> serialize();

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  explicit Database(sqlite3* database) : database_(database) {}
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace truewatt::store
