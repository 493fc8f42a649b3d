/**
 * Headers that relays of other services take orders from: more recipients (`X-SMTPAPI` of SendGrid, `X-MSYS-API` of SparkPost, `X-MC-BccAddress` of Mandrill), another
 * content, another sender. The envelope does not show it. In lower case.
 */
const RELAY_HEADER = /^(?:x-smtpapi|x-msys-api|x-virtual-mta|x-(?:mc|mailgun|mj|mailin|sib|ses|pm)-.+)$/

/** Those of some names of headers, as they are written. */
export const relayHeadersIn = (names: readonly string[]): string[] =>
  names.filter((name) => RELAY_HEADER.test(name.toLowerCase()))
