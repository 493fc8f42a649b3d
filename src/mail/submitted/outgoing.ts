import { assemble, type Chunk, endsLine } from '../mime/chunk.ts'
import type { Steps } from '../steps.ts'
import type { Tracker } from '../tracked-html.ts'
import { writtenFields } from './fields.ts'
import { type HeaderStamp, outgoingHeader } from './header.ts'
import type { Layout } from './layout.ts'
import { type ChangedPart, changedFields, changePart } from './part.ts'

export interface OutgoingOptions {
  readonly stamp: HeaderStamp
  /** Null: nothing is to be noticed. */
  readonly tracker: Tracker | null
  /** Whether what can be spelled in 7 bits is. */
  readonly isSevenBit: boolean
}

/**
 * A submitted message as it leaves: its header without what is for us and with what was missing, its body byte for byte, except for parts
 * that servers would not carry and html that is tracked.
 */
export function* outgoingSteps(raw: Buffer, layout: Layout, options: OutgoingOptions): Steps<Buffer> {
  const changes: ChangedPart[] = []
  for (const part of layout.parts) {
    const change = yield* changePart(raw, part, options)
    if (change) changes.push(change)
  }
  const ofRoot = changes.find(({ part }) => part.headStart === 0)
  const written = writtenFields(raw.subarray(0, layout.bodyStart))
  const fields = ofRoot ? changedFields(written, ofRoot) : written
  const header = outgoingHeader(fields, options.stamp, { isBodyChanged: changes.length > 0 })
  const body = ofRoot ? ofRoot.content : bodyOf(raw, layout.bodyStart, changes)
  return yield* assemble([Buffer.from(`${header}\r\n`, 'latin1'), ...body, isEnded(body) ? '' : '\r\n'])
}

function isEnded(body: readonly Chunk[]): boolean {
  const last = body.findLast((chunk) => typeof chunk !== 'string' && !(Buffer.isBuffer(chunk) && chunk.length === 0))
  return last === undefined || endsLine(last)
}

function bodyOf(raw: Buffer, bodyStart: number, changes: readonly ChangedPart[]): Chunk[] {
  const chunks: Chunk[] = []
  let done = bodyStart
  for (const change of changes) {
    const { headStart, start, end } = change.part
    chunks.push(raw.subarray(done, headStart), headOf(raw.subarray(headStart, start), change), ...change.content)
    done = end
  }
  chunks.push(raw.subarray(done))
  return chunks
}

function headOf(head: Buffer, change: ChangedPart): Buffer {
  if (change.encoding === null && change.type === null) return head
  const sources = changedFields(writtenFields(head), change).map(({ source }) => source)
  return Buffer.from([...sources, '', ''].join('\r\n'), 'latin1')
}
