import { cleanLine } from '../parse/clean-text.ts'
import { decodeWords } from '../parse/encoded-words.ts'
import { decodeHeader } from '../parse/header-charset.ts'

/** A field of a header as its author wrote it. Bytes are characters (latin1), so that whatever they are they stay. */
export interface WrittenField {
  /** In the author's letters. */
  readonly name: string
  /** In lower case. */
  readonly key: string
  /** With the name and the folding, without the last line end. */
  readonly source: string
}

// As the parser has it: what it does not take for a field is shown to nobody, and does not leave either. White space in front of the
// colon goes: to some readers such a line is the end of the header.
const FIELD = /^([!-9;-~]{1,255})[ \t]*:/

/** The fields of a header. What is no field, and a line of nothing but white space, is left out. */
export function writtenFields(header: Buffer): WrittenField[] {
  const fields: { name: string; key: string; source: string }[] = []
  let isInField = false
  for (const line of header.toString('latin1').split(/\r?\n/)) {
    if (/^[ \t]/.test(line)) {
      if (isInField && line.trim() !== '') fields.at(-1)!.source += `\r\n${line}`
      continue
    }
    const [start, name] = FIELD.exec(line) ?? []
    isInField = start !== undefined && name !== undefined
    if (isInField)
      fields.push({ name: name!, key: name!.toLowerCase(), source: `${name}:${line.slice(start!.length)}` })
  }
  return fields
}

/** On one line, still as bytes. */
export function unfoldedValue({ name, source }: WrittenField): string {
  return source
    .slice(name.length + 1)
    .replace(/\r\n(?=[ \t])/g, '')
    .trim()
}

/** As people read it. */
export const shownValue = (field: WrittenField): string =>
  cleanLine(decodeWords(decodeHeader(unfoldedValue(field), null)))
