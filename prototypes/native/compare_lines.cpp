// A prototype, not shipped: compares two JSON texts field by field without making Python objects.
//
// It answers pass, fail or undecided. Undecided is whatever Python defines more finely: escapes and non-ASCII text, dates that are not
// ISO, numbers written as text, containers where a rule expects a scalar.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum class Kind : uint8_t { absent, null, boolean, number, text, list, object };
enum class Match : uint8_t { exact, tolerance, fuzzy, date };
enum Answer : int8_t { fail = 0, pass = 1, undecided = 2 };

struct Value {
    Kind kind = Kind::absent;
    bool is_plain = true;  // text without escapes, ASCII
    double number = 0;
    std::string_view raw;  // text without its quotes, anything else as it is written
    std::string_view key;
    int32_t child = -1, sibling = -1;
};

struct Rule {
    std::vector<std::string> steps;
    Match match;
    double parameter;
};

class Parser {
public:
    std::vector<Value> values;

    bool parse(std::string_view text) {
        values.clear();
        at_ = text.data();
        end_ = at_ + text.size();
        return parse_value() >= 0;
    }

private:
    const char *at_ = nullptr, *end_ = nullptr;

    void skip_space() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }

    std::string_view parse_text(bool &is_plain) {
        const char *start = ++at_;
        is_plain = true;
        for (; at_ < end_ && *at_ != '"'; ++at_) {
            if (*at_ == '\\') {
                is_plain = false;
                ++at_;
            } else if (static_cast<unsigned char>(*at_) >= 128) {
                is_plain = false;
            }
        }
        std::string_view text(start, at_ - start);
        ++at_;
        return text;
    }

    int32_t parse_children(int32_t self, char close, bool has_keys) {
        ++at_;
        int32_t last = -1;
        for (skip_space(); at_ < end_ && *at_ != close; skip_space()) {
            std::string_view key;
            bool is_plain = true;
            if (has_keys) {
                key = parse_text(is_plain);
                skip_space();
                ++at_;  // :
            }
            int32_t child = parse_value();
            if (child < 0) return -1;
            values[child].key = key;
            (last < 0 ? values[self].child : values[last].sibling) = child;
            last = child;
            skip_space();
            if (at_ < end_ && *at_ == ',') ++at_;
        }
        ++at_;
        return self;
    }

    int32_t parse_value() {
        skip_space();
        if (at_ >= end_) return -1;
        int32_t self = static_cast<int32_t>(values.size());
        values.emplace_back();
        const char *start = at_;
        switch (*at_) {
            case '{': values[self].kind = Kind::object; return parse_children(self, '}', true);
            case '[': values[self].kind = Kind::list; return parse_children(self, ']', false);
            case '"': {
                bool is_plain;
                std::string_view text = parse_text(is_plain);
                values[self].kind = Kind::text;
                values[self].raw = text;
                values[self].is_plain = is_plain;
                return self;
            }
            case 't': at_ += 4; values[self].kind = Kind::boolean; values[self].number = 1; break;
            case 'f': at_ += 5; values[self].kind = Kind::boolean; break;
            case 'n': at_ += 4; values[self].kind = Kind::null; break;
            default: {
                char *stop;
                values[self].number = std::strtod(at_, &stop);
                if (stop == at_) return -1;
                values[self].kind = Kind::number;
                at_ = stop;
            }
        }
        values[self].raw = std::string_view(start, at_ - start);
        return self;
    }
};

const Value ABSENT;
constexpr double LEAST_SIMILARITY = 0.4 - 1e-8;  // items that are less similar stay without a partner

const Value &find(const Parser &record, int32_t from, const std::vector<std::string> &steps) {
    for (const auto &step : steps) {
        if (from < 0 || record.values[from].kind != Kind::object) return ABSENT;
        int32_t child = record.values[from].child;
        while (child >= 0 && record.values[child].key != step) child = record.values[child].sibling;
        from = child;
    }
    return from < 0 ? ABSENT : record.values[from];
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; }

void fold(std::string_view text, std::string &folded) {  // letter case and runs of spaces, as the product folds text
    folded.clear();
    for (char letter : text) {
        bool is_space = letter == ' ' || letter == '\t' || letter == '\n';
        if (!is_space) folded.push_back(lower(letter));
        else if (!folded.empty() && folded.back() != ' ') folded.push_back(' ');
    }
    if (!folded.empty() && folded.back() == ' ') folded.pop_back();
}

