/** Whether a person wrote it, a program, or a program that answers whatever it gets. */
export type Sender = 'person' | 'program' | 'responder'

export interface HeaderField {
  readonly name: string
  readonly value: string
}

/** The fields that tell, in lower case. Whoever loads a message needs no others. */
export const TELLING_FIELDS = [
  'auto-submitted',
  'precedence',
  'list-id',
  'list-unsubscribe',
  'x-autoreply',
  'x-autorespond',
  'x-auto-response-suppress',
  'feedback-id',
] as const

/** RFC 3834, and what was there before it. Mail from nobody (an empty return path) is a report about other mail. */
export function senderOf(fields: readonly HeaderField[], envelopeFrom: string): Sender {
  const valuesOf = (name: (typeof TELLING_FIELDS)[number]) =>
    fields.filter((field) => field.name.toLowerCase() === name).map(({ value }) => value.trim().toLowerCase())
  const submitted = valuesOf('auto-submitted').filter((value) => !/^no\b/.test(value))
  const precedence = valuesOf('precedence')
  const isResponder =
    envelopeFrom === '' ||
    submitted.some((value) => value.startsWith('auto-replied')) ||
    precedence.some((value) => /^auto[_-]?reply/.test(value)) ||
    valuesOf('x-autoreply').length > 0 ||
    valuesOf('x-autorespond').length > 0
  if (isResponder) return 'responder'
  const isProgram =
    submitted.length > 0 ||
    precedence.some((value) => /^(?:bulk|list|junk)\b/.test(value)) ||
    valuesOf('list-id').length > 0 ||
    valuesOf('list-unsubscribe').length > 0 ||
    valuesOf('feedback-id').length > 0 ||
    valuesOf('x-auto-response-suppress').some((value) => /\b(?:all|autoreply|dr|oof)\b/.test(value))
  return isProgram ? 'program' : 'person'
}
