import { type Body, readBody } from './parse/body.ts'
import { readHeaderBlock } from './parse/header-block.ts'
import { headerFieldsOf } from './parse/header-fields.ts'
import { MAX_HEADER_BYTES } from './parse/limits.ts'
import { readStructure } from './parse/structure.ts'
import type { HeaderFields, ParsedMail } from './parsed.ts'
import { atOnce, type Steps } from './steps.ts'

/** How work in steps is done: at once, or in turns with everything else. */
type Run = <Result>(steps: Steps<Result>) => Result | Promise<Result>

/**
 * Reads a message, whatever its bytes are: what is beyond the limits or makes no sense is left out, and `faults` says so. The
 * caller keeps the bytes themselves. 40 MB take up to 2 s, so where others wait it is given `inTurns`.
 */
export async function parseMail(raw: Buffer, run: Run = atOnce): Promise<ParsedMail> {
  const fields = readHeaderFields(raw)
  try {
    return { ...fields, ...(await run(bodyOf(raw))) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ...fields, html: null, text: null, attachments: [], faults: [`The body could not be read: ${reason}`] }
  }
}

function* bodyOf(raw: Buffer): Steps<Body> {
  return yield* readBody(raw, yield* readStructure(raw))
}

/** The header alone, without a look at the body: cheap enough to be done while the sender waits for our answer. */
export function readHeaderFields(raw: Buffer): HeaderFields {
  const { fields } = readHeaderBlock(raw, {
    start: 0,
    maxBytes: MAX_HEADER_BYTES,
    isBodyWanted: false,
    charsetOf: () => bodyCharset(raw),
  })
  return headerFieldsOf(fields)
}

/** Where the first text says what it is written in: in the header of the message, or in that of one of the first parts. */
const MAX_BYTES_BEFORE_TEXT = 64 * 1_024

function bodyCharset(raw: Buffer): string | null {
  return atOnce(readStructure(raw.subarray(0, MAX_BYTES_BEFORE_TEXT))).charset
}