double similarity(std::string_view one, std::string_view other) {
    thread_local std::string left, right;
    fold(one, left);
    fold(other, right);
    if (left == right) return 1;
    if (left.size() > right.size()) std::swap(left, right);
    const size_t longest = right.size(), n = left.size();
    if (n == 0) return 0;
    size_t distance;
    if (n <= 64) {  // Myers' bit vectors
        uint64_t peq[256] = {0};
        for (size_t i = 0; i < n; ++i) peq[static_cast<unsigned char>(left[i])] |= uint64_t{1} << i;
        uint64_t plus = ~uint64_t{0}, minus = 0, last = uint64_t{1} << (n - 1);
        distance = n;
        for (char letter : right) {
            uint64_t equal = peq[static_cast<unsigned char>(letter)];
            uint64_t d = (((equal & plus) + plus) ^ plus) | equal | minus;
            uint64_t up = minus | ~(d | plus), down = plus & d;
            distance += (up & last) != 0;
            distance -= (down & last) != 0;
            up = (up << 1) | 1;
            down <<= 1;
            plus = down | ~(d | up);
            minus = up & d;
        }
    } else {
        std::vector<size_t> row(n + 1);
        for (size_t i = 0; i <= n; ++i) row[i] = i;
        for (size_t j = 1; j <= longest; ++j) {
            size_t diagonal = row[0];
            row[0] = j;
            for (size_t i = 1; i <= n; ++i) {
                size_t above = row[i];
                row[i] = std::min({above + 1, row[i - 1] + 1, diagonal + (left[i - 1] != right[j - 1])});
                diagonal = above;
            }
        }
        distance = row[n];
    }
    return 1.0 - static_cast<double>(distance) / static_cast<double>(longest);
}

