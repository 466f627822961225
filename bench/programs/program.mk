# Build one program under test: make -f program.mk PROGRAM=xsd TREE=(its source) SONDE=(build of sonde) BENCH=(our folder).
#
#   guided    for the guides of sonde          bytes   for libFuzzer, on the bytes of the generator
#   texts     for libFuzzer, on texts          adapter for libFuzzer, with the mutators of our adapter
#   afl       for AFL++, on texts              replay  runs files
#   plain     as guided, without instrumentation: black-box arms
#   maker     as plain, with the generator instrumented and nothing else: the filter COV of Kummer's thesis
#
# Beside each X there is X.ranges, the addresses of the code in the program's semantic files. All are linked from the same
# objects but afl, which has instrumentation of its own, and plain and maker, which have none. `unstable` are the counters that differ between equal runs.

OUT := $(SONDE)/programs/$(PROGRAM)
CC := clang
CXX := clang++
AFL := $(shell command -v afl-clang-fast 2>/dev/null)

# ---- The programs: sources, how they are compiled, which are semantic

SUBJECT := $(PROGRAM)
LINKER := $(CC)

ifneq ($(filter xsd relaxng xsd-unpatched xml-uri,$(PROGRAM)),)
SUBJECT := $(patsubst xsd%,xsd,$(PROGRAM))
SOURCES := $(addprefix $(TREE)/,$(addsuffix .c,SAX SAX2 entities encoding error parserInternals parser tree hash list xmlIO \
    xmlmemory uri valid xlink globals threads c14n xmlstring buf xmlregexp xmlschemas xmlschemastypes xmlunicode xpath \
    xpointer xinclude pattern xmlsave xmlwriter relaxng chvalid dict xmlreader legacy catalog HTMLparser HTMLtree schematron \
    debugXML))
FLAGS := -DHAVE_CONFIG_H -I$(TREE) -I$(TREE)/include
OWN := $(if $(filter xml-uri,$(PROGRAM)),,xml)
SEMANTIC := $(if $(filter relaxng,$(PROGRAM)),relaxng,xmlschemas) xmlschemastypes xmlregexp
endif

