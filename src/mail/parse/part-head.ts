import { safeFilename } from '../filename.ts'
import { cleanLine } from './clean-text.ts'
import type { HeaderField } from './header-block.ts'
import { readParameters, withoutComments } from './parameters.ts'

/** What the header of a part says about its content. */
export interface PartHead {
  /** `text/plain`, in lower case. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  /** `base64`, in lower case. */
  readonly encoding: string
  readonly disposition: 'attachment' | 'inline' | null
  readonly filename: string | null
  readonly contentId: string | null
}

const TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/

// A header line has no more (RFC 5322); it is looked up by it.
const MAX_CONTENT_ID_LENGTH = 998

export function readPartHead(fields: readonly HeaderField[], defaultType: string): PartHead {
  const first = (name: string) => fields.find((field) => field.name === name)?.value
  const type = readParameters(first('content-type') ?? '')
  const disposition = readParameters(first('content-disposition') ?? '')
  const filename = disposition.parameters.get('filename')?.trim() || type.parameters.get('name')?.trim() || ''
  return {
    type: typeOf(type.value, { defaultType, isFile: filename !== '' || disposition.value === 'attachment' }),
    parameters: type.parameters,
    encoding: /[\w-]+/.exec(withoutComments(first('content-transfer-encoding') ?? ''))?.[0].toLowerCase() ?? '7bit',
    disposition: dispositionOf(disposition.value),
    filename: filename === '' ? null : safeFilename(filename),
    contentId: contentIdOf(first('content-id') ?? ''),
  }
}

/** What is no type is text (RFC 2045, 5.2), unless it is clearly meant as a file. */
function typeOf(value: string, { defaultType, isFile }: { defaultType: string; isFile: boolean }): string {
  if (value === '') return isFile ? 'application/octet-stream' : defaultType
  if (TYPE.test(value)) return value
  // `multipart/*`, or nothing behind the slash: what is no known kind of multipart is a mixed one (RFC 2046, 5.1.3).
  if (/^multipart(?:\/|$)/.test(value)) return 'multipart/mixed'
  return isFile ? 'application/octet-stream' : 'text/plain'
}

/** A word that nobody knows means an attachment (RFC 2183, 2.8). */
function dispositionOf(value: string): PartHead['disposition'] {
  if (value === '') return null
  return value === 'inline' ? 'inline' : 'attachment'
}

function contentIdOf(value: string): string | null {
  const line = cleanLine(value)
  let [start, end] = [0, line.length]
  while (line[start] === '<') start++
  while (end > start && line[end - 1] === '>') end--
  const id = line.slice(start, end).trim()
  return id === '' || id.length > MAX_CONTENT_ID_LENGTH ? null : id
}
