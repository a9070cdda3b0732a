Shell.group 'security', 'SECURITY TOOLS',
            'NOTE: Above commands are only applicable if running with the AccessController coprocessor' do
  command 'list_security_capabilities', <<~'HELP' do
    Lists the security features of the cluster:

      hbase> list_security_capabilities
  HELP
    connection.security_capabilities.each { |name| puts name }
  end

  command 'grant', <<~'HELP' do |user, permissions = nil, table = nil, family = nil, qualifier = nil|
    Grants permissions to a user, or with '@' to a group, as letters of "RWXCA": read, write, execute endpoints, create, administer.
    They apply to the whole cluster, a namespace ('@' before it), a table, a family or a column. Earlier grants remain:

      hbase> grant 'bobsmith', 'RWXCA'
      hbase> grant '@admins', 'RWXCA'
      hbase> grant 'bobsmith', 'RWXCA', '@ns1'
      hbase> grant 'bobsmith', 'RW', 't1', 'f1', 'col1'
      hbase> grant 'bobsmith', 'RW', 'ns1:t1', 'f1', 'col1'

    For single cells, which are rewritten with the permissions: a table, permissions by user, and options as in 'help "scan"':

      hbase> grant 't1', { 'bobsmith' => 'RW', '@admins' => 'RWXCA' }, { COLUMNS => 'f1' }
  HELP
    raise ArgumentError, 'First argument should be a String' unless user.is_a?(String)

    case permissions
    when String
      raise ArgumentError, 'Invalid permission: no actions associated with user' if permissions.empty?

      connection.grant(permission(user, table, family, qualifier).merge(actions: permissions))
    when Hash
      raise ArgumentError, 'Scanner specification is not a Hash' unless table.is_a?(Hash)

      must_be_capable_of('CELL_AUTHORIZATION', 'Security features are')
      formatter.footer(rewrite_cells(user, table, permissions: permissions.transform_keys(&:to_s)))
    else raise ArgumentError, 'Second argument should be a String or Hash'
    end
    nil
  end

  command 'revoke', <<~'HELP' do |user, table = nil, family = nil, qualifier = nil|
    Revokes the permissions of a user, or with '@' of a group, on the whole cluster, a namespace ('@' before it), a table, a
    family or a column:

      hbase> revoke 'bobsmith'
      hbase> revoke '@admins'
      hbase> revoke 'bobsmith', '@ns1'
      hbase> revoke 'bobsmith', 't1', 'f1', 'col1'
      hbase> revoke 'bobsmith', 'ns1:t1', 'f1', 'col1'
  HELP
    connection.revoke(permission(user, table, family, qualifier))
  end

  command 'user_permission', <<~'HELP' do |regex = nil|
    Lists the permissions on the whole cluster, or on namespaces ('@' before a regular expression) or tables whose names match a
    regular expression:

      hbase> user_permission
      hbase> user_permission '@ns1'
      hbase> user_permission '@.*'
      hbase> user_permission 'table1'
      hbase> user_permission 'namespace1:table1'
      hbase> user_permission '.*'
  HELP
    must_be_capable_of('AUTHORIZATION', 'Security features are')
    formatter.header(['User', 'Namespace,Table,Family,Qualifier:Permission'])
    permissions_of(regex.to_s).each do |one|
      namespace = one[:table].empty? ? one[:namespace] : ::Shell.namespace_of(one[:table])
      where = [namespace, one[:table], Shell::Texts.binary(one[:family]), Shell::Texts.binary(one[:qualifier])].join(',')
      formatter.row([one[:user], "#{where}: [Permission: actions=#{actions_of(one[:actions])}]"])
    end
    formatter.footer
  end
end

