# Times as people write them.
import java.util.Date
import java.text.SimpleDateFormat
import java.text.ParsePosition
create 't', {NAME => 'f', VERSIONS => 5}
format = SimpleDateFormat.new("yyyy-MM-dd HH:mm:ss")
from = format.parse("2014-06-28 00:00:00", ParsePosition.new(0)).getTime()
to = format.parse("2014-06-29 00:00:00", ParsePosition.new(0)).getTime()
put 't', 'r', 'f:q', 'before', from - 1
put 't', 'r', 'f:q', 'within', from + 3_600_000
put 't', 'r', 'f:q', 'after', to
scan 't', {TIMERANGE => [from, to]}
Date.new(from).toString()
put 't', 'r', 'f:q', 'now', Time.now.to_i * 1000
count 't'
