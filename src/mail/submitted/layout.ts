import { isAscii } from 'node:buffer'
import { type Part, readStructure } from '../parse/structure.ts'
import type { Steps } from '../steps.ts'
import { findLongLine, MAX_LINE_LENGTH } from './lines.ts'

/** A part of a submitted message whose bytes may have to change before they leave. All others leave as they came. */
export interface OpenPart {
  /** Where its header begins, where its content does, and where that ends. */
  readonly headStart: number
  readonly start: number
  readonly end: number
  readonly type: string
  /** The transfer encoding, in lower case. */
  readonly encoding: string
  readonly charset: string | null
  /** Html that readers show. */
  readonly isHtml: boolean
  /** It has lines, or a NUL, that SMTP does not carry. */
  readonly mustEncode: boolean
  readonly isEightBit: boolean
}

/** Where in a submitted message is what we may touch. It is found out once, when the message is taken. */
export interface Layout {
  readonly bodyStart: number
  /** Whether any of the body is, open or not. */
  readonly isEightBit: boolean
  /** In their order. */
  readonly parts: readonly OpenPart[]
}

/** How much of it is html that can be tracked. */
export const htmlBytesOf = ({ parts }: Layout) =>
  parts.reduce((sum, { isHtml, start, end }) => sum + (isHtml ? end - start : 0), 0)

/** What is inside is proven or hidden by a signature or a key of somebody else's: a changed byte makes it worthless. */
const SEALED = new Set(['multipart/signed', 'multipart/encrypted'])
const KNOWN_ENCODINGS = new Set(['7bit', '8bit', 'binary', 'quoted-printable', 'base64'])

/** Or, in words, why the message can be sent by nobody. */
export function* readLayout(raw: Buffer, bodyStart: number): Steps<Layout | { refusal: string }> {
  const { root, faults } = yield* readStructure(raw)
  // Where a reader may see other parts than we do, nothing is touched.
  const leaves = faults.length > 0 ? [] : leavesOf(root)
  const unfit = yield* findUnfit(raw, bodyStart, leaves)
  if ('refusal' in unfit) return unfit
  const parts: OpenPart[] = []
  for (const leaf of leaves) {
    const part = openPart(raw, leaf, { isRoot: leaf === root, mustEncode: unfit.leaves.has(leaf) })
    if (part.isHtml || part.mustEncode || part.isEightBit) parts.push(part)
    yield
  }
  return { bodyStart, isEightBit: !isAscii(raw.subarray(bodyStart)), parts }
}

function leavesOf(part: Part): Part[] {
  if (SEALED.has(part.head.type)) return []
  if (part.parts.length > 0) return part.parts.flatMap(leavesOf)
  return part.head.type.startsWith('multipart/') || !KNOWN_ENCODINGS.has(part.head.encoding) ? [] : [part]
}

function openPart(
  raw: Buffer,
  { head, headStart, start, end }: Part,
  { isRoot, mustEncode }: { isRoot: boolean; mustEncode: boolean },
): OpenPart {
  const isShown = head.disposition !== 'attachment' && (head.filename === null || isRoot)
  return {
    headStart,
    start,
    end,
    type: head.type,
    encoding: head.encoding,
    charset: head.parameters.get('charset') ?? null,
    isHtml: head.type === 'text/html' && isShown,
    mustEncode,
    isEightBit: !isAscii(raw.subarray(start, end)),
  }
}

const UNFIT =
  `The message has a line of more than ${MAX_LINE_LENGTH} characters, or a NUL, where it cannot be encoded: ` +
  'inside of a signed or encrypted part, in the header of a part, or outside of all parts.'

/** The leaves that SMTP does not carry as they are. What is unfit outside of them cannot be mended. */
function* findUnfit(
  raw: Buffer,
  bodyStart: number,
  leaves: readonly Part[],
): Steps<{ leaves: ReadonlySet<Part> } | { refusal: string }> {
  const found = new Set<Part>()
  for (const find of [findLongLine, findNul]) {
    let at = find(raw, bodyStart)
    yield
    while (at >= 0) {
      const offset = at
      const leaf = leaves.find(({ start, end }) => start <= offset && offset < end)
      if (!leaf) return { refusal: UNFIT }
      found.add(leaf)
      at = find(raw, leaf.end)
      yield
    }
  }
  return { leaves: found }
}

const findNul = (raw: Buffer, from: number) => raw.indexOf(0, from)