bool is_iso_date(std::string_view text) {
    return text.size() == 10 && text[4] == '-' && text[7] == '-' && std::all_of(text.begin(), text.end(), [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

Answer compare(const Rule &rule, const Value &expected, const Value &actual, double &score) {
    score = 0;
    bool no_expected = expected.kind <= Kind::null, no_actual = actual.kind <= Kind::null;
    if (no_expected || no_actual) {
        score = no_expected && no_actual;
        return score ? pass : fail;
    }
    if (expected.kind >= Kind::list || actual.kind >= Kind::list) return undecided;
    if (expected.kind == actual.kind && expected.raw == actual.raw) {
        score = 1;
        return pass;
    }
    bool both_text = expected.kind == Kind::text && actual.kind == Kind::text;
    bool both_numbers = expected.kind == Kind::number && actual.kind == Kind::number;
    if (both_text && !(expected.is_plain && actual.is_plain)) return undecided;
    switch (rule.match) {
        case Match::exact:
            if (both_numbers) score = expected.number == actual.number;
            return score ? pass : (expected.kind == actual.kind ? fail : undecided);
        case Match::tolerance:
            if (!both_numbers) return undecided;
            score = std::fabs(expected.number - actual.number) <= rule.parameter * (1 + 1e-9) + 4e-16 * std::max(std::fabs(expected.number), std::fabs(actual.number));
            return score ? pass : fail;
        case Match::fuzzy:
            if (!both_text) return undecided;
            score = similarity(expected.raw, actual.raw);
            return score >= rule.parameter - 1e-12 ? pass : fail;
        case Match::date:
            return both_text && is_iso_date(expected.raw) && is_iso_date(actual.raw) ? fail : undecided;
    }
    return undecided;
}

// The assignment with the largest sum, by shortest augmenting paths; n <= m.
void assign(const std::vector<double> &gain, int n, int m, std::vector<int> &column_of_row) {
    const double infinite = std::numeric_limits<double>::infinity();
    std::vector<double> u(n + 1), v(m + 1), least(m + 1);
    std::vector<int> row_of(m + 1), way(m + 1);
    std::vector<char> used(m + 1);
    for (int i = 1; i <= n; ++i) {
        row_of[0] = i;
        int j0 = 0;
        std::fill(least.begin(), least.end(), infinite);
        std::fill(used.begin(), used.end(), 0);
        do {
            used[j0] = 1;
            int i0 = row_of[j0], j1 = 0;
            double delta = infinite;
            for (int j = 1; j <= m; ++j) {
                if (used[j]) continue;
                double cost = -gain[static_cast<size_t>(i0 - 1) * m + j - 1] - u[i0] - v[j];
                if (cost < least[j]) least[j] = cost, way[j] = j0;
                if (least[j] < delta) delta = least[j], j1 = j;
            }
            for (int j = 0; j <= m; ++j) {
                if (used[j]) u[row_of[j]] += delta, v[j] -= delta;
                else least[j] -= delta;
            }
            j0 = j1;
        } while (row_of[j0] != 0);
        do {
            int j1 = way[j0];
            row_of[j0] = row_of[j1];
            j0 = j1;
        } while (j0);
    }
    column_of_row.assign(n, -1);
    for (int j = 1; j <= m; ++j)
        if (row_of[j]) column_of_row[row_of[j] - 1] = j - 1;
}

struct Comparer {
    std::vector<Rule> fields, items;
    std::string list_name;
    Parser expected, actual;
    std::vector<const Value *> left, right;

    void read_items(const Parser &record, std::vector<const Value *> &cells) {
        cells.clear();
        const Value &list = find(record, 0, {list_name});
        for (int32_t item = list.child; item >= 0; item = record.values[item].sibling)
            for (const auto &rule : items) cells.push_back(&find(record, item, rule.steps));
    }

    // Counts of pass, fail and undecided by field, then by field of the items.
    void compare_record(int32_t *counts) {
        double score;
        for (size_t at = 0; at < fields.size(); ++at) {
            const Rule &rule = fields[at];
            ++counts[3 * at + compare(rule, find(expected, 0, rule.steps), find(actual, 0, rule.steps), score)];
        }
        if (items.empty()) return;
        read_items(expected, left);
        read_items(actual, right);
        const int width = static_cast<int>(items.size());
        int n = static_cast<int>(left.size()) / width, m = static_cast<int>(right.size()) / width;
        std::vector<int> partner(n, -1), taken(m, 0), rest_rows, rest_columns;
        auto is_equal = [&](int i, int j) {
            for (int k = 0; k < width; ++k) {
                const Value &one = *left[i * width + k], &other = *right[j * width + k];
                if (one.kind != other.kind || one.raw != other.raw) return false;
            }
            return true;
        };
        for (int i = 0; i < n; ++i)
            for (int step = 0; step < m && partner[i] < 0; ++step) {
                int j = (i + step) % m;
                if (!taken[j] && is_equal(i, j)) partner[i] = j, taken[j] = 1;
            }
        for (int i = 0; i < n; ++i)
            if (partner[i] < 0) rest_rows.push_back(i);
        for (int j = 0; j < m; ++j)
            if (!taken[j]) rest_columns.push_back(j);
        bool is_wide = rest_rows.size() <= rest_columns.size();
        const auto &short_side = is_wide ? rest_rows : rest_columns, &long_side = is_wide ? rest_columns : rest_rows;
        if (!short_side.empty()) {
            std::vector<double> gain(short_side.size() * long_side.size());
            for (size_t s = 0; s < short_side.size(); ++s)
                for (size_t l = 0; l < long_side.size(); ++l) {
                    int i = is_wide ? short_side[s] : long_side[l], j = is_wide ? long_side[l] : short_side[s];
                    double sum = 0;
                    for (int k = 0; k < width; ++k) {
                        compare(items[k], *left[i * width + k], *right[j * width + k], score);
                        sum += score;
                    }
                    gain[s * long_side.size() + l] = sum / width - 1e-9 * std::abs(i - j) / std::max(n, m);
                }
            std::vector<int> chosen;
            assign(gain, static_cast<int>(short_side.size()), static_cast<int>(long_side.size()), chosen);
            for (size_t s = 0; s < short_side.size(); ++s) {
                int i = is_wide ? short_side[s] : long_side[chosen[s]], j = is_wide ? long_side[chosen[s]] : short_side[s];
                if (gain[s * long_side.size() + chosen[s]] >= LEAST_SIMILARITY) partner[i] = j;
            }
        }
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < width; ++k) {
                const Value &other = partner[i] < 0 ? ABSENT : *right[partner[i] * width + k];
                ++counts[3 * (fields.size() + k) + compare(items[k], *left[i * width + k], other, score)];
            }
    }
};

}  // namespace

extern "C" {

Comparer *new_comparer(const char *list_name) {
    auto *comparer = new Comparer;
    comparer->list_name = list_name;
    return comparer;
}

// `path` has its steps separated by newlines.
void add_rule(Comparer *comparer, const char *path, int match, double parameter, int is_item) {
    Rule rule{{}, static_cast<Match>(match), parameter};
    std::string_view rest(path);
    while (!rest.empty()) {
        size_t end = std::min(rest.find('\n'), rest.size());
        rule.steps.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    (is_item ? comparer->items : comparer->fields).push_back(rule);
}

// False if a text is not JSON. `counts` has three numbers for each rule and is added to.
bool compare_lines(Comparer *comparer, const char *expected, int64_t expected_size, const char *actual, int64_t actual_size, int32_t *counts) {
    if (!comparer->expected.parse({expected, static_cast<size_t>(expected_size)})) return false;
    if (!comparer->actual.parse({actual, static_cast<size_t>(actual_size)})) return false;
    comparer->compare_record(counts);
    return true;
}

void free_comparer(Comparer *comparer) { delete comparer; }
}
