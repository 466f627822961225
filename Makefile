# Build, test and install sonde.
#
#   make                                   library, tool and examples, into build/
#   make BUILD=build/clang CC=clang        another compiler, next to the first build
#   make BUILD=build/asan SANITIZE=address,undefined
#   make help                              all targets
#
# Sources are found by folder, never listed: a new src/*/x.c or src/*/*/x.c, examples/x.c, bench/x.c or tests/*/x.c is picked up as it
# is. CPPFLAGS, CFLAGS and LDFLAGS of the user come last on the command line, so they win; a change of compiler or of
# flags rebuilds what it touches (see .flags below).

BUILD    ?= build
# One name for one folder: the depfiles name their objects, and a build by another name would not heed them.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
PREFIX   ?= /usr/local
BINDIR   ?= $(PREFIX)/bin
LIBDIR   ?= $(PREFIX)/lib
INCDIR   ?= $(PREFIX)/include
MANDIR   ?= $(PREFIX)/share/man
DATADIR  ?= $(PREFIX)/share/sonde
BASHDIR  ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR   ?= $(PREFIX)/share/zsh/site-functions
FISHDIR  ?= $(PREFIX)/share/fish/vendor_completions.d
SANITIZE ?=
HOSTILE  ?=
# A release is built by compilers that are newer than it, and warn of more.
WERROR   ?= $(if $(wildcard .git),-Werror)
JOBS     ?= $(shell nproc 2>/dev/null || echo 2)
# One name for one compiler: `make check` builds by gcc, and goes on with what `make` has built if that is the same.
ifeq ($(origin CC),default)
CC       := $(shell test "$$(readlink -f "$$(command -v cc)")" = "$$(readlink -f "$$(command -v gcc)")" && echo gcc || echo cc)
endif
# A C++ compiler is optional: without one the C++ example is left out. It goes with the C compiler.
ifeq ($(origin CXX),default)
CXX      := $(if $(findstring clang,$(CC)),clang++,g++)
endif
HAS_CXX  := $(shell command -v $(CXX) 2>/dev/null)
ifeq ($(origin AR),default)
AR       := ar
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# The one place that knows the version is the header.
VERSION := $(shell sed -n 's/^.define[[:space:]]*SONDE_VERSION[[:space:]]*"\([0-9.]*\)".*/\1/p' include/sonde.h 2>/dev/null)
SOMAJOR := $(firstword $(subst ., ,$(VERSION)))
SONAME  := libsonde.so.$(SOMAJOR)
SOFILE  := libsonde.so.$(VERSION)

# ---- What there is ---------------------------------------------------------------------------------------------------

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
comma := ,
bin = $(patsubst %.c,$(BUILD)/%,$(1))

