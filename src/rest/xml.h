#pragma once

#include <string>

namespace pugi {
class xml_document;
}

namespace klip::rest {

// The document in one line, after the declaration that HBase's gateway writes.
std::string XmlText(const pugi::xml_document& document);

}  // namespace klip::rest
