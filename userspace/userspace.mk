# SPDX-License-Identifier: GPL-2.0-only
# Userspace: the sources of each room, the binary, and the unit tests that run under sanitizers.

base-y       := buffer count error file hash json json_value map put text time value owner owner_open
source-y     := attached cursor events file file_areas file_chunk file_comms file_content file_formats \
		file_ids file_kind file_options file_statistics file_stream file_v6 file_v7 inflate input instance \
		live live_stream lockdown merge open page page_look saved saved_names shift source spool statistics stream task window
convention-y := convention format memory observe slot task template
track-y      := change crossing evict name observe session suspicion task track tracks
timeline-y   := loss timeline
trace2-y     := config config_file config_include config_line config_value destination event \
		event_line event_wide folder kind message normal perf perf_line place plain prepare process \
		process_message process_region process_sid process_signal process_sum process_thread redact \
		session sid socket stamp text
sink-y       := args base64 chrome file html html_chunk identity losses notes page/page perfetto \
		perfetto_append perfetto_frame perfetto_group perfetto_label perfetto_life perfetto_name perfetto_target \
		perfetto_track proto quantile stat \
		stat_json stat_rows stat_table summary table trace2 trace2_field trace2_frame \
		trace2_more trace2_track unpack writer
recorder-y   := arrivals changes command comms control durable formats held instance lock mark mode narrow parts parts_entry parts_finish \
		parts_folder parts_join parts_notes parts_read parts_shared release save sight stale trace_dat \
		user
cli-y        := bounds capture capture_run clean clock ending export export_run filter \
		identity list loss main modules note option output outputs pictures pipeline privilege progress \
		quantity ready record record_run recover release session signals stat strangers stream \
		stream_round stream_run stream_setup suggest tracepoints unfinished untaken wall_clock

rooms := base source convention track timeline trace2 sink recorder cli
room-sources = $(patsubst %,userspace/$(1)/%.c,$($(1)-y))
sources := $(foreach room,$(rooms),$(call room-sources,$(room)))
library-sources := $(filter-out userspace/cli/main.c,$(sources))

packages := libtracefs >= 1.6 libtraceevent >= 1.7 libxxhash libmd libzstd zlib inih
version := 0.1.0

CC ?= gcc
CFLAGS ?= -O2 -g
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
# What is stored number by number is not to be put together in a vector first: that costs 2 to 4 % of an export.
tuning := -fno-tree-slp-vectorize
warnings := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wno-missing-field-initializers
flags = -std=gnu11 -D_GNU_SOURCE -DKTRACK_VERSION='"$(version)"' $(warnings) $(tuning) -fvisibility=hidden \
	-Iuserspace -Iinclude -MMD -MP $(shell pkg-config --cflags '$(packages)' 2>/dev/null) $(CPPFLAGS)
libraries = $(shell pkg-config --libs '$(packages)' 2>/dev/null)
objects := $(sources:%.c=$(BUILD)/%.o)

userspace: $(BUILD)/ktrack

.PHONY: packages unit-tests
packages:
	@pkg-config --print-errors '$(packages)' || { echo 'ktrack: run scripts/deps build, or install these with their headers: $(packages)' >&2; exit 1; }

$(BUILD)/ktrack: $(objects)
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(if $(SAN),$(SANITIZE)) -o $@ $^ $(libraries)

$(BUILD)/%.o: %.c userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC      $<'
	$(Q)$(CC) $(flags) $(CFLAGS) $(if $(SAN),$(SANITIZE)) -c -o $@ $<

# The page's files are taken into the program; the compiler does not tell make of them.
$(BUILD)/userspace/sink/page/page.o $(BUILD)/san/userspace/sink/page/page.o: $(wildcard userspace/sink/page/*)

# Unit tests: one binary per file in tests/unit/, linked with their helpers and the rooms, built once more under sanitizers.
unit-helpers := dat show stage tap
unit-names := $(filter-out $(unit-helpers),$(basename $(notdir $(wildcard tests/unit/*.c))))
unit-objects := $(library-sources:%.c=$(BUILD)/san/%.o) $(unit-helpers:%=$(BUILD)/san/tests/unit/%.o)

unit-tests: $(unit-names:%=$(BUILD)/tests/unit/%)

$(BUILD)/san/%.o: %.c userspace/userspace.mk | packages
	@mkdir -p $(@D)
	@echo '  CC san  $<'
	$(Q)$(CC) $(flags) -O1 -g -fno-omit-frame-pointer $(SANITIZE) -c -o $@ $<

$(BUILD)/tests/unit/%: $(BUILD)/san/tests/unit/%.o $(unit-objects)
	@mkdir -p $(@D)
	@echo '  LD san  $@'
	$(Q)$(CC) $(SANITIZE) -o $@ $^ $(libraries)

.SECONDARY:
-include $(objects:.o=.d) $(wildcard $(BUILD)/san/userspace/*/*.d $(BUILD)/san/tests/unit/*.d)
