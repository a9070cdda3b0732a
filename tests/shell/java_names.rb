# Dates, times, numbers and bytes by their Java names.
require 'java'
include Java
import java.util.Date
Date.new(1218920189000).toString()
import java.text.SimpleDateFormat
import java.text.ParsePosition
SimpleDateFormat.new("yy/MM/dd HH:mm:ss").parse("08/08/16 20:56:29", ParsePosition.new(0)).getTime()
SimpleDateFormat.new("yyyy-MM-dd'T'HH:mm:ss.SSS").format(Date.new(1218920189007))
SimpleDateFormat.new("yyyyMMdd").parse("20140628").getTime
SimpleDateFormat.new("dd MMM yyyy hh:mm a Z").parse("28 Jun 2014 01:05 PM +0200").to_s
java.lang.Long::MAX_VALUE
Bytes.toLong("\x00\x00\x00\x00\x00\x00\x01\x00".to_java_bytes)
Bytes.toStringBinary("a\\b\x00\xff")
org.apache.hadoop.hbase.util.Bytes.toBytes(5)
org.apache.hadoop.hbase.util.Bytes.toInt("\x00\x00\x01\x00")
String.from_java_bytes(Bytes.toBytes('x'))
java.util.Frob.new
