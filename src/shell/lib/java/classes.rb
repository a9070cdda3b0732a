module Java
  # "org.apache.hadoop.hbase.TableExistsException" -> "Java::OrgApacheHadoopHbase::TableExistsException"
  def self.ruby_name(java_class)
    *packages, name = java_class.split('.')
    "Java::#{packages.map(&:capitalize).join}::#{name}"
  end
end
