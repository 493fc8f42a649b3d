// Reports come from anybody who knows the address, packed: what is small on the wire can be anything when it is unpacked.

/** Of the mail that brings a report. The largest providers pack a day of a large sender into some 100 kB. */
export const MAX_REPORT_MAIL_BYTES = 2 * 1_024 * 1_024
/** Of a report after it is unpacked. */
export const MAX_XML_BYTES = 20 * 1_024 * 1_024
export const MAX_JSON_BYTES = 4 * 1_024 * 1_024
/** Attachments and files of an archive that are looked at. */
export const MAX_FILES = 10
/** Elements within elements; the format has 5. */
export const MAX_DEPTH = 12
/** Records of one report that count. */
export const MAX_ROWS = 20_000
/** Signatures of one record, of which the first that passes counts. */
export const MAX_SIGNATURES = 20
/** Policies of a report about TLS, and failures of one of them. */
export const MAX_POLICIES = 100
export const MAX_FAILURES = 1_000
/** Of one value, in characters. */
export const MAX_VALUE_LENGTH = 255
/** Of one number: nobody gets a billion mails of one kind in a day. */
export const MAX_COUNT = 1_000_000_000
