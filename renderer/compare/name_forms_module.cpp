#include <utf8proc.h>

#include <cstdlib>

#include "renderer/base/module.h"
#include "renderer/compare/name_forms.h"

ROUNDEL_MODULE_FUNCTION void roundel_name_form(std::string& name, bool folds_case) {
  int options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  if (folds_case) options |= UTF8PROC_CASEFOLD;
  utf8proc_uint8_t* form = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()), &form, static_cast<utf8proc_option_t>(options));
  if (bytes >= 0) name.assign(reinterpret_cast<const char*>(form), static_cast<std::size_t>(bytes));
  std::free(form);
}
