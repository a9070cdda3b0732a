# Students with scores, conditions on values and a limit.
create 'student', {NAME => 'info', VERSIONS => 3}, {NAME => 'score'}
students = { '001' => %w[Ann 92], '002' => %w[Bob 61], '003' => %w[Cem 78] }
students.each do |id, (name, math)|
  put 'student', id, 'info:name', name, 1
  put 'student', id, 'score:math', math, 1
end
scan 'student', {COLUMNS => 'score:math', FILTER => "ValueFilter(>=,'binary:78')"}
scan 'student', {FILTER => "SingleColumnValueFilter('score','math',<,'binary:70') AND ColumnPrefixFilter('na')"}
scan 'student', {FILTER => "SingleColumnValueFilter('info','name',=,'substring:em',true,true)"}
scan 'student', {COLUMNS => ['info:name'], LIMIT => 2, STARTROW => '002'}
