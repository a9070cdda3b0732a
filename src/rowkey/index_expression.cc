#include "rowkey/index_expression.h"

#include <atomic>

namespace klip::rowkey {
namespace {

constinit std::atomic<IndexExpressionMaker> index_expression_maker = nullptr;

}  // namespace

void SetIndexExpressionMaker(IndexExpressionMaker maker) { index_expression_maker = maker; }

IndexExpressionMaker GetIndexExpressionMaker() { return index_expression_maker; }

}  // namespace klip::rowkey
