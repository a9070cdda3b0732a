# `require 'java'`, with which scripts for JRuby begin.
require 'java/classes'