LIB_SRC   := $(sort $(wildcard src/*/*.c src/*/*/*.c))
TOOL_SRC  := $(sort $(wildcard tools/*.c))
CHECKS    := $(call bin,$(sort $(wildcard tests/unit/*_test.c tests/unit/*/*_test.c tests/props/*.c)))
TESTS     := $(CHECKS) $(call bin,$(sort $(wildcard tests/quality/*.c)))
FIXTURES  := $(call bin,$(sort $(wildcard tests/cli/*.c tests/misbehave/*.c)))
HOSTILES  := $(call bin,$(sort $(wildcard tests/hostile/*.c)))
# musl-gcc, on a system with another C library, cannot take the libraries of that system; with musl as the system's own, gcc can.
ifneq ($(findstring musl-gcc,$(CC)),)
SERVE     := 0
LIBDW     := 0
LIBCLANG  :=
else
LIBCLANG  := $(shell scripts/libclang libs)
endif
# sonde serve needs libmicrohttpd; without it, or with SERVE=0, the command is there and says so.
SERVE     ?= $(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo 1)
SERVES    := $(filter 1,$(SERVE))
# sonde html reads lines by libdw; without it, or with LIBDW=0, it says so.
LIBDW     ?= $(shell pkg-config --exists libdw 2>/dev/null && echo 1)
READS_DWARF := $(filter 1,$(LIBDW))
# sonde derive is a program of its own, made where libclang is installed.
DERIVE    := $(if $(LIBCLANG),$(BUILD)/sonde-derive)
# sonde share is a program of its own, too: it talks to servers where hiredis is installed, and to folders anywhere.
HIREDIS   := $(shell printf '\043include <hiredis/hiredis.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo -lhiredis)
SHARE     := $(BUILD)/sonde-share
# This one is compiled by sonde cc, which derives; not by a hostile one, whose memory fails.
DERIVING  := examples/17_derive.c
THREADED  := examples/20_threads.c
# Threads under control replace functions of the GNU C library, by its internal names and versions.
THREADS   := $(if $(filter __GLIBC__,$(shell printf '\043include <features.h>\n__GLIBC__\n' | $(CC) -E -P -x c - 2>/dev/null | tail -n 1)),,$(BUILD)/libsonde_threads.a)
EXAMPLES  := $(call bin,$(filter-out $(if $(and $(THREADS),$(if $(SANITIZE),,1)),,$(THREADED)) $(if $(and $(DERIVE),$(if $(HOSTILE),,1)),,$(DERIVING)),$(sort $(wildcard examples/*.c)))) $(if $(HAS_CXX),$(patsubst %.cpp,$(BUILD)/%,$(sort $(wildcard examples/*.cpp))))
TEST_LIB  := $(if $(wildcard tests/lib/*.c),$(BUILD)/tests/libtest.a)
STATIC    := $(BUILD)/libsonde.a
SHARED    := $(BUILD)/libsonde.so
OOM       := $(BUILD)/libsonde_oom.a $(BUILD)/libsonde_oom.so
FAULTS    := $(BUILD)/libsonde_faults.a $(BUILD)/libsonde_faults.so
COV       := $(BUILD)/libsonde_cov.a $(BUILD)/libsonde_texts.a
CLASSIC   := $(BUILD)/libsonde_classic.a
SOURCE    := $(BUILD)/share/sonde.c
TOOL      := $(if $(TOOL_SRC),$(BUILD)/sonde)
TEXTS     := $(if $(TOOL_SRC),$(BUILD)/man/sonde.1)
OUR_C     := $(wildcard $(foreach d,include include/sonde src/* src/*/* tools tools/* tests/* tests/unit/* examples addons/* bench bench/* bench/*/* adapters \
               adapters/* examples/trophies,$(d)/*.c $(d)/*.h $(d)/*.hpp $(d)/*.cpp $(d)/*.cc))

# ---- How it is compiled ----------------------------------------------------------------------------------------------

# All C of sonde is compiled by the flags of src/flags, here as by CMake and Meson. fp-contract is off because a fused multiply-add
# would make a draw differ between compilers and machines; exceptions of C++ properties pass through C; functions that a property
# calls keep their frames, so that reports of misuse can name the caller. Debug information has functions and lines, which stacks in
# reports show; with types the library would be three times as large, and each link of a test take twice the time (CFLAGS=-g adds them).
BASE_FLAGS := $(shell cat src/flags)
# musl-gcc on a system with another C library lacks the kernel's headers, and the unwinder there needs that library: without it,
# stacks in reports are left out.
ifneq ($(findstring musl-gcc,$(CC)),)
BASE_FLAGS += -idirafter $(abspath $(BUILD))/kernel $(shell mkdir -p $(BUILD)/kernel && for part in linux asm-generic $$(gcc -dumpmachine)/asm; do \
    ln -sfn /usr/include/$$part $(BUILD)/kernel/$$(basename $$part); done) -fno-exceptions
endif
WARN       := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes $(WERROR)
WARN_LIB   := $(WARN) -Wconversion -Wmissing-prototypes
ifneq ($(SANITIZE),)
MODE_FLAGS = -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
ifneq ($(HOSTILE),)
MODE_FLAGS += -DSONDE_HOSTILE
endif
ifneq ($(SANITIZE)$(HOSTILE),)
# Compiled in less than half of the time without optimisation, which only matters where every case comes by. By -O1 gcc knows too little
# of numbers to say whether their text fits.
MODE_FLAGS += $(or $(LEVEL),-O0) $(if $(findstring clang,$(or $(COMPILER),$(CC))),,-Wno-format-truncation) -DSONDE_CHECKED
LINKER      = $(LLD)
endif
# Where there is lld, it links what is only run here: test programs in half of the time, and sanitized ones, which are ten times as large,
# in two thirds. What is installed is linked by the compiler's own linker.
LLD        := $(if $(shell command -v ld.lld 2>/dev/null),-fuse-ld=lld)
$(BUILD)/tests/%: private LINKER = $(LLD)
$(foreach d,base tape case observe feedback corpus guide,$(BUILD)/obj/src/$(d)/%.o): private LEVEL = -O1
# COLD=-O0, which `make check` gives clang, leaves out optimisation where neither numbers are made nor inputs chosen.
$(foreach d,blockers cli engine exec import mutate program report share store,$(BUILD)/obj/src/$(d)/%.o) $(BUILD)/obj/tools/%.o: private MODE_FLAGS += $(COLD)
NO_UNDEF   := $(if $(SANITIZE),,-Wl,-z,defs)

# Code under test that reports coverage: subjects of benches and tests, never the library. By clang where there is one
# (unless another compiler's sanitizers are in use), because its counters cost least.
COVERED    := $(wildcard bench/sparse/*.c bench/assume/cases.c bench/ifc/*_machine.c bench/ifc/*_ssni.c bench/*/*_cov.c tests/lib/*_cov.c)
COVER_CC   := $(if $(or $(findstring clang,$(CC)),$(SANITIZE)),$(CC),$(or $(shell command -v clang 2>/dev/null),$(CC)))
COVER_BY   := $(if $(findstring clang,$(COVER_CC)),inline-8bit-counters$(comma)pc-table$(comma)trace-cmp,trace-pc$(comma)trace-cmp)

# A line per step, written by make itself: a process for each would cost seconds in all. V=1 shows the commands.
Q   := $(if $(V),,@)
run = $(if $(V),,$(info $(empty)  $(1)	$(2)))

CXX_FLAGS  := -std=c++11 -O2 -g -pthread -Wall -Wextra -Wpedantic -Wshadow $(WERROR) -Iinclude
COMPILE_CXX = $(CXX) $(CXX_FLAGS) $(MODE_FLAGS) $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c -o $@ $<
LINK_CXX    = $(CXX) -pthread $(MODE_FLAGS) $(CXXFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -lm

COMPILE = $(or $(COMPILER),$(CC)) $(BASE_FLAGS) $(FLAGS) $(MODE_FLAGS) $(CPPFLAGS) $(CFLAGS) $(COVER) -MMD -MP -c -o $@ $<
LINK    = $(CC) $(BASE_FLAGS) $(MODE_FLAGS) $(LINKER) $(CFLAGS) $(LDFLAGS) $(if $(filter $(CLASSIC),$^),$(CLASSIC_LINK)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(LDLIBS) -lm

FLAGS = $(WARN) -Iinclude
$(BUILD)/obj/src/%.o:    FLAGS = $(WARN_LIB) -fPIC -fvisibility=hidden -Iinclude -Isrc
# Guides as a user would write them: no header but the installed ones.
$(BUILD)/obj/addons/classic/%.o: FLAGS = $(WARN_LIB) -fPIC -fvisibility=hidden -Iinclude
$(BUILD)/obj/addons/oom/%.o:    FLAGS = $(WARN_LIB) -fPIC -fvisibility=hidden -fno-builtin
$(BUILD)/obj/addons/faults/%.o: FLAGS = $(WARN_LIB) -fPIC -fvisibility=hidden -fno-builtin -Isrc
# Each call is the last of its function where it can be, so that sites are those of the caller. Shared libraries, as that of C++, find the
# functions that take the place of the C library's: so they are visible, and all else says that it is hidden.
$(BUILD)/obj/addons/threads/%.o: FLAGS = $(WARN_LIB) -O2 -fPIC -fno-builtin -foptimize-sibling-calls $(if $(findstring clang,$(CC)),,-fno-reorder-functions) -Iinclude -Isrc -Iaddons/threads
$(BUILD)/obj/addons/cov/%.o:    FLAGS = $(WARN_LIB) -fPIC -fno-builtin
$(BUILD)/obj/tools/%.o:  FLAGS = $(WARN_LIB) -Iinclude -Isrc -Itools -DSONDE_LIBDIR_FROM_TOOL='"$(call rel,$(BINDIR),$(LIBDIR))"' -DSONDE_DATADIR_FROM_TOOL='"$(call rel,$(BINDIR),$(DATADIR))"'
$(BUILD)/obj/tools/cc.o: private MODE_FLAGS += $(if $(findstring musl-gcc,$(CC)),-DSONDE_MUSL_GCC='"$(CC)"')
$(BUILD)/obj/tools/share/%.o: FLAGS = $(WARN_LIB) -D_GNU_SOURCE -Iinclude -Isrc -Itools $(if $(HIREDIS),-DSONDE_HIREDIS)
$(BUILD)/obj/tools/derive/%.o: FLAGS = $(WARN_LIB) -D_GNU_SOURCE -Iinclude -Isrc -Itools $(shell scripts/libclang cflags)
$(BUILD)/obj/tests/%.o:  FLAGS = $(WARN) -Iinclude -Isrc -Itests -Ibench
# Most of what these do is done by the library: -O0 compiles them in a third of the time.
$(BUILD)/obj/tests/unit/%.o: FLAGS = $(WARN) -O0 -Iinclude -Isrc -Itests -Ibench
$(call obj,$(COVERED)):  private COMPILER = $(COVER_CC)
$(call obj,$(COVERED)):  private COVER = -O1 -fsanitize-coverage=$(COVER_BY)
$(BUILD)/tests/unit/%:   LIBS = -lcmocka
$(BUILD)/tests/unit/json_test $(BUILD)/tests/unit/tap_test $(BUILD)/tests/unit/texts_test $(BUILD)/tests/unit/page_test $(BUILD)/tests/unit/emitter_test: LIBS = -lcmocka -ljansson
$(BUILD)/tests/cli/json_lines: LIBS = -ljansson

include bench/Makefile

all: lib tools $(SOURCE) examples ## library, tool and examples (the default)
lib: $(STATIC) $(SHARED) $(CLASSIC) $(OOM) $(FAULTS) $(THREADS) $(COV) ## only the libraries
tools: $(TOOL) $(DERIVE) $(SHARE) ## only the tools
examples: $(EXAMPLES) ## only the examples
bench: $(BENCHES) ## the benchmark programs
tests: $(TESTS) fixtures ## the test programs, without running them
props: $(call bin,$(wildcard tests/props/*.c)) # sonde by sonde
named: $(addprefix $(BUILD)/,$(NAMED)) # those programs that NAMED names, as tests/unit/rng_test
checks: $(CHECKS) # those that run on every build: no statistics
fixtures: $(FIXTURES) $(HOSTILES) # programs that test scripts run

# Directories of what is built, made once and not for each file.
FOLDERS := $(sort $(dir $(wildcard src/*/*.c src/*/*/*.c tools/*.c tools/*/*.c addons/*/*.c examples/*.c bench/*.c bench/*/*.c tests/*/*.c tests/unit/*/*.c)))
# Rewritten only when its content changes, so that new flags rebuild and old ones do not.
FLAGS_NOW = $(CC) $(BASE_FLAGS) $(WARN_LIB) $(MODE_FLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(LINKER) $(COLD) $(COVER_CC) $(COVER_BY)
$(BUILD)/.flags: FORCE
	@mkdir -p $(addprefix $(BUILD)/obj/,$(FOLDERS)) $(addprefix $(BUILD)/,$(filter examples/% bench/ tests/%,$(FOLDERS)))
	@echo '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || echo '$(subst ','\'',$(FLAGS_NOW))' > $@

$(BUILD)/obj/%.o: %.c $(BUILD)/.flags
	$(call run,CC,$<)
	$(Q)$(COMPILE)

$(BUILD)/obj/%.o: %.cpp $(BUILD)/.flags
	$(call run,CXX,$<)
	$(Q)$(COMPILE_CXX)

$(STATIC): $(call obj,$(LIB_SRC))
$(TEST_LIB): $(call obj,$(wildcard tests/lib/*.c))
$(BUILD)/%.a:
	@rm -f $@
	$(call run,AR,$@)
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

# Its own functions are its own, whatever the program calls by the same name.
$(BUILD)/$(SOFILE): LIBS = -shared -Wl,-soname,$(SONAME),-Bsymbolic-functions $(NO_UNDEF)
$(BUILD)/$(SOFILE): $(call obj,$(LIB_SRC))
	$(call run,LD,$@)
	$(Q)$(LINK)
$(SHARED): $(BUILD)/$(SOFILE)
	@ln -sf $(SOFILE) $(BUILD)/$(SONAME)
	@ln -sf $(SONAME) $@

# Allocations that fail on purpose: linked in with --wrap, or preloaded.
OOM_NAMES := $(shell grep '^[a-z_]' addons/oom/names)
OOM_WRAP  := -Wl,-u,sonde_oom_counter_ $(addprefix -Wl$(comma)--wrap=,$(OOM_NAMES))
$(BUILD)/libsonde_oom.a: $(call obj,addons/oom/wrap.c)
$(BUILD)/libsonde_oom.so: LIBS = -shared -Wl,-soname,libsonde_oom.so $(NO_UNDEF)
$(BUILD)/libsonde_oom.so: $(call obj,addons/oom/preload.c)
	$(call run,LD,$@)
	$(Q)$(LINK)
$(BUILD)/examples/13_out_of_memory: LIBS = $(OOM_WRAP)
$(BUILD)/examples/13_out_of_memory: $(BUILD)/libsonde_oom.a

# Calls of the C library that fail on purpose, in the same two ways.
FAULTS_NAMES := $(shell grep '^[a-z_]' addons/faults/names)
FAULTS_WRAP  := -Wl,-u,sonde_fault_hook_ $(addprefix -Wl$(comma)--wrap=,$(FAULTS_NAMES))
$(BUILD)/libsonde_faults.a: $(call obj,addons/faults/wrap.c)
$(BUILD)/libsonde_faults.so: LIBS = -shared -Wl,-soname,libsonde_faults.so $(NO_UNDEF) -ldl
$(BUILD)/libsonde_faults.so: $(call obj,addons/faults/preload.c)
	$(call run,LD,$@)
	$(Q)$(LINK)
FAULTY       := $(addprefix $(BUILD)/,examples/19_faults tests/quality/faults bench/machines)
$(FAULTY): LIBS = $(FAULTS_WRAP)
$(FAULTY): $(BUILD)/libsonde_faults.a

# Threads under control, for sonde cc --threads. tls.o comes first: thread-locals behind it are ours. Never sanitized, as it runs on
# stacks of its own and takes the place of ThreadSanitizer.
$(BUILD)/libsonde_threads.a: $(call obj,addons/threads/tls.c $(filter-out addons/threads/tls.c,$(sort $(wildcard addons/threads/*.c))))
$(BUILD)/obj/addons/threads/%.o: MODE_FLAGS = $(if $(SANITIZE)$(HOSTILE),-DSONDE_CHECKED)

# The published baselines. An archive gives them only to a program that asks for them by the name of their register.
CLASSIC_LINK := -Wl,-u,sonde_classic_
$(CLASSIC): $(call obj,$(sort $(wildcard addons/classic/*.c)))

# What instrumented code calls, and comparisons of texts: for sonde cc. Never sanitized, as they go into any program.
$(BUILD)/libsonde_cov.a: $(call obj,addons/cov/stub.c)
$(BUILD)/libsonde_texts.a: $(call obj,addons/cov/texts.c)
$(COV): MODE_FLAGS :=

# The library as one file, which sonde cc compiles along for MemorySanitizer.
$(SOURCE): $(LIB_SRC) $(wildcard src/*/*.h src/*/*/*.h include/*.h include/sonde/*.h) scripts/amalgamate
	@mkdir -p $(@D)
	$(call run,JOIN,$@)
	@scripts/amalgamate $(@D)

# sonde cc finds header and library beside itself, here as when installed.
$(BUILD)/sonde: LIBS = $(TOOL_LIBS) $(if $(SERVES),$(shell pkg-config --libs libmicrohttpd)) $(if $(READS_DWARF),$(shell pkg-config --libs libdw))
$(BUILD)/tests/props/page_props: LIBS = $(if $(READS_DWARF),$(shell pkg-config --libs libdw))
$(call obj,tools/lines.c tests/props/page_props.c): private COVER = $(if $(READS_DWARF),-DSONDE_LIBDW $(shell pkg-config --cflags libdw))
$(call obj,tools/serve.c): private COVER = $(if $(SERVES),-DSONDE_SERVES $(shell pkg-config --cflags libmicrohttpd))
$(BUILD)/sonde: $(call obj,$(TOOL_SRC)) $(CLASSIC) $(STATIC) | $(COV) $(if $(SANITIZE),,$(THREADS) $(SOURCE))
	$(call run,LD,$@)
	$(Q)$(LINK)
	@ln -sfn '$(abspath include)' $(BUILD)/include
	@ln -sf sonde $(BUILD)/sonde-cc
	@ln -sf sonde $(BUILD)/sonde-c++

$(BUILD)/sonde-share: LIBS = $(HIREDIS)
$(BUILD)/sonde-share: $(call obj,$(sort $(wildcard tools/share/*.c))) $(STATIC)
	$(call run,LD,$@)
	$(Q)$(LINK)

$(call obj,$(DERIVING)): private COMPILER = $(BUILD)/sonde cc --no-cover --sonde-cc='$(CC)'
$(call obj,$(DERIVING)): $(BUILD)/sonde $(DERIVE)
$(BUILD)/sonde-derive: LIBS = $(LIBCLANG)
$(BUILD)/sonde-derive: $(call obj,$(sort $(wildcard tools/derive/*.c))) $(STATIC)
	$(call run,LD,$@)
	$(Q)$(LINK)

# What the other programs have in common: one object, the static library, and the helpers of their folder.
define program
	$(call run,LD,$@)
	$(Q)$(LINK)
endef
$(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(STATIC)
	$(program)
$(patsubst %.cpp,$(BUILD)/%,$(wildcard examples/*.cpp)): LINK = $(LINK_CXX)
# Threads under control: as its reader would make it. Without coverage, whose tables differ from compiler to compiler.
$(call bin,$(THREADED)): $(BUILD)/examples/%: examples/%.c $(BUILD)/sonde include/sonde.h
	$(call run,CC,$@)
	$(Q)$(BUILD)/sonde cc --threads --no-cover --sonde-cc='$(CC)' $(WARN) -g -O1 $< -o $@
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(TEST_LIB) $(CLASSIC) $(STATIC)
	$(program)
$(BUILD)/tests/unit/stats_test: $(BUILD)/obj/bench/lib/stats.o # of a bench
$(BUILD)/tests/unit/programs_test: $(call obj,bench/programs/measure.c bench/programs/seeds.c)
$(BUILD)/tests/unit/mutator_test: $(call obj,$(patsubst %,tools/%.c,mutants schema origin lex ranges text words))
$(BUILD)/obj/tests/unit/mutator_test.o: private COVER = -Itools
$(BUILD)/tests/unit/fiber_test: $(call obj,addons/threads/fiber.c)
$(BUILD)/tests/unit/thread_tables_test: $(call obj,$(patsubst %,addons/threads/%.c,fiber happens objects shadow sites))
$(BUILD)/tests/unit/zoo_test: $(call obj,bench/lib/stats.c $(patsubst %,bench/zoo/%.c,text batch types nested conditions bugs emit calibrate record survey))
$(BUILD)/tests/quality/assume: $(call obj,$(wildcard bench/assume/*.c))
$(BUILD)/tests/quality/ifc_conformance $(BUILD)/tests/quality/pairs: $(call obj,$(wildcard bench/ifc/*.c) bench/lib/sample.c)
$(BUILD)/tests/quality/learn_quality: $(call obj,bench/lib/learn_subjects.c)
.SECONDARY:

# What the tool writes: manual pages and completions.
$(TEXTS): $(TOOL) include/sonde.h include/sonde.hpp include/sonde/extend.h $(wildcard docs/reference/*) scripts/reference scripts/install
	@scripts/install $(BUILD) --texts

# ---- Try it, test it -------------------------------------------------------------------------------------------------

# A stamp per set of packages: asked once per build folder, and again when the list of packages changes.
$(BUILD)/.setup-%: scripts/setup
	@mkdir -p $(@D)
	@scripts/setup $*
	@touch $@

setup: ## install what check, demo and lint need and this machine lacks
	@scripts/setup check && scripts/setup lint && echo "setup: nothing is missing"

demo: $(BUILD)/.setup-demo ## set up, build, and watch a real bug being found
	@$(MAKE) --no-print-directory -s $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS)) $(BUILD)/examples/18_machine $(BUILD)/examples/09_configured
	@scripts/demo $(BUILD)

check: $(BUILD)/.setup-check ## set up and run all tests (STAGES="gcc asan" runs some)
	@BUILD='$(BUILD)' JOBS='$(JOBS)' scripts/check $(STAGES)

check-long: $(BUILD)/.setup-long ## all tests with larger budgets, and more builds of them
	@BUILD='$(BUILD)' JOBS='$(JOBS)' scripts/check --long $(STAGES)

golden: all fixtures ## write the expected outputs of tests/cli/golden anew (read the difference!)
	@mkdir -p $(BUILD)/golden && cd $(BUILD)/golden && GOLDEN=update BUILD='$(abspath $(BUILD))' SRC='$(CURDIR)' sh '$(CURDIR)/tests/cli/golden.sh'

docs-listings: all ## refresh the listings of README and docs by running their commands (read the difference!)
	@rm -rf $(BUILD)/listings && mkdir -p $(BUILD)/listings && cd $(BUILD)/listings && \
	    BUILD='$(abspath $(BUILD))' SRC='$(CURDIR)' CC='$(CC)' SONDE_TIME=0 UPDATE=1 sh '$(CURDIR)/tests/compile/pages.sh' | grep '^not ok' ; true

format: ## rewrite our sources in the committed style
	clang-format -i $(OUR_C)

format-check: ## fail if a source is not in the committed style
	@$(if $(OUR_C),clang-format --dry-run -Werror $(OUR_C))

# One process for each file: over several, clang-tidy 14 takes every va_list after the first file for uninitialised.
lint: $(BUILD)/.setup-lint ## clang-tidy and cppcheck
	@printf '%s\n' $(LIB_SRC) $(TOOL_SRC) $(if $(DERIVE),$(wildcard tools/derive/*.c)) | xargs -n 1 -P $(JOBS) sh -c \
	    'said=$$(clang-tidy --quiet "$$0" -- -std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Itools $(shell scripts/libclang cflags) 2>&1) || { echo "$$said"; exit 1; }'
	@cppcheck --quiet -D__GNUC__=12 --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppressions-list=.cppcheck -Iinclude -Isrc src $(wildcard tools)

# ---- Give it away ----------------------------------------------------------------------------------------------------

amalgamation: $(SOURCE) ## the library as one source file and its headers, in build/amalgamation
	@mkdir -p $(BUILD)/amalgamation
	@cp $(SOURCE) include/sonde.h include/sonde.hpp LICENSE $(BUILD)/amalgamation/
	@echo 'build/amalgamation: cc -c sonde.c, then link sonde.o -lm -lpthread' | sed 's|^build|$(BUILD)|'

dist: ## the release: build/sonde-VERSION.tar.gz and its checksum
	@scripts/dist '$(BUILD)' '$(VERSION)'

release-check: ## all that a release needs, in a fresh clone (STEPS="versions tarball" runs some)
	@scripts/release-check '$(BUILD)' $(STEPS)

deb: $(BUILD)/.setup-deb ## Debian packages of the release, in build/deb
	@JOBS='$(JOBS)' scripts/deb '$(BUILD)' '$(VERSION)'

symbols: $(SHARED) ## write down what the shared library exports (read the difference!)
	@scripts/symbols $(BUILD)/$(SOFILE) '$(VERSION)' packaging/debian/libsonde0.symbols > $(BUILD)/symbols && cp $(BUILD)/symbols packaging/debian/libsonde0.symbols

site: $(BUILD)/.setup-site ## the documentation as a site, in build/site
	@scripts/site '$(BUILD)'

rel = $(shell scripts/relative '$(1)' '$(2)')
PLACES = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCDIR='$(INCDIR)' MANDIR='$(MANDIR)' DATADIR='$(DATADIR)' \
         BASHDIR='$(BASHDIR)' ZSHDIR='$(ZSHDIR)' FISHDIR='$(FISHDIR)'
install: lib $(TOOL) $(DERIVE) $(SHARE) $(SOURCE) $(TEXTS) ## install under DESTDIR and PREFIX (/usr/local)
	@$(PLACES) scripts/install '$(BUILD)'
uninstall: ## remove what install put there
	@mkdir -p '$(BUILD)' && $(PLACES) scripts/install '$(BUILD)' --remove

clean: ## remove the build folder
	rm -rf '$(BUILD)'

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | column -t -s '|' 2>/dev/null \
	    || sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1: \2/p' Makefile

.PHONY: all docs-listings golden lib tools examples bench tests units checks props fixtures setup demo check check-long format format-check lint amalgamation dist release-check deb symbols site install uninstall clean help FORCE
FORCE:

-include $(shell test -d $(BUILD)/obj && find $(BUILD)/obj -name '*.d')
