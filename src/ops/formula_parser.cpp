// SPDX-FileCopyrightText: 2026 The tessera developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include "ops/formula.hpp"

namespace tessera::ops {

namespace {

struct Function {
  const char* name;
  int least;  ///< arguments
  int most;
};

constexpr Function functions[] = {
    {"abs", 1, 1},     {"sqrt", 1, 1},      {"exp", 1, 1},        {"log", 1, 1},
    {"sin", 1, 1},     {"cos", 1, 1},       {"tanh", 1, 1},       {"min", 2, 16},
    {"max", 2, 16},    {"where", 3, 3},     {"fma", 3, 3},        {"real", 1, 1},
    {"imag", 1, 1},    {"conj", 1, 1},      {"floor", 1, 1},      {"ceil", 1, 1},
    {"round", 1, 1},   {"sign", 1, 1},      {"isnan", 1, 1},      {"isfinite", 1, 1},
    {"uint8", 1, 1},   {"int32", 1, 1},     {"int64", 1, 1},      {"float32", 1, 1},
    {"float64", 1, 1}, {"complex64", 1, 1}, {"complex128", 1, 1},
};

constexpr const char* constants[] = {"pi", "e", "i", "inf", "nan"};

bool starts_name(char c) {
  // Bytes from 0x80 on belong to letters of other scripts.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

struct Token {
  enum class Kind { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string text;
  int position = 1;  ///< characters, from 1
};

std::string described(const Token& token) {
  return token.kind == Token::Kind::end ? "the end" : "\"" + token.text + "\"";
}

Error error_at(const std::string& text, int position, const std::string& message) {
  return Error(ErrorKind::graph,
               "formula \"" + text + "\", character " + std::to_string(position) + ": " + message);
}

/// Cuts the text into tokens.
class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> result;
    for (;;) {
      while (at_ < text_.size() &&
             (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
        advance(1);
      }
      result.push_back(next());
      if (result.back().kind == Token::Kind::end) return result;
    }
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token take(Token::Kind kind, std::size_t length) {
    Token token{kind, text_.substr(at_, length), position_};
    advance(length);
    return token;
  }

  void advance(std::size_t length) {
    for (const char c : text_.substr(at_, length)) position_ += (c & 0xc0) != 0x80 ? 1 : 0;
    at_ += length;
  }

  Token next() {
    const char c = peek();
    if (at_ == text_.size()) return {Token::Kind::end, "", position_};
    std::size_t length = 0;
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take(Token::Kind::number, number());
    if (starts_name(c)) {
      while (continues_name(peek(length))) ++length;
      return take(Token::Kind::name, length);
    }
    for (const char* pair : {"<=", ">=", "==", "!=", "&&", "||"}) {
      if (c == pair[0] && peek(1) == pair[1]) return take(Token::Kind::symbol, 2);
    }
    if (std::string("+-*/^<>!(),").find(c) != std::string::npos) {
      if (c == '*' && peek(1) == '*') {
        throw error_at(text_, position_, "unknown operator")
            .found("\"**\"")
            .advice("write ^ for a power");
      }
      return take(Token::Kind::symbol, 1);
    }
    Error error = error_at(text_, position_, "unknown operator");
    error.found(std::string("\"") + c + "\"");
    if (c == '&' || c == '|' || c == '=') error.advice("write " + std::string(2, c));
    throw error;
  }

  /// The length of the number that starts here: digits, a point, an exponent.
  std::size_t number() const {
    std::size_t length = 0;
    const auto digits = [&] {
      while (is_digit(peek(length))) ++length;
    };
    digits();
    if (peek(length) == '.') {
      ++length;
      digits();
    }
    if (peek(length) == 'e' || peek(length) == 'E') {
      const bool sign = peek(length + 1) == '+' || peek(length + 1) == '-';
      if (is_digit(peek(length + (sign ? 2 : 1)))) {
        length += sign ? 2 : 1;
        digits();
      }
    }
    return length;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int position_ = 1;
};

/// Recursive descent, one function per rule of the grammar.
class Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& names) : names_(names) {
    formula_.text = text;
    if (text.size() > max_formula_length) {
      throw Error(ErrorKind::graph, "the formula is too long")
          .expected("at most " + std::to_string(max_formula_length) + " bytes")
          .found(std::to_string(text.size()))
          .advice("split it over several steps");
    }
    tokens_ = Lexer(formula_.text).tokens();
  }

  Formula parse() {
    formula_.root = either();
    if (token().kind != Token::Kind::end) fail("an operator or the end");
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (used_.contains(static_cast<int>(k))) continue;
      throw Error(ErrorKind::graph, "the formula \"" + formula_.text +
                                        "\" doesn't use the input \"" + names_[k] + "\"")
          .advice("leave the input out");
    }
    return std::move(formula_);
  }

 private:
  const Token& token() const { return tokens_[next_]; }

  bool sees(std::initializer_list<const char*> symbols) const {
    return token().kind == Token::Kind::symbol &&
           std::any_of(symbols.begin(), symbols.end(),
                       [&](const char* symbol) { return token().text == symbol; });
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw error_at(formula_.text, token().position, "unexpected text")
        .expected(expected)
        .found(described(token()));
  }

  int add(FormulaNode node) {
    formula_.nodes.push_back(std::move(node));
    return static_cast<int>(formula_.nodes.size()) - 1;
  }

  FormulaNode node_here(FormulaNode::Kind kind) const {
    FormulaNode node;
    node.kind = kind;
    node.position = token().position;
    node.text = token().text;
    return node;
  }

  /// operand (symbol operand)*, grouped from the left.
  int chain(std::initializer_list<const char*> symbols, int (Parser::*operand)()) {
    int left = (this->*operand)();
    while (sees(symbols)) {
      FormulaNode node = node_here(FormulaNode::Kind::binary);
      ++next_;
      node.children = {left, (this->*operand)()};
      left = add(std::move(node));
    }
    return left;
  }

  int either() { return chain({"||"}, &Parser::both); }
  int both() { return chain({"&&"}, &Parser::comparison); }
  int sum() { return chain({"+", "-"}, &Parser::product); }
  int product() { return chain({"*", "/"}, &Parser::sign); }

  int comparison() {
    const int left = sum();
    if (!sees({"<", "<=", ">", ">=", "==", "!="})) return left;
    FormulaNode node = node_here(FormulaNode::Kind::binary);
    ++next_;
    node.children = {left, sum()};
    if (sees({"<", "<=", ">", ">=", "==", "!="})) {
      throw error_at(formula_.text, token().position, "comparisons can't be chained")
          .advice("write (a < b) && (b < c)");
    }
    return add(std::move(node));
  }

  int sign() {
    if (!sees({"-", "+", "!"})) return power();
    FormulaNode node = node_here(FormulaNode::Kind::unary);
    const Depth depth(*this);
    ++next_;
    node.children = {sign()};
    return add(std::move(node));
  }

  int power() {
    const int base = atom();
    if (!sees({"^"})) return base;
    FormulaNode node = node_here(FormulaNode::Kind::binary);
    const Depth depth(*this);
    ++next_;
    node.children = {base, sign()};
    return add(std::move(node));
  }

  int atom() {
    const Depth depth(*this);
    if (token().kind == Token::Kind::number) return number();
    if (token().kind == Token::Kind::name) {
      const bool call =
          tokens_[next_ + 1].kind == Token::Kind::symbol && tokens_[next_ + 1].text == "(";
      return call ? function() : name();
    }
    if (!sees({"("})) fail("a number, a name or \"(\"");
    ++next_;
    const int inner = either();
    expect(")");
    return inner;
  }

  void expect(const char* symbol) {
    if (!sees({symbol})) fail(std::string("an operator or \"") + symbol + "\"");
    ++next_;
  }

  int number() {
    FormulaNode node = node_here(FormulaNode::Kind::number);
    const std::string& text = node.text;
    const char* end = text.data() + text.size();
    node.integral = text.find_first_of(".eE") == std::string::npos;
    const auto real = std::from_chars(text.data(), end, node.real);
    auto status = real.ec;
    if (node.integral) {
      const auto integer = std::from_chars(text.data(), end, node.integer);
      if (integer.ec != std::errc()) node.integral = false;  // too large: a float64
    }
    if (status != std::errc() || real.ptr != end) {
      throw error_at(formula_.text, node.position, "float64 can't hold the number").found(text);
    }
    ++next_;
    return add(std::move(node));
  }

  int name() {
    FormulaNode node = node_here(FormulaNode::Kind::input);
    const auto found = std::find(names_.begin(), names_.end(), node.text);
    if (found != names_.end()) {
      node.input = static_cast<int>(found - names_.begin());
    } else if (names_.size() == 1 && node.text == "x") {
      node.input = 0;
    } else if (std::find(std::begin(constants), std::end(constants), node.text) !=
               std::end(constants)) {
      node.kind = FormulaNode::Kind::constant;
    } else {
      unknown_name(node);
    }
    if (node.kind == FormulaNode::Kind::input) used_.insert(node.input);
    ++next_;
    return add(std::move(node));
  }

  [[noreturn]] void unknown_name(const FormulaNode& node) const {
    std::string known;
    for (const std::string& name : names_) known += (known.empty() ? "\"" : ", \"") + name + "\"";
    for (const Function& function : functions) {
      if (node.text != function.name) continue;
      throw error_at(formula_.text, node.position, "a function without its arguments")
          .expected(node.text + "(...)")
          .found("\"" + node.text + "\"");
    }
    throw error_at(formula_.text, node.position, "unknown name")
        .expected("an input: " + known + "; or pi, e, i, inf, nan")
        .found("\"" + node.text + "\"")
        .advice("name other tensors in \"in\": {\"name\": \"tensor\"}");
  }

  int function() {
    FormulaNode node = node_here(FormulaNode::Kind::call);
    const auto* const found =
        std::find_if(std::begin(functions), std::end(functions),
                     [&](const Function& function) { return node.text == function.name; });
    if (found == std::end(functions)) {
      throw error_at(formula_.text, node.position, "unknown function")
          .expected("one of " + formula_functions())
          .found("\"" + node.text + "\"");
    }
    next_ += 2;
    node.children.push_back(either());
    while (sees({","})) {
      ++next_;
      node.children.push_back(either());
    }
    expect(")");
    const auto count = static_cast<int>(node.children.size());
    if (count < found->least || count > found->most) {
      const std::string most =
          found->most == found->least ? "" : " to " + std::to_string(found->most);
      throw error_at(formula_.text, node.position, node.text + " has the wrong number of arguments")
          .expected(std::to_string(found->least) + most)
          .found(std::to_string(count));
    }
    return add(std::move(node));
  }

  /// Counts nesting while it lives.
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_formula_depth) {
        throw error_at(parser_.formula_.text, parser_.token().position, "nested too deeply")
            .expected("a depth of at most " + std::to_string(max_formula_depth))
            .advice("split the formula over several steps");
      }
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  Formula formula_;
  const std::vector<std::string>& names_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::set<int> used_;
  int depth_ = 0;
};

}  // namespace

Formula parse_formula(const std::string& text, const std::vector<std::string>& names) {
  return Parser(text, names).parse();
}

Error formula_error(const Formula& formula, int position, const std::string& message) {
  return error_at(formula.text, position, message);
}

std::string formula_functions() {
  std::string text;
  for (const Function& function : functions) {
    text += (text.empty() ? "" : ", ") + std::string(function.name);
  }
  return text;
}

}  // namespace tessera::ops
