// Table and family descriptors as Ruby sees them:
//   {name: 't', attributes: {'DURABILITY' => 'ASYNC_WAL'}, configuration: {}, families: [...]}
//   {name: 'f', attributes: {'VERSIONS' => '5', 'TTL' => '86400'}, configuration: {}}
// Attributes are texts under HBase's names; those that klip::FamilyDescriptor has members for are among them.
#pragma once

#include "klip/admin.h"
#include "shell/ruby_api.h"

namespace klip::shell {

// Errors: kInvalidArgument naming the attribute whose text is wrong.
Expected<TableDescriptor> ToTableDescriptor(VALUE hash);
VALUE FromTableDescriptor(const TableDescriptor& table);

}  // namespace klip::shell
