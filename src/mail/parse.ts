import { readBody } from './parse/body.ts'
import { readHeaderBlock } from './parse/header-block.ts'
import { headerFieldsOf } from './parse/header-fields.ts'
import { MOST_HEADER_BYTES } from './parse/limits.ts'
import { readStructure } from './parse/structure.ts'
import type { HeaderFields, ParsedMail } from './parsed.ts'

/**
 * Reads a message, whatever its bytes are: what is beyond the limits or makes no sense is left out, and `faults` says so. The
 * caller keeps the bytes themselves. It is a promise so that it can move to another thread without a change for anybody.
 */
export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  const fields = readHeaderFields(raw)
  try {
    return { ...fields, ...readBody(raw, readStructure(raw)) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ...fields, html: null, text: null, attachments: [], faults: [`The body could not be read: ${reason}`] }
  }
}

/** The header alone, without a look at the body: cheap enough to be done while the sender waits for our answer. */
export function readHeaderFields(raw: Buffer): HeaderFields {
  return headerFieldsOf(readHeaderBlock(raw, { start: 0, mostBytes: MOST_HEADER_BYTES, isBodyWanted: false }).fields)
}
