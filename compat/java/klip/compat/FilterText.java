package klip.compat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/**
 * Filters as text. HBase's own parser parses what it can. This class parses the rest of klip's filter language
 * (docs/filters.md): filters, comparators and operators that HBase's language lacks. Bytes are written as by
 * toStringBinary.
 */
final class FilterText {
  private static final class Argument {
    byte[] bytes;
    boolean quoted;

    String text() {
      return Bytes.toString(bytes);
    }

    boolean flag() {
      return text().equalsIgnoreCase("true");
    }
  }

  private final byte[] text;
  private int at = 0;

  private FilterText(byte[] text) {
    this.text = text;
  }

  static Filter parse(String text) throws Exception {
    byte[] bytes = Bytes.toBytesBinary(text);
    try {
      return new ParseFilter().parseFilterString(bytes);
    } catch (Exception refused) {
      try {
        FilterText parser = new FilterText(bytes);
        Filter filter = parser.either();
        parser.blanks();
        if (parser.at == bytes.length) {
          return filter;
        }
      } catch (UnknownWord | IndexOutOfBoundsException e) {
        // Then HBase's message is right.
      }
      throw refused;
    }
  }

  private Filter either() {
    return list("OR", FilterList.Operator.MUST_PASS_ONE);
  }

  private Filter list(String word, FilterList.Operator operator) {
    boolean or = operator == FilterList.Operator.MUST_PASS_ONE;
    List<Filter> filters = new ArrayList<>();
    do {
      filters.add(or ? list("AND", FilterList.Operator.MUST_PASS_ALL) : one());
    } while (eatWord(word));
    return filters.size() == 1 ? filters.get(0) : new FilterList(operator, filters);
  }

  private Filter one() {
    if (eatWord("SKIP")) {
      return new SkipFilter(one());
    }
    if (eatWord("WHILE")) {
      return new WhileMatchFilter(one());
    }
    if (eat('(')) {
      Filter filter = either();
      expect(')');
      return filter;
    }
    blanks();
    int start = at;
    while (Character.isLetterOrDigit(text[at])) {
      ++at;
    }
    String name = Bytes.toString(text, start, at - start);
    expect('(');
    List<Argument> arguments = new ArrayList<>();
    while (!eat(')')) {
      arguments.add(argument());
      eat(',');
    }
    return make(name, arguments);
  }

  private Argument argument() {
    Argument argument = new Argument();
    blanks();
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    argument.quoted = eat('\'');
    if (argument.quoted) {
      while (text[at] != '\'' || (at + 1 < text.length && text[at + 1] == '\'')) {
        at += text[at] == '\'' ? 1 : 0;
        bytes.write(text[at++]);
      }
      ++at;
    } else {
      while (" ,)".indexOf(text[at]) < 0) {
        bytes.write(text[at++]);
      }
    }
    argument.bytes = bytes.toByteArray();
    return argument;
  }

  private void blanks() {
    while (at < text.length && text[at] == ' ') {
      ++at;
    }
  }

  private boolean eat(char c) {
    blanks();
    if (at < text.length && text[at] == c) {
      ++at;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!eat(c)) {
      throw new UnknownWord("filter: no " + c);
    }
  }

