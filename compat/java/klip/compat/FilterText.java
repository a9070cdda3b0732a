package klip.compat;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Filters as text: the grammar of tests/ops/filter_text.h. */
final class FilterText {
  private static final class Argument {
    String text = "";
    Filter filter;

    byte[] bytes() {
      return Bytes.toBytesBinary(text);
    }

    boolean flag() {
      return text.equals("true");
    }
  }

  private final String text;
  private int at = 0;

  private FilterText(String text) {
    this.text = text;
  }

  static Filter parse(String text) {
    return new FilterText(text).filter();
  }

  static CompareOperator operator(String text) {
    switch (text) {
      case "<":
        return CompareOperator.LESS;
      case "<=":
        return CompareOperator.LESS_OR_EQUAL;
      case "=":
        return CompareOperator.EQUAL;
      case "!=":
        return CompareOperator.NOT_EQUAL;
      case ">=":
        return CompareOperator.GREATER_OR_EQUAL;
      case ">":
        return CompareOperator.GREATER;
      case "no-op":
        return CompareOperator.NO_OP;
      default:
        throw new UnknownWord("compare operator " + text);
    }
  }

  static ByteArrayComparable comparator(String text) {
    int colon = text.indexOf(':');
    String kind = colon < 0 ? text : text.substring(0, colon);
    String operand = colon < 0 ? "" : text.substring(colon + 1);
    switch (kind) {
      case "binary":
        return new BinaryComparator(Bytes.toBytesBinary(operand));
      case "binaryprefix":
        return new BinaryPrefixComparator(Bytes.toBytesBinary(operand));
      case "substring":
        return new SubstringComparator(operand);
      case "null":
        return new NullComparator();
      default:
        throw new UnknownWord("comparator " + text);
    }
  }

  private Filter filter() {
    int open = text.indexOf('(', at);
    if (open < 0) {
      throw new UnknownWord("expected NAME( in " + text);
    }
    String name = text.substring(at, open);
    at = open + 1;
    List<Argument> arguments = new ArrayList<>();
    for (skipBlanks(); !eat(')'); skipBlanks()) {
      arguments.add(argument());
      skipBlanks();
      eat(',');
    }
    return make(name, arguments);
  }

  private Argument argument() {
    Argument argument = new Argument();
    if (eat('\'')) {
      int end = text.indexOf('\'', at);
      argument.text = text.substring(at, end);
      at = end + 1;
      return argument;
    }
    int end = at;
    while (end < text.length() && ",()".indexOf(text.charAt(end)) < 0) {
      ++end;
    }
    if (end < text.length() && text.charAt(end) == '(') {
      argument.filter = filter();
      return argument;
    }
    argument.text = text.substring(at, end);
    at = end;
    return argument;
  }

  private void skipBlanks() {
    while (at < text.length() && text.charAt(at) == ' ') {
      ++at;
    }
  }

  private boolean eat(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      ++at;
      return true;
    }
    return false;
  }

  private static Filter make(String name, List<Argument> arguments) {
    Argument first = arguments.isEmpty() ? new Argument() : arguments.get(0);
    switch (name) {
      case "PrefixFilter":
        return new PrefixFilter(first.bytes());
      case "InclusiveStopFilter":
        return new InclusiveStopFilter(first.bytes());
      case "RowFilter":
        return new RowFilter(operator(first.text), comparator(arguments.get(1).text));
      case "PageFilter":
        return new PageFilter(Long.parseLong(first.text));
      case "FirstKeyOnlyFilter":
        return new FirstKeyOnlyFilter();
      case "KeyOnlyFilter":
        return new KeyOnlyFilter(first.flag());
      case "FuzzyRowFilter":
      case "FuzzyMask":
        return fuzzy(name, arguments);
      case "MultiRowRangeFilter":
        return ranges(arguments);
      case "SingleColumnValueFilter":
        return singleColumnValue(arguments);
      case "ALL":
      case "ONE":
        List<Filter> filters = new ArrayList<>();
        arguments.forEach(argument -> filters.add(argument.filter));
        FilterList.Operator operator =
            name.equals("ALL") ? FilterList.Operator.MUST_PASS_ALL : FilterList.Operator.MUST_PASS_ONE;
        return new FilterList(operator, filters);
      default:
        throw new UnknownWord("filter " + name);
    }
  }

  private static Filter fuzzy(String name, List<Argument> arguments) {
    List<Pair<byte[], byte[]>> keys = new ArrayList<>();
    for (int i = 0; i < arguments.size(); ++i) {
      byte[] key = arguments.get(i).bytes();
      byte[] mask = new byte[key.length];
      if (name.equals("FuzzyRowFilter")) {
        for (int j = 0; j < key.length; ++j) {
          mask[j] = (byte) (key[j] == '?' ? 1 : 0);
        }
      } else {
        ++i;
        mask = i < arguments.size() ? arguments.get(i).bytes() : new byte[0];
        for (int j = 0; j < mask.length; ++j) {
          mask[j] -= '0';
        }
      }
      keys.add(new Pair<>(key, mask));
    }
    return new FuzzyRowFilter(keys);
  }

  private static Filter ranges(List<Argument> arguments) {
    List<MultiRowRangeFilter.RowRange> ranges = new ArrayList<>();
    for (Argument argument : arguments) {
      String range = argument.text;
      int comma = range.indexOf(',');
      ranges.add(
          new MultiRowRangeFilter.RowRange(
              Bytes.toBytesBinary(range.substring(1, comma)),
              range.startsWith("["),
              Bytes.toBytesBinary(range.substring(comma + 1, range.length() - 1)),
              range.endsWith("]")));
    }
    return new MultiRowRangeFilter(ranges);
  }

  private static Filter singleColumnValue(List<Argument> arguments) {
    SingleColumnValueFilter filter =
        new SingleColumnValueFilter(
            arguments.get(0).bytes(),
            arguments.get(1).bytes(),
            operator(arguments.get(2).text),
            comparator(arguments.get(3).text));
    filter.setFilterIfMissing(arguments.size() > 4 && arguments.get(4).flag());
    filter.setLatestVersionOnly(arguments.size() < 6 || arguments.get(5).flag());
    return filter;
  }
}
