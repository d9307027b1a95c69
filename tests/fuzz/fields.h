/* SPDX-License-Identifier: GPL-2.0-only */
/* A format that has fields of every kind, and kernel symbols. */
#ifndef FUZZ_FIELDS_H
#define FUZZ_FIELDS_H

#define FIELD(declaration, offset, size, is_signed) \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"

/** FUZZ_FORMAT - the format, without a print format */
#define FUZZ_FORMAT                                                                       \
	"name: event\nID: 5\nformat:\n" FIELD("unsigned short common_type", 0, 2, 0)      \
		FIELD("int common_pid", 4, 4, 1) "\n" FIELD("s8 a", 8, 1, 1)              \
			FIELD("u8 b", 9, 1, 0) FIELD("s16 c", 10, 2, 1)                   \
				FIELD("u32 d", 12, 4, 0) FIELD("s64 e", 16, 8, 1)         \
					FIELD("u64 f", 24, 8, 0) FIELD("char g[8]", 32, 8, 0) \
						FIELD("__data_loc char[] h", 40, 4, 0)    \
							FIELD("__rel_loc char[] i", 44, 4, 0) \
								FIELD("u8 j[3]", 48, 3, 0) \
									FIELD("char *k", 56, 8, 0)

/** FUZZ_SYMBOLS - what FUZZ_FORMAT's field f may point to */
#define FUZZ_SYMBOLS "1000 T first\n2000 T second\n2000 T alias\n3000 D data\n"

#endif
