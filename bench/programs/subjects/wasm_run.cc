/* P8: WebAssembly in its text form, by wabt. Valid: it parses, and the validator takes it. */
#include "wabt/error.h"
#include "wabt/feature.h"
#include "wabt/ir.h"
#include "wabt/validator.h"
#include "wabt/wast-lexer.h"
#include "wabt/wast-parser.h"

extern "C" {
void program_start(void);
bool program_run(const char *text, size_t n);
}

void program_start(void) {}

bool program_run(const char *text, size_t n)
{
    wabt::Errors errors;
    wabt::Features features;
    wabt::WastParseOptions options(features);
    std::unique_ptr<wabt::WastLexer> lexer = wabt::WastLexer::CreateBufferLexer("text", text, n, &errors);
    std::unique_ptr<wabt::Module> module;
    if (wabt::Failed(wabt::ParseWatModule(lexer.get(), &module, &errors, &options))) return false;
    return wabt::Succeeded(wabt::ValidateModule(module.get(), &errors, wabt::ValidateOptions(features)));
}
