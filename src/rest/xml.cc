#include "rest/xml.h"

#include <pugixml.hpp>

namespace klip::rest {
namespace {

struct StringWriter : pugi::xml_writer {
  std::string out;
  void write(const void* data, size_t size) override { out.append(static_cast<const char*>(data), size); }
};

}  // namespace

std::string XmlText(const pugi::xml_document& document) {
  StringWriter writer;
  writer.out = R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)";
  document.save(writer, "", pugi::format_raw | pugi::format_no_declaration);
  return std::move(writer.out);
}

}  // namespace klip::rest
