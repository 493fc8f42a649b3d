// All input is hostile. Within these bounds every step takes time and memory in proportion to the bytes received; a mail that
// people or programs really send stays far below them. What is beyond is left out, and the message says so.

/** Of the header of the message. Real ones with many ARC sets have 30 kB, mail to a thousand people 60 kB. */
export const MAX_HEADER_BYTES = 256 * 1_024
export const MAX_HEADER_FIELDS = 1_000

/** Of all fields of one name that have addresses in them, in characters: a thousand people have 60,000. */
export const MAX_ADDRESSES_LENGTH = 64 * 1_024
/** Of the field that says who wrote the message. */
export const MAX_AUTHORS_LENGTH = 8 * 1_024

/** Of the header of one part: a long file name in two spellings has 1 kB. */
export const MAX_PART_HEADER_BYTES = 16 * 1_024

/** How far behind what is read of a header its end is looked for line by line. */
export const MAX_OVERLONG_HEADER_BYTES = 64 * 1_024
/** And how far that of the message is looked for behind that. The body begins there in any case. */
export const MAX_LOST_HEADER_BYTES = 2 * 1_024 * 1_024

export const MAX_PARTS = 1_000

/** Multiparts within multiparts. Forwarding nests messages, not multiparts: real mail has up to 6. */
export const MAX_PART_DEPTH = 20

/** Of all text, and of all html, before it is decoded. Images written into the html make it large. */
export const MAX_TEXT_BYTES = 16 * 1_024 * 1_024

/** In front of the first part, where nothing or one sentence is. */
export const MAX_PREAMBLE_BYTES = 256 * 1_024

/** A boundary has at most 70 characters (RFC 2046); some programs do not know. */
export const MAX_BOUNDARY_LENGTH = 200
/** With the white space that was added on the way. */
export const MAX_BOUNDARY_LINE_LENGTH = 1_000
