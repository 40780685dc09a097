#include "truewatt/store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <limits>

namespace truewatt::store {
namespace {

/// How long to wait for another process that holds the file for a moment.
constexpr int kBusyMilliseconds = 2000;

/// Bytes of a text or a row: command lines have some megabytes at most.
constexpr int kLongestValue = 16 << 20;

/// What is full, in words, when `system_error` or SQLite's own code says that something is.
std::optional<std::string_view> what_is_full(int code, int system_error) {
  if (system_error == EFBIG) return "the process's file size limit is reached (see ulimit -f)";
  if (system_error == EDQUOT) return "your disk quota is used up";
  if ((code & 0xff) == SQLITE_FULL || system_error == ENOSPC) return "its file system is full";
  return std::nullopt;
}

Errc errc_of_sqlite(int code) {
  switch (code & 0xff) {
    case SQLITE_ERROR:  // our own SQL does not fit the file's tables
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Errc::parse;
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return Errc::permission;
    default:
      return Errc::io;
  }
}

std::string_view advice(int code) {
  switch (code & 0xff) {
    case SQLITE_ERROR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "the file is truncated or damaged; `sqlite3 FILE .recover` may save a part of it";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process is writing it; wait for its end or name another";
    default:
      return "check the folder's permissions and its disk";
  }
}

/// The system's error number behind a failed call, 0 when there is none. SQLite forgets it when the
/// failure is that of a COMMIT; then errno, which was 0 before the call, still has it.
int system_error_of(sqlite3* database, int code) {
  const int system_error = sqlite3_system_errno(database);
  const bool is_io = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  return is_io && system_error == 0 ? errno : system_error;
}

/// The error that the connection's last call left.
Unexpected last_error(sqlite3* database) {
  const char* name = sqlite3_db_filename(database, "main");
  const std::string_view file = name != nullptr && *name != '\0' ? name : "in-memory database";
  const int code = sqlite3_extended_errcode(database);
  const int system_error = system_error_of(database, code);
  if (const auto full = what_is_full(code, system_error)) {
    return {Errc::io, fmt::format("cannot write {}: {}; free some space or write to another disk. "
                                  "What was saved before is kept",
                                  file, *full)};
  }
  const std::string cause =
      system_error != 0 ? fmt::format(" ({})", std::strerror(system_error)) : "";
  return {errc_of_sqlite(code),
          fmt::format("{}: {}{}; {}", file, sqlite3_errmsg(database), cause, advice(code))};
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<bool> Statement::step() {
  errno = 0;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return last_error(sqlite3_db_handle(statement_.get()));
}

Result<void> Statement::finish(bool bound) {
  Result<bool> stepped = bound ? step() : last_error(sqlite3_db_handle(statement_.get()));
  sqlite3_reset(statement_.get());
  if (!stepped) return Unexpected(stepped.error());
  return {};
}

bool Statement::bind(int index, std::int64_t value) {
  return sqlite3_bind_int64(statement_.get(), index, value) == SQLITE_OK;
}

bool Statement::bind(int index, double value) {
  return sqlite3_bind_double(statement_.get(), index, value) == SQLITE_OK;
}

bool Statement::bind(int index, std::string_view value) {
  // A null pointer would bind NULL. The text outlives the step that follows (see run).
  const char* text = value.empty() ? "" : value.data();
  return sqlite3_bind_text64(statement_.get(), index, text, value.size(), SQLITE_STATIC,
                             SQLITE_UTF8) == SQLITE_OK;
}

bool Statement::bind(int index, std::nullopt_t) {
  return sqlite3_bind_null(statement_.get(), index) == SQLITE_OK;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool Statement::is_number(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  if (!is_number(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

std::optional<double> Statement::optional_real(int column) const {
  if (!is_number(column)) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::open(const std::filesystem::path& path, Mode mode) {
  const bool reads = mode == Mode::read_only || mode == Mode::read_only_unlocked;
  const int flags = SQLITE_OPEN_NOMUTEX | (reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  const char* vfs = mode == Mode::read_only_unlocked ? "unix-none" : nullptr;
  // An absolute path keeps special names (":memory:") and a later chdir out of the game.
  const std::string name =
      mode == Mode::memory ? ":memory:" : std::filesystem::absolute(path).string();
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &opened, flags, vfs);
  if (opened == nullptr) return Unexpected(Errc::io, fmt::format("{}: out of memory", name));
  Database database(opened);
  if (code != SQLITE_OK) return last_error(opened);
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, kBusyMilliseconds);
  // Whose file it is: what its schema calls may do no harm, and no value may fill memory.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kLongestValue);
  if (reads) sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (mode == Mode::read_only_unlocked) {
    // With an exclusive connection SQLite keeps the index of the -wal in memory, without a -shm.
    if (const auto set = database.execute("PRAGMA locking_mode = EXCLUSIVE"); !set) {
      return Unexpected(set.error());
    }
  }
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  errno = 0;
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return last_error(database_.get());
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return last_error(database_.get());
  return Statement(statement);
}

Result<std::int64_t> Database::query_integer(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return Unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return Unexpected(row.error());
  return *row ? statement->integer(0) : 0;
}

Result<std::string> Database::query_text(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return Unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return Unexpected(row.error());
  return *row ? std::string(statement->text(0)) : std::string();
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }

Result<std::string> Database::serialize() {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      sqlite3_serialize(database_.get(), "main", &size, 0), sqlite3_free);
  if (bytes == nullptr) return last_error(database_.get());
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

}  // namespace truewatt::store