Shell.group 'visibility labels', 'VISIBILITY LABEL TOOLS',
            'NOTE: Above commands are only applicable if running with the VisibilityController coprocessor' do
  command 'add_labels', "Creates visibility labels:\n\n  hbase> add_labels ['SECRET', 'PRIVATE']\n" do |*labels|
    must_have_labels
    labels = labels.flatten.compact.map(&:to_s)
    raise ArgumentError, 'Arguments cannot be null' if labels.empty?

    connection.add_labels(labels)
  end

  command 'list_labels', <<~'HELP' do |regex = '.*'|
    Lists all visibility labels, or those that match a regular expression:

      hbase> list_labels 'secret.*'
      hbase> list_labels
  HELP
    must_have_labels
    print_labels(connection.labels(regex.to_s))
  end

  command 'set_auths', <<~'HELP' do |user, *labels|
    Lets a user, or with '@' a group, read cells with these labels, in addition to earlier ones:

      hbase> set_auths 'user1', ['SECRET', 'PRIVATE']
      hbase> set_auths '@group1', ['SECRET', 'PRIVATE']
  HELP
    must_have_labels
    connection.set_auths(user.to_s, labels.flatten.compact.map(&:to_s))
  end

  command 'get_auths', <<~'HELP' do |user|
    Lists the labels that a user, or with '@' a group, may read:

      hbase> get_auths 'user1'
      hbase> get_auths '@group1'
  HELP
    must_have_labels
    print_labels(connection.auths(user.to_s))
  end

  command 'clear_auths', <<~'HELP' do |user, *labels|
    Removes labels from a user, or with '@' from a group:

      hbase> clear_auths 'user1', ['SECRET', 'PRIVATE']
      hbase> clear_auths '@group1', ['SECRET', 'PRIVATE']
  HELP
    must_have_labels
    connection.clear_auths(user.to_s, labels.flatten.compact.map(&:to_s))
  end

  command 'set_visibility', <<~'HELP' do |table, expression, scan|
    Rewrites the cells that a scan finds, with an expression of labels. The scan's options are those of 'help "scan"':

      hbase> set_visibility 't1', 'A|B', {COLUMNS => ['c1', 'c2']}
      hbase> set_visibility 't1', '(A&B)|C', {COLUMNS => 'c1', TIMERANGE => [1303668804, 1303668904]}
      hbase> set_visibility 't1', 'A&B&C', {ROWPREFIXFILTER => 'row2', FILTER => "QualifierFilter(>=, 'binary:xyz')"}
  HELP
    must_have_labels
    formatter.footer(rewrite_cells(table, scan, visibility: expression.to_s))
  end
end

class Shell::Command
  ACTIONS = { 'R' => 'READ', 'W' => 'WRITE', 'X' => 'EXEC', 'C' => 'CREATE', 'A' => 'ADMIN' }.freeze

  private

  def must_be_capable_of(capability, what)
    return if connection.security_capabilities.include?(capability)

    raise ArgumentError, "DISABLED: #{what} not available"
  end

  def must_have_labels
    must_be_capable_of('CELL_VISIBILITY', 'Visibility labels feature is')
  end

  # The user and what the permission is on. Raises if it does not exist.
  def permission(user, table, family, qualifier)
    must_be_capable_of('AUTHORIZATION', 'Security features are')
    return { user: user } if table.nil?

    if table.start_with?('@')
      namespace = table.delete_prefix('@')
      raise ArgumentError, "Can't find a namespace: #{namespace}" unless connection.namespaces.assoc(namespace)

      return { user: user, namespace: namespace }
    end
    raise ArgumentError, "Can't find a table: #{table}" unless admin.exists?(table)
    raise ArgumentError, "Can't find a family: #{family}" unless family.nil? || family?(table, family)

    { user: user, table: table, family: family, qualifier: qualifier }
  end

  def family?(table, family)
    connection.describe_table(table)[:families].any? { |one| one[:name] == family }
  end

  # HBase's AccessControlClient.getUserPermissions.
  def permissions_of(regex)
    return connection.user_permissions({}) if regex.empty?

    kind, names, pattern = if regex.start_with?('@')
                             [:namespace, connection.namespaces.map(&:first), regex.delete_prefix('@')]
                           else
                             [:table, connection.tables, regex]
                           end
    names.grep(/\A(?:#{pattern})\z/).flat_map { |name| connection.user_permissions(kind => name) }
  end

  def actions_of(letters)
    letters.chars.map { |letter| ACTIONS.fetch(letter) }.join(',')
  end

  def print_labels(labels)
    labels.each { |label| formatter.row([Shell::Texts.binary(label)]) }
    labels
  end

  # Rewrites the cells that the scan finds with the attributes in `safety`. Returns the number of rows.
  def rewrite_cells(table, scan, safety)
    native = self.table(table)
    each_row(native.scan(Shell::Reading.for_scan(scan).request)) do |row, cells, *|
      native.put(row: row, columns: cells.map { |cell| [cell.family, cell.qualifier, cell.value, cell.timestamp] }, **safety)
    end
  end
end