  private boolean eatWord(String word) {
    blanks();
    int end = at + word.length();
    boolean here =
        end < text.length && Bytes.toString(text, at, word.length()).equals(word) && " (".indexOf(text[end]) >= 0;
    at = here ? end : at;
    return here;
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
      case "NO_OP":
        return CompareOperator.NO_OP;
      default:
        throw new UnknownWord("compare operator " + text);
    }
  }

  private static ByteArrayComparable comparator(Argument argument) {
    byte[] bytes = argument.bytes;
    int colon = Bytes.indexOf(bytes, (byte) ':');
    String kind = Bytes.toString(bytes, 0, Math.max(colon, 0));
    byte[] operand = Bytes.tail(bytes, bytes.length - colon - 1);
    String text = Bytes.toString(operand);
    int next = Bytes.indexOf(operand, (byte) ':');
    byte[] rest = Bytes.tail(operand, operand.length - next - 1);
    switch (kind) {
      case "binary":
        return new BinaryComparator(operand);
      case "binaryprefix":
        return new BinaryPrefixComparator(operand);
      case "substring":
        return new SubstringComparator(text);
      case "regexstring":
        return new RegexStringComparator(text);
      case "regexstringnocase":
        return new RegexStringComparator(
            text, java.util.regex.Pattern.CASE_INSENSITIVE | java.util.regex.Pattern.DOTALL);
      case "null":
        return new NullComparator();
      case "long":
        return new LongComparator(Long.parseLong(text));
      case "bigdecimal":
        return new BigDecimalComparator(new java.math.BigDecimal(text));
      case "bit":
        return new BitComparator(rest, BitComparator.BitwiseOp.valueOf(Bytes.toString(operand, 0, next)));
      case "component":
        return new BinaryComponentComparator(rest, Integer.parseInt(Bytes.toString(operand, 0, next)));
      case "regex":
        return regex(text);
      default:
        throw new UnknownWord("comparator " + kind);
    }
  }

  /** FLAGS:CHARSET:ENGINE:PATTERN. */
  private static ByteArrayComparable regex(String text) {
    String[] parts = text.split(":", 4);
    RegexStringComparator comparator =
        new RegexStringComparator(
            parts[3], Integer.parseInt(parts[0]), RegexStringComparator.EngineType.valueOf(parts[2]));
    comparator.setCharset(java.nio.charset.Charset.forName(parts[1]));
    return comparator;
  }

  private static Filter make(String name, List<Argument> arguments) {
    int count = arguments.size();
    byte[] first = count == 0 ? new byte[0] : arguments.get(0).bytes;
    switch (name) {
      case "PrefixFilter":
        return new PrefixFilter(first);
      case "InclusiveStopFilter":
        return new InclusiveStopFilter(first);
      case "RowFilter":
        return new RowFilter(operator(arguments.get(0).text()), comparator(arguments.get(1)));
      case "FamilyFilter":
        return new FamilyFilter(operator(arguments.get(0).text()), comparator(arguments.get(1)));
      case "QualifierFilter":
        return new QualifierFilter(operator(arguments.get(0).text()), comparator(arguments.get(1)));
      case "ValueFilter":
        return new ValueFilter(operator(arguments.get(0).text()), comparator(arguments.get(1)));
      case "PageFilter":
        return new PageFilter(Long.parseLong(Bytes.toString(first)));
      case "FirstKeyOnlyFilter":
        return new FirstKeyOnlyFilter();
      case "KeyOnlyFilter":
        return new KeyOnlyFilter(count > 0 && arguments.get(0).flag());
      case "ColumnPrefixFilter":
        return new ColumnPrefixFilter(first);
      case "MultipleColumnPrefixFilter":
        return new MultipleColumnPrefixFilter(allBytes(arguments).toArray(new byte[0][]));
      case "ColumnCountGetFilter":
        return new ColumnCountGetFilter(Integer.parseInt(Bytes.toString(first)));
      case "ColumnPaginationFilter":
        int limit = Integer.parseInt(Bytes.toString(first));
        Argument offset = arguments.get(1);
        return offset.quoted
            ? new ColumnPaginationFilter(limit, offset.bytes)
            : new ColumnPaginationFilter(limit, Integer.parseInt(offset.text()));
      case "ColumnRangeFilter":
        return columnRange(arguments);
      case "TimestampsFilter":
        return timestamps(arguments);
      case "ColumnValueFilter":
        return new ColumnValueFilter(
            first, arguments.get(1).bytes, operator(arguments.get(2).text()), comparator(arguments.get(3)));
      case "SingleColumnValueFilter":
      case "SingleColumnValueExcludeFilter":
        return singleColumnValue(name, arguments);
      case "DependentColumnFilter":
        boolean drop = count > 2 && arguments.get(2).flag();
        return count < 5
            ? new DependentColumnFilter(first, arguments.get(1).bytes, drop)
            : new DependentColumnFilter(
                first, arguments.get(1).bytes, drop, operator(arguments.get(3).text()), comparator(arguments.get(4)));
      case "FilterList":
        return new FilterList(FilterList.Operator.valueOf(Bytes.toString(first)));
      case "FirstKeyValueMatchingQualifiersFilter":
        return firstMatching(arguments);
      case "FuzzyMask":
      case "FuzzyRowFilter":
        return fuzzy(name, arguments);
      case "MultiRowRangeFilter":
        return ranges(arguments);
      case "RandomRowFilter":
        return new RandomRowFilter(Float.parseFloat(Bytes.toString(first)));
      default:
        throw new UnknownWord("filter " + name);
    }
  }

  private static List<byte[]> allBytes(List<Argument> arguments) {
    List<byte[]> all = new ArrayList<>();
    arguments.forEach(argument -> all.add(argument.bytes));
    return all;
  }

  private static byte[] orNull(byte[] bytes) {
    return bytes.length == 0 ? null : bytes;
  }

  private static Filter columnRange(List<Argument> arguments) {
    return new ColumnRangeFilter(
        orNull(arguments.get(0).bytes), arguments.get(1).flag(), orNull(arguments.get(2).bytes), arguments.get(3).flag());
  }

  private static Filter timestamps(List<Argument> arguments) {
    List<Long> timestamps = new ArrayList<>();
    boolean canHint = false;
    for (Argument argument : arguments) {
      if (argument.flag()) {
        canHint = true;
      } else {
        timestamps.add(Long.parseLong(argument.text()));
      }
    }
    return new TimestampsFilter(timestamps, canHint);
  }

  @SuppressWarnings("deprecation")
  private static Filter firstMatching(List<Argument> arguments) {
    java.util.TreeSet<byte[]> qualifiers = new java.util.TreeSet<>(Bytes.BYTES_COMPARATOR);
    qualifiers.addAll(allBytes(arguments));
    return new FirstKeyValueMatchingQualifiersFilter(Collections.unmodifiableSet(qualifiers));
  }

  private static Filter fuzzy(String name, List<Argument> arguments) {
    List<Pair<byte[], byte[]>> keys = new ArrayList<>();
    for (int i = 0; i < arguments.size(); ++i) {
      byte[] key = arguments.get(i).bytes;
      byte[] mask = new byte[key.length];
      if (name.equals("FuzzyRowFilter")) {
        for (int j = 0; j < key.length; ++j) {
          mask[j] = (byte) (key[j] == '?' ? 1 : 0);
        }
      } else {
        mask = arguments.get(++i).bytes.clone();
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
    for (int i = 0; i + 3 < arguments.size(); i += 4) {
      ranges.add(
          new MultiRowRangeFilter.RowRange(
              arguments.get(i).bytes,
              arguments.get(i + 1).flag(),
              arguments.get(i + 2).bytes,
              arguments.get(i + 3).flag()));
    }
    return new MultiRowRangeFilter(ranges);
  }

  private static Filter singleColumnValue(String name, List<Argument> arguments) {
    byte[] family = arguments.get(0).bytes;
    byte[] qualifier = arguments.get(1).bytes;
    CompareOperator operator = operator(arguments.get(2).text());
    ByteArrayComparable comparator = comparator(arguments.get(3));
    SingleColumnValueFilter filter =
        name.equals("SingleColumnValueFilter")
            ? new SingleColumnValueFilter(family, qualifier, operator, comparator)
            : new SingleColumnValueExcludeFilter(family, qualifier, operator, comparator);
    filter.setFilterIfMissing(arguments.size() > 4 && arguments.get(4).flag());
    filter.setLatestVersionOnly(arguments.size() < 6 || arguments.get(5).flag());
    return filter;
  }
}
