import { isReserved, refuseHeader } from '../../mail/custom-header.ts'
import { shownValue, type WrittenField } from '../../mail/submitted/fields.ts'
import { MAX_HEADERS, MAX_HEADERS_LENGTH } from './compose.ts'

/** In lower case, as all that is looked up. */
export const IDEMPOTENCY_HEADER = 'resend-idempotency-key'

/** Besides those that are ours to write: of the parts, and traces of its way to us. */
const NOT_ITS_OWN = /^(?:content-.*|arc-.*|x-received)$/

/** The headers of a submitted message that the API would call custom ones, in its author's letters, repeated ones too. */
function ownHeaders(fields: readonly WrittenField[]): { name: string; value: string }[] {
  return fields
    .filter(({ key }) => !isReserved(key) && !NOT_ITS_OWN.test(key) && key !== IDEMPOTENCY_HEADER)
    .map((field) => ({ name: field.name, value: shownValue(field) }))
    .filter(({ name, value }) => !refuseHeader(name, value))
}

/** As many as a request may have: the others leave with the message, and are not shown. */
export function shownHeaders(fields: readonly WrittenField[]): { name: string; value: string }[] | null {
  let charactersLeft = MAX_HEADERS_LENGTH
  const shown = ownHeaders(fields)
    .slice(0, MAX_HEADERS)
    .filter(({ name, value }) => {
      charactersLeft -= name.length + value.length
      return charactersLeft >= 0
    })
  return shown.length > 0 ? shown : null
}

/** By name, for telling two messages apart. */
export const uniqueHeaders = (fields: readonly WrittenField[]): Record<string, string> =>
  Object.fromEntries(ownHeaders(fields).map(({ name, value }) => [name.toLowerCase(), value]))
