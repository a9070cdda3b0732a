Shell.group 'security', 'SECURITY TOOLS',
            'NOTE: Above commands are only applicable if running with the AccessController coprocessor' do
  command 'list_security_capabilities', <<~'HELP' do
    Lists what the cluster can do for security:

      hbase> list_security_capabilities
  HELP
    connection.security_capabilities.each { |name| puts name }
  end

  answers_of_one_server

  unsupported 'klip has no ACLs', 'grant', 'revoke', 'user_permission'
end

Shell.group 'visibility labels', 'VISIBILITY LABEL TOOLS',
            'NOTE: Above commands are only applicable if running with the VisibilityController coprocessor' do
  answers_of_one_server

  unsupported 'klip has no visibility labels',
              'add_labels', 'list_labels', 'set_auths', 'get_auths', 'clear_auths', 'set_visibility'
end
