# Pages under reversed host names, with versions of their content.
create 'webtable', {NAME => 'contents', VERSIONS => 3}, {NAME => 'anchor'}
put 'webtable', 'com.cnn.www', 'contents:html', '<html>a', 3
put 'webtable', 'com.cnn.www', 'contents:html', '<html>b', 5
put 'webtable', 'com.cnn.www', 'contents:html', '<html>c', 6
put 'webtable', 'com.cnn.www', 'anchor:cnnsi.com', 'CNN', 9
put 'webtable', 'com.example.www', 'anchor:my.look.ca', 'CNN.com', 8
get 'webtable', 'com.cnn.www', {COLUMN => 'contents:html', VERSIONS => 3}
get 'webtable', 'com.cnn.www', {COLUMN => 'contents:html', TIMESTAMP => 5}
scan 'webtable', {ROWPREFIXFILTER => 'com.cnn'}
scan 'webtable', {COLUMNS => 'anchor'}
scan 'webtable', {TIMERANGE => [4, 7]}
