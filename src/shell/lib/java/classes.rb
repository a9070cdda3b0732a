# The Java names that HBase shell scripts use, as Ruby classes: java.util.Date, org.apache.hadoop.hbase.filter.*, Bytes, and so on.
# Other Java names are errors. Byte arrays are binary Strings.
module Java
  # "java.util.Date" -> the Ruby class
  @classes = {}

  class << self
    attr_reader :classes

    def register(package, classes)
      classes.each { |name, klass| @classes["#{package}.#{name}"] = klass }
    end

    # "org.apache.hadoop.hbase.TableExistsException" -> "Java::OrgApacheHadoopHbase::TableExistsException"
    def ruby_name(java_class)
      *packages, name = java_class.split('.')
      "Java::#{packages.map(&:capitalize).join}::#{name}"
    end
  end

  # java.util, org.apache.hadoop.hbase, ...: after the dot, a class or a subpackage.
  class Package < BasicObject
    def initialize(name)
      @name = name
    end

    def method_missing(name, *arguments, &block)
      full = "#{@name}.#{name}"
      klass = ::Java.classes[full]
      return klass if klass
      return ::Java::Package.new(full) if name.match?(/\A[a-z]/) && arguments.empty?

      ::Kernel.raise ::NameError, "cannot load Java class #{full}: klip's shell has no Java, only stand-ins for what " \
                                  'scripts of HBase use (docs/shell.md lists them)'
    end

    def respond_to_missing?(*)
      true
    end

    def inspect
      "#<package #{@name}>"
    end
    alias to_s inspect

    def class
      ::Java::Package
    end
  end
end

require 'java/bytes'
require 'java/dates'
require 'java/lang'
require 'java/comparators'
require 'java/filters'

# On every object, as in JRuby.
class Object
  def java
    Java::Package.new('java')
  end

  def org
    Java::Package.new('org')
  end

  # Makes a class known under its last name: import java.util.Date, java_import 'java.util.Date'.
  def import(*classes)
    classes.flatten.each do |one|
      klass = one.is_a?(String) ? Java.classes[one] : one
      raise NameError, "cannot load Java class #{one}" if klass.nil?

      name = Java.classes.key(klass)&.split('.')&.last || klass.name.split('::').last
      Object.send(:remove_const, name) if Object.const_defined?(name, false) && Object.const_get(name, false) != klass
      Object.const_set(name, klass) unless Object.const_defined?(name, false)
    end
    nil
  end
  alias java_import import
  private :java, :org, :import, :java_import
end

Bytes = Java::Bytes