ifneq ($(filter lua%,$(PROGRAM)),)
SUBJECT := $(PROGRAM:lua-ubsan=lua)
OWN := $(if $(filter lua-close,$(PROGRAM)),,lua_chunk)
SANITIZE := $(if $(filter lua-ubsan,$(PROGRAM)),-fsanitize=undefined -fno-sanitize-recover=undefined)
SOURCES := $(filter-out %/lua.c %/luac.c,$(wildcard $(TREE)/src/*.c))
# Its tables are seeded by addresses and the clock otherwise.
FLAGS := -I$(TREE)/src -DLUA_USE_POSIX '-Dluai_makeseed(x)=0'
SEMANTIC := $(if $(filter lua-load,$(PROGRAM)),lcode lfunc,lcode lvm ltm ltable ldo ldebug lfunc lstrlib ltablib)
endif

ifeq ($(PROGRAM),sql)
SOURCES := $(filter-out $(addprefix $(TREE)/tsrc/,fts1% fts2% fts3% fts5.c icu.c geopoly.c rtree.c os_win.c mutex_w32.c \
    os_kv.c shell.c tclsqlite.c sqlite3rbu.c sqlite3session.c userauth.c dbstat.c stmt.c dbpage.c),$(wildcard $(TREE)/tsrc/*.c))
FLAGS := -I$(TREE)/tsrc -I$(TREE) -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_DEPRECATED \
    -DSQLITE_DEFAULT_MEMSTATUS=0 -DSQLITE_DEBUG=0 -USQLITE_DEBUG
SEMANTIC := resolve expr select build where wherecode whereexpr vdbe vdbeapi vdbeaux vdbemem vdbesort vdbeblob vdbetrace
endif

ifeq ($(PROGRAM),wasm)
SOURCES := $(addprefix $(TREE)/src/,$(addsuffix .cc,binding-hash color common config error-formatter expr-visitor feature \
    ir-util ir leb128 lexer-source-line-finder lexer-source literal opcode resolve-names shared-validator stream token \
    tracing type-checker utf8 validator wast-lexer wast-parser filenames binary generate-names apply-names binary-reader \
    binary-reader-ir binary-reader-logging option-parser) opcode-code-table.c)
FLAGS := -I$(TREE)/include -I$(TREE)/out/include
LINKER := $(CXX)
OWN := wasm_run
SEMANTIC := resolve-names validator shared-validator type-checker
endif

ifneq ($(filter mujs%,$(PROGRAM)),)
SOURCES := $(filter-out $(addprefix $(TREE)/,main.c one.c pp.c),$(wildcard $(TREE)/*.c))
FLAGS := -I$(TREE)
SEMANTIC := jscompile jsrun jsarray jsboolean jsbuiltin jsdate jserror jsfunction jsmath jsnumber jsobject json jsproperty \
    jsregexp jsstring jsvalue regexp
endif

ifeq ($(PROGRAM),pcap)
SOURCES := $(addprefix $(TREE)/,$(addsuffix .c,scanner grammar gencode optimize nametoaddr etherent fmtutils bpf_filter \
    bpf_image pcap pcap-common savefile sf-pcap sf-pcapng pcap-linux fad-getad pcap-usb-linux-common bpf_dump pcap-netfilter-linux pcap-util missing/strlcpy))
FLAGS := -I$(TREE) -DBUILDING_PCAP -DHAVE_CONFIG_H -D_GNU_SOURCE
OWN := resolver
SEMANTIC := gencode optimize nametoaddr
endif

ifeq ($(PROGRAM),tcc)
SOURCES := $(addprefix $(TREE)/,$(addsuffix .c,tccpp tccgen tccelf tccasm tccrun libtcc x86_64-gen x86_64-link i386-asm))
FLAGS := -I$(TREE) -DONE_SOURCE=0 -DTCC_TARGET_X86_64
SEMANTIC := tccgen x86_64-gen tccelf tccasm
endif

ifeq ($(PROGRAM),asn1)
SOURCES := $(addprefix $(TREE)/lib/,$(addsuffix .c,ASN1 coding decoding element errors gstr parser_aux structure version))
FLAGS := -I$(TREE) -I$(TREE)/lib -I$(TREE)/lib/includes -I$(TREE)/lib/gl -DHAVE_CONFIG_H -DASN1_BUILDING -D_GNU_SOURCE
SEMANTIC := parser_aux structure element
USED := -I$(TREE)/lib/includes
endif

ifneq ($(filter yaml%,$(PROGRAM)),)
SOURCES := $(addprefix $(TREE)/src/,$(addsuffix .c,api reader scanner parser loader writer emitter dumper))
FLAGS := -I$(TREE)/include -I$(TREE)/src -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 '-DYAML_VERSION_STRING="0.2.5"'
SEMANTIC := parser emitter
endif

ifneq ($(filter json-%,$(PROGRAM)),)
SOURCES := $(addprefix $(TREE)/,$(addsuffix .c,arraylist debug json_c_version json_object json_object_iterator json_tokener json_util \
    json_visit linkhash printbuf random_seed strerror_override))
FLAGS := -I$(TREE) -I$(TREE)/.. -D_GNU_SOURCE
SEMANTIC := json_object json_util
endif

ifneq ($(filter bson-%,$(PROGRAM)),)
SOURCES := $(wildcard $(TREE)/src/libbson/src/bson/*.c $(TREE)/src/libbson/src/jsonsl/*.c $(TREE)/src/common/*.c)
FLAGS := $(foreach d,libbson/src libbson/src/bson common,-I$(TREE)/src/$(d) -I$(TREE)/out/src/$(d)) -DBSON_COMPILATION -DBSON_STATIC -D_GNU_SOURCE
USED := $(FLAGS) -UBSON_COMPILATION
LIBRARIES := -lrt
SEMANTIC := bson-decimal128 bson-value
endif

ifeq ($(PROGRAM),jq)
SOURCES :=
SEMANTIC := none
endif

# ---- How they are compiled: as `sonde cc` over clang has it

TEXTS := memcmp strcmp strncmp strcasecmp strncasecmp strstr
COVERAGE := -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp $(addprefix -fno-builtin-,$(TEXTS)) $(SANITIZE)
comma := ,
WRAP := $(foreach name,$(TEXTS),-Wl$(comma)--wrap=$(name))
OPTIMISE := -O2 -gline-tables-only -w

name = $(basename $(notdir $(1)))
OBJECTS := $(foreach s,$(SOURCES),$(OUT)/obj/$(call name,$(s)).o)
PLAIN_OBJECTS := $(foreach s,$(SOURCES),$(OUT)/plain-obj/$(call name,$(s)).o)
AFL_OBJECTS := $(foreach s,$(SOURCES),$(OUT)/afl-obj/$(call name,$(s)).o)
OURS := $(addprefix $(OUT)/own/,$(addsuffix .o,$(SUBJECT) $(OWN) text measure))
GENERATOR := $(addprefix $(OUT)/maker-own/,$(addsuffix .o,$(SUBJECT) $(OWN)))
BRANCHES := -fsanitize-coverage=inline-8bit-counters
# The search is not to see these counters.
HIDE = objcopy --redefine-sym __sanitizer_cov_8bit_counters_init=generator_counters $@
OUR_FLAGS := -O2 -g -Wall -Wextra -I$(BENCH) -I$(BENCH)/../include
HEADERS := $(wildcard $(BENCH)/programs/*.h $(BENCH)/programs/subjects/*.h)

all: $(OUT)/guided $(OUT)/bytes $(OUT)/adapter $(OUT)/unstable
guided: $(OUT)/guided
plain: $(OUT)/plain
maker: $(OUT)/maker
texts: $(OUT)/texts $(OUT)/replay $(if $(AFL),$(OUT)/afl)
.PHONY: all guided plain maker texts

define compile
$(OUT)/obj/$(call name,$(1)).o: $(1)
	@mkdir -p $$(@D)
	$(if $(filter %.cc,$(1)),$(CXX) -std=c++17,$(CC)) $(OPTIMISE) $(COVERAGE) $(FLAGS) -c -o $$@ $$<
$(OUT)/plain-obj/$(call name,$(1)).o: $(1)
	@mkdir -p $$(@D)
	$(if $(filter %.cc,$(1)),$(CXX) -std=c++17,$(CC)) $(OPTIMISE) $(SANITIZE) $(FLAGS) -c -o $$@ $$<
$(OUT)/afl-obj/$(call name,$(1)).o: $(1)
	@mkdir -p $$(@D)
	AFL_QUIET=1 $(if $(filter %.cc,$(1)),$(AFL)++ -std=c++17,$(AFL)) $(OPTIMISE) $(FLAGS) -c -o $$@ $$<
endef
$(foreach s,$(SOURCES),$(eval $(call compile,$(s))))

$(OUT)/own/%.o: $(BENCH)/programs/subjects/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(OUR_FLAGS) $(or $(USED),$(FLAGS)) -c -o $@ $<
$(OUT)/own/%.o: $(BENCH)/programs/subjects/%.cc $(HEADERS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(OUR_FLAGS) $(or $(USED),$(FLAGS)) -c -o $@ $<
$(OUT)/maker-own/%.o: $(BENCH)/programs/subjects/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(OUR_FLAGS) $(BRANCHES) $(or $(USED),$(FLAGS)) -c -o $@ $<
	$(HIDE)
$(OUT)/maker-own/%.o: $(BENCH)/programs/subjects/%.cc $(HEADERS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 $(OUR_FLAGS) $(BRANCHES) $(or $(USED),$(FLAGS)) -c -o $@ $<
	$(HIDE)
$(OUT)/own/%.o: $(BENCH)/programs/mains/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(OUR_FLAGS) -I$(BENCH)/../src -c -o $@ $<
$(OUT)/own/guided.o: $(wildcard $(BENCH)/../src/*/*.h $(BENCH)/../include/*.h $(BENCH)/../include/*/*.h)
$(OUT)/own/measure.o: $(BENCH)/programs/measure.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(OUR_FLAGS) -c -o $@ $<
$(OUT)/own/replay.o: $(BENCH)/programs/mains/texts.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(OUR_FLAGS) -DPROGRAMS_REPLAY -c -o $@ $<
$(OUT)/own/adapter.o: $(BENCH)/programs/mains/bytes.c $(HEADERS) $(BENCH)/../adapters/sonde_fuzz.h
	@mkdir -p $(@D)
	$(CC) $(OUR_FLAGS) -DPROGRAMS_ADAPTER -I$(BENCH)/../adapters -c -o $@ $<
$(OUT)/own/afl.o: $(BENCH)/programs/mains/texts.c $(HEADERS)
	@mkdir -p $(@D)
	AFL_QUIET=1 $(AFL) -O2 -I$(BENCH) -I$(BENCH)/../include -c -o $@ $<

# ---- Linking

LINK = $(LINKER) $(SANITIZE) -g -no-pie -Wl,-Map=$@.map -o $@ $(filter %.o,$^)
ENDS = $(LIBRARIES) -lm -lpthread -ldl

# The code of the semantic files as ranges, from the map that the linker wrote.
define ranges
	awk -v files='$(SEMANTIC)' -f $(BENCH)/programs/ranges.awk $@.map > $@.ranges
	rm -f $@.map
endef

CLASSIC := -Wl,-u,sonde_classic_ $(SONDE)/libsonde_classic.a

$(OUT)/guided: $(OUT)/own/guided.o $(OURS) $(OBJECTS) $(SONDE)/libsonde.a $(SONDE)/libsonde_classic.a $(SONDE)/libsonde_texts.a $(SONDE)/libsonde_cov.a
	$(LINK) $(WRAP) $(CLASSIC) $(SONDE)/libsonde.a $(SONDE)/libsonde_texts.a $(SONDE)/libsonde_cov.a $(ENDS)
	$(ranges)
$(OUT)/plain: $(OUT)/own/guided.o $(OURS) $(PLAIN_OBJECTS) $(SONDE)/libsonde.a $(SONDE)/libsonde_classic.a
	$(LINK) $(CLASSIC) $(SONDE)/libsonde.a $(ENDS)
	rm -f $@.map
$(OUT)/maker: $(OUT)/own/guided.o $(GENERATOR) $(OUT)/own/text.o $(OUT)/own/measure.o $(PLAIN_OBJECTS) $(SONDE)/libsonde.a $(SONDE)/libsonde_classic.a
	$(LINK) $(CLASSIC) $(SONDE)/libsonde.a $(ENDS)
	rm -f $@.map
$(OUT)/bytes: $(OUT)/own/bytes.o $(OURS) $(OBJECTS) $(SONDE)/libsonde.a
	$(LINK) -fsanitize=fuzzer $(SONDE)/libsonde.a $(ENDS)
	$(ranges)
$(OUT)/adapter: $(OUT)/own/adapter.o $(OURS) $(OBJECTS) $(SONDE)/libsonde.a
	$(LINK) -fsanitize=fuzzer $(SONDE)/libsonde.a $(ENDS)
	$(ranges)
$(OUT)/texts: $(OUT)/own/texts.o $(OURS) $(OBJECTS) $(SONDE)/libsonde.a
	$(LINK) -fsanitize=fuzzer $(SONDE)/libsonde.a $(ENDS)
	$(ranges)
$(OUT)/replay: $(OUT)/own/replay.o $(OURS) $(OBJECTS) $(SONDE)/libsonde.a $(SONDE)/libsonde_cov.a
	$(LINK) $(SONDE)/libsonde.a $(SONDE)/libsonde_cov.a $(ENDS)
	$(ranges)
$(OUT)/afl: $(OUT)/own/afl.o $(OURS) $(AFL_OBJECTS) $(SONDE)/libsonde.a
	AFL_QUIET=1 $(if $(filter $(CXX),$(LINKER)),$(AFL)++,$(AFL)) -o $@ $(filter %.o,$^) $(SONDE)/libsonde.a $(ENDS)
$(OUT)/unstable: $(OUT)/guided
	PROGRAMS_CALIBRATE=$@ $<
.SECONDARY:
